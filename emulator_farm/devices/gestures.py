"""Actions that are one `input` command: a pure translation, pixels in, shell line out."""

from __future__ import annotations

from typing import Protocol

from agent_server.actions import Click, Direction, DoubleClick, Drag, Key, LongPress, Press, Scroll
from agent_server.geometry import Point, Size

KEYCODES: dict[Key, int] = {
    "back": 4,
    "home": 3,
    "recents": 187,
    "enter": 66,
    "menu": 82,
    "delete": 67,
    "tab": 61,
    "escape": 111,
    "power": 26,
    "volume_up": 24,
    "volume_down": 25,
}
"""Android's KeyEvent codes."""

LONG_PRESS_MS = 1000
DRAG_MS = 1000
SLOW_DRAG_MS = 2000
"""For phones without `draganddrop`: slow enough that most lists take it for a drag."""
SCROLL_SHARE = 0.4
"""How much of the screen a scroll without an end moves."""
MIN_SCROLL_MS = 300
SCROLL_PIXELS_PER_S = 1600
"""Faster fingers throw the content instead of moving it."""

Gesture = Click | DoubleClick | LongPress | Drag | Scroll | Press


class GestureChannel(Protocol):
    """A way to gestures beside `input`. Methods raise ChannelFailed and every DeviceError."""

    @property
    def name(self) -> str: ...

    @property
    def held_ms(self) -> float:
        """How long a tap holds the screen, which is not known from a call."""
        ...

    def can(self, gesture: Gesture, size: Size) -> bool:
        """Whether this way means the same by it on a phone that stands upright."""
        ...

    def ping(self) -> None:
        """One harmless call."""
        ...

    def perform(self, gesture: Gesture, size: Size) -> str:
        """Do it and say in a line what was done; after ChannelFailed nothing was done."""
        ...


_FINGER: dict[Direction, tuple[int, int]] = {"down": (0, -1), "up": (0, 1), "right": (-1, 0), "left": (1, 0)}
"""Where the finger goes for a view that goes there."""


def command_of(gesture: Gesture, size: Size, *, tool: str = "input", can_drag: bool = True) -> str:
    """The shell line for a gesture on a screen of `size`. `tool` may pin a display: `input -d 0`."""
    match gesture:
        case Click(point=point):
            return f"{tool} tap {point.x} {point.y}"
        case DoubleClick(point=point):
            return f"{tool} tap {point.x} {point.y} && {tool} tap {point.x} {point.y}"
        case LongPress(point=point, duration_ms=duration):
            return _swipe(tool, point, point, LONG_PRESS_MS if duration is None else duration)
        case Drag(start=start, end=end):
            if can_drag:
                return f"{tool} draganddrop {start.x} {start.y} {end.x} {end.y} {DRAG_MS}"
            return _swipe(tool, start, end, SLOW_DRAG_MS)
        case Scroll():
            start, end = scroll_path(gesture, size)
            return _swipe(tool, start, end, scroll_ms(start, end))
        case Press(key=key):
            return f"{tool} keyevent {KEYCODES[key]}"


def scroll_path(scroll: Scroll, size: Size) -> tuple[Point, Point]:
    """Where the finger goes down and up: against the direction of the view, inside the screen.

    Without a start it crosses the middle of the screen; without an end it moves 40 % of the screen or to its edge.
    """
    if scroll.start is not None and scroll.end is not None:
        return scroll.start, scroll.end
    x_sign, y_sign = _FINGER[scroll.direction]
    dx, dy = round(x_sign * SCROLL_SHARE * size.width), round(y_sign * SCROLL_SHARE * size.height)
    start = scroll.start or Point(size.width // 2 - dx // 2, size.height // 2 - dy // 2)
    return start, Point(start.x + dx, start.y + dy).clamped(size)


def scroll_ms(start: Point, end: Point) -> int:
    """How long a finger takes for this way, in milliseconds, so that it moves the content and does not throw it."""
    distance = max(abs(end.x - start.x), abs(end.y - start.y))
    return max(MIN_SCROLL_MS, round(distance * 1000 / SCROLL_PIXELS_PER_S))


def _swipe(tool: str, start: Point, end: Point, duration_ms: int) -> str:
    return f"{tool} swipe {start.x} {start.y} {end.x} {end.y} {duration_ms}"
