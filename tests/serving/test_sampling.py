"""Samples, seeds and temperature, as the real engine understands them."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from agent_server.client import PolicyClient
from agent_server.schemas import Sample, Sampling

WARM = Sampling(temperature=1.0, max_tokens=12)


@pytest.fixture
def ask(served, policy_before):
    """Samples for one and the same screen."""
    picture = io.BytesIO()
    Image.linear_gradient("L").resize((280, 560)).convert("RGB").save(picture, "PNG")
    url = policy_before(served)

    def ask(sampling: Sampling, **more: object) -> list[Sample]:
        with PolicyClient(url) as client:
            answer = client.act("Open Wi-Fi", picture.getvalue(), sampling=sampling, **more)
        return answer.samples or [answer]

    return ask


def test_the_same_seed_gives_the_same_text(ask):
    one, again, other = (ask(WARM.model_copy(update={"seed": seed}))[0].raw for seed in (1, 1, 2))
    assert one == again != other


def test_without_a_seed_every_call_is_another(ask):
    assert len({ask(WARM)[0].raw for _ in range(3)}) == 3


def test_cold_there_is_one_answer(ask):
    cold = Sampling(temperature=0.0, max_tokens=12)
    assert len({ask(cold.model_copy(update={"seed": seed}))[0].raw for seed in (1, 2)}) == 1


def test_every_sample_has_its_own_text_and_tokens(ask):
    samples = ask(WARM.model_copy(update={"n": 4, "seed": 3}), return_tokens=True)
    assert len(samples) == 4
    assert len({sample.raw for sample in samples}) == 4
    assert len({tuple(sample.tokens.response_ids) for sample in samples}) == 4
    assert len({tuple(sample.tokens.logprobs) for sample in samples}) == 4
    assert {len(sample.tokens.logprobs) - len(sample.tokens.response_ids) for sample in samples} == {0}
    assert len({tuple(sample.tokens.prompt_ids) for sample in samples}) == 1
    again = ask(WARM.model_copy(update={"n": 4, "seed": 3}))
    assert [sample.raw for sample in again] == [sample.raw for sample in samples]


def test_tokens_end_where_the_reply_was_cut(ask):
    (sample,) = ask(Sampling(temperature=1.0, max_tokens=5), return_tokens=True)
    assert sample.finish_reason == "length"
    assert len(sample.tokens.response_ids) == 5
