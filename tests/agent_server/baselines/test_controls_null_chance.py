"""The controls: one that does nothing, one that acts by chance."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agent_server
from agent_server.actions import Finished, action_from_json, action_points
from agent_server.baselines import BASELINES, NullPolicy, RandomPolicy
from agent_server.errors import UnknownName
from agent_server.geometry import Size
from agent_server.policy import Observation, Policy
from agent_server.schemas import ActResponse, HistoryTurn, Sampling

TREE = """<hierarchy rotation="0">
<node text="Go" class="android.widget.Button" clickable="true" bounds="[10,20][30,40]" />
<node text="far" class="android.widget.Button" clickable="true" bounds="[5000,5000][6000,6000]" />
</hierarchy>"""


def act(policy: Policy, observation: Observation) -> ActResponse:
    return asyncio.run(policy.act(observation))


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_every_policy_names_itself(name: str) -> None:
    policy: Policy = BASELINES[name]()
    (card,) = policy.cards()
    assert (card.id, card.adapter, card.weights, card.prompt_digest) == (name, name, agent_server.__version__, None)
    reply = act(policy, Observation("Open Garden", b"", Size(100, 200), model=name))
    assert (reply.model, reply.adapter, reply.weights) == (name, name, agent_server.__version__)
    assert (reply.prompt_digest, reply.finish_reason, reply.parse_error) == (None, "stop", None)
    assert reply.samples == []
    assert '"action":' in reply.raw
    asyncio.run(policy.ready())
    asyncio.run(policy.aclose())


@pytest.mark.parametrize("name", sorted(BASELINES))
def test_another_model_is_refused(name: str) -> None:
    with pytest.raises(UnknownName, match="gpt"):
        act(BASELINES[name](), Observation("x", b"", Size(10, 10), model="gpt"))


def test_null_finishes_at_once() -> None:
    reply = act(NullPolicy(), Observation("Do it", b"", Size(10, 10)))
    assert reply.action == Finished()


def test_samples_are_all_there() -> None:
    reply = act(RandomPolicy(), Observation("Do it", b"", Size(500, 500), sampling=Sampling(n=20, seed=1)))
    assert len(reply.samples) == 20
    assert reply.samples[0].action == reply.action
    assert len({sample.raw for sample in reply.samples}) > 5


def test_random_repeats_itself_for_a_seed_and_step_only() -> None:
    def raw(seed: int | None, step: int, session: str | None = None) -> str:
        history = (HistoryTurn(step=step - 1),) if step else ()
        observation = Observation("g", b"", Size(9000, 9000), history, sampling=Sampling(seed=seed), session=session)
        return act(RandomPolicy(), observation).raw

    assert raw(7, 3) == raw(7, 3)
    assert len({raw(7, step) for step in range(20)}) > 10
    assert len({raw(seed, 0) for seed in range(20)}) > 10
    assert raw(None, 0, "s") == raw(None, 0, "s")
    assert len({raw(None, 0, session) for session in "abcdefghij"}) > 3


def test_random_ends_sometimes_and_touches_what_can_be_touched() -> None:
    size = Size(100, 100)
    kinds: dict[str, int] = {}
    hits = 0
    for seed in range(400):
        reply = act(RandomPolicy(), Observation("a b", b"", size, ui_tree=TREE, sampling=Sampling(seed=seed)))
        assert reply.action is not None
        kinds[reply.action.type] = kinds.get(reply.action.type, 0) + 1
        hits += action_points(reply.action) == ((20, 30),)
    assert set(kinds) == {"click", "scroll", "type", "press", "long_press", "wait", "answer", "finished"}
    assert 4 <= kinds["finished"] <= 40
    assert hits > 100


@settings(deadline=None)
@given(
    st.integers(1, 3000),
    st.integers(1, 3000),
    st.integers(0, 2**63 - 1),
    st.sampled_from([None, "", "rubbish", "<hierarchy/>", TREE]),
    st.text(max_size=40),
)
def test_random_stays_on_the_screen(width: int, height: int, seed: int, tree: str | None, goal: str) -> None:
    size = Size(width, height)
    reply = act(RandomPolicy(), Observation(goal, b"", size, ui_tree=tree, sampling=Sampling(seed=seed)))
    assert reply.action is not None
    assert all(point.inside(size) for point in action_points(reply.action))
    assert action_from_json(reply.action.model_dump_json()) == reply.action
