from __future__ import annotations

import io

import pytest
from PIL import Image

from agent_server.actions import (
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.annotate import annotated, describe, finger_path
from agent_server.geometry import Point, Size
from agent_server.images import check_image

SIZE = Size(400, 800)
A, B = Point(100, 300), Point(300, 600)


@pytest.fixture(scope="module")
def blank(encode):
    return check_image(encode(Image.new("RGB", SIZE, "white"), "PNG"))


def drawn(image, action, caption: str = "") -> Image.Image:
    return Image.open(io.BytesIO(annotated(image, action, caption)))


def marked(picture: Image.Image, around: Point, radius: int = 20) -> bool:
    box = (around.x - radius, around.y - radius, around.x + radius, around.y + radius)
    return picture.crop(box).getextrema() != ((255, 255),) * 3


@pytest.mark.parametrize(
    ("action", "points"),
    [
        (Click(point=A), [A]),
        (DoubleClick(point=A), [A]),
        (LongPress(point=A), [A]),
        (Drag(start=A, end=B), [A, B, Point(200, 450)]),
        (Scroll(direction="down", start=A, end=B), [A, B]),
        (Scroll(direction="down"), [Point(200, 400), Point(200, 300)]),
        (Scroll(direction="right", start=A), [A, Point(50, 300)]),
    ],
)
def test_points_are_marked_where_they_are(action, points, blank):
    picture = drawn(blank, action)
    assert picture.size == SIZE
    assert all(marked(picture, point) for point in points)
    assert not marked(picture, Point(360, 760))


@pytest.mark.parametrize("action", [Type(text="x"), Press(key="back"), Finished(), None])
def test_actions_without_points_leave_the_screen_alone(action, blank):
    picture = drawn(blank, action, "nothing")
    assert not marked(picture, Point(200, 400), 200)
    assert marked(picture, Point(20, 8), 6)


def test_a_mark_at_the_edge_and_a_tiny_screen(encode):
    tiny = check_image(encode(Image.new("RGBA", (3, 3)), "PNG"))
    assert drawn(tiny, Click(point=Point(2, 2))).size == (3, 3)


def test_no_caption_no_label(blank):
    assert not marked(drawn(blank, None), Point(20, 20))


@pytest.mark.parametrize(
    ("direction", "end"),
    [("down", Point(200, 200)), ("up", Point(200, 600)), ("right", Point(100, 400)), ("left", Point(300, 400))],
)
def test_the_finger_moves_against_the_view(direction, end):
    assert finger_path(Scroll(direction=direction), SIZE) == (Point(200, 400), end)


def test_the_finger_stays_on_the_screen():
    assert finger_path(Scroll(direction="down", start=Point(5, 20)), SIZE) == (Point(5, 20), Point(5, 0))


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (Click(point=A), "click (100, 300)"),
        (Drag(start=A, end=B), "drag (100, 300) (300, 600)"),
        (Scroll(direction="up"), "scroll up"),
        (LongPress(point=A, duration_ms=900), "long_press 900 (100, 300)"),
        (Type(text="hello"), "type hello"),
        (OpenApp(app="Clock"), "open_app Clock"),
        (Wait(), "wait 1.0"),
        (Answer(text="42"), "answer 42"),
        (CallUser(), "call_user"),
        (Finished(), "finished success"),
    ],
)
def test_one_line_about_an_action(action, line):
    assert describe(action) == line
