from __future__ import annotations

import json

import pytest

from agent_server.config import JudgeConfig, LaunchConfig, PolicyConfig
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.launcher.loading import commands, policy_settings, starts_servers

VENUS = PolicyConfig(model="inclusionAI/UI-Venus-Navi-7B")


@pytest.mark.parametrize(
    ("chosen", "starts"),
    [
        (VENUS, True),
        (PolicyConfig(policy="null"), False),
        (PolicyConfig(model="m", backends=("http://h",)), False),
        (PolicyConfig(), False),
    ],
)
def test_a_model_without_a_backend_is_started(chosen, starts):
    assert starts_servers(chosen, LaunchConfig()) is starts


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"replicas": 2}, "--replicas: no model server is started here"),
        ({"vllm_flags": ("--x",), "start_timeout_s": 3}, "--start-timeout, flags after --: no model server"),
    ],
)
def test_settings_of_a_launch_that_is_none(config, words):
    with pytest.raises(InvalidRequest, match=words):
        starts_servers(PolicyConfig(policy="null"), LaunchConfig(**config))


def test_a_local_checkpoint_has_its_own_limits(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 10000, "num_attention_heads": 6}')
    processor = {"min_pixels": 6_272, "max_pixels": 784_000, "image_processor_type": "Qwen2VLImageProcessor"}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(processor))
    chosen = PolicyConfig(model=str(tmp_path), adapter="ui-venus-1.0")
    [command] = commands(chosen, LaunchConfig(), "vllm", [8000])
    given = dict(zip(command.argv, command.argv[1:], strict=False))
    assert json.loads(given["--mm-processor-kwargs"]) == {"min_pixels": 6_272, "max_pixels": 784_000}
    assert given["--max-model-len"] == "10000"
    assert given["--tensor-parallel-size"] == "2"
    assert given["--served-model-name"] == str(tmp_path)


def test_a_model_that_no_adapter_knows():
    with pytest.raises(UnknownName, match="choose one with --adapter"):
        commands(PolicyConfig(model="mystery-9"), LaunchConfig(), "vllm", [8000])


@pytest.mark.parametrize(
    ("chosen", "passed", "name", "mode"),
    [
        (VENUS, (), "inclusionAI/UI-Venus-Navi-7B", "raw"),
        (VENUS.model_copy(update={"served_name": "venus"}), (), "venus", "raw"),
        (VENUS.model_copy(update={"served_name": "venus"}), ("--served-model-name", "v"), "v", "raw"),
        (VENUS, ("--logprobs-mode", "processed_logprobs"), "inclusionAI/UI-Venus-Navi-7B", "processed"),
        (VENUS, ("--logprobs-mode=raw_logits",), "inclusionAI/UI-Venus-Navi-7B", None),
    ],
)
def test_the_policy_asks_what_was_started(chosen, passed, name, mode, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    config = LaunchConfig(vllm_flags=passed, replicas=2)
    started = commands(chosen, config, "vllm", [8001, 8002])
    settings = policy_settings(chosen, config, started)
    assert settings.backends == ("http://127.0.0.1:8001/v1", "http://127.0.0.1:8002/v1")
    assert (settings.served_name, settings.logprobs_mode) == (name, mode)
    assert all(f"--served-model-name {name}" in str(command).replace("=", " ") for command in started)


@pytest.mark.parametrize(("judge", "images"), [({"frames": 6}, 6), ({"frames": 6, "model": "judge"}, 1), ({}, 1)])
def test_a_model_that_judges_too_is_shown_as_many_frames(judge, images):
    [command] = commands(VENUS, LaunchConfig(), "vllm", [8000], JudgeConfig(**judge))
    assert f'{{"image": {images}, "video": 0}}' in command.argv


def test_nothing_started_nothing_changed():
    assert policy_settings(VENUS, LaunchConfig(), []) is VENUS
