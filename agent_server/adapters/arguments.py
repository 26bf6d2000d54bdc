"""The arguments of one call, looked up by what they mean."""

from __future__ import annotations

import re

from agent_server.actions import Direction
from agent_server.adapters.coordinates import numbers_of, read_point
from agent_server.adapters.reply import Call, Unreadable, Value, well_formed
from agent_server.geometry import CoordinateMap, Point

POINT = (
    "box", "point", "start_box", "start_point", "coordinate", "coordinates", "position", "element", "bbox",
    "bbox_2d", "start", "center", "location", "xy",
)  # fmt: skip
START = (
    "start", "start_box", "start_point", "start_coordinate", "coordinate", "coordinate1", "from", "box", "point",
    "point1", "element",
)  # fmt: skip
END = ("end", "end_box", "end_point", "end_coordinate", "coordinate2", "point2", "to")
TEXT = ("content", "text", "value", "message", "input")
APP = ("app", "app_name", "text", "name", "package", "package_name", "content", "value")
_WRAPPERS = ("params", "parameters", "arguments", "args", "kwargs")
_DIRECTIONS: dict[str, Direction] = {
    "up": "up", "down": "down", "left": "left", "right": "right", "上": "up", "下": "down", "左": "left", "右": "right",
}  # fmt: skip
_OPPOSITE: dict[Direction, Direction] = {"up": "down", "down": "up", "left": "right", "right": "left"}
_DURATION = re.compile(
    r"\s*((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)\s*(?:s|sec|secs|second|seconds|ms|秒)?\s*$"
)
_MAX_WAIT_S = 600
_MAX_PRESS_MS = 60_000


def normal(name: str) -> str:
    """A verb or argument name without case and separators: `Long_Press` and `longpress` are one."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def opposite(direction: Direction) -> Direction:
    """The way back."""
    return _OPPOSITE[direction]


class Arguments:
    """Typed access; every method raises Unreadable for a value of the wrong form, points also OutOfRange."""

    def __init__(self, call: Call, map: CoordinateMap) -> None:
        self.verb = normal(call.name)
        self.written = call.name
        self._map = map
        self._positional = list(call.positional)
        named = {normal(name): value for name, value in call.arguments.items()}
        for wrapped in [named.pop(name, None) for name in _WRAPPERS] + self._positional[:1]:
            if isinstance(wrapped, dict):
                named = {normal(name): value for name, value in wrapped.items()} | named
        self._named = named

    def has(self, *names: str) -> bool:
        return any(normal(name) in self._named for name in names)

    def value(self, *names: str) -> Value:
        """The first of these arguments that is not empty, else None."""
        for name in names:
            value = self._named.get(normal(name))
            if value not in (None, "", [], {}):
                return value
        return None

    def place(self) -> Value:
        """What stands where the one place belongs that the call is about; None where nothing does."""
        value = self.value(*POINT)
        if value is None and self.has("x") and self.has("y"):
            value = [self._named["x"], self._named["y"]]
        if value is None and self._positional:
            value = self._positional[0] if len(self._positional) == 1 else self._positional[:4]
        return value

    def point(self) -> Point:
        """The one place that the call is about."""
        value = self.place()
        if value is None:
            raise Unreadable(f"{self.written} needs a point and has none")
        return read_point(value, self._map)

    def path(self) -> tuple[Point | None, Point | None]:
        """Start and end of a movement; None for what is absent or empty."""
        start, end = self.value(*START), self.value(*END)
        if start is None and end is None and self._positional:
            start, end = self._positional_path()
        return (
            None if start is None else read_point(start, self._map),
            None if end is None else read_point(end, self._map),
        )

    def direction(self) -> Direction | None:
        """The direction argument, or a positional one; None where there is none."""
        value = self.value("direction")
        if value is None:
            value = next((value for value in self._positional if _is_direction(value)), None)
        if value is None:
            return None
        word = str(value).strip().lower().removeprefix("向")
        if word not in _DIRECTIONS:
            raise Unreadable(f"{self.written} has the direction {str(value)[:40]!r}; it is up, down, left or right")
        return _DIRECTIONS[word]

    def text(self, *names: str) -> str:
        """A text argument; empty is a text, absent is not."""
        found = self.optional_text(*names)
        if found is None:
            raise Unreadable(f"{self.written} needs {names[0]} and has none")
        return found

    def optional_text(self, *names: str) -> str | None:
        """A text argument by any of these names, or the only positional one; None where it is absent."""
        for name in names:
            if normal(name) in self._named:
                return self._as_text(self._named[normal(name)])
        if self._positional and not isinstance(self._positional[0], list | dict):
            return self._as_text(self._positional[0])
        return None

    def seconds(self, *names: str) -> float | None:
        """A duration in seconds, at most ten minutes; None where absent or empty.

        It is milliseconds where it says so, and where it is a bare number above ten minutes: no grammar means that.
        """
        seconds = self._number(*names)
        if seconds is None:
            return None
        unit = str(self.value(*names)).rstrip().lstrip("0123456789.eE+- ")
        if unit == "ms" or (not unit and seconds > _MAX_WAIT_S):
            seconds /= 1000
        return min(seconds, _MAX_WAIT_S)

    def hold_ms(self) -> int | None:
        """How long to hold: `duration_ms`, or `time` and `duration`: seconds up to 60, milliseconds above."""
        milliseconds = self._number("duration_ms", "ms")
        if milliseconds is None:
            time = self._number("time", "duration", "seconds")
            if not time:
                return None
            milliseconds = time * 1000 if time <= 60 else time
        return max(1, round(min(milliseconds, _MAX_PRESS_MS)))

    def _number(self, *names: str) -> float | None:
        """A number that is not negative, "2 s" and the like included; None where absent or empty."""
        value = self.value(*names)
        if value is None:
            return None
        match = _DURATION.match(str(value)[:40])
        if match is None:
            raise Unreadable(f"{self.written} has the duration {str(value)[:40]!r}, which is no number of seconds")
        return float(match[1])

    def key(self) -> str:
        """The name of a key, a list of one included. Raises Unreadable, for several at once as unsupported."""
        value = self.value("button", "key", "text", "name", "keys")
        if not isinstance(value, list):
            return self.text("button", "key", "text", "name", "keys")
        if len(value) > 1:
            raise Unreadable(f"{self.written} asks for {len(value)} keys at once, which a phone lacks", "unsupported")
        return self._as_text(value[0])

    def _positional_path(self) -> tuple[Value, Value]:
        """Start and end from arguments without names: two points, one, or four numbers."""
        values = [value for value in self._positional if not _is_direction(value)]
        if len(values) == 1 and isinstance(values[0], str) and len(numbers := numbers_of(values[0])) == 4:
            return [*numbers[:2]], [*numbers[2:]]
        return (values[0], values[1] if len(values) == 2 else None) if len(values) in (1, 2) else (None, None)

    def _as_text(self, value: Value) -> str:
        match value:
            case str():
                return well_formed(value)
            case None:
                return ""
            case bool():
                return "true" if value else "false"
            case int() | float():
                return str(value)
            case list() | dict():
                raise Unreadable(f"{self.written} has a structure where a text belongs")


def _is_direction(value: Value) -> bool:
    return isinstance(value, str) and value.strip().lower() in _DIRECTIONS
