"""One screen as a person sees it: things to touch with their names, fields, switches, sliders, and what scrolls.

Built once per decision from the UI tree. Boxes are clipped to the screenshot, so that every point lies on it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from agent_server.baselines.vocabulary import STATE_LABELS
from agent_server.baselines.words import plain, words
from agent_server.geometry import Box, Point, Size
from agent_server.ui_tree import Node, UiTree

Kind = Literal["button", "row", "switch", "choice", "field", "slider"]

_CHOICES = ("RadioButton", "CheckedTextView")
_NOT_APPS = ("com.android.systemui", "inputmethod")
_ROW = 4
"""A control takes its name from something at most this many times its height."""
_LABELS = 8
"""An element with more labels than this is a canvas; the rest name parts of it."""
_TOP = 0.25
"""A title stands in this upper share of the screen."""


@dataclass(frozen=True, eq=False)
class Text:
    """A label where it is drawn. `owner` is the position of the touchable it belongs to in `Screen.elements`, or -1."""

    label: str
    box: Box
    owner: int
    order: int
    selected: bool


@dataclass(frozen=True, eq=False)
class Element:
    """Something to touch. `labels` are in document order; `name` is the resource id's words, weak evidence."""

    node: Node
    box: Box
    kind: Kind
    labels: tuple[str, ...]
    name: str
    checked: bool | None
    order: int
    end: int
    """Document order of its last descendant."""

    @property
    def title(self) -> str:
        return self.labels[0] if self.labels else self.name

    @property
    def key(self) -> str:
        """Tells it from others on the same screen, also after scrolling."""
        stable = self.labels[0] if self.labels else f"{self.name}/{self.node.class_name}/{self.node.index}"
        return _digest((self.kind, stable))

    @property
    def value(self) -> str:
        """What a field holds; empty while it shows its hint."""
        hint = self.node.attributes.get("hint", "")
        return "" if self.node.text == hint else self.node.text


class Screen:
    """What one UI tree shows on a screenshot of `size` pixels."""

    def __init__(self, tree: UiTree, size: Size) -> None:
        self.size = size
        self._area = Box(0, 0, size.width, size.height)
        reading = _Reading(tree, self._area)
        self.nodes: Sequence[Node] = reading.nodes
        self.elements: tuple[Element, ...] = reading.elements()
        self.texts: tuple[Text, ...] = tuple(reading.texts)
        self.scrollables: tuple[Box, ...] = tuple(reading.scrollables)
        self._fixed_ids = reading.fixed_ids

    @cached_property
    def package(self) -> str:
        """The package that most nodes belong to, system bars and keyboards aside."""
        counts: dict[str, int] = {}
        for node in self.nodes:
            if node.package and not any(part in node.package for part in _NOT_APPS):
                counts[node.package] = counts.get(node.package, 0) + 1
        return max(counts, key=lambda package: counts[package]) if counts else ""

    @property
    def home(self) -> bool:
        """Whether a launcher is in front: they carry it in their package by custom."""
        return "launcher" in self.package

    @cached_property
    def extent(self) -> Box:
        """The smallest box around all that is shown; a dialog's is smaller than the screen."""
        boxes = [node.bounds for node in self.nodes if node.depth == 1 and node.bounds.area] or [self._area]
        return Box(*(min(b[i] for b in boxes) for i in (0, 1)), *(max(b[i] for b in boxes) for i in (2, 3)))

    @property
    def dialog(self) -> bool:
        return 0 < self.extent.area < 0.8 * self.size.pixels and bool(self.elements)

    @cached_property
    def title(self) -> str:
        """The heading: the first label near the top that is no button; empty where there is none."""
        limit = self.extent.top + max(self.extent.height, 1) * (1.0 if self.dialog else _TOP)
        for text in self.texts:
            if text.owner < 0 and text.box.top <= limit and not re.fullmatch(r"[\d:.\sAPM%]+", text.label):
                return text.label
        return ""

    @cached_property
    def place(self) -> str:
        """Stays the same while a screen is scrolled or its values change; differs between screens."""
        return _digest((self.package, self.title, *sorted(self._fixed_ids)))

    @cached_property
    def digest(self) -> str:
        """Changes with anything that a person would notice."""
        return _digest(
            f"{node.text}\x1f{node.content_desc}\x1f{node.checked}{node.selected}{node.focused}{tuple(node.bounds)}"
            for node in self.nodes
        )

    @cached_property
    def fields(self) -> tuple[Element, ...]:
        return tuple(element for element in self.elements if element.kind == "field")

    @cached_property
    def everything(self) -> frozenset[str]:
        """All labels, folded."""
        return frozenset(plain(text.label) for text in self.texts)

    def scrollable(self) -> Box | None:
        """The largest region that scrolls up and down."""
        upright = [box for box in self.scrollables if box.height * 3 > box.width]
        return max(upright, key=lambda box: box.area, default=None)

    def point(self, element: Element) -> Point:
        """Where to touch an element: its centre, or another part where something else lies on top of that."""
        others = [
            other.box
            for other in self.elements
            if other.order > element.order and _touching(other.box, element.box) and other is not element
        ]
        box = element.box
        for fx, fy in ((0.5, 0.5), (0.25, 0.5), (0.75, 0.5), (0.5, 0.2), (0.5, 0.8), (0.1, 0.5), (0.9, 0.5)):
            point = Point(round(box.left + fx * (box.width - 1)), round(box.top + fy * (box.height - 1)))
            if not any(other.contains(point) for other in others):
                return point.clamped(self.size)
        return box.centre.clamped(self.size)


