"""A model's reply taken apart: what it thought, what it called, and why it cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]
"""What an argument can be: the types of JSON. Quoted text and bare words are both `str`."""


class Unreadable(ValueError):
    """A reply, or a part of one, that is no action. `kind` is that of the parse error it becomes."""

    def __init__(self, message: str, kind: Literal["malformed", "unsupported"] = "malformed") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Call:
    """A verb with arguments, whatever syntax it was written in; names as the model wrote them."""

    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    positional: Sequence[Value] = ()
    source: str = ""
    """The text it was read from."""


@dataclass(frozen=True)
class Reply:
    """`calls` in the order written; `problem` says why there is none."""

    thought: str = ""
    summary: str = ""
    calls: tuple[Call, ...] = ()
    problem: str = "the reply holds no action"


def well_formed(text: str) -> str:
    """Text that every encoder accepts: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
