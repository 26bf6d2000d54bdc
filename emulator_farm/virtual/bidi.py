"""Writing from right to left: which form an Arabic letter takes, and in which order the letters of a line stand.

Both are the common cases of the Unicode rules: one paragraph of letters, numbers and words of the other direction,
without explicit embeddings. Text without any letter that runs to the left is left alone everywhere.
"""

import re
import unicodedata
from functools import lru_cache

_COMPLEX = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FORMS = ("isolated", "initial", "medial", "final")
_TATWEEL, _LAM = "ـ", "ل"
_JOINED_AWAY = "\u200b"
"""Stands in for the second letter of a ligature, so that a shaped text is as long as the text."""
_BETWEEN_DIGITS = ",.:/-+"
_AROUND_DIGITS = "%$€£¥°#٪"
_MIRRORED = dict(zip("()[]{}<>«»", ")(][}{><»«", strict=True))


def runs_left(text: str) -> bool:
    """Whether any of it is written from right to left."""
    return not text.isascii() and _COMPLEX.search(text) is not None


def leftward(text: str) -> bool:
    """Whether the first letter that has a direction is one that runs to the left."""
    for char in text:
        match unicodedata.bidirectional(char):
            case "L":
                return False
            case "R" | "AL":
                return True
    return False


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], str]]:
    """Forms by letter, and the ligature of lam with an alef by that alef and form."""
    forms: dict[str, dict[str, str]] = {}
    ligatures: dict[tuple[str, str], str] = {}
    for point in (*range(0xFE80, 0xFEFD), *range(0xFB50, 0xFBB2)):
        form, *parts = unicodedata.decomposition(chr(point)).split() or [""]
        form = form.strip("<>")
        letters = [chr(int(part, 16)) for part in parts]
        if form in _FORMS and len(letters) == 1:
            forms.setdefault(letters[0], {}).setdefault(form, chr(point))
        elif form in _FORMS and len(letters) == 2 and letters[0] == _LAM:
            ligatures[letters[1], form] = chr(point)
    return forms, ligatures


def shape(text: str) -> str:
    """The same number of characters, each Arabic letter in the form that its neighbours ask for."""
    forms, ligatures = _tables()
    letters = [index for index, char in enumerate(text) if unicodedata.category(char) != "Mn"]
    shaped = list(text)
    skip = -1
    for place, index in enumerate(letters):
        char = text[index]
        if place == skip or char not in forms:
            continue
        before = text[letters[place - 1]] if place else ""
        after = text[letters[place + 1]] if place + 1 < len(letters) else ""
        joins_before = _joins_on(before, forms) and "final" in forms[char]
        if char == _LAM and (after, "isolated") in ligatures:
            shaped[index] = ligatures[after, "final" if joins_before else "isolated"]
            shaped[letters[place + 1]] = _JOINED_AWAY
            skip = place + 1
            continue
        joins_after = "initial" in forms[char] and (after == _TATWEEL or "final" in forms.get(after, {}))
        form = ("medial" if joins_before else "initial") if joins_after else "final" if joins_before else "isolated"
        shaped[index] = forms[char].get(form, char)
    return "".join(shaped)


def _joins_on(char: str, forms: dict[str, dict[str, str]]) -> bool:
    return char == _TATWEEL or "initial" in forms.get(char, {})


def levels(text: str) -> list[int]:
    """The level of each character: odd ones run to the left. The first letter with a direction sets the paragraph's."""
    base = int(leftward(text))
    kinds = _kinds(text, base)
    return [(2 if base else 0) if kind == "L" else 1 if kind == "R" else 2 for kind in kinds]


def _kinds(text: str, base: int) -> list[str]:
    """L, R or N (a number) for each character."""
    kinds: list[str] = []
    strong = "R" if base else "L"
    for char in text:
        match unicodedata.bidirectional(char):
            case "L":
                kinds.append("L")
                strong = "L"
            case "R" | "AL":
                kinds.append("R")
                strong = "R"
            case "EN" | "AN":
                kinds.append("L" if strong == "L" else "N")
            case "NSM" | "BN" if kinds:
                kinds.append(kinds[-1])
            case _:
                kinds.append("")
    for index, char in enumerate(text):
        around = [kinds[near] for near in (index - 1, index + 1) if 0 <= near < len(kinds)]
        between = char in _BETWEEN_DIGITS and around == ["N", "N"]
        if kinds[index] == "" and (between or (char in _AROUND_DIGITS and "N" in around)):
            kinds[index] = "N"
    return _settle(kinds, "R" if base else "L")


def _settle(kinds: list[str], base: str) -> list[str]:
    """Give what has no direction that of both its sides, or the paragraph's."""
    index = 0
    while index < len(kinds):
        end = index
        while end < len(kinds) and kinds[end] == "":
            end += 1
        if end > index:
            before = base if index == 0 else "L" if kinds[index - 1] == "L" else "R"
            after = base if end == len(kinds) else "L" if kinds[end] == "L" else "R"
            kinds[index:end] = [before if before == after else base] * (end - index)
        index = end + 1
    return kinds


def visual_order(of_levels: list[int]) -> list[int]:
    """Positions in the text, in the order in which their characters stand from left to right."""
    order = list(range(len(of_levels)))
    for level in range(max(of_levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and of_levels[order[end]] >= level:
                end += 1
            order[start:end] = reversed(order[start:end])
            start = max(end, start + 1)
    return order


def mirrored(char: str) -> str:
    """What a bracket looks like where the text runs to the left."""
    return _MIRRORED.get(char, char)
