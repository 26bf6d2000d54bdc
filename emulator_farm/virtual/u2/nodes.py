"""The UI tree as the server holds it, read from what `uiautomator dump` prints, and its own way of printing it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from emulator_farm.virtual.boxes import Rect
from emulator_farm.virtual.hierarchy import HEADER, escape

BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
NEWLINE = "\r\n"
LAYOUTS = ("Layout", "ViewGroup", "android.view.View")
REASONS = ("clickable", "long-clickable", "focusable", "checkable", "scrollable")


@dataclass(slots=True, eq=False)
class Node:
    """One view. `place` is its position among its parent's children."""

    attributes: dict[str, str]
    bounds: Rect
    place: int = 0
    parent: "Node | None" = None
    children: "list[Node]" = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def flag(self, name: str) -> bool:
        """A boolean attribute."""
        return self.attributes[name] == "true"

    @property
    def centre(self) -> tuple[int, int]:
        """The pixel that a click hits."""
        return (self.bounds.left + self.bounds.right) // 2, (self.bounds.top + self.bounds.bottom) // 2

    def walk(self) -> "Iterator[Node]":
        """This node and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def info(self, compound: bool) -> dict[str, Any]:
        """What `objInfo` tells. `compound`: found by the older search, which says "" for null and knows no id."""
        none = "" if compound else None
        rect = self.bounds._asdict()
        return {
            "bounds": rect,
            "checkable": self.flag("checkable"),
            "checked": self.flag("checked"),
            "childCount": len(self.children),
            "className": self["class"],
            "clickable": self.flag("clickable"),
            "contentDescription": self["content-desc"] or none,
            "enabled": self.flag("enabled"),
            "focusable": self.flag("focusable"),
            "focused": self.flag("focused"),
            "longClickable": self.flag("long-clickable"),
            "packageName": self["package"],
            "resourceName": None if compound else self["resource-id"] or None,
            "scrollable": self.flag("scrollable"),
            "selected": self.flag("selected"),
            "text": self["text"] or none,
            "visibleBounds": rect,
        }


def read(xml: str) -> Node:
    """The tree of a dump with one window."""
    return _node(ElementTree.fromstring(xml)[0], None, 0)


def _node(element: ElementTree.Element, parent: Node | None, place: int) -> Node:
    found = BOUNDS.fullmatch(element.attrib["bounds"])
    assert found is not None
    node = Node(dict(element.attrib), Rect(*map(int, found.groups())), place, parent)
    node.children = [_node(child, node, number) for number, child in enumerate(element)]
    return node


def write(root: Node | None, rotation: int, hints: Mapping[Rect, str], compressed: bool, depth: int) -> str:
    """The server's dump: indented, with the attributes that it has beyond those of `uiautomator dump`.

    `compressed` leaves out layouts that carry nothing; views deeper than `depth` are cut. No root gives the empty
    document that the server sends while it sees no window.
    """
    opening = f'{HEADER}{NEWLINE}<hierarchy rotation="{rotation}"'
    if root is None or depth < 1:
        return f"{opening} />"
    parts = [opening + ">"]
    _write(parts, root, hints, compressed, 1, depth)
    return "".join(parts) + f"{NEWLINE}</hierarchy>"


def _write(parts: list[str], node: Node, hints: Mapping[Rect, str], compressed: bool, level: int, depth: int) -> None:
    values = dict(node.attributes)
    bounds = values.pop("bounds")
    values["visible-to-user"] = "true"
    values["bounds"] = bounds
    values["drawing-order"] = str(node.place + 1 if node.parent else 0)
    values["hint"] = hints.get(node.bounds, "") if node["class"].endswith("EditText") else ""
    values["display-id"] = "0"
    indent = NEWLINE + "  " * level
    parts.append(f"{indent}<node" + "".join(f' {name}="{escape(value)}"' for name, value in values.items()))
    children = _important(node) if compressed else node.children
    if not children or level >= depth:
        parts.append(" />")
        return
    parts.append(">")
    for child in children:
        _write(parts, child, hints, compressed, level + 1, depth)
    parts.append(f"{indent}</node>")


def _important(node: Node) -> list[Node]:
    """The children of a view where each one that is only a layout is replaced by its own."""
    found: list[Node] = []
    for child in node.children:
        plain = child["class"].endswith(LAYOUTS) and not (child["text"] or child["content-desc"])
        if plain and not any(child.flag(reason) for reason in REASONS):
            found += _important(child)
        else:
            found.append(child)
    return found
