"""The toy phone, and an explorer to play on it."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent_server.actions import Action, Finished
from agent_server.baselines import ExplorerPolicy
from agent_server.policy import Observation
from agent_server.schemas import HistoryTurn


def _load(name: str) -> Any:
    """A module beside this file; test folders are no packages."""
    spec = importlib.util.spec_from_file_location(f"baselines_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GARDEN = _load("garden")


@dataclass
class Episode:
    """What was played, and the phone as it is now."""

    phone: Any
    turns: list[HistoryTurn] = field(default_factory=list)

    @property
    def actions(self) -> list[Action]:
        return [turn.action for turn in self.turns if turn.action is not None]

    @property
    def last(self) -> Action:
        return self.actions[-1]


@pytest.fixture
def toy() -> Any:
    """A phone at its home screen."""
    return GARDEN.ToyPhone()


@pytest.fixture
def play(toy: Any) -> Callable[..., Episode]:
    """Play a goal with the explorer until it finishes, at most `limit` steps, seeing the last `window` turns."""

    def run(goal: str, *, limit: int = 40, window: int = 1000) -> Episode:
        episode = Episode(toy)
        policy = ExplorerPolicy()
        for step in range(limit):
            history = tuple(episode.turns[-window:]) if window else ()
            observation = Observation(goal, b"", GARDEN.SIZE, history, ui_tree=toy.xml())
            reply = asyncio.run(policy.act(observation))
            assert reply.action is not None
            episode.turns.append(
                HistoryTurn(step=step, thought=reply.thought, summary=reply.summary, action=reply.action, raw=reply.raw)
            )
            if isinstance(reply.action, Finished):
                return episode
            toy.perform(reply.action)
        return episode

    return run
