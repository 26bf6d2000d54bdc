"""One screen as a person sees it: things to touch with their names, fields, switches, sliders, and what scrolls.

Built once per decision from the UI tree. Boxes are clipped to the screenshot, so that every point lies on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from agent_server.baselines.elements import Element, Text, digest
from agent_server.baselines.reading import Reading
from agent_server.baselines.words import plain
from agent_server.geometry import Box, Point, Size
from agent_server.ui_tree import Node, UiTree

_NOT_APPS = ("com.android.systemui", "inputmethod")
_TOP = 0.33
"""A title stands in this upper share of the screen."""
_NO_TITLE = re.compile(r"[\d:.\sAPM%/]+")
_SPOTS = ((0.5, 0.5), (0.25, 0.5), (0.75, 0.5), (0.5, 0.2), (0.5, 0.8), (0.1, 0.5), (0.9, 0.5))
"""Where to touch an element, as shares of its box, best first."""


class Screen:
    """What one UI tree shows on a screenshot of `size` pixels."""

    def __init__(self, tree: UiTree, size: Size) -> None:
        self.size = size
        self._area = Box(0, 0, size.width, size.height)
        reading = Reading(tree, self._area)
        self.nodes: Sequence[Node] = reading.nodes
        self.elements: tuple[Element, ...] = reading.elements()
        self.texts: tuple[Text, ...] = tuple(reading.texts)
        self._scrollables = reading.scrollables
        self._fixed_ids = reading.fixed_ids

    @cached_property
    def package(self) -> str:
        """The package that most nodes belong to, system bars and keyboards aside."""
        counts: dict[str, int] = {}
        for node in self.nodes:
            counts[node.package] = counts.get(node.package, 0) + 1
        apps = [name for name in counts if name and not any(part in name for part in _NOT_APPS)]
        return max(apps, key=lambda name: counts[name], default="")

    @property
    def home(self) -> bool:
        """Whether a launcher is in front: they carry it in their package by custom."""
        return "launcher" in self.package

    @cached_property
    def extent(self) -> Box:
        """The smallest box around all that is shown; a dialog's is smaller than the screen."""
        boxes = [node.bounds for node in self.nodes if node.depth == 1 and node.bounds.area] or [self._area]
        left, top = min(box.left for box in boxes), min(box.top for box in boxes)
        return Box(left, top, max(box.right for box in boxes), max(box.bottom for box in boxes))

    @property
    def dialog(self) -> bool:
        return 0 < self.extent.area < 0.8 * self.size.pixels and bool(self.elements)

    @cached_property
    def title(self) -> str:
        """The heading: the first label near the top that is no button; empty where there is none."""
        limit = self.extent.top + max(self.extent.height, 1) * (1.0 if self.dialog else _TOP)
        for text in self.texts:
            if text.owner < 0 and text.box.top <= limit and not _NO_TITLE.fullmatch(text.label):
                return text.label
        return ""

    @cached_property
    def place(self) -> str:
        """Stays the same while a screen is scrolled or its values change; differs between screens."""
        return digest((self.package, self.title, *sorted(self._fixed_ids)))

    @cached_property
    def digest(self) -> str:
        """Changes with anything that a person would notice."""
        return digest(
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

    @cached_property
    def _items(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, list[str]] = {}
        for text in self.texts:
            found.setdefault(text.item, []).append(text.label)
        return {item: tuple(labels) for item, labels in found.items()}

    def around(self, element: Element) -> tuple[str, ...]:
        """All labels of the list entry that an element stands in; none outside of lists."""
        return self._items.get(element.item, ()) if element.item >= 0 else ()

    def scrollable(self) -> Box | None:
        """The largest region that scrolls up and down."""
        upright = [box for box in self._scrollables if box.height * 3 > box.width]
        return max(upright, key=lambda box: box.area, default=None)

    def point(self, element: Element) -> Point:
        """Where to touch an element: its centre, or another part where something else lies on top of that."""
        box = element.box
        above = [other.box for other in self.elements if other.order > element.order and _touching(other.box, box)]
        for fx, fy in _SPOTS:
            point = Point(round(box.left + fx * (box.width - 1)), round(box.top + fy * (box.height - 1)))
            if not any(other.contains(point) for other in above):
                return point.clamped(self.size)
        return box.centre.clamped(self.size)


def _touching(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
