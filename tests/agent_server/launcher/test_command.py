from __future__ import annotations

import json
import shlex

import pytest

from agent_server.adapters import adapter_named
from agent_server.config import LaunchConfig
from agent_server.errors import InvalidRequest
from agent_server.launcher.checkpoint import Checkpoint
from agent_server.launcher.command import Served, plan

VENUS_7B = Served("inclusionAI/UI-Venus-Navi-7B", "venus", adapter_named("ui-venus-1.0"))


def flags(served=VENUS_7B, gpus=(), passed=(), ports=(8000,), **config):
    """The one command's flags: each with what follows it, None for a flag."""
    [command] = plan(served, LaunchConfig(vllm_flags=passed, **config), "vllm", ports, gpus)
    words = list(command.argv)
    pairs = zip(words, [*words[1:], "--"], strict=True)
    return {word: None if value.startswith("-") else value for word, value in pairs if word.startswith("-")}


def test_a_whole_command():
    [command] = plan(VENUS_7B, LaunchConfig(), "/opt/vllm", [8123], [])
    assert str(command) == (
        "/opt/vllm serve inclusionAI/UI-Venus-Navi-7B --served-model-name venus --dtype bfloat16 --max-model-len 12288"
        """ --limit-mm-per-prompt '{"image": 1, "video": 0}' --generation-config vllm --enable-prefix-caching"""
        " --enable-prompt-tokens-details"
        """ --disable-uvicorn-access-log --mm-processor-kwargs '{"min_pixels": 830000, "max_pixels": 937664}'"""
        " --logprobs-mode raw_logprobs --skip-mm-profiling --no-enable-chunked-prefill --max-num-batched-tokens 12288"
        " --host 127.0.0.1 --port 8123"
    )
    assert tuple(shlex.split(str(command))) == command.argv
    assert command.url == "http://127.0.0.1:8123/v1"


def test_what_depends_on_the_family():
    given = flags(Served("ByteDance-Seed/UI-TARS-1.5-7B", "tars", adapter_named("ui-tars-1.5")))
    assert json.loads(given["--limit-mm-per-prompt"]) == {"image": 5, "video": 0}
    assert json.loads(given["--mm-processor-kwargs"]) == {"min_pixels": 78_400, "max_pixels": 12_845_056}
    large = flags(Served("inclusionAI/UI-Venus-Navi-72B", "v", adapter_named("ui-venus-1.0")))
    assert json.loads(large["--mm-processor-kwargs"]) == {"min_pixels": 3_136, "max_pixels": 12_845_056}


def test_a_judge_is_shown_more_images():
    given = flags(Served("m", "m", adapter_named("ui-venus-1.0"), frames=8))
    assert json.loads(given["--limit-mm-per-prompt"]) == {"image": 8, "video": 0}
    assert int(given["--max-model-len"]) > 8 * 1_000 + 8_192
    few = flags(Served("m", "m", adapter_named("ui-tars-1.5"), frames=2))
    assert json.loads(few["--limit-mm-per-prompt"]) == {"image": 5, "video": 0}


def test_relative_coordinates_need_no_limits_unless_asked_for():
    qwen = adapter_named("qwen3-vl")
    assert "--mm-processor-kwargs" not in flags(Served("m", "m", qwen))
    given = flags(Served("m", "m", qwen, pixels_asked={"max_pixels": 500_000}))
    assert json.loads(given["--mm-processor-kwargs"]) == {"max_pixels": 500_000}


def test_no_longer_context_than_the_checkpoint_has():
    assert (
        flags(Served("m", "m", adapter_named("ui-tars-1.5"), Checkpoint(positions=32768)))["--max-model-len"] == "32768"
    )


def test_without_gpus_there_is_no_parallelism():
    assert "--tensor-parallel-size" not in flags()
    assert flags(tensor_parallel_size=2)["--tensor-parallel-size"] == "2"


@pytest.mark.parametrize(("gpus", "heads", "size"), [("0", 28, "1"), ("0123", 28, "4"), ("01234567", 28, "4")])
def test_the_visible_gpus_are_used(gpus, heads, size):
    served = Served("m", "m", adapter_named("ui-venus-1.0"), Checkpoint(heads=heads))
    assert flags(served, gpus)["--tensor-parallel-size"] == size


