"""A reply held to a family's grammar is an action on the screen; what the family itself writes is admitted."""

from __future__ import annotations

import re
import warnings
from functools import cache

import pytest
from hypothesis import given, settings
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
from agent_server.adapters.pattern import WORD, words
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point, Size

SCREENS = (Size(1080, 2400), Size(4000, 3000), Size(2, 1))
HELD = {name: adapter for name, adapter in ADAPTERS.items() if adapter.constraint(adapter.frame(SCREENS[0]).map)}
NOT_HELD = {
    "openai": "the tools in its request hold it",
    "openai-json": "the response format in its request holds it",
}

screens = st.sampled_from(SCREENS)
keys = st.sampled_from(Key.__args__)  # type: ignore[attr-defined]
FEW = "[0-9A-Za-zéßЖשم漢あカ가.,:?!%+@/_-]"
"""Some characters of every kind in WORD, of which hypothesis makes texts a hundred times as fast."""
LETTERS = "".join(re.findall(WORD, "".join(map(chr, range(0x10000)))))
TEXTS = [" ".join(chunk[at : at + 16] for at in range(0, 96, 16)) for chunk in re.findall(".{96}", LETTERS + "." * 95)]
"""All of them, as many in each as a text has room for."""

texts = st.from_regex(words(5).replace(WORD, FEW), fullmatch=True) | st.sampled_from(["7:30", "打开设置", "3,5 %"])
names = texts.filter(lambda text: re.match(r"\w", text) is not None)


def path(start: Point, end: Point) -> Scroll:
    return Scroll(direction=finger_to_view(start, end), start=start, end=end)


@cache
def actions(size: Size) -> st.SearchStrategy[Action]:
    """Actions on a screen of `size`, their texts without quotes and brackets, their times those that people give."""
    points = st.builds(Point, st.integers(0, size.width - 1), st.integers(0, size.height - 1))
    return st.one_of(
        st.builds(Click, point=points),
        st.builds(DoubleClick, point=points),
        st.builds(LongPress, point=points, duration_ms=st.none() | st.integers(1, 9_999)),
        st.builds(Drag, start=points, end=points),
        st.builds(Scroll, direction=st.sampled_from(["up", "down", "left", "right"])),
        st.builds(path, points, points),
        st.builds(Type, text=texts),
        st.builds(Press, key=keys),
        st.builds(OpenApp, app=names),
        st.builds(Wait, seconds=st.sampled_from([0.5, 1, 2, 5.25])),
        st.builds(Answer, text=texts),
        st.builds(CallUser, text=texts),
        st.builds(Finished, status=st.sampled_from(["success", "infeasible"]), text=texts),
    )


def pattern(adapter: Adapter, map: CoordinateMap) -> str:
    constraint = adapter.constraint(map)
    assert constraint is not None
    assert constraint.kind == "regex"
    assert isinstance(constraint.value, str)
    return constraint.value


@cache
def admitted(name: str, size: Size) -> st.SearchStrategy[str]:
    adapter = ADAPTERS[name]
    return st.from_regex(pattern(adapter, adapter.frame(size).map).replace(WORD, FEW), fullmatch=True)


def crosses(action: Action, size: Size) -> bool:
    """Whether a path goes from one half of the screen to another."""
    start, end = action_points(action)
    across = (size.width + 1) // 2, (size.height + 1) // 2
    return any((a < middle) != (b < middle) for a, b, middle in zip(start, end, across, strict=True))


