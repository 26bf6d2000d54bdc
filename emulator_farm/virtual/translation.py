"""The words of the phone in other languages: a table of what its screens say, applied to a tree of widgets.

Screens are written in English. What the table does not have stays as it is; so does what a user typed, unless it is
exactly one of the table's texts.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .dates import language
from .fonts import ASSETS
from .widgets import CONTAINERS, Radio, Scroll, Text, TextField, Widget

COLUMNS = ("en", "zh", "ar")
RIGHT_TO_LEFT = frozenset(("ar", "fa", "he", "iw", "ur"))
GAP = "{}"
"""Stands for what differs, a number or a name; before a unit of one letter, as in `5m`, a number."""
NUMBER, UNIT = r"(\d+)", len(GAP) + 1


def right_to_left(locale: str) -> bool:
    """Whether screens are mirrored in that language."""
    return language(locale) in RIGHT_TO_LEFT


class Catalogue:
    """The texts of one language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = {text: other for text, other in texts.items() if GAP not in text}
        self._patterns = [
            (re.compile(re.escape(text).replace(re.escape(GAP), NUMBER if len(text) == UNIT else "(.+)")), other)
            for text, other in texts.items()
            if GAP in text
        ]

    def text(self, text: str) -> str:
        """The text in this language; a part between two commas is looked up by itself."""
        found = self._texts.get(text)
        return found if found is not None else self._pattern(text) if len(text) > 1 else text

    def _pattern(self, text: str) -> str:
        for pattern, other in self._patterns:
            match = pattern.fullmatch(text)
            if match:
                return other.replace(GAP, self._texts.get(match[1], match[1]))
        name, comma, detail = text.partition(",")
        if comma and name in self._texts and not detail.startswith(" "):
            return f"{self._texts[name]},{self._texts.get(detail, detail)}"
        return text

    def widget(self, widget: Widget) -> Widget:
        """The same tree in this language."""
        changes: dict[str, Any] = {}
        for field in ("desc", "caption"):
            value = getattr(widget, field)
            if value:
                changes[field] = self.text(value)
        match widget:
            case Text() | Radio():
                changes["text"] = self.text(widget.text)
            case TextField():
                changes["hint"] = self.text(widget.hint)
            case Scroll():
                changes["child"] = self.widget(widget.child)
            case _ if isinstance(widget, CONTAINERS):
                changes["children"] = tuple(map(self.widget, widget.children))
        return replace(widget, **changes) if changes else widget


@lru_cache(maxsize=8)
def catalogue(of_language: str) -> Catalogue | None:
    """The catalogue of a language, None for English and for one that is not there."""
    if of_language not in COLUMNS[1:]:
        return None
    column = COLUMNS.index(of_language)
    rows = (line.split("\t") for line in (ASSETS / "strings.tsv").read_text(encoding="utf-8").splitlines())
    return Catalogue({row[0]: row[column] for row in rows})
