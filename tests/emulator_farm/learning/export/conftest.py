from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_server.actions import Action, Click, DoubleClick, Finished, Press, Type
from agent_server.geometry import Point
from emulator_farm.episode import Episode
from emulator_farm.filters import RuleSettings, filter_run
from emulator_farm.store import Store


@pytest.fixture
def run(tmp_path: Path, make_episode: Callable[..., Episode], page: Any) -> Store:
    """Two accepted episodes, one cut after four of its ten steps, one rejected; all filtered."""
    store = Store(tmp_path / "run")
    store.create_run({"run": "abc123"})
    store.publish(make_episode("wifi_on-7-r0k0"))
    typed: list[Action] = [
        Click(point=page().row(0)),
        DoubleClick(point=page().row(1)),
        Type(text='it\'s <image> & "more"\n'),
        Finished(),
    ]
    pages = [page(title=f"Note {number}") for number in range(4)]
    store.publish(make_episode("note-7-r0k0", pages, typed, goal="Write an <image> tag", closing=page(title="Saved")))
    loop: list[Action] = [Press(key="home"), Press(key="back"), Press(key="enter")]
    loop += [Click(point=Point(60, 120))] * 6 + [Finished()]
    pages = [page(title=f"Loop {number}") for number in range(10)]
    store.publish(make_episode("loop-7-r0k0", pages, loop))
    store.publish(make_episode("wifi_on-7-r0k1", reward=0.0, status="failure", goal="Turn on Wi-Fi, again"))
    filter_run(store, RuleSettings())
    return store
