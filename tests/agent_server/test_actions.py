from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent_server.actions import (
    ACTION_TYPES,
    Action,
    Answer,
    CallUser,
    Click,
    Direction,
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
    action_from_json,
    action_points,
    action_to_json,
    finger_to_view,
)
from agent_server.geometry import Point

POINTS = st.builds(Point, st.integers(0, 4000), st.integers(0, 4000))
TEXTS = st.text(max_size=40)
DIRECTIONS = st.sampled_from(get_args(Direction))
ACTIONS: dict[str, st.SearchStrategy[Action]] = {
    "click": st.builds(Click, point=POINTS),
    "double_click": st.builds(DoubleClick, point=POINTS),
    "long_press": st.builds(LongPress, point=POINTS, duration_ms=st.none() | st.integers(1, 60_000)),
    "drag": st.builds(Drag, start=POINTS, end=POINTS),
    "scroll": st.builds(Scroll, direction=DIRECTIONS, start=st.none() | POINTS)
    | st.builds(Scroll, direction=DIRECTIONS, start=POINTS, end=POINTS),
    "type": st.builds(Type, text=TEXTS),
    "press": st.builds(Press, key=st.sampled_from(get_args(Key))),
    "open_app": st.builds(OpenApp, app=st.text(min_size=1, max_size=40)),
    "wait": st.builds(Wait, seconds=st.floats(0, 600)),
    "answer": st.builds(Answer, text=TEXTS),
    "call_user": st.builds(CallUser, text=TEXTS),
    "finished": st.builds(Finished, status=st.sampled_from(["success", "infeasible"]), text=TEXTS),
}
CLICK = {"type": "click", "point": [1, 2]}


def refusal(action: object) -> list[ErrorDetails]:
    with pytest.raises(ValidationError) as caught:
        action_from_json(action if isinstance(action, str) else json.dumps(action))
    return caught.value.errors()


# -- JSON


def test_every_action_is_played_here():
    assert ACTIONS.keys() == ACTION_TYPES.keys()
    assert [kind.model_fields["type"].default for kind in ACTION_TYPES.values()] == list(ACTION_TYPES)


@given(st.one_of(*ACTIONS.values()))
def test_json_round_trip(action):
    text = action_to_json(action)
    assert action_from_json(text) == action
    assert action_from_json(text.encode()) == action
    written = json.loads(text)
    assert written["type"] == action.type
    assert None not in written.values()
    assert "\n" not in text


def test_the_json_of_an_action():
    assert action_to_json(Click(point=Point(540, 1210))) == '{"type":"click","point":[540,1210]}'
    assert action_to_json(Scroll(direction="down")) == '{"type":"scroll","direction":"down"}'
    assert action_to_json(Finished()) == '{"type":"finished","status":"success","text":""}'


@pytest.mark.parametrize("name", ACTION_TYPES)
def test_extra_fields_are_refused(name):
    assert (name, "because") in [error["loc"] for error in refusal({"type": name, "because": "x"})]


@pytest.mark.parametrize(
    ("action", "where"),
    [
        ({}, ()),
        ({"point": [1, 2]}, ()),
        ({"type": "hover", "point": [1, 2]}, ()),
        ({"type": "Click", "point": [1, 2]}, ()),
        ([CLICK], ()),
        (None, ()),
        ("click", ()),
        ("", ()),
        ("[" * 100_000, ()),
        ('{"type": "type", "text": "\\ud83d"}', ()),
        ({"type": "click"}, ("click", "point")),
        ({"type": "click", "point": None}, ("click", "point")),
        ({"type": "click", "point": [1]}, ("click", "point")),
        ({"type": "click", "point": [1, 2, 3]}, ("click", "point")),
        ({"type": "click", "point": [1.5, 2]}, ("click", "point")),
        ({"type": "click", "point": ["left", 2]}, ("click", "point")),
        ({"type": "drag", "start": [1, 2]}, ("drag", "end")),
        ({"type": "scroll", "start": [1, 2]}, ("scroll", "direction")),
        ({"type": "scroll", "direction": "downwards"}, ("scroll", "direction")),
        ({"type": "type"}, ("type", "text")),
        ({"type": "type", "text": 5}, ("type", "text")),
        ({"type": "press", "key": "camera"}, ("press", "key")),
        ({"type": "answer"}, ("answer", "text")),
        ({"type": "finished", "status": "failure"}, ("finished", "status")),
        # beyond the limits
        ({"type": "long_press", "point": [1, 2], "duration_ms": 0}, ("long_press", "duration_ms")),
        ({"type": "long_press", "point": [1, 2], "duration_ms": 60_001}, ("long_press", "duration_ms")),
        ({"type": "wait", "seconds": -0.1}, ("wait", "seconds")),
        ({"type": "wait", "seconds": 600.1}, ("wait", "seconds")),
        ({"type": "wait", "seconds": float("nan")}, ("wait", "seconds")),
        ({"type": "wait", "seconds": float("inf")}, ("wait", "seconds")),
        ({"type": "open_app", "app": ""}, ("open_app", "app")),
    ],
)
def test_what_is_no_action(action, where):
    first = refusal(action)[0]
    assert first["loc"][:2] == where


