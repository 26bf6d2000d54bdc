"""UI-Venus-Ground: places as they write them, well and badly, asked for an action and asked for a place."""

from __future__ import annotations

import pytest

from agent_server.actions import Click, Finished, Press
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, Turn, adapter_named
from agent_server.adapters.grounding import Place
from agent_server.adapters.ui_venus_ground import UiVenusGround10, UiVenusGround15
from agent_server.errors import Inexpressible
from agent_server.geometry import Box, Point, Size

G10, G15 = UiVenusGround10(), UiVenusGround15()
PHONE = Size(1080, 2400)
SQUARE = Size(1000, 1000)


def read(text: str):
    return G15.parse(text, G15.frame(SQUARE).map)


@pytest.mark.parametrize(
    "text",
    [
        "[10,20]", "[10, 20]", " [10,20]\n", "[10.0,20.0]", "(10,20)", "[[10,20]]", "10, 20", "[10,20].",
        "```\n[10,20]\n```", "[10，20]",
        "[10,20]<|im_end|>", "[5,10,15,30]", "[5,10],[15,30]", "[5, 10], [15, 30]", "[[5,10],[15,30]]", "[5,10][15,30]",
        "The center is [10,20].", "<point>10 20</point>", '{"point": [10, 20]}', '{"bbox_2d": [5,10,15,30]}',
        "<think>Not [1,2].</think>[10,20]", "x=10, y=20", "<|box_start|>(10,20)<|box_end|>", "Click(box=(10, 20))",
    ],
)  # fmt: skip
def test_places(text):
    parsed = read(text)
    assert (parsed.action, parsed.extra_actions) == (Click(point=Point(10, 20)), 0)
    assert G15.ground(text, G15.frame(SQUARE).map).place.point == Point(10, 20)


def test_the_first_of_several_counts():
    parsed = read("[10,20] or [30,40] or [50,60]")
    assert (parsed.action, parsed.extra_actions) == (Click(point=Point(10, 20)), 2)


@pytest.mark.parametrize("text", ["[-1,-1]", "[-1, -1]", "[-1,-1,-1,-1]", "[-1.0,-1.0]"])
def test_a_refusal_is_no_click_and_says_so(text):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == "unsupported"
    assert "not present" in parsed.parse_error.message
    assert G15.ground(text, G15.frame(SQUARE).map).present is False


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "malformed"),
        ("the button", "malformed"),
        ("[]", "malformed"),
        ("[10]", "malformed"),
        ("[a,b]", "malformed"),
        ("<think>[10,20]</think>", "malformed"),
        ("[-1,20]", "out_of_range"),
        ("[540,1200]", "out_of_range"),
        ("[0.5,0.5]", "out_of_range"),
    ],
)
def test_what_names_no_place(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


def test_1_0_counts_pixels_of_the_resized_image_within_the_limits_of_its_size():
    small, large = G10.frame(Size(2048, 1152)), G10.frame(Size(2048, 1152), "UI-Venus-Ground-72B")
    assert small.resized == (2044, 1148)
    assert large.resized == (2352, 1344)
    assert G10.parse("[1835,170,1854,196]", small.map).action == Click(point=Point(1848, 184))
    assert G10.parse("[1835,170,1854,196]", large.map).action == Click(point=Point(1606, 157))
    assert G10.parse("[2045,5,2046,9]", small.map).parse_error.kind == "out_of_range"


def test_a_box_keeps_its_edges():
    place = G10.ground("[546,1204,600,1300]", G10.frame(PHONE).map).place
    assert place == Place(Point(567, 1248), Box(540, 1200, 593, 1296))


def test_rendering():
    assert G10.render(Click(point=Point(540, 1200)), G10.frame(PHONE).map, "why", "then") == "[546,1204,546,1204]"
    assert G15.render(Click(point=Point(540, 1200)), G15.frame(PHONE).map) == "[500,500]"
    assert G15.render_place(None, G15.frame(PHONE).map) == "[-1,-1]"
    for action in (Press(key="back"), Finished()):
        with pytest.raises(Inexpressible):
            G15.render(action, G15.frame(PHONE).map)


@pytest.mark.parametrize("name", ["ui-venus-ground-1.0", "ui-venus-ground-1.5"])
def test_the_goal_is_the_description_and_nothing_else_is_told(name):
    adapter, turns = adapter_named(name), [Turn(raw="[1,2]", has_screenshot=True)]
    prompt = PromptInput("the {{ bell }} icon", PHONE, turns)
    (message,) = adapter.messages(prompt, PromptSet.load())
    image, text = message.parts
    assert (message.role, image) == ("user", ImagePart(CURRENT))
    assert "the {{ bell }} icon" in text.text
    assert "[1,2]" not in text.text
    assert adapter.ground_messages(prompt, PromptSet.load()) == [message]
