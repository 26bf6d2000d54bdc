"""What a goal gives literally: quoted texts, names, times, durations, numbers, and which field each belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent_server.baselines.vocabulary import VERBS, bag
from agent_server.baselines.words import words

ValueKind = Literal["text", "name", "email", "url", "time", "duration", "percent", "phone", "number"]

_FIRST, _LAST = 0xE000, 0xF8FF
"""Private-use characters stand for values while a goal is cut into clauses."""

_QUOTED = r"“([^”]+)”|\"([^\"]+)\"|«([^»]+)»|「([^」]+)」|`([^`]+)`|‘(.+?)’(?!\w)|(?<!\w)'(.+?)'(?!\w)"
_HALF = r"\s*[ap](?:m\b|\.m\b\.?)"
_UNIT = r"(?:hours?|hrs?|minutes?|mins?|seconds?|secs?|[hms])"
_PATTERNS: tuple[tuple[ValueKind, re.Pattern[str]], ...] = (
    ("text", re.compile(_QUOTED, re.S)),
    ("email", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("url", re.compile(r"https?://[^\s,]+[^\s,.]|\bwww\.[^\s,]+[^\s,.]")),
    ("time", re.compile(rf"\b(?:[01]?\d|2[0-3]):[0-5]\d(?:{_HALF})?|\b(?:1[0-2]|0?[1-9]){_HALF}", re.I)),
    ("duration", re.compile(rf"\b\d+[\s-]*{_UNIT}\b(?:(?:\s*,)?(?:\s+and)?\s*\d+[\s-]*{_UNIT}\b)*", re.I)),
    ("percent", re.compile(r"\b\d{1,3}\s?(?:%|percent\b|per cent\b)", re.I)),
    ("phone", re.compile(r"(?<!\w)\+?\(?\d(?:[\s().-]{0,2}\d){6,14}(?!\w)")),
    ("number", re.compile(r"(?<![\w.])\d+(?:[.,]\d+)?(?!\w|\.\d)")),
)
_NAMING = re.compile(
    r"\b(named|called|titled|entitled|labell?ed)\s+(?:as\s+|it\s+)?([^\W\d_\ue000-\uf8ff][^,;:\ue000-\uf8ff]*?)"
    r"(?=\s+(?:with|and|in|at|for|on|to|from|whose|that|using|as|then|which|is)\b|\s*[,;:.\ue000-\uf8ff]|\s*$)",
    re.I,
)
_KEYED_NAME = re.compile(
    r"\b((?:[a-z]+\s)?name|title|label|company|subject)\s+"
    r"(?:is\s+|as\s+|of\s+|it\s+|to\s+|:\s?|=\s?)?([A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*)"
)
_CONNECTORS = bag("is as to of it : = the a an with its be that says say saying reads reading which")
_KEY_NAMES = {
    "named": "name", "called": "name", "titled": "title", "entitled": "title", "labelled": "label", "labeled": "label",
}  # fmt: skip
_BOUNDARIES = bag("for at in on off by from into using new enabled disabled")
_NO_KEY = (_CONNECTORS | _BOUNDARIES | VERBS) - {"name", "title", "label"}
_TYPED = bag("type enter write input fill say says saying reading reads containing contains put")
_AFTER = re.compile(r"\s*(?:as|in|into|for)\s+(?:the\s+|its\s+)?((?:[a-z]+\s){0,2}?[a-z]+)\s*(field|box)?\b", re.I)


_EXISTING = re.compile(
    r"\b(?:of|in|from|to|on|into|according to)\s+(?:the|my|your)\s+(?!text\b|title\b|name\b)[a-z]+\s*$", re.I
)


@dataclass(frozen=True)
class Value:
    """A literal of the goal. `text` is what to type; `key` are the stems of the field it belongs to, perhaps none."""

    text: str
    kind: ValueKind
    key: tuple[str, ...] = ()
    typed: bool = False
    """The goal says outright that this is to be entered."""
    exists: bool = False
    """The goal speaks of it as of something that is there: 'in the list "A"'."""

    @property
    def clock(self) -> tuple[int, int] | None:
        """Hour (0-23) and minute of a time of day; None for everything else."""
        return clock_of(self.text) if self.kind == "time" else None

    @property
    def seconds(self) -> int | None:
        """Length of a duration; None for everything else."""
        return seconds_of(self.text) if self.kind == "duration" else None


def mask(goal: str) -> tuple[str, dict[str, tuple[str, ValueKind]]]:
    """The goal with each literal replaced by one private-use character, and what each of these stands for."""
    text = "".join(" " if _FIRST <= ord(character) <= _LAST else character for character in goal)
    table: dict[str, tuple[str, ValueKind]] = {}

    for kind, pattern in _PATTERNS:

        def stand_in(match: re.Match[str], kind: ValueKind = kind) -> str:
            if len(table) > _LAST - _FIRST:
                return match.group()
            found = next((group for group in match.groups() if group), match.group())
            if not found.strip():
                return match.group()
            character = chr(_FIRST + len(table))
            table[character] = (found.strip(), kind)
            return character

        text = pattern.sub(stand_in, text)
    return text, table


def unmask(text: str, table: dict[str, tuple[str, ValueKind]]) -> str:
    """Put the literals back."""
    return "".join(table[character][0] if character in table else character for character in text)


def read_values(clause: str, table: dict[str, tuple[str, ValueKind]]) -> list[Value]:
    """The values of one masked clause in order: literals, and names that are introduced as such."""
    found: list[tuple[int, Value]] = [(at, value) for at, value in _literals(clause, table)]
    taken: list[tuple[int, int]] = []
    for pattern in (_NAMING, _KEYED_NAME):
        for match in pattern.finditer(clause):
            span = match.span(2)
            if any(start < span[1] and span[0] < end for start, end in taken):
                continue
            taken.append(span)
            key = words(_KEY_NAMES.get(match.group(1).lower(), match.group(1)))
            found.append((span[0], Value(match.group(2).strip(), "name", key, typed=True)))
    return [value for _, value in sorted(found, key=lambda pair: pair[0])]


def _literals(clause: str, table: dict[str, tuple[str, ValueKind]]) -> Iterator[tuple[int, Value]]:
    for at, character in enumerate(clause):
        if character not in table:
            continue
        text, kind = table[character]
        key, typed = _key_before(clause[:at])
        if not key and (after := _AFTER.match(clause, at + 1)) and _is_key(after):
            key, typed = words(after.group(1)), True
        exists = kind == "text" and _EXISTING.search(clause[:at]) is not None
        yield at, Value(text, kind, key, typed, exists)


def _is_key(after: re.Match[str]) -> bool:
    return bool(after.group(2)) or after.group().lstrip().lower().startswith(("as ", "into "))


def _key_before(before: str) -> tuple[tuple[str, ...], bool]:
    """The field named in front of a value, and whether the goal says to enter it."""
    before = re.split(r"[,;.\ue000-\uf8ff]|\band\b", before)[-1]
    found = re.findall(r"[^\W\ue000-\uf8ff]+|[:=]", before.lower())
    typed = False
    while found and (found[-1] in _CONNECTORS or found[-1] in _TYPED):
        typed = typed or found.pop() in _TYPED
        if typed:
            return (), True
    if found and found[-1] in _KEY_NAMES:
        return (_KEY_NAMES[found[-1]],), True
    key: list[str] = []
    while found and len(key) < 2 and found[-1] not in _NO_KEY:
        key.insert(0, found.pop())
    return words(" ".join(key)), False


def clock_of(text: str) -> tuple[int, int] | None:
    """Hour and minute of "7:30", "7:30 pm", "7 AM"; None where there is no time of day."""
    match = re.search(r"\b(\d{1,2})(?::(\d{2}))?\s*([ap])?\.?(?:m\b)?", text, re.I)
    if not match or not (match.group(2) or match.group(3)):
        return None
    hour, minute, half = int(match.group(1)), int(match.group(2) or 0), (match.group(3) or "").lower()
    if hour > 23 or minute > 59:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour, minute


def seconds_of(text: str) -> int | None:
    """Length in seconds of "1 hour 30 minutes", "90s", "5-minute"; None where there is no duration."""
    parts = re.findall(r"(\d{1,9})[\s-]*([hms])", text.lower())
    if not parts:
        return None
    return sum(int(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in parts)
