from __future__ import annotations

import pytest

from agent_server.actions import (
    ACTION_TYPES,
    Action,
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
from agent_server.geometry import Point, Size
from emulator_farm.drawing import Arrow, Ring, Shape, caption, shapes

P, Q = Point(100, 200), Point(300, 400)
MIDDLE = Point(200, 400)

DRAWN: list[tuple[Action, str, list[Shape]]] = [
    (Click(point=P), "tap (100, 200)", [Ring(P)]),
    (DoubleClick(point=P), "double tap (100, 200)", [Ring(P, 2)]),
    (LongPress(point=P), "hold (100, 200)", [Ring(P, 2)]),
    (LongPress(point=P, duration_ms=900), "hold (100, 200) for 900 ms", [Ring(P, 2)]),
    (Drag(start=P, end=Q), "drag (100, 200) to (300, 400)", [Ring(P), Arrow(P, Q)]),
    (Scroll(direction="down"), "scroll down", [Ring(MIDDLE), Arrow(MIDDLE, Point(200, 200))]),
    (Scroll(direction="up"), "scroll up", [Ring(MIDDLE), Arrow(MIDDLE, Point(200, 600))]),
    (Scroll(direction="left"), "scroll left", [Ring(MIDDLE), Arrow(MIDDLE, Point(300, 400))]),
    (Scroll(direction="right", start=P), "scroll right", [Ring(P), Arrow(P, Point(0, 200))]),
    (Scroll(direction="down", start=Q, end=P), "scroll down", [Ring(Q), Arrow(Q, P)]),
    (Type(text="it's"), "type “it's”", []),
    (Press(key="volume_up"), "press volume up", []),
    (OpenApp(app="Clock"), "open Clock", []),
    (Wait(seconds=2.5), "wait 2.5 s", []),
    (Answer(text="42"), "answer “42”", []),
    (CallUser(), "call the user", []),
    (CallUser(text="help"), "call the user: help", []),
    (Finished(), "finished", []),
    (Finished(status="infeasible", text="no such app"), "cannot be done: no such app", []),
]


@pytest.mark.parametrize(("action", "words", "drawn"), DRAWN)
def test_actions_in_words_and_shapes(action: Action, words: str, drawn: list[Shape]) -> None:
    assert caption(action) == words
    assert shapes(action, Size(400, 800)) == drawn


def test_every_type_of_action_can_be_shown() -> None:
    assert {action.type for action, _, _ in DRAWN} == set(ACTION_TYPES)


def test_a_finger_stays_on_the_screen() -> None:
    (_, arrow) = shapes(Scroll(direction="down", start=Point(5, 50)), Size(400, 800))
    assert isinstance(arrow, Arrow)
    assert arrow.end == Point(5, 0)
