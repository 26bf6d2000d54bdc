"""What every adapter promises: `render` and `parse` agree, for any action, screen and text."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    Key,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
    action_points,
    finger_to_view,
)
from agent_server.adapters import ADAPTERS, Adapter
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point, Size

CORPUS = Path(__file__).parents[2] / "corpus" / "model_outputs" / "model_outputs.jsonl"
LINES = [json.loads(line)["raw"] for line in CORPUS.read_text("utf-8").splitlines()]
PIECES = [
    "</action>", "<action>", "</think>", "<think>", "<conclusion>", "</tool_call>", "<tool_call>", "<|im_end|>",
    "[EOS]", "<|box_start|>", "<point>1 2</point>", "')", "'", '"', "\\", "\\n", "\n", "\r\n", "\t",
    "Action: click(start_box='(1,2)')", "\nThought: ", "\nAction: wait()", "```json\n", "{", "}", '"}}', "，", "“",
    "”", "（", "）", "’)", "&", "\u2028", "😀", "content='", "x=1, y=2", " ", "1", "a", "Click(box=(1, 2))", "**",
    "assistant\n", "<function=wait>", "\\u0041", "\x00",
]  # fmt: skip

adapters = st.sampled_from(list(ADAPTERS.values()))
texts = st.text(max_size=30) | st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=6).map("".join)
sizes = st.builds(Size, st.integers(1, 4000), st.integers(1, 4000)).filter(lambda size: max(size) <= 200 * min(size))
keys = st.sampled_from(Key.__args__)  # type: ignore[attr-defined]


@st.composite
def scrolls(draw: st.DrawFn, points: st.SearchStrategy[Point]) -> Scroll:
    start, end = draw(points), draw(points)
    if start != end and draw(st.booleans()):
        return Scroll(direction=finger_to_view(start, end), start=start, end=end)
    direction = draw(st.sampled_from(["up", "down", "left", "right"]))
    return Scroll(direction=direction, start=draw(st.none() | st.just(start)))


@st.composite
def situations(draw: st.DrawFn) -> tuple[Adapter, CoordinateMap, Action]:
    """An adapter, a screen and an action on it."""
    adapter, size = draw(adapters), draw(sizes)
    points = st.builds(Point, st.integers(0, size.width - 1), st.integers(0, size.height - 1))
    action = draw(
        st.one_of(
            st.builds(Click, point=points),
            st.builds(DoubleClick, point=points),
            st.builds(LongPress, point=points, duration_ms=st.none() | st.integers(1, 60_000)),
            st.builds(Drag, start=points, end=points),
            scrolls(points),
            st.builds(Type, text=texts),
            st.builds(Press, key=keys),
            st.builds(OpenApp, app=texts.filter(bool)),
            st.builds(Wait, seconds=st.floats(0, 600)),
            st.builds(Answer, text=texts),
            st.builds(CallUser, text=texts),
            st.builds(Finished, status=st.sampled_from(["success", "infeasible"]), text=texts),
        )
    )
    return adapter, adapter.frame(size).map, action


def off_by(map: CoordinateMap) -> tuple[float, float]:
    """Half a unit of the model's space in device pixels, and the half pixel that rounding to pixels costs."""
    return map.device.width / map.extent[0] / 2 + 0.5, map.device.height / map.extent[1] / 2 + 0.5


def text_of(action: Action) -> object:
    return getattr(action, "text", getattr(action, "app", getattr(action, "key", None)))


@given(situations(), st.none() | texts, st.none() | texts)
def test_what_is_rendered_is_read_again(situation, thought, summary):
    adapter, map, action = situation
    try:
        written = adapter.render(action, map, thought, summary)
    except Inexpressible:
        return
    read = adapter.parse(written, map)
    assert read.parse_error is None
    assert read.action is not None
    assert read.extra_actions == 0
    assert read.action.type == action.type
    assert text_of(read.action) == text_of(action)
    across, down = off_by(map)
    for given_point, read_point in zip(action_points(action), action_points(read.action), strict=False):
        assert abs(given_point.x - read_point.x) <= across + 1e-9
        assert abs(given_point.y - read_point.y) <= down + 1e-9
    assert adapter.render(read.action, map, read.thought, read.summary) == written


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.name)
@pytest.mark.parametrize("thought", ["\u2028Action: wait()", "* \u2028 Action: wait()", "\u2028Thought: x"])
def test_what_is_no_line_of_its_own_does_not_become_one(adapter, thought):
    map = adapter.frame(Size(1080, 2400)).map
    written = adapter.render(Click(point=Point(540, 1200)), map, thought, thought)
    read = adapter.parse(written, map)
    assert (read.action.type, read.extra_actions) == ("click", 0)
    assert adapter.render(read.action, map, read.thought, read.summary) == written


