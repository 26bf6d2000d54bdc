from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.adapters import Processor
from agent_server.geometry import Size
from agent_server.processor import image_tokens, processor_size
from agent_server.verify.limits import agreed, explained, greatest_max, rectangles, unlimited

QWEN = Processor(14, 2, 3_136, 12_845_056)
VENUS = Processor(14, 2, 830_000, 937_664)
SCREENS = (Size(1080, 2400), Size(720, 1280), Size(2400, 1080), Size(1, 1), Size(4000, 6000))


def counted(expected: Processor, there: Processor) -> dict[Size, int]:
    """What a server with the processor `there` counts of images that were prepared for `expected`."""
    return {size: image_tokens(there, size) for size in (processor_size(expected, screen) for screen in SCREENS)}


def test_limits_as_expected_explain_themselves():
    assert explained(VENUS, counted(VENUS, VENUS)) == VENUS


def test_wider_limits_there_do_no_harm():
    assert explained(VENUS, counted(VENUS, QWEN)) == VENUS


@pytest.mark.parametrize("high", [602_112, 1_003_520, 937_664, 5_000_000, 99_999])
def test_a_lower_upper_limit_is_found_from_below(high):
    found = explained(QWEN, counted(QWEN, replace(QWEN, max_pixels=high)))
    assert found is not None
    assert found.min_pixels == 3_136
    assert 0.96 * high < found.max_pixels <= high


@pytest.mark.parametrize("low", [200_704, 78_400, 65_536])
def test_a_higher_lower_limit_is_found_from_above(low):
    found = explained(QWEN, counted(QWEN, replace(QWEN, min_pixels=low)))
    assert found is not None
    assert found.max_pixels == 12_845_056
    assert low <= found.min_pixels < 1.25 * low


def test_limits_that_do_not_meet_the_expected_ones_are_found_with_images_sent_without_limits():
    there = Processor(14, 2, 3_136, 602_112)
    seen = counted(VENUS, there)
    assert explained(VENUS, seen) is None
    bare = unlimited(VENUS)
    smallest = processor_size(bare, Size(1, 1))
    found = explained(bare, {**seen, smallest: image_tokens(there, smallest)})
    assert found is not None
    assert found.min_pixels == 3_136
    assert 590_000 < found.max_pixels <= 602_112


@pytest.mark.parametrize(
    ("there", "ours"),
    [
        (QWEN, VENUS),
        (Processor(14, 2, 3_136, 602_112), Processor(14, 2, 3_136, 602_112)),
        (Processor(14, 2, 3_136, 900_000), Processor(14, 2, 830_000, 900_000)),
        (Processor(14, 2, 900_000, 12_845_056), Processor(14, 2, 900_000, 937_664)),
        (Processor(14, 2, 1_000_000, 12_845_056), Processor(14, 2, 1_000_000, 12_845_056)),
    ],
)
def test_as_many_of_the_expected_limits_are_kept_as_a_server_allows(there, ours):
    assert agreed(VENUS, there) == ours


def test_another_grid_is_explained_by_no_limits():
    assert explained(QWEN, counted(QWEN, Processor(16, 2, 3_136, 12_845_056))) is None


@given(
    low=st.integers(1, 1_500_000), span=st.integers(50_000, 12_000_000), width=st.integers(300, 3000),
    height=st.integers(300, 3000),
)  # fmt: skip
def test_images_prepared_for_what_was_found_are_left_alone_there(low, span, width, height):
    there = Processor(14, 2, low, low + span)
    found = explained(QWEN, counted(QWEN, there))
    if found is None or not there.min_pixels <= found.min_pixels <= found.max_pixels <= there.max_pixels:
        return
    sent = processor_size(found, Size(width, height))
    if found.min_pixels <= sent.pixels <= found.max_pixels:
        assert processor_size(there, sent) == sent


def test_rectangles_lie_on_the_grid():
    sizes = rectangles(QWEN, 598_000, 640_000)
    assert sizes
    assert all(size.width % 28 == 0 and size.height % 28 == 0 and size.height <= 3 * size.width for size in sizes)
    assert [size.pixels for size in sizes] == sorted({size.pixels for size in sizes})
    assert 598_000 <= sizes[0].pixels <= sizes[-1].pixels <= 640_000
    assert Size(672, 896) in sizes


def test_the_greatest_limit_that_gives_no_more_tokens():
    size = Size(1092, 2408)
    high = greatest_max(QWEN, size, 738)
    assert image_tokens(replace(QWEN, max_pixels=high), size) == 738
    assert image_tokens(replace(QWEN, max_pixels=high + 1), size) > 738
