"""One walk over a UI tree: who can be touched, which labels belong to whom, and which entry of a list they stand in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agent_server.baselines.elements import Element, Kind, Text, clip, shows_hint
from agent_server.baselines.vocabulary import STATE_LABELS
from agent_server.baselines.words import plain, words
from agent_server.geometry import Box
from agent_server.ui_tree import Node, UiTree

_CHOICES = ("RadioButton", "CheckedTextView")
_LISTS = ("RecyclerView", "ListView", "GridView", "ScrollView")
_BUTTONS = ("Button", "ImageView", "TextView")
_LENGTH = 2_000
"""Characters of a label that are read."""
_ROW = 4
"""A control takes its name from something at most this many times its height."""
_LABELS = 8
"""An element with more labels than this is a canvas; the rest name parts of it."""


class _Owner:
    """An element while its subtree is being walked."""

    def __init__(self, node: Node, box: Box, kind: Kind, item: int, order: int) -> None:
        self.node, self.box, self.kind, self.item, self.order = node, box, kind, item, order
        self.labels: list[str] = []
        self.checked: bool | None = node.checked if node.checkable else None

    def check(self, node: Node) -> None:
        """A control inside that is not touchable by itself gives this element its state."""
        if self.checked is None:
            self.checked = node.checked
            if self.kind in ("row", "button"):
                self.kind = "choice" if node.class_name.endswith(_CHOICES) else "switch"


class _Place(NamedTuple):
    """Where the walk stands: the touchable around, the entry of a list around, and whether it scrolls."""

    owner: int
    item: int
    moving: bool


class Reading:
    """The result of the walk; `area` is the screenshot, boxes are clipped to it."""

    def __init__(self, tree: UiTree, area: Box) -> None:
        self.nodes: list[Node] = []
        self.texts: list[Text] = []
        self.scrollables: list[Box] = []
        self.fixed_ids: set[str] = set()
        self._area = area
        self._owners: list[_Owner] = []
        self._parents: dict[int, Node] = {}
        self._last: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._entries: set[int] = set()
        stack: list[tuple[Node, _Place] | int] = [(root, _Place(-1, -1, False)) for root in reversed(tree.roots)]
        while stack:
            top = stack.pop()
            if isinstance(top, int):
                self._last[id(self.nodes[top])] = len(self.nodes) - 1
                continue
            node, place = top
            stack.append(len(self.nodes))
            place = self._visit(node, place)
            for child in reversed(node.children):
                self._parents[id(child)] = node
                stack.append((child, place))

    def _visit(self, node: Node, place: _Place) -> _Place:
        order = len(self.nodes)
        self.nodes.append(node)
        self._first[id(node)] = order
        item = order if id(node) in self._entries else place.item
        if node.scrollable or node.class_name.endswith(_LISTS):
            self._entries.update(id(child) for child in _entries(node))
        place = _Place(place.owner, item, place.moving or node.scrollable)
        box = clip(node.bounds, self._area)
        if box.width <= 0 or box.height <= 0 or "inputmethod" in node.package:
            return place
        if node.scrollable:
            self.scrollables.append(box)
        if node.resource_id and not place.moving:
            self.fixed_ids.add(node.resource_id)
        owner = self._own(node, box, place, order)
        for said in dict.fromkeys((_shown(node), node.content_desc)):
            if label := said.strip()[:_LENGTH]:
                self.texts.append(Text(label, box, owner, item, order, node.selected))
                if owner >= 0:
                    self._owners[owner].labels.append(label)
        return place._replace(owner=owner)

    def _own(self, node: Node, box: Box, place: _Place, order: int) -> int:
        """The touchable that a node is or belongs to."""
        around = self._owners[place.owner] if place.owner >= 0 else None
        if kind := _kind(node, inside_row=around is not None and around.kind == "row"):
            self._owners.append(_Owner(node, box, kind, place.item, order))
            return len(self._owners) - 1
        if node.checkable and around is not None:
            around.check(node)
        return place.owner

    def elements(self) -> tuple[Element, ...]:
        """Everything that can be touched, in document order."""
        return tuple(
            Element(
                owner.node,
                owner.box,
                owner.kind,
                self._labels(owner),
                " ".join(words(owner.node.resource_id.rsplit("/", 1)[-1].replace("_", " "))),
                owner.checked,
                owner.item,
                owner.order,
            )
            for owner in self._owners
        )

    def _labels(self, owner: _Owner) -> tuple[str, ...]:
        labels = tuple(sorted(dict.fromkeys(owner.labels), key=_tells_little))[:_LABELS]
        if owner.kind in ("switch", "choice", "field", "slider") and not _names(labels):
            return (*self._borrowed(owner), *labels)
        return labels

    def _borrowed(self, owner: _Owner) -> tuple[str, ...]:
        """Names of a nameless control: of the row around it, else the free label just above or left of it."""
        node = owner.node
        while (parent := self._parents.get(id(node))) is not None:
            first, last = self._first[id(parent)], self._last[id(parent)]
            rivals = [other for other in self._owners if other is not owner and other.kind == owner.kind]
            if parent.bounds.height > _ROW * owner.box.height or any(first <= other.order <= last for other in rivals):
                break
            inside = (text for text in self.texts if first <= text.order <= last)
            labels = tuple(text.label for text in inside if text.order != owner.order)
            if _names(labels):
                return labels[:3]
            node = parent
        free = [text for text in self.texts if text.owner < 0 and text.order < owner.order]
        if free and free[-1].box.top <= owner.box.top and owner.box.top - free[-1].box.bottom < owner.box.height:
            return (free[-1].label,)
        return ()


def _entries(node: Node) -> tuple[Node, ...]:
    """The entries of a list: its children, or those of the single wrapper around them."""
    children = node.children
    while len(children) == 1 and children[0].children:
        children = children[0].children
    return children


def _kind(node: Node, *, inside_row: bool) -> Kind | None:
    if not node.enabled:
        return None
    if node.editable:
        return "field"
    if node.class_name.endswith(("SeekBar", "Slider")):
        return "slider"
    if not (node.clickable or ((node.long_clickable or node.checkable) and not inside_row)):
        return None
    if node.checkable:
        return "choice" if node.class_name.endswith(_CHOICES) else "switch"
    return "button" if node.class_name.endswith(_BUTTONS) else "row"


def _shown(node: Node) -> str:
    """The text of a node; a field's hint stands for its name, what was typed into it does not."""
    if node.editable:
        return node.attributes.get("hint", "") or (node.text if shows_hint(node) else "")
    return node.text


def _tells_little(label: str) -> bool:
    """States, values and the letters on avatars come after names."""
    return plain(label) in STATE_LABELS or label.isdecimal() or (len(label) == 1 and label.isascii())


def _names(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if plain(label) not in STATE_LABELS)
