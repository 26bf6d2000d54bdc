"""How a model server is, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never


@dataclass(frozen=True)
class Starting:
    since: float
    """Seconds of the event loop's clock, as are all times here."""
    after: str | None = None
    """Why it had to be started again; None for the first start."""


@dataclass(frozen=True)
class Up:
    since: float


@dataclass(frozen=True)
class Lost:
    """It ended and is started again at `until`."""

    reason: str
    until: float


@dataclass(frozen=True)
class GivenUp:
    reason: str


@dataclass(frozen=True)
class Stopping:
    pass


State = Starting | Up | Lost | GivenUp | Stopping


def refusal(state: State, now: float) -> str | None:
    """Why nobody should ask a server now; None where one may."""
    match state:
        case Up():
            return None
        case Starting(since, after):
            said = (
                "the model server is starting" if after is None else f"the model server {after}; it is starting again"
            )
            return f"{said} ({now - since:.0f} s)"
        case Lost(reason, until):
            return f"the model server {reason}; it is started again in {max(until - now, 0):.0f} s"
        case GivenUp(reason):
            return f"the model server {reason}; it is not started again"
        case Stopping():
            return "the model server is being stopped"
        case _:
            assert_never(state)
