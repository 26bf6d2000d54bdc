"""What a family can say, declared once, and the regular expression that admits nothing else.

A family lists its forms, `Form("Click", "(box=($x, $y))")`: a verb and what follows it, in the model's own syntax, with
slots for what varies (`_SLOTS`). Its parser takes its verbs from there, `VERBS | verbs(FORMS)`, and its `constraint` is
the expression of a whole reply around `calls(FORMS, map)`:

    Constraint("regex", f"<think>{PROSE}</think>\\n?<action>{calls(FORMS, map)}</action>")

Expressions keep to what xgrammar, llguidance and Python's `re` read alike, and to what xgrammar is fast at with a
vocabulary of 150,000 tokens: every state of the automaton costs it 20 to 40 ms of CPU, so that `[a-z ]{0,500}` takes
longer than vLLM waits. A repeated group costs as much as one of it. A text is therefore so many words of so many
letters, and every reply ends within the tokens that its family has, even one of random weights without sampling.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from agent_server.adapters.arguments import normal
from agent_server.geometry import CoordinateMap, Point

WORD = "[0-9A-Za-zÀ-ÖØ-öø-ɏΑ-ΡΣ-ώЀ-ӿא-תء-غف-يぁ-ゖァ-ヺー一-鿿가-힣.,:?!%+@/_-]"
"""A character of a text: letters of most scripts, digits, and marks that no grammar escapes or ends a text with."""
_SPACE = "[ ，。、]"
_LETTERS = 16
"""How long a word is at most."""


def words(most: int) -> str:
    """Matches up to `most` words, none included: no character that a grammar escapes or ends a text with."""
    word = f"{WORD}{{0,{_LETTERS}}}"
    return f"{word}({_SPACE}{word}){{0,{most - 1}}}"


PROSE = words(12)
"""A thought or a conclusion: one line without brackets and quotes, possibly empty."""
_TEXT = words(6)
_DIGIT = "[0-9]"
_SLOTS = {
    "text": _TEXT,
    "name": f"{WORD}{_TEXT}",
    "direction": "(up|down|left|right)",
    "seconds": f"({_DIGIT}|[1-5]{_DIGIT})(\\.{_DIGIT}{{1,3}})?",
    "milliseconds": f"[1-9]{_DIGIT}{{0,3}}",
}
"""What the slots of a form match: `$text`, possibly empty; `$name`, not empty; `$seconds` below 60. Slots of places are
`$x` and `$y`, any point, and `$x1`, `$y1`, `$x2`, `$y2`, a path of the finger through the middle of the screen."""
_SLOT = re.compile(r"\$([a-z]+[12]?)")
_SPECIAL = re.compile(r"[\\.^$*+?()\[\]{}|]")


@dataclass(frozen=True)
class Form:
    """One thing that a grammar can say: `verb` as it is written, and `rest`, what follows it, with slots."""

    verb: str
    rest: str = ""


def verbs(forms: Iterable[Form]) -> frozenset[str]:
    """The verbs of the forms as `Arguments.verb` has them."""
    return frozenset(normal(form.verb) for form in forms)


def calls(forms: Iterable[Form], map: CoordinateMap) -> str:
    """Matches what the forms can say about a screenshot, and nothing else, with every point on the screen.

    A path is one whose ends lie in different halves of the screen, so that it has a length and a direction; a screen of
    one pixel has none, and its forms are left out. Raises ValueError for a space that does not count in whole numbers.
    """
    if not map.integral:
        raise ValueError(f"only coordinates in whole numbers can be held to a pattern, not those of {map}")
    by_rest: dict[str, list[str]] = {}
    for form in forms:
        by_rest.setdefault(form.rest, []).append(literal(form.verb))
    found = [either(said) + tail for rest, said in by_rest.items() for tail in _filled(rest, map)]
    return either(found)


def literal(text: str) -> str:
    """Matches `text`."""
    return _SPECIAL.sub(r"\\\g<0>", text).replace("\n", r"\n").replace("\t", r"\t")


def either(patterns: Iterable[str]) -> str:
    """Matches what one of the patterns does."""
    return f"({'|'.join(patterns)})"


def integers(low: int, high: int) -> str:
    """Matches the whole numbers from `low`, at least 0, to `high`, both included, without leading zeros."""
    blocks = []
    while low <= high:
        size = 1
        while low and low % (size * 10) == 0 and low + size * 10 - 1 <= high:
            size *= 10
        ahead, first = divmod(low // size, 10)
        last = min(9, first + (high - low + 1) // size - 1)
        digit = f"[{first}-{last}]" if first < last else f"{first}"
        blocks.append(f"{ahead or ''}{digit}{_DIGIT * (len(str(size)) - 1)}")
        low += size * (last - first + 1)
    return either(blocks)


def _filled(rest: str, map: CoordinateMap) -> list[str]:
    """The patterns of what follows a verb: one, or where it has a path, one for every way over the screen."""
    width, height = (round(side) for side in map.to_model(Point(map.device.width - 1, map.device.height - 1)))
    anywhere = {"x": integers(0, width), "y": integers(0, height)}
    if "$x1" not in rest:
        return [_with(rest, anywhere)]
    return [_with(rest, anywhere | ends) for ends in _paths(anywhere, width, height, map)]


def _paths(anywhere: dict[str, str], width: int, height: int, map: CoordinateMap) -> list[dict[str, str]]:
    right = bisect_left(range(width + 1), (map.device.width + 1) // 2, key=lambda x: map.to_device(x, 0).x)
    lower = bisect_left(range(height + 1), (map.device.height + 1) // 2, key=lambda y: map.to_device(0, y).y)
    free = {f"{axis}{end}": anywhere[axis] for axis in "xy" for end in "12"}
    found = []
    for axis, middle, last in (("x", right, width), ("y", lower, height)):
        halves = (integers(0, middle - 1), integers(middle, last))
        if 0 < middle <= last:
            for first, second in (halves, halves[::-1]):
                found.append({**free, f"{axis}1": first, f"{axis}2": second})
    return found


def _with(rest: str, places: dict[str, str]) -> str:
    """`rest` as a pattern: its slots filled, all else literal. Raises KeyError for a slot that there is none of."""
    slots = _SLOTS | places
    parts = _SLOT.split(rest)
    return "".join(slots[part] if index % 2 else literal(part) for index, part in enumerate(parts))
