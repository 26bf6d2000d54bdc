from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.rates import Rate, percentile


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (46, 48, 0.8602, 0.9885),
    ],
)
def test_wilson_intervals(successes: int, trials: int, low: float, high: float) -> None:
    assert Rate(successes, trials).interval == pytest.approx((low, high), abs=5e-5)


def test_nothing_tried_says_nothing() -> None:
    assert Rate(0, 0).share is None
    assert Rate(0, 0).interval == (0.0, 1.0)
    assert str(Rate(0, 0)) == "–"
    assert str(Rate(22, 48)) == "46 % [33–60]"


@given(trials=st.integers(1, 500), data=st.data())
def test_an_interval_holds_its_share_and_mirrors(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = Rate(successes, trials).interval
    assert 0 <= low <= successes / trials <= high <= 1
    assert Rate(trials - successes, trials).interval == pytest.approx((1 - high, 1 - low))


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=50))
def test_percentiles_agree_with_the_standard_library(values: list[float]) -> None:
    deciles = statistics.quantiles(values, n=10, method="inclusive")
    assert percentile(values, 0.9) == pytest.approx(deciles[8])
    assert percentile(values, 0.5) == pytest.approx(statistics.median(values))
    assert percentile(values, 0) == min(values)
    assert percentile(values, 1) == max(values)


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)