def _touching(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def clip(box: Box, area: Box) -> Box:
    """The part of a box inside an area; without area where they do not meet."""
    return Box(
        max(box.left, area.left), max(box.top, area.top), min(box.right, area.right), min(box.bottom, area.bottom)
    )


class _Reading:
    """One walk over the tree: who can be touched, and which labels belong to whom."""

    def __init__(self, tree: UiTree, area: Box) -> None:
        self.nodes: list[Node] = []
        self.texts: list[Text] = []
        self.scrollables: list[Box] = []
        self.fixed_ids: set[str] = set()
        self._area = area
        self._owners: list[_Owner] = []
        self._parents: dict[int, Node] = {}
        self._span: dict[int, tuple[int, int]] = {}
        stack: list[tuple[Node, int, bool] | int] = [(root, -1, False) for root in reversed(tree.roots)]
        while stack:
            entry = stack.pop()
            if isinstance(entry, int):
                node = self.nodes[entry]
                self._span[id(node)] = (entry, len(self.nodes) - 1)
                continue
            node, owner, moving = entry
            stack.append(len(self.nodes))
            owner = self._visit(node, owner, moving)
            for child in reversed(node.children):
                self._parents[id(child)] = node
                stack.append((child, owner, moving or node.scrollable))

    def _visit(self, node: Node, owner: int, moving: bool) -> int:
        order = len(self.nodes)
        self.nodes.append(node)
        box = clip(node.bounds, self._area)
        if not box.area or "inputmethod" in node.package:
            return owner
        if node.scrollable:
            self.scrollables.append(box)
        if node.resource_id and not moving:
            self.fixed_ids.add(node.resource_id)
        if kind := _kind(node, owner >= 0 and self._owners[owner].kind == "row"):
            owner = len(self._owners)
            self._owners.append(_Owner(node, box, kind, order))
        elif node.checkable and owner >= 0:
            self._owners[owner].check(node)
        for label in dict.fromkeys((_shown(node), node.content_desc)):
            if label.strip():
                self.texts.append(Text(label.strip(), box, owner, order, node.selected))
                if owner >= 0:
                    self._owners[owner].labels.append(label.strip())
        return owner

    def elements(self) -> tuple[Element, ...]:
        found = []
        for owner in self._owners:
            labels = tuple(sorted(dict.fromkeys(owner.labels), key=lambda label: not _names((label,))))[:_LABELS]
            if owner.kind in ("switch", "choice", "field", "slider") and not _names(labels):
                labels = (*self._borrowed(owner), *labels)
            found.append(
                Element(
                    owner.node,
                    owner.box,
                    owner.kind,
                    labels,
                    " ".join(words(owner.node.resource_id.rsplit("/", 1)[-1].replace("_", " "))),
                    owner.checked,
                    owner.order,
                    self._span[id(owner.node)][1],
                )
            )
        return tuple(found)

    def _borrowed(self, owner: _Owner) -> tuple[str, ...]:
        """Names of a nameless control: of the row around it, else the free label just above or left of it."""
        node = owner.node
        while (parent := self._parents.get(id(node))) is not None:
            first, last = self._span[id(parent)]
            rivals = [other for other in self._owners if other is not owner and other.kind == owner.kind]
            if parent.bounds.height > _ROW * owner.box.height or any(first <= other.order <= last for other in rivals):
                break
            labels = tuple(
                text.label for text in self.texts if first <= text.order <= last and text.order != owner.order
            )
            if _names(labels):
                return labels[:3]
            node = parent
        free = [text for text in self.texts if text.owner < 0 and text.order < owner.order]
        if free and free[-1].box.top <= owner.box.top and owner.box.top - free[-1].box.bottom < owner.box.height:
            return (free[-1].label,)
        return ()


class _Owner:
    """An element while its subtree is being walked."""

    def __init__(self, node: Node, box: Box, kind: Kind, order: int) -> None:
        self.node, self.box, self.kind, self.order = node, box, kind, order
        self.labels: list[str] = []
        self.checked: bool | None = node.checked if node.checkable else None

    def check(self, node: Node) -> None:
        """A control inside that is not touchable by itself gives this element its state."""
        if self.checked is None:
            self.checked = node.checked
            if self.kind in ("row", "button"):
                self.kind = "choice" if node.class_name.endswith(_CHOICES) else "switch"


def _kind(node: Node, inside_row: bool) -> Kind | None:
    if not node.enabled:
        return None
    if node.editable:
        return "field"
    if node.class_name.endswith("SeekBar") or node.class_name.endswith("Slider"):
        return "slider"
    if not (node.clickable or (node.long_clickable and not inside_row) or (node.checkable and not inside_row)):
        return None
    if node.checkable:
        return "choice" if node.class_name.endswith(_CHOICES) else "switch"
    return "button" if node.class_name.endswith(("Button", "ImageView", "TextView")) else "row"


def _shown(node: Node) -> str:
    """The text of a node; a field's hint stands for its name, what was typed into it does not."""
    if node.editable:
        return node.attributes.get("hint", "") or node.text
    return node.text


def _names(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if plain(label) not in STATE_LABELS)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.blake2s("\x1e".join(parts).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
