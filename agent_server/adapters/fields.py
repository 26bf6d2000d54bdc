"""Fields as text: `action:CLICK`, `point:500,300` and the like, with tabs between them and without quotes.

A field ends at a tab, or at a line break before a known name; in a verb or a coordinate, which hold no text, a space
will do. Where no tab and no line break leads to an action, spaces separate all of them, beginning with a line that
begins with one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from agent_server.adapters.reply import Call, Value

_NAMES = (
    "explain", "action_type", "action", "value", "point1", "point2", "point", "return", "summary", "direction",
    "duration", "keyboard_exists", "is_keyboard", "key",
)  # fmt: skip
_NAME = rf"[ ]{{0,8}}({'|'.join(_NAMES)})[ ]{{0,3}}[:：]"
_TABBED = re.compile(rf"(?:\A|\t|\\t|\n){_NAME}|\t[ ]{{0,8}}([a-z_]\w{{0,30}})[ ]{{0,3}}[:：]", re.IGNORECASE)
_SPACED = re.compile(rf"(?:\A|[\s,，;；]){_NAME}", re.IGNORECASE)
_LINE = re.compile(rf"^{_NAME}", re.IGNORECASE | re.MULTILINE)
_TEXTLESS = frozenset({"action", "point", "point1", "point2", "direction", "duration", "key"})
_LONGEST_VERB = 60


def read_fields(text: str) -> tuple[Call, ...]:
    """The calls that the fields of a text spell, verb in `action`; a field that comes again begins the next call."""
    calls = tuple(_calls(_fields(text.strip(), _TABBED)))
    if not calls and (line := _LINE.search(text)):
        calls = tuple(_calls(_fields(text[line.start() :].strip(), _SPACED)))
    return calls


def _fields(text: str, separated: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    heads = list(separated.finditer(text))
    for head, following in itertools.zip_longest(heads, heads[1:]):
        end = following.start() if following else len(text)
        name, value = head[head.lastindex or 1].lower(), text[head.end() : end].strip()
        inner = _SPACED.search(value) if name in _TEXTLESS and separated is _TABBED else None
        yield name, value[: inner.start()].strip() if inner else value
        if inner:
            yield from _fields(value[inner.start() :], _SPACED)


def _calls(fields: Iterator[tuple[str, str]]) -> Iterator[Call]:
    entries: dict[str, Value] = {}
    for name, value in fields:
        name = "action" if name == "action_type" else name
        if name in entries and entries.get("action"):
            yield _call(entries)
            entries = {}
        entries.setdefault(name, value)
    if entries.get("action"):
        yield _call(entries)


def _call(entries: dict[str, Value]) -> Call:
    return Call(str(entries["action"])[:_LONGEST_VERB], {key: entries[key] for key in entries if key != "action"})
