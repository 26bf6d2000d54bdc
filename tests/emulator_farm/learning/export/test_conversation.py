from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent_server.actions import Action, Answer, Click, Finished
from agent_server.adapters import PromptSet, adapter_named
from agent_server.errors import Inexpressible
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
        reply(episode.moves, 0, grammar("ui-venus-1.5"))


@pytest.mark.parametrize(
    ("actions", "replies"),
    [
        ([Answer(text="42"), Finished()], ["finished(content='42')", None]),
        ([Finished(text="42")], ["finished(content='42')"]),
        ([Answer(text="42"), Finished(text="43")], [Inexpressible, "finished(content='43')"]),
        ([Answer(text="42"), Click(point=Point(1, 1)), Finished()], [Inexpressible, "click", "finished(content='')"]),
        ([Answer(text="42")], [Inexpressible]),
    ],
)
def test_an_answer_and_the_end_are_one_where_the_last_word_is_the_answer(
    make_episode: Callable[..., Episode], page: Any, actions: list[Action], replies: list[Any]
) -> None:
    moves = make_episode(pages=[page()] * len(actions), actions=actions).moves
    for position, expected in enumerate(replies):
        if expected is Inexpressible:
            with pytest.raises(Inexpressible):
                reply(moves, position, grammar("ui-tars-1.5"))
        elif expected is None:
            assert reply(moves, position, grammar("ui-tars-1.5")) is None
        else:
            assert expected in (reply(moves, position, grammar("ui-tars-1.5")) or "")


def test_an_answer_is_a_reply_of_its_own_elsewhere(make_episode: Callable[..., Episode], page: Any) -> None:
    moves = make_episode(pages=[page()] * 2, actions=[Answer(text="42"), Finished()]).moves
    assert "CallUser(content='42')" in (reply(moves, 0, grammar("ui-venus-1.5")) or "")
    assert "Finished(" in (reply(moves, 1, grammar("ui-venus-1.5")) or "")
