"""Which weights a reply came from: what the model servers were started with, a LoRA adapter, or another checkpoint."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, Self

from agent_server.errors import InvalidRequest

Kind = Literal["base", "lora", "checkpoint"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+=-]{0,199}")


@dataclass(frozen=True, eq=False)
class Revision:
    """Weights under a name that is used once; two loads are never the same revision."""

    kind: Kind
    name: str | None = None
    """None for what the servers were started with: each names it itself (`/v1/models`)."""
    path: str | None = None
    """Folder, as the model servers see it."""
    on: Self | None = None
    """For a LoRA adapter: the full weights under it."""

    @property
    def root(self) -> Revision:
        """The full weights: of these a server has one at a time, while adapters on them are served side by side."""
        return self.on or self

    @property
    def served_name(self) -> str | None:
        """What a request must ask for in place of the model; None for full weights."""
        return self.name if self.kind == "lora" else None

    def __str__(self) -> str:
        return self.name or "the weights that the model servers were started with"


def check_name(name: str) -> None:
    """Raises InvalidRequest for a name that would not survive in URLs, file names and logs."""
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name!r} is no name of a revision: up to 200 letters, digits and . _ : @ + = -, a letter or digit first"
        )
