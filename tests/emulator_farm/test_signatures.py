from __future__ import annotations

from collections.abc import Callable

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
from agent_server.geometry import Point
from emulator_farm.episode import Episode
from emulator_farm.signatures import episode_key, signature

SIGNATURES: list[tuple[Action, str]] = [
    (Click(point=Point(149, 250)), "click 2,5"),
    (DoubleClick(point=Point(150, 299)), "double_click 3,5"),
    (LongPress(point=Point(0, 0), duration_ms=900), "long_press 0,0"),
    (Drag(start=Point(10, 20), end=Point(300, 400)), "drag 0,0 6,8"),
    (Scroll(direction="down"), "scroll down"),
    (Scroll(direction="up", start=Point(99, 100), end=Point(99, 700)), "scroll up 1,2 1,14"),
    (Type(text="it's"), 'type "it\'s"'),
    (Press(key="back"), "press back"),
    (OpenApp(app="Clock"), "open_app 'Clock'"),
    (Wait(seconds=3), "wait"),
    (Answer(text="42"), "answer '42'"),
    (CallUser(text=""), "call_user ''"),
    (Finished(status="infeasible", text="no"), "finished infeasible 'no'"),
]


@pytest.mark.parametrize(("action", "expected"), SIGNATURES)
def test_signatures(action: Action, expected: str) -> None:
    assert signature(action, 50) == expected


def test_every_type_of_action_has_a_signature() -> None:
    assert {action.type for action, _ in SIGNATURES} == set(ACTION_TYPES)


def test_the_key_of_an_episode(make_episode: Callable[..., Episode]) -> None:
    key = episode_key(make_episode(), 50)
    assert len(key) == 32
    assert episode_key(make_episode("wifi_on-8-r1k2", goal="turn  ON wi-fi "), 50) == key
    assert episode_key(make_episode(goal="Turn off Wi-Fi"), 50) != key
    assert episode_key(make_episode(), 400) != key
    shorter = make_episode(steps=make_episode().steps[1:])
    assert episode_key(shorter, 50) != key
