"""Breaking text into lines and finding places in it; pure functions over a typeface."""

from typing import NamedTuple

from .bidi import leftward, runs_left
from .fonts import Typeface, is_wide

ELLIPSIS = "…"
_NO_START = tuple("，。！？；：、）】》”’")
"""Punctuation that never begins a line."""


class Line(NamedTuple):
    """`text[start:end]` of the source, what is shown of it, and its width in pixels."""

    start: int
    end: int
    shown: str
    width: float


def flow(text: str, face: Typeface, max_width: float, max_lines: int = 0) -> list[Line]:
    """Break at newlines and between words, inside a word only where it is wider than the line. At least one line."""
    lines: list[Line] = []
    start = 0
    for paragraph in text.split("\n"):
        for left, right in _break(paragraph, face, max_width):
            lines.append(_line(paragraph[left:right], start + left, face))
        start += len(paragraph) + 1
    if max_lines and len(lines) > max_lines:
        kept = lines[: max_lines - 1]
        tail = text[lines[max_lines - 1].start : lines[max_lines - 1].end] + ELLIPSIS
        kept.append(_cut(tail, lines[max_lines - 1], face, max_width, forced=True))
        return kept
    return lines


def single(text: str, face: Typeface, max_width: float) -> Line:
    """One line, cut with an ellipsis where it is too wide."""
    line = _line(text, 0, face)
    return line if line.width <= max_width else _cut(text, line, face, max_width)


def _line(text: str, start: int, face: Typeface) -> Line:
    # A space at the end of a line that runs to the left would stand at its left and push it out of its place.
    shown = text.rstrip() if leftward(text) else text
    return Line(start, start + len(text), shown, face.width(text.rstrip()))


def _cut(text: str, line: Line, face: Typeface, max_width: float, forced: bool = False) -> Line:
    room = max_width - face.advance(ELLIPSIS)
    body = text.removesuffix(ELLIPSIS) if forced else text
    width, kept = 0.0, 0
    steps = face.advances(body)
    while kept < len(body) and width + steps[kept] <= room:
        width += steps[kept]
        kept += 1
    shown = body[:kept].rstrip() + ELLIPSIS
    return Line(line.start, line.end, shown, face.width(shown))


def _break(paragraph: str, face: Typeface, max_width: float) -> list[tuple[int, int]]:
    if face.width(paragraph) <= max_width:
        return [(0, len(paragraph))]
    pieces: list[tuple[int, int]] = []
    steps = face.advances(paragraph)
    start, width, after_space = 0, 0.0, 0
    index = 0
    while index < len(paragraph):
        char = paragraph[index]
        step = steps[index]
        if width + step > max_width and char != " " and index > start:
            end = after_space if after_space > start else index
            pieces.append((start, end))
            start = end
            width = sum(steps[start:index])
        width += step
        index += 1
        if char == " " or (is_wide(char) and paragraph[index : index + 1] not in _NO_START):
            after_space = index
    pieces.append((start, len(paragraph)))
    return pieces


def offset_at(line: Line, face: Typeface, x: float) -> int:
    """Index in the source nearest to `x` pixels from the line's left end."""
    if runs_left(line.shown):
        carets = [abs(face.caret(line.shown, index) - x) for index in range(len(line.shown) + 1)]
        return line.start + carets.index(min(carets))
    width = 0.0
    for index, char in enumerate(line.shown):
        step = face.advance(char)
        if x < width + step / 2:
            return line.start + index
        width += step
    return line.end


def line_of(lines: list[Line], position: int) -> int:
    """Number of the line that shows the caret at `position`."""
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].start <= position:
            return number
    return 0
