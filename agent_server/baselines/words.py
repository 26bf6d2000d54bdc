"""Words of goals and labels, and how alike they are. Pure functions; no app, no screen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from rapidfuzz import fuzz

from agent_server.baselines.vocabulary import STOPWORDS, SYNONYMS

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|\+")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑](?=[^\W\d_])")
_SEGMENT = re.compile(r"\s*[,;•·|\n/]\s*")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

Weights: TypeAlias = tuple[tuple[str, float], ...]
"""Stems and what each is worth."""

SYNONYM = 0.7
NEARLY = 0.75


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Lower case without compatibility forms, line ends or doubled blanks: for comparing whole texts."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, folded, hyphens closed up ("Wi-Fi" is one word), plural and possessive endings off."""
    folded = _HYPHEN.sub("", unicodedata.normalize("NFKC", text).casefold())
    return tuple(stem(word) for word in _WORD.findall(folded))


@lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """The words of a text that say something, in order, each once."""
    return tuple(dict.fromkeys(word for word in words(text) if word not in _SILENT))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A folded word without possessive or plural ending."""
    word = re.sub(r"['’]s?$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
        return word[:-1]
    return word


_SILENT = STOPWORDS | {stem(word) for word in STOPWORDS}


@lru_cache(maxsize=16384)
def kin(left: str, right: str) -> float:
    """How far two stems mean the same: 1 equal, less for synonyms and near spellings, 0 for strangers."""
    if left == right:
        return 1.0
    if any(left in group and right in group for group in SYNONYMS):
        return SYNONYM
    if left.isdigit() or right.isdigit():
        return 0.0
    short, long = sorted((left, right), key=len)
    if len(short) >= 5 and (long.startswith(short) and len(long) - len(short) <= 3):
        return NEARLY
    if len(short) >= 6 and fuzz.ratio(short, long) >= 88:
        return NEARLY
    return 0.0


def best_kin(word: str, others: Iterable[str]) -> float:
    """The closest kinship of a stem to any of the others."""
    return max((kin(word, other) for other in others), default=0.0)


def coverage(wanted: Iterable[str], found: Iterable[str]) -> float:
    """Which share of `wanted` has kin in `found`, 0 to 1; 0 when nothing is wanted."""
    stems, pool = tuple(wanted), tuple(found)
    return sum(best_kin(stem_, pool) for stem_ in stems) / len(stems) if stems else 0.0


def segments(label: str) -> list[str]:
    """A label cut at commas, bullets and line ends: "Mobile, Wi-Fi" lists two things."""
    return [part for part in _SEGMENT.split(label) if part]


@lru_cache(maxsize=8192)
def relevance(label: str, weights: Weights) -> float:
    """How well one label speaks of weighted terms.

    The weight of what it matches, times the share of its own words that match: short exact labels win over long vague
    ones. A label in a script without blanks matches where it stands in a term as a whole.
    """
    stems = content(label) or words(label)
    if not stems or not weights:
        return 0.0
    if _WIDE.search(label):
        return _relevance_wide(plain(label), weights)
    share = total = 0.0
    used: set[str] = set()
    for stem_ in stems:
        likeness, weight, term = max((kin(stem_, term), weight, term) for term, weight in weights)
        if likeness:
            share += likeness
            if term not in used:
                total += likeness * weight
                used.add(term)
    return share / len(stems) * total


def _relevance_wide(label: str, weights: Weights) -> float:
    if len(label) < 2:
        return 0.0
    return max((weight * min(1.0, len(label) / 2) for term, weight in weights if label in term), default=0.0)


@lru_cache(maxsize=8192)
def says(label: str, phrase: str) -> bool:
    """Whether a label contains the phrase as whole words, in order, ignoring case and punctuation."""
    inner, outer = words(phrase), words(label)
    if not inner:
        return plain(phrase) in plain(label) if phrase.strip() else False
    return any(outer[at : at + len(inner)] == inner for at in range(len(outer) - len(inner) + 1))


@lru_cache(maxsize=8192)
def same(label: str, phrase: str) -> bool:
    """Whether two texts are the same words; a near spelling of a long text counts."""
    left, right = words(label), words(phrase)
    if not left or not right:
        return plain(label) == plain(phrase)
    return left == right or (
        len(left) == len(right) and len(plain(phrase)) >= 8 and fuzz.ratio(plain(label), plain(phrase)) >= 92
    )