def test_an_unknown_tag_is_answered_with_the_known_ones():
    message = refusal({"type": "hover", "point": [1, 2]})[0]["msg"]
    assert [name for name in ACTION_TYPES if f"'{name}'" not in message] == []


@pytest.mark.parametrize(
    "action",
    [
        {"type": "long_press", "point": [1, 2], "duration_ms": 1},
        {"type": "long_press", "point": [1, 2], "duration_ms": 60_000},
        {"type": "long_press", "point": [1, 2], "duration_ms": None},
        {"type": "wait", "seconds": 0},
        {"type": "wait", "seconds": 600},
        {"type": "type", "text": ""},
        {"type": "answer", "text": ""},
    ],
)
def test_within_the_limits(action):
    assert action_from_json(json.dumps(action)).model_dump(exclude={"type"}) == {
        key: Point(*value) if key == "point" else value for key, value in action.items() if key != "type"
    }


def test_defaults():
    assert Wait().seconds == 1
    assert LongPress(point=Point(1, 2)).duration_ms is None
    assert (Finished().status, Finished().text, CallUser().text) == ("success", "", "")


def test_a_scroll_with_an_end_needs_a_start():
    assert "a scroll with an end needs a start" in str(refusal({"type": "scroll", "direction": "up", "end": [1, 2]}))
    scroll = action_from_json('{"type": "scroll", "end": [1, 2], "direction": "up", "start": [3, 4]}')
    assert scroll == Scroll(direction="up", start=Point(3, 4), end=Point(1, 2))


def test_actions_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        Press(key="back").key = "home"


def test_points_are_points_however_they_came():
    point = action_from_json('{"type": "click", "point": [3, 4]}').point
    assert isinstance(point, Point)
    assert (point.x, point.y) == (3, 4)


# -- what an action touches, and where the view goes


@pytest.mark.parametrize(
    ("action", "points"),
    [
        (Click(point=Point(1, 2)), [(1, 2)]),
        (DoubleClick(point=Point(1, 2)), [(1, 2)]),
        (LongPress(point=Point(1, 2)), [(1, 2)]),
        (Drag(start=Point(1, 2), end=Point(3, 4)), [(1, 2), (3, 4)]),
        (Scroll(direction="up"), []),
        (Scroll(direction="up", start=Point(1, 2)), [(1, 2)]),
        (Scroll(direction="up", start=Point(1, 2), end=Point(3, 4)), [(1, 2), (3, 4)]),
        (Type(text="x"), []),
        (Press(key="tab"), []),
        (OpenApp(app="Clock"), []),
        (Wait(), []),
        (Answer(text="x"), []),
        (CallUser(), []),
        (Finished(), []),
    ],
    ids=lambda value: getattr(value, "type", ""),
)
def test_the_points_of_an_action(action, points):
    assert action_points(action) == tuple(Point(*point) for point in points)


@pytest.mark.parametrize(
    ("end", "view"),
    [
        ((50, 10), "down"), ((50, 90), "up"), ((10, 50), "right"), ((90, 50), "left"),
        ((60, 30), "down"), ((40, 70), "up"), ((20, 60), "right"), ((80, 40), "left"),
        ((60, 60), "up"), ((60, 40), "down"), ((50, 50), "down"),
    ],
)  # fmt: skip
def test_the_view_goes_against_the_finger(end, view):
    assert finger_to_view(Point(50, 50), Point(*end)) == view


@given(POINTS, POINTS)
def test_turning_the_finger_around_turns_the_view_around(start, end):
    opposite = {"up": "down", "down": "up", "left": "right", "right": "left"}
    if start != end:
        assert finger_to_view(end, start) == opposite[finger_to_view(start, end)]
