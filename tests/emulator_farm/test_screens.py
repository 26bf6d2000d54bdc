from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agent_server.actions import Finished
from agent_server.geometry import Point, Size
from agent_server.ui_tree import parse_ui_tree
from emulator_farm.episode import Episode, Screen
from emulator_farm.screens import is_outside, may_be_unchanged, stale, tree_of, unchanged

Make = Callable[..., Episode]


@pytest.fixture
def shown(make_episode: Make) -> Callable[[Any], Screen]:
    def make(page: Any) -> Screen:
        return make_episode(pages=[page], actions=[Finished()]).steps[0].screen

    return make


def coded(screen: Screen, format: str, mode: str = "RGB") -> Screen:
    """The same picture in other bytes."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(screen.image)) as picture:
        picture.convert(mode).save(buffer, format, **({"lossless": True} if format == "WEBP" else {}))
    return replace(screen, image=buffer.getvalue(), sha256=f"{format} {mode}")


def test_the_same_screen_is_unchanged(shown: Callable[[Any], Screen], page: Any) -> None:
    screen = shown(page())
    assert unchanged(screen, screen, 0.04)
    for field, other in (("app", "x"), ("activity", "x"), ("ui_tree", None), ("size", Size(1, 1))):
        assert not may_be_unchanged(screen, replace(screen, **{field: other}))
        assert not unchanged(screen, replace(screen, **{field: other}), 0.04)


def test_only_the_status_bar_may_change(shown: Callable[[Any], Screen], page: Any) -> None:
    before, after = shown(page()), shown(page(clock="12:34"))
    assert unchanged(before, after, 0.04)
    assert not unchanged(before, after, 0)
    assert not unchanged(before, replace(shown(page(title="x")), ui_tree=before.ui_tree), 0.04)


def test_other_kinds_of_pictures_are_decoded(shown: Callable[[Any], Screen], page: Any) -> None:
    before, after = (coded(shown(page(clock=clock)), "WEBP") for clock in ("09:41", "12:34"))
    after = replace(after, sha256="other")
    assert unchanged(before, after, 0.04)
    assert not unchanged(before, after, 0)
    assert unchanged(shown(page()), coded(shown(page()), "PNG", "RGBA"), 0.04)


def test_real_trees_have_elements_where_one_taps(pytestconfig: pytest.Config) -> None:
    folder = Path(pytestconfig.rootpath) / "tests" / "corpus" / "hierarchies"
    trees = [parse_ui_tree(path.read_text("utf-8")) for path in sorted(folder.glob("*.xml"))]
    assert trees
    for tree in trees:
        centres = [node.bounds.centre for node in tree if node.clickable and node.bounds.area]
        assert not any(is_outside(tree, centre) for centre in centres)


def test_a_place_that_no_window_covers_is_not_judged() -> None:
    tree = parse_ui_tree(
        "<hierarchy><node bounds='[0,0][10,10]'><node text='a' bounds='[0,0][5,5]'/></node></hierarchy>"
    )
    assert not is_outside(tree, Point(3, 3))
    assert is_outside(tree, Point(7, 7))
    assert not is_outside(tree, Point(20, 20))


def test_trees_that_say_nothing(shown: Callable[[Any], Screen], page: Any) -> None:
    screen = shown(page())
    assert tree_of(screen) is not None
    assert tree_of(replace(screen, ui_tree=None)) is None
    assert tree_of(replace(screen, ui_tree="ERROR: could not get idle state.")) is None
    assert tree_of(replace(screen, flags=("foreign_ui_tree",))) is None


def test_stale_means_that_something_else_went_on(shown: Callable[[Any], Screen], page: Any) -> None:
    screen = shown(page())
    assert stale(screen, screen) is None
    assert stale(screen, replace(screen, sha256="other", app="x")) is None
    moved = replace(screen, ui_tree=page(rows=("Network", "New")).tree())
    assert stale(screen, moved) == "the UI tree changed ('New')"
    assert stale(moved, replace(screen, ui_tree=page(rows=("Network",)).tree())) == "the UI tree changed ('New')"