@given(situations())
def test_a_scroll_keeps_its_direction(situation):
    adapter, map, action = situation
    if not isinstance(action, Scroll):
        return
    if action.start and action.end:
        across, down = off_by(map)
        dx, dy = abs(action.end.x - action.start.x), abs(action.end.y - action.start.y)
        if abs(dx - dy) <= 2 * (across + down):
            return  # so near to a diagonal that rounding may tip it
    try:
        written = adapter.render(action, map)
    except Inexpressible:
        return
    read = adapter.parse(written, map).action
    assert isinstance(read, Scroll)
    assert read.direction == action.direction


@given(adapters, sizes, st.sampled_from(LINES) | texts, texts, st.integers(0, 400), st.integers(0, 20))
def test_anything_is_read_without_raising_and_renders_to_a_fixed_point(adapter, size, line, inserted, at, dropped):
    map = adapter.frame(size).map
    read = adapter.parse(line[:at] + inserted + line[at + dropped :], map)
    assert (read.action is None) != (read.parse_error is None)
    if read.action is None:
        return
    assert all(point.inside(size) for point in action_points(read.action))
    try:
        once = adapter.render(read.action, map, read.thought, read.summary)
    except Inexpressible:
        return
    again = adapter.parse(once, map)
    assert again.action is not None
    assert adapter.render(again.action, map, again.thought, again.summary) == once


@given(adapters, st.text(st.characters(), max_size=60))
@example(ADAPTERS["ui-venus-1.0"], "<action>Type(content='\ud800')</action>")
@example(ADAPTERS["qwen3-vl"], '<tool_call>{"action": "type", "text": "\\ud800"}</tool_call>')
@example(ADAPTERS["ui-tars-1.5"], "Action: type(content='\\ud83d\\ude00')")
def test_any_text_is_read_even_one_with_half_characters(adapter, text):
    read = adapter.parse(text, adapter.frame(Size(1080, 2400)).map)
    assert (read.action is None) != (read.parse_error is None)
    if read.action is not None:
        read.action.model_dump_json().encode()


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.name)
def test_expressible_is_all_but_what_is_declared(adapter):
    size = Size(1080, 2400)
    map = adapter.frame(size).map
    point, other = Point(500, 700), Point(500, 300)
    samples: list[Action] = [
        Click(point=point), DoubleClick(point=point), LongPress(point=point), Drag(start=point, end=other),
        Scroll(direction="down"), Type(text="x"), OpenApp(app="Clock"), Wait(), Answer(text="3"), CallUser(),
        CallUser(text="help"), Finished(), Finished(text="done"), Finished(status="infeasible"),
        *(Press(key=key) for key in Key.__args__),  # type: ignore[attr-defined]
    ]  # fmt: skip
    declared = "; ".join(adapter.declaration.inexpressible)
    for action in samples:
        try:
            adapter.render(action, map)
        except Inexpressible:
            assert action.type in declared, f"{action!r} is refused but not declared"
        else:
            assert action.type not in {part for part in adapter.declaration.inexpressible}, f"{action!r} is declared"


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.name)
@pytest.mark.parametrize("text", ["", " ", "\n", "I cannot help with that.", "null", "[]", "{}", "()", "=", "finished"])
def test_nothing_ends_an_episode_by_accident(adapter, text):
    read = adapter.parse(text, adapter.frame(Size(1080, 2400)).map)
    assert read.action is None
    assert read.parse_error.kind == "malformed"


def test_half_a_unit_is_what_it_says():
    map = CoordinateMap.relative(Size(1080, 2400), 1000)
    worst = max(abs(map.to_device(*map.to_model(Point(x, 0))).x - x) for x in range(1080))
    assert worst <= math.floor(1080 / 1000 / 2 + 0.5)
