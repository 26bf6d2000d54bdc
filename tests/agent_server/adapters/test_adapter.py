"""Frames, limits and the choice of an adapter."""

from __future__ import annotations

import pytest

from agent_server.actions import Wait
from agent_server.adapters import ADAPTERS, Absolute, Relative, Turn, adapter_for_model, adapter_named
from agent_server.errors import UnknownName
from agent_server.geometry import GeometryError, Size
from agent_server.schemas import HistoryTurn


@pytest.mark.parametrize(
    ("model", "adapter"),
    [
        ("inclusionAI/UI-Venus-Navi-7B", "ui-venus-1.0"),
        ("inclusionAI/UI-Venus-Navi-72B", "ui-venus-1.0"),
        ("/models/UI-Venus-1.0-Navi", "ui-venus-1.0"),
        ("inclusionAI/UI-Venus-1.5-8B", "ui-venus-1.5"),
        ("inclusionAI/UI-Venus-1.5-30B-A3B", "ui-venus-1.5"),
        ("ByteDance-Seed/UI-TARS-7B-DPO", "ui-tars-1.0"),
        ("bytedance-research/UI-TARS-72B-SFT", "ui-tars-1.0"),
        ("ui-tars-2b-sft-gguf", "ui-tars-1.0"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl"),
        ("Qwen/Qwen2.5-VL-72B-Instruct-AWQ", "qwen2.5-vl"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl"),
        ("qwen3-vl-30b-a3b", "qwen3-vl"),
        ("/runs/qwen3-vl-sft/checkpoint-100/", "qwen3-vl"),
        ("/data/qwen2.5-vl/UI-Venus-1.5-8B", "ui-venus-1.5"),
        ("inclusionAI/UI-Venus-Ground-7B", "ui-venus-ground-1.0"),
        ("UI-Venus-1.0-Ground-72B", "ui-venus-ground-1.0"),
        ("UI-Venus-1.5-8B-ground", "ui-venus-ground-1.5"),
        ("zai-org/AutoGLM-Phone-9B", "autoglm-phone"),
        ("openbmb/AgentCPM-GUI", "agentcpm-gui"),
        ("stepfun-ai/GELab-Zero-4B-preview", "gelab-zero"),
    ],
)
def test_adapter_by_model_name(model, adapter):
    assert adapter_for_model(model).name == adapter


@pytest.mark.parametrize("model", ["gpt-9", "openbmb/MiniCPM-V-4_5", "UI-Venus-2-9B", "doubao-1-5-ui-tars", ""])
def test_unknown_models_list_the_known_and_tell_the_flag(model):
    with pytest.raises(UnknownName, match="--adapter") as caught:
        adapter_for_model(model)
    assert caught.value.known == tuple(sorted(ADAPTERS))
    assert all(name in str(caught.value) for name in ADAPTERS)


def test_adapter_by_its_own_name():
    for name in ADAPTERS:
        assert adapter_named(name).name == name
    with pytest.raises(UnknownName, match=r"unknown adapter 'ui-mars'; known: .*qwen2\.5-vl, "):
        adapter_named("ui-mars")


def test_limits_replace_those_of_every_size():
    adapter = adapter_named("ui-venus-1.0").with_limits(min_pixels=100_000, max_pixels=200_000)
    for model in ("UI-Venus-Navi-7B", "UI-Venus-Navi-72B"):
        assert adapter.space(model) == Absolute(28, 100_000, 200_000)
        assert adapter.frame(Size(1080, 2400), model).resized.pixels <= 200_000
    only_low = adapter_named("ui-tars-1.5").with_limits(min_pixels=500_000)
    assert only_low.space() == Absolute(28, 500_000, 16_384 * 784)
    assert adapter_named("qwen3-vl").with_limits(1, 2).space() == Relative(999)


@pytest.mark.parametrize("limits", [(0, 10), (11, 10), (None, 1), (20_000_000, None)])
def test_limits_that_exclude_each_other(limits):
    with pytest.raises(ValueError, match="min_pixels <= max_pixels"):
        adapter_named("ui-venus-1.0").with_limits(*limits)


def test_a_negative_history():
    with pytest.raises(ValueError, match="at least 0, got -1"):
        adapter_named("ui-venus-1.5").with_history(-1)


def test_an_image_that_no_processor_takes():
    with pytest.raises(GeometryError, match="200 times"):
        adapter_named("qwen2.5-vl").frame(Size(1, 500))
    assert adapter_named("qwen3-vl").frame(Size(1, 500)).resized is None


def test_where_answers_go():
    answering = {name: adapter.declaration.call_user_answers for name, adapter in ADAPTERS.items()}
    assert [name for name, answers in answering.items() if answers] == ["ui-venus-1.0", "ui-venus-1.5"]


def test_turns_from_the_wire():
    wire = HistoryTurn(step=3, thought="t", action=Wait(), raw="r", screenshot="aGk=")
    turn = Turn.of(wire, Size(3, 4))
    assert (turn.thought, turn.action, turn.raw, turn.size, turn.has_screenshot) == ("t", Wait(), "r", (3, 4), True)
    assert not Turn.of(HistoryTurn()).has_screenshot
