"""Which model grounds and which one judges."""

from __future__ import annotations

import asyncio

import pytest

from agent_server.adapters import Absolute
from agent_server.config import GroundConfig, JudgeConfig, PolicyConfig
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.ground import GroundQuestion
from agent_server.images import check_image
from agent_server.judge import Case
from agent_server.loader import load_grounding, load_judge, load_policy

NOWHERE = ("http://127.0.0.1:9",)


def policy_of(model: str | None, **fields: object):
    config = PolicyConfig(model=model, backends=NOWHERE if model else (), **fields)
    return config, load_policy(config)


@pytest.mark.parametrize(
    ("model", "adapter"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        ("inclusionAI/UI-Venus-1.5-8B", "ui-venus-ground-1.5"),
        ("inclusionAI/UI-Venus-Ground-7B", "ui-venus-ground-1.0"),
        ("inclusionAI/UI-Venus-Navi-7B", None),
    ],
)
def test_the_policys_own_model_grounds_where_its_family_can(model, adapter):
    config, policy = policy_of(model)
    grounding = load_grounding(config, GroundConfig(), policy)
    assert (grounding and grounding.adapter.name) == adapter
    assert grounding is None or grounding.model == model
    asyncio.run(policy.aclose())


def test_limits_of_the_policy_hold_for_its_grounding_too():
    config, policy = policy_of("Qwen2.5-VL-7B", min_pixels=3_136, max_pixels=100_352)
    grounding = load_grounding(config, GroundConfig(), policy)
    assert grounding.adapter.space("Qwen2.5-VL-7B") == Absolute(28, 3_136, 100_352)


def test_a_policy_without_a_model_neither_grounds_nor_judges():
    config, policy = policy_of(None, policy="null")
    assert load_grounding(config, GroundConfig(), policy) is None
    assert load_judge(config, JudgeConfig(), policy) is None


def test_models_of_their_own_get_their_own_name_token_and_prompts(tmp_path, scripted, screenshot):
    token, prompts = tmp_path / "key", tmp_path / "prompts"
    token.write_text("k-2\n")
    prompts.mkdir()
    (prompts / "ui-tars-1.0.ground.jinja").write_text("WHERE {{ element }}")
    (prompts / "judge.system.jinja").write_text("SCORE 0..{{ best }}")
    url, model = scripted("Action: click(start_box='(1,2)')", model="short")
    config, policy = policy_of(None, policy="null", prompts=prompts)
    aside = {"backends": (url,), "served_name": "short", "backend_token_file": token}
    grounding = load_grounding(config, GroundConfig(model="UI-TARS-7B-DPO", **aside), policy)
    judge = load_judge(config, JudgeConfig(model="any", scale=5, frames=1, **aside), policy)
    image = check_image(screenshot)

    async def main() -> None:
        await grounding.ground(GroundQuestion("it", image))
        await judge.judge(Case("x", (), {0: image}))
        await grounding.aclose()
        await judge.aclose()

    asyncio.run(main())
    ground, vote = model.requests
    assert (ground.body["model"], vote.body["model"]) == ("short", "short")
    assert {request.headers["authorization"] for request in model.requests} == {"Bearer k-2"}
    assert ground.text() == "WHERE it"
    assert vote.text().startswith("SCORE 0..5")
    assert vote.images() != ground.images()


@pytest.mark.parametrize(
    ("load", "config", "error", "words"),
    [
        (load_grounding, GroundConfig(model="Qwen3-VL"), InvalidRequest, "needs --ground-backend"),
        (load_grounding, GroundConfig(backends=NOWHERE), InvalidRequest, "--ground-backend needs --ground-model"),
        (load_grounding, GroundConfig(model="x", backends=NOWHERE), UnknownName, "choose one with --ground-adapter"),
        (load_grounding, GroundConfig(model="UI-Venus-Navi-7B", backends=NOWHERE), InvalidRequest, "does not say"),
        (load_grounding, GroundConfig(model="x", adapter="zip", backends=NOWHERE), UnknownName, "'zip'"),
        (load_judge, JudgeConfig(model="any"), InvalidRequest, "needs --judge-backend"),
        (load_judge, JudgeConfig(backends=NOWHERE), InvalidRequest, "--judge-backend needs --judge-model"),
        (load_judge, JudgeConfig(model="any", backends=("nowhere",)), InvalidRequest, "not a backend URL"),
    ],
)
def test_settings_that_make_none(load, config, error, words):
    settings, policy = policy_of(None, policy="null")
    with pytest.raises(error, match=words):
        load(settings, config, policy)
