"""The UI hierarchy that uiautomator writes, as typed nodes.

Real dumps come with text in front of or behind the XML, pretty-printed, without a declaration, with emoji written as
two surrogate references, with boxes of no or negative area, and with several roots. All of that is read; a dump that is
cut off is refused, because half a screen looks like another screen.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from agent_server.errors import InvalidUiTree
from agent_server.geometry import Box, Point, Size

_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]+)|([0-9]+));")
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_END = "</hierarchy>"


@dataclass(frozen=True, eq=False)
class Node:
    """One view. `bounds` are device pixels of the rotated screen and may have no area or reach beyond it."""

    text: str
    resource_id: str
    class_name: str
    package: str
    content_desc: str
    bounds: Box
    checkable: bool
    checked: bool
    clickable: bool
    enabled: bool
    focusable: bool
    focused: bool
    scrollable: bool
    long_clickable: bool
    password: bool
    selected: bool
    index: int
    depth: int
    """Distance from the hierarchy element; a top-level node has depth 1."""
    attributes: dict[str, str] = field(repr=False)
    """Every attribute as written, those without a field too (`hint`, `NAF`, `display-id`, …)."""
    children: tuple[Node, ...] = field(default=(), repr=False)

    @property
    def label(self) -> str:
        """What a person would call it: text, else content description."""
        return self.text or self.content_desc

    @property
    def editable(self) -> bool:
        return self.class_name.endswith("EditText") or self.class_name.endswith("AutoCompleteTextView")

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(frozen=True, eq=False)
class UiTree:
    """The hierarchy of one moment. `rotation` counts quarter turns, 0 to 3."""

    rotation: int
    roots: tuple[Node, ...]

    def __iter__(self) -> Iterator[Node]:
        """Every node in document order (what is drawn later comes later)."""
        for root in self.roots:
            yield from root.walk()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages in order of appearance."""
        return tuple(dict.fromkeys(node.package for node in self if node.package))

    @property
    def size(self) -> Size | None:
        """The extent of the top-level nodes, None where none has an area."""
        boxes = [root.bounds for root in self.roots if root.bounds.area]
        return Size(max(box.right for box in boxes), max(box.bottom for box in boxes)) if boxes else None

    def at(self, point: Point) -> Node | None:
        """The smallest node that covers the point; of equally small ones, the one drawn last."""
        best: Node | None = None
        for node in self:
            if node.bounds.contains(point) and (best is None or node.bounds.area <= best.bounds.area):
                best = node
        return best


def parse_ui_tree(source: str | bytes) -> UiTree:
    """Read a uiautomator dump, with whatever the command printed around it.

    Raises InvalidUiTree for an error message in place of XML, a truncated or malformed document, or a document that is
    not a hierarchy. Entities are never expanded and nothing is fetched.
    """
    text = source.decode("utf-8", errors="replace") if isinstance(source, bytes) else source
    document = _cut(text)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(_repair(document).encode(), parser)
    except etree.XMLSyntaxError as error:
        raise InvalidUiTree(f"the UI hierarchy is not well-formed XML: {error}") from None
    if root.tag != "hierarchy":
        raise InvalidUiTree(f"expected a <hierarchy> element, found <{root.tag}>")
    roots = tuple(_node(element, 1) for element in root if isinstance(element.tag, str))
    return UiTree(_integer(root.get("rotation", "0")) % 4, roots)


def _cut(text: str) -> str:
    start = text.find("<hierarchy")
    if start < 0:
        found = text.strip()[:200] or "nothing"
        raise InvalidUiTree(f"there is no <hierarchy> in the UI dump; it says: {found}")
    end = text.find(_END, start)
    if end >= 0:
        return text[start : end + len(_END)]
    empty = re.match(r"<hierarchy[^<>]*/>", text[start:])
    if empty:
        return empty.group()
    raise InvalidUiTree(f"the UI hierarchy is cut off after {len(text) - start} characters: no {_END}")


def _repair(document: str) -> str:
    """Join surrogates, however written, into characters and drop what XML cannot hold."""
    if "&#" in document:
        document = _REFERENCE.sub(_referenced, document)
    document = _SURROGATES.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), document)
    return _NOT_XML.sub("", document)


def _referenced(match: re.Match[str]) -> str:
    """A reference as it was, half a surrogate pair as that half, nothing for what is no character of XML."""
    digits = (match[1] or match[2]).lstrip("0")
    code = int(digits or "0", 16 if match[1] else 10) if len(digits) <= 7 else 0
    if 0xD800 <= code <= 0xDFFF:
        return chr(code)
    return "" if code > sys.maxunicode or _NOT_XML.match(chr(code)) else match.group()


def _node(element: etree._Element, depth: int) -> Node:
    attributes = {str(name): str(value) for name, value in element.attrib.items()}

    def flag(name: str) -> bool:
        return attributes.get(name) == "true"

    return Node(
        text=attributes.get("text", ""),
        resource_id=attributes.get("resource-id", ""),
        class_name=attributes.get("class", "" if element.tag == "node" else str(element.tag)),
        package=attributes.get("package", ""),
        content_desc=attributes.get("content-desc", ""),
        bounds=_bounds(attributes.get("bounds", "")),
        checkable=flag("checkable"),
        checked=flag("checked"),
        clickable=flag("clickable"),
        enabled=flag("enabled"),
        focusable=flag("focusable"),
        focused=flag("focused"),
        scrollable=flag("scrollable"),
        long_clickable=flag("long-clickable"),
        password=flag("password"),
        selected=flag("selected"),
        index=_integer(attributes.get("index", "0")),
        depth=depth,
        attributes=attributes,
        children=tuple(_node(child, depth + 1) for child in element if isinstance(child.tag, str)),
    )


def _bounds(text: str) -> Box:
    match = _BOUNDS.fullmatch(text.strip())
    return Box(*map(int, match.groups())) if match else Box(0, 0, 0, 0)


def _integer(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else 0
