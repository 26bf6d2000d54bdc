"""Coordinates found in a reply that no grammar holds together: JSON, tags, `x=…, y=…`, brackets, bare numbers.

Only what stands outside of thinking counts (`thoughts.outline`). Of several notations in one reply the most explicit
one is meant: a key that says "box" goes before a pair of numbers in some bracket.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent_server.adapters.coordinates import numbers_of
from agent_server.adapters.literal import ENTRY, Scanner
from agent_server.adapters.reply import Call, Unreadable, Value
from agent_server.adapters.thoughts import marker, only_remarks, outline

_N = r"[-+]?[0-9]{1,9}(?:\.[0-9]{0,9})?"
_IS = r"[\"'`]?\s{0,3}[:=：]\s{0,3}(?=[^\s\w]|-?\d)"
_KEY = r"\b(?:bbox_2d|bbox|box|start_box|point_2d|point|start_point|coordinates?|position|location|center|click)" + _IS
_Y_FIRST_KEY = r"\bbox_2d" + _IS
"""Gemini's own notation of a box, which counts y first."""
_TAG = r"(?=<(?:point|box|bbox|click|coordinate|\|box_start\||\|point_start\|)[^<>]{0,10}>)"
_X = rf"\b[xX]1?[\"']?\s{{0,3}}[:=]\s{{0,3}}{_N}"
_BRACKET = rf"(?<![\[(（【]{{2}})(?=[\[(（【]\s{{0,3}}[\[(（]?\s{{0,3}}{_N}\s{{0,3}}[,，、\s])"
_BARE = rf"^[\s`*]{{0,8}}(?={_N}\s{{0,3}}[,，\s]\s{{0,3}}{_N})"
_NAMED = tuple(
    re.compile(
        r"\s{0,3}[,;\s]\s{0,3}".join(rf"[\"']?{name}[\"']?\s{{0,3}}[:=]\s{{0,3}}({_N})" for name in names),
        re.IGNORECASE,
    )
    for names in (("x1", "y1", "x2", "y2"), ("x", "y"), ("x1", "y1"))
)
_NUMBERS = re.compile(rf"{_N}(?:\s{{0,3}}[,，\s]\s{{0,3}}{_N}){{1,3}}")
_SECOND_CORNER = re.compile(r"\s{0,3}[,，]?\s{0,3}(?=[(（])")


@dataclass(frozen=True)
class Found:
    """The numbers of the first coordinate, two or four, as they were written, and how many more followed."""

    numbers: list[float]
    written: str
    more: int = 0


def find_place(text: str) -> Found | None:
    """The coordinate that a reply gives; None where there is none outside of thinking."""
    for head, read in _NOTATIONS:
        found = outline(text, head, read)
        if found and found.calls:
            first = found.calls[0]
            return Found(_coordinate(first.positional[0]) or [], first.source, len(found.calls) - 1)
    return None


def _coordinate(value: Value) -> list[float] | None:
    """The numbers of a point or a box, None for anything else."""
    try:
        numbers = numbers_of(value)
    except Unreadable:
        return None
    return numbers if len(numbers) in (2, 4) else None


def _read_value(scanner: Scanner) -> list[Call]:
    start = scanner.pos
    numbers = _coordinate(scanner.value(ENTRY))
    return [] if numbers is None else [_call(numbers, scanner, start)]


def _read_y_first(scanner: Scanner) -> list[Call]:
    start = scanner.pos
    numbers = _coordinate(scanner.value(ENTRY))
    if numbers is None:
        return []
    swapped = [numbers[index] for index in (1, 0, 3, 2)[: len(numbers)]]
    return [_call(swapped, scanner, start)]


def _read_named(scanner: Scanner) -> list[Call]:
    start = scanner.pos
    for names in _NAMED:
        if match := names.match(scanner.text, start):
            scanner.pos = match.end()
            return [_call([float(number) for number in match.groups()], scanner, start)]
    return []


def _read_bracketed(scanner: Scanner) -> list[Call]:
    """`(1, 2), (3, 4)` in round brackets are the corners of a box: Qwen2-VL's notation without its tokens."""
    start, round_brackets = scanner.pos, scanner.char in "(（"
    numbers = _coordinate(scanner.value(ENTRY))
    if numbers is None:
        return []
    if round_brackets and len(numbers) == 2:
        end = scanner.pos
        second = _coordinate(scanner.value(ENTRY)) if scanner.take_match(_SECOND_CORNER) else None
        if second is not None and len(second) == 2:
            numbers += second
        else:
            scanner.pos = end
    return [_call(numbers, scanner, start)]


def _read_bare(scanner: Scanner) -> list[Call]:
    """Numbers that are all that the reply says."""
    start = scanner.pos
    match = scanner.take_match(_NUMBERS)
    if match is None or not only_remarks(scanner.text, scanner.pos):
        return []
    numbers = _coordinate(match.group())
    return [] if numbers is None else [_call(numbers, scanner, start)]


def _call(numbers: list[float], scanner: Scanner, start: int) -> Call:
    return Call("place", {}, [list(numbers)], scanner.text[start : scanner.pos].strip())


_NOTATIONS: tuple[tuple[re.Pattern[str], Callable[[Scanner], list[Call]]], ...] = (
    (marker(_KEY), _read_value),
    (marker(_Y_FIRST_KEY), _read_y_first),
    (marker(_TAG), _read_value),
    (marker(rf"(?={_X})"), _read_named),
    (marker(_BRACKET), _read_bracketed),
    (marker(_BARE), _read_bare),
)
