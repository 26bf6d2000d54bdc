"""Install sessions: packages that arrive in parts before they are installed."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Session:
    """Flags of `install-create` and the parts written so far, by name."""

    flags: set[str]
    parts: dict[str, bytes] = field(default_factory=dict)


@dataclass
class Sessions:
    """The open sessions of one phone, by number."""

    open: dict[int, Session] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1_203_948_571, 7919))
