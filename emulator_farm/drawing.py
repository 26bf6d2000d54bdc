"""How an action looks on the screen that it was decided on: shapes in device pixels, and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    Direction,
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
from agent_server.geometry import Point, Size

_FINGER: dict[Direction, tuple[int, int]] = {"down": (0, -1), "up": (0, 1), "right": (-1, 0), "left": (1, 0)}
"""Which way the finger goes so that the view goes the named way."""


@dataclass(frozen=True)
class Ring:
    """A touch. `rounds` is how many circles: 1 for a tap, 2 for a double tap or a hold."""

    centre: Point
    rounds: int = 1


@dataclass(frozen=True)
class Arrow:
    """The way of a finger."""

    start: Point
    end: Point


Shape = Ring | Arrow


def shapes(action: Action, size: Size) -> list[Shape]:
    """What to draw on a screen of `size`; empty for actions without a place."""
    match action:
        case Click(point=point):
            return [Ring(point)]
        case DoubleClick(point=point) | LongPress(point=point):
            return [Ring(point, 2)]
        case Drag(start=start, end=end):
            return [Ring(start), Arrow(start, end)]
        case Scroll(direction=direction, start=start, end=end):
            first = start or Point(size.width // 2, size.height // 2)
            return [Ring(first), Arrow(first, end or _reached(first, direction, size))]
        case Type() | Press() | OpenApp() | Wait() | Answer() | CallUser() | Finished():
            return []
        case _:
            assert_never(action)


def caption(action: Action) -> str:
    """The action in a few words."""
    match action:
        case Click(point=point):
            return f"tap {_at(point)}"
        case DoubleClick(point=point):
            return f"double tap {_at(point)}"
        case LongPress(point=point, duration_ms=duration):
            return f"hold {_at(point)}" + (f" for {duration} ms" if duration else "")
        case Drag(start=start, end=end):
            return f"drag {_at(start)} to {_at(end)}"
        case Scroll(direction=direction):
            return f"scroll {direction}"
        case Type(text=text):
            return f"type “{text}”"
        case Press(key=key):
            return f"press {key.replace('_', ' ')}"
        case OpenApp(app=app):
            return f"open {app}"
        case Wait(seconds=seconds):
            return f"wait {seconds:g} s"
        case Answer(text=text):
            return f"answer “{text}”"
        case CallUser(text=text):
            return f"call the user: {text}" if text else "call the user"
        case Finished(status=status, text=text):
            return ("finished" if status == "success" else "cannot be done") + (f": {text}" if text else "")
        case _:
            assert_never(action)


def _reached(start: Point, direction: Direction, size: Size) -> Point:
    """Where a finger that scrolls from `start` lifts, a quarter of the screen away."""
    dx, dy = _FINGER[direction]
    return Point(start.x + dx * size.width // 4, start.y + dy * size.height // 4).clamped(size)


def _at(point: Point) -> str:
    return f"({point.x}, {point.y})"
