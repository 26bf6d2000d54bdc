from __future__ import annotations

from dataclasses import replace

import pytest

from agent_server.adapters import ADAPTERS, Processor, adapter_named
from agent_server.launcher.context import TEXT_TOKENS, context_length


def test_one_image_of_limited_size():
    # 937,664 pixels are at most 1,196 tokens of 28x28; with 8,192 of text and 2,048 of reply that is 11,436.
    assert context_length(adapter_named("ui-venus-1.0"), "UI-Venus-Navi-7B", 1) == 12 * 1024


def test_five_images_at_the_size_of_a_screen():
    # 1440x3200 is 1428x3192 after the resize to multiples of 28: 5,814 tokens, five times.
    adapter = adapter_named("ui-tars-1.5")
    reply = adapter.declaration.sampling["max_tokens"]
    needed = 5 * 51 * 114 + TEXT_TOKENS + reply
    assert needed <= context_length(adapter, "UI-TARS-1.5-7B", 5) < needed + 1024


def test_a_processor_counts_where_coordinates_are_relative():
    adapter = adapter_named("qwen3-vl")
    small = replace(adapter, declaration=replace(adapter.declaration, processor=Processor(16, 2, 65_536, 1_048_576)))
    assert context_length(small, "m", 1) < context_length(adapter, "m", 1)


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_every_family_has_room_for_its_images_and_its_reply(name):
    adapter = adapter_named(name)
    length = context_length(adapter, "m", adapter.declaration.images)
    assert length % 1024 == 0
    assert length >= TEXT_TOKENS + adapter.declaration.sampling.get("max_tokens", 0)


def test_no_longer_than_the_checkpoint_allows():
    assert context_length(adapter_named("ui-tars-1.5"), "m", 5, positions=4096) == 4096
