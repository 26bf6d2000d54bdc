from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.adapters import ADAPTERS, Absolute, Processor, adapter_named
from agent_server.config import PolicyConfig
from agent_server.errors import InvalidRequest
from agent_server.geometry import GeometryError, Size
from agent_server.loader import load_adapter
from agent_server.processor import (
    checkpoint_processor,
    fitted,
    grid,
    image_tokens,
    processor_of,
    processor_size,
    with_processor,
)

QWEN_2_5 = Processor(14, 2, 3_136, 12_845_056)
QWEN_3 = Processor(16, 2, 65_536, 16_777_216)
SAID = {"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 14, "merge_size": 2}


@pytest.fixture
def folder(tmp_path):
    def write(content: object, name: str = "preprocessor_config.json"):
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("processor", "size", "patches", "tokens"),
    [
        (QWEN_2_5, Size(1080, 2400), (1, 172, 78), 3354),
        (QWEN_3, Size(1080, 2400), (1, 150, 68), 2550),
        (Processor(14, 2, 830_000, 937_664), Size(1080, 2400), (1, 102, 46), 1173),
        (Processor(14, 2, 3_136, 602_112), Size(720, 1280), (1, 72, 40), 720),
        (QWEN_2_5, Size(1, 1), (1, 4, 4), 4),
        (QWEN_3, Size(1, 1), (1, 16, 16), 64),
    ],
)
def test_what_a_processor_makes_of_a_screen(processor, size, patches, tokens):
    assert grid(processor, size) == patches
    assert image_tokens(processor, size) == tokens
    assert processor_size(processor, size) == Size(patches[2] * processor.patch, patches[1] * processor.patch)


@given(st.integers(1, 3000), st.integers(1, 3000), st.sampled_from([QWEN_2_5, QWEN_3]))
def test_an_image_of_the_right_size_is_left_alone(width, height, processor):
    try:
        seen = processor_size(processor, Size(width, height))
    except GeometryError:
        return
    assert grid(processor, seen) == grid(processor, Size(width, height))
    assert image_tokens(processor, seen) * processor.factor**2 == seen.pixels


def test_a_refused_image():
    with pytest.raises(GeometryError):
        image_tokens(QWEN_2_5, Size(1, 201))


def test_limits_by_name(folder):
    said = {**SAID, "min_pixels": 784, "max_pixels": 602_112, "size": {"shortest_edge": 1, "longest_edge": 2}}
    assert checkpoint_processor(folder(said)) == Processor(14, 2, 784, 602_112)


def test_limits_by_edges(folder):
    said = {
        "image_processor_type": "Qwen3VLImageProcessorFast", "patch_size": 16, "merge_size": 2,
        "size": {"shortest_edge": 65_536, "longest_edge": 16_777_216},
    }  # fmt: skip
    assert checkpoint_processor(folder(said)) == QWEN_3


def test_limits_inside_the_settings_of_a_whole_processor(folder):
    nested = {"processor_class": "Qwen2_5_VLProcessor", "image_processor": {**SAID, "max_pixels": 500_000}}
    assert checkpoint_processor(folder(nested, "processor_config.json")) == Processor(14, 2, 3_136, 500_000)


def test_the_file_of_the_image_processor_comes_first(folder):
    folder({**SAID, "max_pixels": 10_000}, "processor_config.json")
    assert checkpoint_processor(folder({**SAID, "max_pixels": 20_000})) == Processor(14, 2, 3_136, 20_000)


def test_silent_files_mean_the_defaults_of_that_processor(folder):
    assert checkpoint_processor(folder({"image_processor_type": "Qwen2VLImageProcessor"})) == Processor(
        14, 2, 3_136, 1_003_520
    )


@pytest.mark.parametrize("content", [{}, {"image_processor_type": "Glm4vImageProcessor", "patch_size": 14}])
def test_other_processors_are_not_guessed(folder, content):
    assert checkpoint_processor(folder(content)) is None


def test_a_folder_without_settings(tmp_path):
    assert checkpoint_processor(tmp_path) is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ({**SAID, "max_pixels": "many"}, "max_pixels is 'many', not a positive whole number"),
        ({**SAID, "patch_size": 0}, "patch_size is 0, not a positive whole number"),
        ({**SAID, "min_pixels": 900, "max_pixels": 800}, "at least 900 and at most 800 pixels"),
    ],
)
def test_broken_settings(folder, content, complaint):
    with pytest.raises(InvalidRequest, match=complaint):
        checkpoint_processor(folder(content))


def test_the_processor_of_an_adapter():
    venus = adapter_named("ui-venus-1.0")
    assert processor_of(venus, "UI-Venus-Navi-7B") == Processor(14, 2, 830_000, 937_664)
    assert processor_of(venus, "UI-Venus-Navi-72B") == QWEN_2_5
    assert processor_of(adapter_named("qwen3-vl")) == adapter_named("qwen3-vl").declaration.processor


@pytest.mark.parametrize(
    "adapter", [a for a in ADAPTERS.values() if isinstance(a.space(), Absolute)], ids=lambda a: a.name
)
def test_what_an_absolute_adapter_sends_is_what_its_processor_leaves_alone(adapter):
    for size in (Size(1080, 2400), Size(720, 1280), Size(2400, 1080), Size(1, 1), Size(4000, 6000)):
        sent = adapter.frame(size).resized
        assert processor_size(processor_of(adapter), sent) == sent


def test_a_checkpoint_wins_over_the_adapter(folder):
    model = str(folder({**SAID, "min_pixels": 784, "max_pixels": 602_112}))
    adapter = load_adapter(PolicyConfig(model=model, adapter="ui-venus-1.0"))
    assert adapter.space(model) == Absolute(28, 784, 602_112)


def test_flags_win_over_the_checkpoint_and_say_so(folder, caplog):
    model = str(folder({**SAID, "min_pixels": 784, "max_pixels": 602_112}))
    with caplog.at_level(logging.WARNING):
        adapter = load_adapter(PolicyConfig(model=model, adapter="ui-venus-1.0", min_pixels=784, max_pixels=900_000))
    assert adapter.space(model) == Absolute(28, 784, 900_000)
    assert caplog.messages == ["--max-pixels 900000 is used, although the checkpoint's own processor says 602112"]


def test_a_relative_family_learns_its_processor(folder):
    model = str(folder({**SAID, "patch_size": 16, "max_pixels": 602_112}))
    adapter = load_adapter(PolicyConfig(model=model, adapter="qwen3-vl", min_pixels=1024))
    assert adapter.declaration.processor == Processor(16, 2, 1024, 602_112)


def test_an_adapter_of_another_grid_is_refused():
    with pytest.raises(InvalidRequest, match="multiples of 28, but the checkpoint's processor makes multiples of 32"):
        with_processor(adapter_named("qwen2.5-vl"), QWEN_3)


def test_limits_that_exclude_each_other():
    with pytest.raises(InvalidRequest, match="got 2000 and 1000"):
        fitted(adapter_named("qwen3-vl"), "", 2000, 1000)
