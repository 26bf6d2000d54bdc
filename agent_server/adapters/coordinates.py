"""Coordinates in any notation that models use: points, boxes, tags, lists, dictionaries, text."""

from __future__ import annotations

import re
import unicodedata

from agent_server.adapters.reply import Unreadable, Value
from agent_server.geometry import CoordinateMap, OutOfRange, Point

_TAG = re.compile(r"</?\|?/?[A-Za-z_]\w{0,20}\|?>")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?![\w.])")
_NAME = re.compile(r"\b[xyXY][12]?\b")
_REST = re.compile(r"[\s,;:=()\[\]{}'\"|、]*+")
_NAMES = (("x", "y"), ("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom"), ("xmin", "ymin", "xmax", "ymax"))
_NESTED = ("point", "box", "coordinate", "center", "bbox", "position")
_LONGEST = 400


def numbers_of(value: Value) -> list[float]:
    """The numbers that a coordinate consists of. Raises Unreadable where there is anything else in it."""
    match value:
        case bool() | None:
            raise Unreadable(f"{value!r} is not a coordinate")
        case int() | float():
            return [float(value)]
        case str():
            return _numbers_in_text(value)
        case dict():
            return _numbers_in_names({key.strip().lower(): entry for key, entry in value.items()})
        case list():
            return _numbers_in_list(value)


def read_point(value: Value, map: CoordinateMap) -> Point:
    """The pixel that a coordinate means; of a box, its centre.

    Raises Unreadable where it is no coordinate and OutOfRange where it lies outside the model's space.
    """
    return point_of(numbers_of(value), map, value)


def point_of(numbers: list[float], map: CoordinateMap, written: object) -> Point:
    """The pixel that the numbers of a coordinate mean. Raises like `read_point`; `written` is what messages quote."""
    if len(numbers) not in (2, 4):
        raise Unreadable(f"a coordinate has 2 numbers, or 4 for a box; {_shown(written)} has {len(numbers)}")
    if map.integral and max(numbers) <= 1 and any(not number.is_integer() for number in numbers):
        raise OutOfRange(
            f"{_shown(written)} looks like a fraction of the screen; this model counts to {map.extent[0]:g}"
        )
    if len(numbers) == 2:
        return map.to_device(*numbers)
    left, top, right, bottom = numbers
    map.to_device(left, top)
    map.to_device(right, bottom)
    return map.to_device((left + right) / 2, (top + bottom) / 2)


def written_point(point: Point, map: CoordinateMap) -> tuple[str, str]:
    """A pixel's coordinates as the model writes them."""
    x, y = map.to_model(point)
    return (f"{round(x)}", f"{round(y)}") if map.integral else (f"{x:.4f}", f"{y:.4f}")


def _numbers_in_text(text: str) -> list[float]:
    if len(text) > _LONGEST:
        raise Unreadable(f"a coordinate of {len(text)} characters: {text[:40]!r}…")
    plain = _TAG.sub(" ", unicodedata.normalize("NFKC", text))
    numbers = [float(number) for number in _NUMBER.findall(plain)]
    rest = _NAME.sub("", _NUMBER.sub("", plain))
    if not numbers or not _REST.fullmatch(rest):
        raise Unreadable(f"{_shown(text)} is not a coordinate")
    return numbers


def _numbers_in_names(entries: dict[str, Value]) -> list[float]:
    for names in _NAMES:
        if all(name in entries for name in names):
            return [number for name in names for number in numbers_of(_scalar(entries[name]))]
    for name in _NESTED:
        if name in entries and not isinstance(entries[name], dict):
            return numbers_of(entries[name])
    raise Unreadable(f"{_shown(entries)} is not a coordinate")


def _numbers_in_list(items: list[Value]) -> list[float]:
    """Numbers side by side, or one level of pairs."""
    if len(items) == 1 and isinstance(items[0], list | dict):
        return numbers_of(items[0]) if isinstance(items[0], dict) else _flat(items[0])
    return [number for item in items[:8] for number in (_flat(item) if isinstance(item, list) else numbers_of(item))]


def _flat(items: list[Value]) -> list[float]:
    return [number for item in items[:8] for number in numbers_of(_scalar(item))]


def _scalar(value: Value) -> Value:
    if isinstance(value, list | dict):
        raise Unreadable(f"{_shown(value)} is not a number")
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
