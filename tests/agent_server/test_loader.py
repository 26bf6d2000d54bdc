from __future__ import annotations

import asyncio

import pytest

from agent_server.adapters import Absolute
from agent_server.baselines import ExplorerPolicy, NullPolicy, RandomPolicy
from agent_server.config import PolicyConfig
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.loader import load_adapter, load_policy
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Observation


@pytest.mark.parametrize(
    ("name", "kind"), [("baseline", ExplorerPolicy), ("random", RandomPolicy), ("null", NullPolicy)]
)
def test_policies_without_a_model(name, kind):
    assert isinstance(load_policy(PolicyConfig(policy=name)), kind)


@pytest.mark.parametrize(
    ("name", "adapter"),
    [
        ("inclusionAI/UI-Venus-Navi-7B", "ui-venus-1.0"),
        ("/ckpt/UI-Venus-1.5-8B", "ui-venus-1.5"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl"),
    ],
)
def test_a_model_chooses_its_adapter(name, adapter):
    policy = load_policy(PolicyConfig(model=name, backends=("http://127.0.0.1:8000",)))
    assert isinstance(policy, ModelPolicy)
    assert [(card.id, card.adapter) for card in policy.cards()] == [(name, adapter)]
    asyncio.run(policy.aclose())


def test_the_adapter_can_be_named_and_limited():
    config = PolicyConfig(model="mine", adapter="qwen2.5-vl", min_pixels=784, max_pixels=1_000_000, history=2)
    adapter = load_adapter(config)
    assert adapter.space("mine") == Absolute(28, 784, 1_000_000)
    assert adapter.declaration.history_limit == 2


def test_prompts_served_name_and_token_reach_the_backend(tmp_path, scripted, screenshot):
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "ui-venus-1.5.jinja").write_text("PLEASE: {{ goal }}")
    token = tmp_path / "key"
    token.write_text("k-1\n")
    url, model = scripted(model="short")
    config = PolicyConfig(
        model="UI-Venus-1.5-8B", backends=(url,), served_name="short", prompts=prompts, backend_token_file=token
    )

    async def main() -> None:
        policy = load_policy(config)
        await policy.act(Observation(goal="go", image=screenshot, size=(1080, 2400)))
        await policy.aclose()

    asyncio.run(main())
    (request,) = model.requests
    assert request.body["model"] == "short"
    assert request.headers["authorization"] == "Bearer k-1"
    assert "PLEASE: go" in request.text()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "give --policy"),
        ({"policy": "null", "model": "m"}, "not both"),
        ({"model": "UI-TARS-1.5-7B"}, "needs --backend URL"),
        ({"model": "UI-TARS-1.5-7B", "backends": ("host",)}, "'host' is not a backend URL"),
        ({"model": "UI-TARS-1.5-7B", "backends": ("http://h",), "min_pixels": 9, "max_pixels": 5}, "pixel limits"),
        ({"model": "UI-TARS-1.5-7B", "backends": ("http://h",), "prompts": "/no/such/folder"}, "does not exist"),
        ({"model": "UI-TARS-1.5-7B", "backends": ("http://h",), "backend_token_file": "/no/such"}, "cannot be read"),
    ],
)
def test_settings_that_make_no_policy(fields, words):
    with pytest.raises(InvalidRequest, match=words):
        load_policy(PolicyConfig(**fields))


def test_an_empty_backend_token_file(tmp_path):
    path = tmp_path / "key"
    path.write_text("# none\n")
    with pytest.raises(InvalidRequest, match="holds no token"):
        load_policy(PolicyConfig(model="UI-TARS-1.5-7B", backends=("http://h",), backend_token_file=path))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"policy": "best"}, "unknown policy 'best'; known: baseline, null, random"),
        ({"model": "gpt-9", "backends": ("http://h",)}, "choose one with --adapter.*'gpt-9'; known: .*ui-venus-1.5"),
        ({"model": "m", "adapter": "zip", "backends": ("http://h",)}, "unknown adapter 'zip'; known: "),
    ],
)
def test_unknown_names_list_the_known_ones(fields, words):
    with pytest.raises(UnknownName, match=words):
        load_policy(PolicyConfig(**fields))
