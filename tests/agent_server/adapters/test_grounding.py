"""Where an element is, as the families that ground say it: places, refusals, and what is neither."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.adapters import ADAPTERS, PromptInput, PromptSet
from agent_server.adapters.adapter import LONGEST_REPLY
from agent_server.adapters.grounding import Grounder, Place
from agent_server.adapters.prompt import ImagePart, TextPart
from agent_server.errors import Inexpressible
from agent_server.geometry import Box, Point, Size

GROUNDERS = {name: adapter for name, adapter in ADAPTERS.items() if isinstance(adapter, Grounder)}
SCREEN = Size(1080, 2400)
BOX_TOKENS = re.compile(r"<\|box_(?:start|end)\|>")
CALLED = '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [546, 1204]}}</tool_call>'

grounders = st.sampled_from(list(GROUNDERS.values()))
sizes = st.builds(Size, st.integers(1, 4000), st.integers(1, 4000)).filter(lambda size: max(size) <= 200 * min(size))
texts = st.text(max_size=40) | st.sampled_from(
    [
        "[1, 2]",
        "Action: click(start_box='(1,2)')",
        "</think>",
        "<answer>",
        "[-1,-1]",
        "not present",
        '{"bbox_2d": ',
        "```",
    ]
)


@st.composite
def situations(draw: st.DrawFn) -> tuple[Grounder, Size, Place]:
    adapter, size = draw(grounders), draw(sizes)
    left, top = draw(st.integers(0, size.width - 1)), draw(st.integers(0, size.height - 1))
    right, bottom = draw(st.integers(left + 1, size.width)), draw(st.integers(top + 1, size.height))
    if draw(st.booleans()):
        return adapter, size, Place(Point(left, top))
    box = Box(left, top, right, bottom)
    return adapter, size, Place(box.centre, box)


def read(name: str, text: str, size: Size = SCREEN):
    adapter = GROUNDERS[name]
    return adapter.ground(text, adapter.ground_frame(size).map)


@given(situations(), st.none() | texts)
def test_what_is_rendered_is_read_again(situation, thought):
    adapter, size, place = situation
    map = adapter.ground_frame(size).map
    try:
        written = adapter.render_place(place, map, thought)
    except Inexpressible:
        assert place.box is None
        return
    found = adapter.ground(written, map)
    assert found.parse_error is None
    assert found.present is True
    assert found.extra_places == 0
    across, down = (length / extent / 2 + 0.5 for length, extent in zip(size, map.extent, strict=True))
    # A box is told by its edges, so its centre is off by what both of them are off.
    assert abs(found.place.point.x - place.point.x) <= across + 0.5 * (place.box is not None) + 1e-9
    assert abs(found.place.point.y - place.point.y) <= down + 0.5 * (place.box is not None) + 1e-9
    if place.box and found.place.box:
        for index, limit in enumerate((across, down, across, down)):
            assert abs(found.place.box[index] - place.box[index]) <= limit + 1e-9
    once = adapter.render_place(found.place, map, found.thought)
    assert once == written or place.box, "only a box of less than a unit comes out as one of a pixel"
    assert adapter.render_place(adapter.ground(once, map).place, map, found.thought) == once


@given(grounders, sizes, st.none() | texts)
def test_a_refusal_is_read_as_one(adapter, size, thought):
    map = adapter.ground_frame(size).map
    found = adapter.ground(adapter.render_place(None, map, thought), map)
    assert (found.present, found.place, found.parse_error) == (False, None, None)


@given(grounders, sizes, texts, texts)
def test_anything_is_read_and_no_place_lies_outside(adapter, size, one, other):
    found = adapter.ground(one + other, adapter.ground_frame(size).map)
    assert (found.present is None) == (found.parse_error is not None)
    assert (found.place is not None) == (found.present is True)
    if found.place:
        assert found.place.point.inside(size)
    if found.place and found.place.box:
        box = found.place.box
        assert 0 <= box.left < box.right <= size.width
        assert 0 <= box.top < box.bottom <= size.height


@pytest.mark.parametrize("name", GROUNDERS)
def test_the_prompt_holds_the_element_and_the_current_screenshot_once(name):
    adapter = GROUNDERS[name]
    messages = adapter.ground_messages(PromptInput("the bell icon ☃", SCREEN), PromptSet.load())
    parts = [part for message in messages for part in message.parts]
    text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
    assert text.count("the bell icon ☃") == 1
    assert [part.index for part in parts if isinstance(part, ImagePart)] == [-1]


@pytest.mark.parametrize("name", GROUNDERS)
@pytest.mark.parametrize(
    "text",
    [
        "[-1, -1]", "[-1,-1,-1,-1]", "null", "[]", "```json\n[]\n```", "None.",
        "The element is not present on this screen.", "There is no such button on the screenshot.",
        "I cannot find a bell icon here.", "I'm unable to locate the requested element.", "It doesn't exist.",
        '{"present": false, "bbox_2d": [0, 0, 0, 0]}', '{"bbox_2d": null}', "屏幕上没有该元素", "未找到目标控件",
        "<think>Perhaps [1, 2]? No.</think>The icon isn't visible.",
        "The element is not present: [-1,-1]", '{"bbox_2d": [-1, -1], "reason": "not present"}',
        "Not present. <point>-1 -1</point>", "The icon near (100, 200) is not there; [-1, -1]", "[-1,0] not present",
        '{"bbox_2d": [0, 0, 0, 0], "label": "not present"}', "The button is not visible: (0, 0)",
        '{"bbox_2d": []}', '[{"bbox_2d": [ ], "label": "bell"}]', '{"point_2d": [[]]}', '{"points": []}', '{"box": ""}',
        '```json\n{"coordinates": []}\n```',
    ],
)  # fmt: skip
def test_refusals_in_words_of_any_family(name, text):
    found = read(name, text)
    assert (found.present, found.place) == (False, None)


@pytest.mark.parametrize("name", GROUNDERS)
@pytest.mark.parametrize(
    "text", ["", "I cannot help with that.", "I cannot see the image.", "The bell icon.", "{", "42", "Sure!"]
)
def test_what_is_neither_place_nor_refusal(name, text):
    found = read(name, text)
    assert found.place is None
    assert found.present is None
    assert found.parse_error.kind == "malformed"


def test_words_of_absence_beside_a_place_are_no_refusal():
    found = read("qwen3-vl", 'The label is not visible, but the icon is: {"bbox_2d": [500, 500, 500, 500]}')
    assert found.place.point == Point(540, 1200)
    listed = read("qwen3-vl", '[{"label": "text", "bbox_2d": []}, {"label": "icon", "bbox_2d": [500, 500, 500, 500]}]')
    assert listed.place.point == Point(540, 1200)
    assert read("qwen3-vl", "[0, 0]").place.point == Point(0, 0)


@pytest.mark.parametrize(
    ("name", "text", "point", "box"),
    [
        ("ui-tars-1.0", "Action: click(start_box='(500,500)')", (540, 1200), None),
        ("ui-tars-1.0", "Action: click(start_box='<|box_start|>(500,500)<|box_end|>')", (540, 1200), None),
        ("ui-tars-1.0", "Action: click(start_box='[400,400,600,600]')", (540, 1200), (432, 960, 648, 1440)),
        ("ui-tars-1.5", "Thought: There.\nAction: click(point='<point>546 1204</point>')", (540, 1200), None),
        ("qwen2.5-vl", '```json\n[{"bbox_2d": [446, 1104, 646, 1304]}]\n```', (540, 1200), (441, 1100, 639, 1300)),
        ("qwen2.5-vl", CALLED, (540, 1200), None),
        ("qwen3-vl", '[{"bbox_2d": [400, 400, 600, 600]}]', (540, 1200), (432, 960, 648, 1440)),
        ("qwen3-vl", '{"bbox_2d": [0, 0, 1000, 1000]}', (540, 1200), (0, 0, 1080, 2400)),
        ("qwen3-vl", '{"bbox_2d": [600, 600, 400, 400]}', (540, 1200), (432, 960, 648, 1440)),
        ("qwen3-vl", '{"bbox_2d": [1000, 1000, 1000, 1000]}', (1079, 2399), (1079, 2399, 1080, 2400)),
        ("qwen3-vl", '{"point_2d": [1000, 1000]}', (1079, 2399), None),
    ],
)  # fmt: skip
def test_places(name, text, point, box):
    found = read(name, text)
    assert found.parse_error is None
    assert (found.place.point, found.place.box) == (point, box)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Action: scroll(start_box='(1,2)', direction='down')", "unsupported", "scroll says what to do"),
        ("Action: click(start_box='(1200,2)')", "out_of_range", "(1200, 2) lies outside"),
        ("Action: click(start_box='(0.4,0.2)')", "out_of_range", "fraction"),
        ("Action: click(start_box='(1,2,3)')", "malformed", "has 3"),
        ("Action: click(start_box='(-1,5)')", "out_of_range", "outside"),
        ("Action: finished(content='done')", "malformed", "names no place"),
    ],
)
def test_parse_errors_say_what_is_wrong(text, kind, words):
    found = read("ui-tars-1.0", text)
    assert found.present is None
    assert found.parse_error.kind == kind
    assert words in found.parse_error.message


def test_thoughts_are_kept():
    assert read("ui-tars-1.5", "Thought: Top right.\nAction: click(point='<point>9 9</point>')").thought == "Top right."
    assert read("qwen3-vl", "<think>Top right.</think>[9, 9]").thought == "Top right."
    assert read("qwen3-vl", "[9, 9]").thought is None


def test_further_places_are_counted():
    found = read("qwen3-vl", '[{"bbox_2d": [1, 1, 2, 2]}, {"bbox_2d": [3, 3, 4, 4]}]')
    assert found.extra_places == 1


def test_qwen3_grounds_in_another_space_than_it_acts_in():
    adapter = GROUNDERS["qwen3-vl"]
    assert adapter.frame(SCREEN).map.extent == (999, 999)
    assert adapter.ground_frame(SCREEN).map.extent == (1000, 1000)


def test_limits_of_the_checkpoint_hold_for_grounding_too():
    adapter = GROUNDERS["qwen2.5-vl"].with_limits(3_136, 100_000)
    assert (
        adapter.ground_frame(SCREEN).resized
        == adapter.frame(SCREEN).resized
        != GROUNDERS["qwen2.5-vl"].frame(SCREEN).resized
    )


def test_a_reply_beyond_every_context_is_not_read():
    found = read("qwen3-vl", "[1, 2] " * LONGEST_REPLY)
    assert found.parse_error.kind == "malformed"
    assert "characters" in found.parse_error.message


def test_which_families_ground():
    assert {"ui-tars-1.0", "ui-tars-1.5", "qwen2.5-vl", "qwen3-vl"} <= GROUNDERS.keys()
    assert "ui-venus-1.5" not in GROUNDERS


@pytest.mark.parametrize("name", GROUNDERS)
def test_a_held_reply_is_a_place_on_the_screen_or_the_refusal(name):
    adapter = GROUNDERS[name]
    for size in (SCREEN, Size(37, 5), Size(1, 1)):
        map = adapter.ground_frame(size).map
        constraint = adapter.ground_constraint(map)
        assert constraint.kind == "regex"
        admitted = re.compile(constraint.value)
        assert admitted.fullmatch(adapter.render_place(None, map))
        corner = Box(size.width - 1, size.height - 1, size.width, size.height)
        for box in (Box(0, 0, 1, 1), corner, Box(0, 0, *size)):
            written = adapter.render_place(Place(box.centre, box), map)
            assert admitted.fullmatch(BOX_TOKENS.sub("", written))
        assert not admitted.fullmatch(written + " ")


@given(grounders, sizes, st.data())
def test_whatever_is_admitted_is_read(adapter, size, data):
    map = adapter.ground_frame(size).map
    text = data.draw(st.from_regex(adapter.ground_constraint(map).value, fullmatch=True))
    found = adapter.ground(text, map)
    assert found.parse_error is None, text
    assert found.place is None or found.place.point.inside(size)
