"""Actions and episodes reduced to what makes two of them the same."""

from __future__ import annotations

import hashlib
from typing import assert_never

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.geometry import Point
from emulator_farm.episode import Episode, Step

UNREADABLE = "unreadable"
"""The signature of a step whose text gave no action."""


def signature(action: Action, grid: int) -> str:
    """Equal for actions that differ by nothing but points within one cell of a grid of `grid` pixels."""
    match action:
        case Click() | DoubleClick() | LongPress():
            return f"{action.type} {_cell(action.point, grid)}"
        case Drag():
            return f"drag {_cell(action.start, grid)} {_cell(action.end, grid)}"
        case Scroll():
            points = (_cell(point, grid) for point in (action.start, action.end) if point is not None)
            return " ".join(("scroll", action.direction, *points))
        case Type() | Answer() | CallUser():
            return f"{action.type} {action.text!r}"
        case Press():
            return f"press {action.key}"
        case OpenApp():
            return f"open_app {action.app!r}"
        case Wait():
            return "wait"
        case Finished():
            return f"finished {action.status} {action.text!r}"
        case _:
            assert_never(action)


def step_signature(step: Step, grid: int) -> str:
    """The signature of what was decided at a step."""
    action = step.decision.action if step.decision else None
    return UNREADABLE if action is None else signature(action, grid)


def episode_key(episode: Episode, grid: int) -> str:
    """Equal for episodes with the same goal, up to case and spacing, and the same action signatures. 32 hex digits."""
    parts = [" ".join(episode.header.goal.casefold().split())]
    parts += [step_signature(step, grid) for step in episode.moves]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _cell(point: Point, grid: int) -> str:
    return f"{point.x // grid},{point.y // grid}"
