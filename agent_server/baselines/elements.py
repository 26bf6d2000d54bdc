"""What a screen is made of, once it has been read: labels, and things to touch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agent_server.baselines.vocabulary import FORM_WORDS
from agent_server.baselines.words import words
from agent_server.geometry import Box
from agent_server.ui_tree import Node

Kind = Literal["button", "row", "switch", "choice", "field", "slider"]


@dataclass(frozen=True, eq=False)
class Text:
    """A label where it is drawn. `owner` is the position of the touchable it belongs to in `Screen.elements`, or -1;
    `item` the entry of a list that it stands in, or -1."""

    label: str
    box: Box
    owner: int
    item: int
    order: int
    selected: bool


@dataclass(frozen=True, eq=False)
class Element:
    """Something to touch. `box` is its visible part in device pixels."""

    node: Node
    box: Box
    kind: Kind
    labels: tuple[str, ...]
    """Names first, then what tells a state or a value; of a field, never what was typed into it."""
    name: str
    """The words of the resource id: weaker evidence than a label."""
    checked: bool | None
    item: int
    """The entry of a list that it stands in, or -1."""
    order: int

    @property
    def title(self) -> str:
        return self.labels[0] if self.labels else self.name

    @property
    def key(self) -> str:
        """Tells it from others on the same screen, also after scrolling and typing."""
        stable = self.title if self.kind != "field" or not self.name else self.name
        where = "" if self.labels or self.kind == "field" else f"{self.node.class_name}/{self.node.index}"
        return digest((self.kind, stable, where))

    @property
    def held(self) -> str:
        """What a field holds; empty while it shows its hint."""
        return "" if shows_hint(self.node) else self.node.text

    @property
    def spoken(self) -> frozenset[str]:
        """All stems that name it."""
        return frozenset(stem for label in (*self.labels, self.name) for stem in words(label))


def shows_hint(node: Node) -> bool:
    """Whether a field's text is its hint: said so by the tree, or made of nothing but the words of forms."""
    if "hint" in node.attributes:
        return node.text == node.attributes["hint"]
    stems = words(node.text)
    return 0 < len(stems) <= 4 and set(stems) <= FORM_WORDS


def clip(box: Box, area: Box) -> Box:
    """The part of a box inside an area; without area where they do not meet."""
    left, top = max(box.left, area.left), max(box.top, area.top)
    return Box(left, top, min(box.right, area.right), min(box.bottom, area.bottom))


def digest(parts: Iterable[str]) -> str:
    """Ten hexadecimal digits that stand for some texts in order."""
    return hashlib.blake2s("\x1e".join(parts).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
