"""Whether two screens show the same, and what can be touched on one.

All of it errs on the side of the agent: what cannot be told counts as changed, or as an element.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

from agent_server.errors import InvalidImage, InvalidUiTree
from agent_server.geometry import Box, Point
from agent_server.images import decoded, known_image
from agent_server.ui_tree import Node, UiTree, parse_ui_tree
from emulator_farm.episode import Screen
from emulator_farm.png_rows import NotComparable, same_rows

_BLOCK = 8
"""Rows of a block of a JPEG, all of which may change where one does."""


def may_be_unchanged(before: Screen, after: Screen) -> bool:
    """Whether `unchanged` is possible, told without decoding: same place, same tree, and frames of one size."""
    return (before.size, before.app, before.activity, before.ui_tree) == (
        after.size,
        after.app,
        after.activity,
        after.ui_tree,
    )


def unchanged(before: Screen, after: Screen, status_bar: float) -> bool:
    """Whether nothing changed but, perhaps, the top `status_bar` of the height (0 to 1), where the clock is.

    Frames are looked into only where their bytes differ and nothing else does.
    """
    if not may_be_unchanged(before, after):
        return False
    if before.sha256 == after.sha256:
        return True
    top = math.ceil(before.size.height * status_bar)
    try:
        return same_rows(before.image, after.image, top)
    except NotComparable:
        return _same_pixels(before, after, top)


def _same_pixels(before: Screen, after: Screen, top: int) -> bool:
    top = math.ceil(top / _BLOCK) * _BLOCK
    try:
        first, second = (decoded(known_image(screen.image)).convert("RGBA") for screen in (before, after))
    except InvalidImage:
        return False
    below = (0, top, *first.size)
    return first.size == second.size and first.crop(below).tobytes() == second.crop(below).tobytes()


def stale(before: Screen, after: Screen) -> str | None:
    """What says that the phone moved on although `after` has the very pixels of `before`; None where nothing does."""
    if before.sha256 != after.sha256:
        return None
    if before.app != after.app:
        return f"the app in front went from {before.app} to {after.app}"
    if before.activity != after.activity:
        return f"the activity went from {before.activity} to {after.activity}"
    if before.ui_tree == after.ui_tree:
        return None
    shown, now = (_visible_text(tree_of(screen)) for screen in (before, after))
    if shown is None or now is None or shown == now:
        return None
    text = next(iter((now - shown) or (shown - now)))[0]
    return f"the UI tree changed ({text!r})"


def tree_of(screen: Screen) -> UiTree | None:
    """The UI tree of a screen; None where there is none, or one that is damaged or of another app."""
    if screen.ui_tree is None or "foreign_ui_tree" in screen.flags:
        return None
    return _parsed(screen.ui_tree)


@lru_cache(maxsize=32)
def _parsed(text: str) -> UiTree | None:
    try:
        return parse_ui_tree(text)
    except InvalidUiTree:
        return None


def is_outside(tree: UiTree, point: Point) -> bool:
    """Whether a tap there meets no element, on a part of the screen that the tree describes.

    An element is a leaf, or anything that has a label or can be tapped, held, checked or typed into. Layout containers
    and lists are none: a tap between their children does nothing.
    """
    covering = [node for node in tree if node.bounds.contains(point)]
    return bool(covering) and not any(_is_element(node) for node in covering)


def _is_element(node: Node) -> bool:
    return bool(
        not node.children or node.label or node.clickable or node.long_clickable or node.checkable or node.editable
    )


def _visible_text(tree: UiTree | None) -> Counter[tuple[str, Box]] | None:
    """Where which text stands; None where nothing can be said."""
    if tree is None or tree.size is None:
        return None
    screen = Box(0, 0, *tree.size)
    return Counter(
        (node.text, node.bounds)
        for node in tree
        if node.text and node.bounds.area and not node.password and screen.contains(node.bounds.centre)
    )
