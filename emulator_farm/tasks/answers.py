"""Reading what an agent answered: as text for comparison, as a number, and how much it resembles something."""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz import fuzz

ANSWER_LIMIT = 10_000
"""Characters of an answer that are looked at."""

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: number for number, word in enumerate(_ONES.split())} | {
    word: number * 10 for number, word in enumerate(_TENS.split(), start=2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_NUMBER = re.compile(
    r"""(?<![\w.,])-?(?:
        \d{1,3}(?:,\d{3})+(?:\.\d+)?    # 1,234.5
      | \d{1,3}(?:\.\d{3})+,\d+         # 1.234,5
      | \d+(?:\.\d+)?                   # 1234.5
    )(?!\d)""",
    re.VERBOSE,
)


def folded(text: str) -> str:
    """Without differences of case, white space, and Unicode's compatible forms."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def normal(text: str) -> str:
    """One spelling for answers that a person would call the same: folded, without quotes around it and a final stop."""
    return folded(text[:ANSWER_LIMIT]).strip("\"'“”‘’`").removesuffix(".").strip("\"'“”‘’` ")


def numbers(text: str) -> list[float]:
    """The different numbers of a text in order: its figures or, where it has none, English words for numbers.

    Commas and points are read the way they stand: `1,234.5`, `1.234,5` and `1234.5` are the same number.
    """
    plain = unicodedata.normalize("NFKC", text[:ANSWER_LIMIT]).replace("\u2212", "-")
    figures = [_figure(match.group()) for match in _NUMBER.finditer(plain)]
    return list(dict.fromkeys(figures or _spelled(plain)))


def similarity(answer: str, wanted: str) -> float:
    """How alike two texts are in any order of words, from 0 to 1."""
    return fuzz.token_sort_ratio(normal(answer), normal(wanted)) / 100


def _figure(text: str) -> float:
    european = re.fullmatch(r"-?\d{1,3}(?:\.\d{3})+,\d+", text)
    return float(text.replace(".", "").replace(",", ".") if european else text.replace(",", ""))


def _spelled(text: str) -> list[float]:
    found: list[float] = []
    total = group = 0
    reading = False
    for word in [*re.findall(r"[a-z]+", text.casefold()), ""]:
        if word in _WORDS:
            group += _WORDS[word]
            reading = True
        elif word == "hundred" and reading:
            group *= 100
        elif word in _SCALES and reading:
            total, group = total + group * _SCALES[word], 0
        elif reading and not (word == "and" and (group >= 100 or total)):
            found.append(float(total + group))
            total, group, reading = 0, 0, False
    return found