def test_replicas_share_the_gpus_and_have_ports_of_their_own():
    config = LaunchConfig(replicas=2)
    one, two = plan(VENUS_7B, config, "vllm", [8001, 8002], ["0", "1", "2", "3", "4"])
    assert [dict(command.environment) for command in (one, two)] == [
        {"CUDA_VISIBLE_DEVICES": "0,1"},
        {"CUDA_VISIBLE_DEVICES": "2,3"},
    ]
    assert [command.url for command in (one, two)] == ["http://127.0.0.1:8001/v1", "http://127.0.0.1:8002/v1"]
    assert str(one).startswith("CUDA_VISIBLE_DEVICES=0,1 vllm serve ")
    assert "--tensor-parallel-size 2" in str(two)


def test_one_server_sees_the_gpus_that_we_see():
    [command] = plan(VENUS_7B, LaunchConfig(), "vllm", [1], ["0", "1"])
    assert not command.environment


@pytest.mark.parametrize(
    ("config", "gpus", "words"),
    [
        ({"replicas": 3}, ["0", "1"], "3 replicas need a GPU each, and 2 can be seen"),
        ({"tensor_parallel_size": 4}, ["0", "1"], "needs as many GPUs for each replica, and 2 can be had"),
        ({"replicas": 2, "vllm_flags": ("--port", "1")}, [], "--port after -- cannot hold for several replicas"),
        ({"vllm_flags": ("--port", "http")}, [], "--port http after -- is not a whole number"),
        ({"vllm_flags": ("extra",)}, [], "unexpected argument 'extra'"),
    ],
)
def test_what_cannot_be(config, gpus, words):
    config = LaunchConfig(**config)
    with pytest.raises(InvalidRequest, match=words):
        plan(VENUS_7B, config, "vllm", range(config.replicas), gpus)


def test_weight_updates():
    [command] = plan(VENUS_7B, LaunchConfig(weight_updates=True), "vllm", [1], [])
    assert {"--enable-lora", "--max-loras"} <= set(command.argv)
    assert command.environment == {"VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1", "VLLM_SERVER_DEV_MODE": "1"}


def test_log_probabilities():
    assert flags(logprobs_mode="processed")["--logprobs-mode"] == "processed_logprobs"


def test_a_flag_that_is_passed_replaces_the_planned_one():
    passed = ("--max_model_len=4096", "-tp", "2", "--no-enable-prefix-caching", "--seed", "7")
    given = flags(gpus="0123", passed=passed)
    assert given["--max_model_len=4096"] is None
    assert given["-tp"] == "2"
    assert given["--seed"] == "7"
    assert not {"--max-model-len", "--tensor-parallel-size", "--enable-prefix-caching"} & given.keys()
    assert "--dtype" in given


def test_other_parallelism_leaves_the_tensors_alone():
    assert "--tensor-parallel-size" not in flags(gpus="01", passed=("--data-parallel-size", "2"))


@pytest.mark.parametrize(
    ("passed", "url"),
    [
        (("--port", "9000"), "http://127.0.0.1:9000/v1"),
        (("--host", "0.0.0.0"), "http://127.0.0.1:8000/v1"),
        (("--host", "10.0.0.7"), "http://10.0.0.7:8000/v1"),
    ],
)
def test_a_passed_address_is_where_it_is_asked(passed, url):
    [command] = plan(VENUS_7B, LaunchConfig(vllm_flags=passed), "vllm", [8000], [])
    assert command.url == url
    assert command.argv.count(passed[0]) == 1


def test_on_a_cpu_prompts_are_computed_whole():
    """Its engine dies of a seeded request whose prompt it computes in parts."""
    assert flags()["--max-num-batched-tokens"] == "12288"
    assert "--no-enable-chunked-prefill" in flags()
    longer = plan(VENUS_7B, LaunchConfig(vllm_flags=("--max_model_len=16k",)), "vllm", [8000], [])[0].argv
    assert longer[longer.index("--max-num-batched-tokens") + 1] == "16k"
    for given in (flags(gpus=["0"]), flags(passed=("--enable-chunked-prefill",))):
        assert not {"--no-enable-chunked-prefill", "--max-num-batched-tokens"} & given.keys()
    assert "--skip-mm-profiling" in flags(passed=("--enable-chunked-prefill",))
    assert "--skip-mm-profiling" not in flags(gpus=["0"])