def test_every_family_can_be_held_but_those_that_are_without():
    assert ADAPTERS.keys() - HELD.keys() == NOT_HELD.keys()
    assert all(ADAPTERS[name].held for name in NOT_HELD)


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
@settings(max_examples=30)
@given(st.data())
def test_what_is_admitted_is_an_action_on_the_screen(adapter, data):
    size = data.draw(screens)
    map = adapter.frame(size).map
    text = data.draw(admitted(adapter.name, size))
    read = adapter.parse(text, map)
    assert read.parse_error is None
    assert read.extra_actions == 0
    assert all(point.inside(size) for point in action_points(read.action))
    assert not isinstance(read.action, Scroll) or read.action.end is None or crosses(read.action, size)


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
def test_every_letter_comes_through(adapter):
    map = adapter.frame(Size(1080, 2400)).map
    held = pattern(adapter, map)
    for text in TEXTS:
        action = Click(point=Point(540, 1200)) if "type" in adapter.declaration.inexpressible else Type(text=text)
        written = adapter.render(action, map, text, text)
        assert re.fullmatch(held, written)
        read = adapter.parse(written, map)
        assert read.action == action
        assert read.thought in (text, None)


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
@settings(max_examples=30)
@given(st.data())
def test_what_the_family_writes_is_admitted(adapter, data):
    size = data.draw(screens)
    map = adapter.frame(size).map
    action, thought, summary = data.draw(actions(size)), data.draw(texts), data.draw(texts)
    if isinstance(action, Scroll) and min(size.width, size.height) == 1:
        return  # one pixel has no other half to go to, whatever the direction says
    try:
        written = adapter.render(action, map, thought, summary)
    except Inexpressible:
        return
    read = adapter.parse(written, map).action
    paths = [scroll for scroll in (action, read) if isinstance(scroll, Scroll) and scroll.end is not None]
    if not all(crosses(scroll, size) for scroll in paths):
        return
    assert re.fullmatch(pattern(adapter, map), written)


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
def test_no_kind_of_action_is_left_out(adapter):
    map = adapter.frame(Size(1080, 2400)).map
    here, there = Point(500, 2000), Point(900, 300)
    every: list[Action] = [
        Click(point=here), DoubleClick(point=here), LongPress(point=here), LongPress(point=here, duration_ms=1500),
        Drag(start=here, end=there), Scroll(direction="down"), Scroll(direction="left"), path(here, there),
        Type(text="x"), OpenApp(app="Clock"), Wait(), Wait(seconds=2.5), Answer(text="7:30"), CallUser(),
        CallUser(text="help"), Finished(), Finished(text="done"), Finished(status="infeasible"),
        Finished(status="infeasible", text="no such app"), *(Press(key=key) for key in Key.__args__),  # type: ignore[attr-defined]
    ]  # fmt: skip
    held, said = pattern(adapter, map), 0
    for action in every:
        try:
            written = adapter.render(action, map)
        except Inexpressible:
            continue
        assert re.fullmatch(held, written), action
        said += 1
    assert said


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
def test_a_point_off_the_screen_is_not_admitted(adapter):
    size = Size(1080, 2400)
    map = adapter.frame(size).map
    held = pattern(adapter, map)
    written = adapter.render(Click(point=Point(540, 1200)), map)
    (x, y) = (str(round(side)) for side in map.to_model(Point(540, 1200)))
    assert re.fullmatch(held, written)
    for off in (str(round(map.extent[0]) + 1), str(round(map.extent[0]) * 10), "-1", "05", ""):
        assert x in written
        assert not re.fullmatch(held, written.replace(x, off, 1))
    for off in (str(round(map.extent[1]) + 1), "99999"):
        assert not re.fullmatch(held, off.join(written.rsplit(y, 1)))


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
def test_nothing_but_a_whole_reply_is_admitted(adapter):
    map = adapter.frame(Size(1080, 2400)).map
    held = pattern(adapter, map)
    written = adapter.render(Click(point=Point(540, 1200)), map, "I see it", "Clicked")
    assert re.fullmatch(held, written)
    half = written[: len(written) // 2]
    for other in (written + written, written + "<", "<" + written, half, "", "I cannot help with that."):
        assert not re.fullmatch(held, other), other


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
def test_every_reply_ends(adapter):
    held = pattern(adapter, adapter.frame(Size(1080, 2400)).map)
    repeated = re.findall(r"(?<!\\)(?:[*+]|\{[^}]*,\})", held.replace(WORD, "_"))
    assert repeated == []


@pytest.mark.parametrize("adapter", HELD.values(), ids=HELD)
def test_a_pattern_is_of_what_every_engine_knows(adapter):
    held = pattern(adapter, adapter.frame(Size(1080, 2400)).map)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        re.compile(held)
    for construct in (r"\(\?", r"[*+?}][+?]", r"\\[1-9bBAZdDwWsSpP]", r"\{\d,\d{3,}\}", "[$^]"):
        assert not re.search(r"(?<!\\)" + construct, held), construct
    assert len(held) < 4_000
