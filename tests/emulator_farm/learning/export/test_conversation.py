from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent_server.actions import Click, Finished
from agent_server.adapters import PromptSet, adapter_named
from agent_server.geometry import Point
from emulator_farm.episode import Episode
from emulator_farm.learning.export.conversation import Grammar, Part, prompt, reply


def grammar(name: str) -> Grammar:
    return Grammar(adapter_named(name), PromptSet.load())


def test_a_strangers_words_are_put_into_the_grammar(make_episode: Callable[..., Episode], page: Any) -> None:
    pages = [page(title=str(number)) for number in range(2)]
    episode = make_episode(pages=pages, actions=[Click(point=Point(36, 80)), Finished()])
    (_, user, _, last) = prompt(episode, 1, grammar("ui-tars-1.0"))
    assert user.parts == (Part(step=0),)
    assert last.parts == (Part(step=1),)
    told = prompt(episode, 1, grammar("ui-tars-1.0"))[2]
    assert told.role == "assistant"
    assert "Action: type=" not in told.parts[0].text
    assert "click(start_box=" in told.parts[0].text


def test_a_models_own_words_are_kept(make_episode: Callable[..., Episode], page: Any) -> None:
    episode = make_episode(pages=[page()] * 2, actions=[Click(point=Point(36, 80)), Finished()], adapter="ui-tars-1.0")
    told = prompt(episode, 1, grammar("ui-tars-1.0"))[2]
    assert "Action: type='click'" in told.parts[0].text


def test_a_step_without_an_action_has_no_reply(make_episode: Callable[..., Episode], page: Any) -> None:
    episode = make_episode(pages=[page()], actions=[None])
    with pytest.raises(ValueError, match="step 0 has no action"):
        reply(episode.steps[0], grammar("ui-venus-1.5"))
