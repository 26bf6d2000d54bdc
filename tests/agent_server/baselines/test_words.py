"""Words of labels and goals are compared as people would compare them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_server.baselines.words import content, coverage, kin, relevance, same, says, segments, words


def test_spellings_of_one_word_are_one() -> None:
    assert words("Wi-Fi") == words("Wi‑Fi") == words("WIFI") == ("wifi",)
    assert words("Ana's alarms") == ("ana", "alarm")
    assert words("Batteries") == ("battery",)
    assert content("Turn on the lights, please") == ("turn", "light")


@pytest.mark.parametrize(
    ("left", "right", "low", "high"),
    [
        ("alarm", "alarm", 1.0, 1.0),
        ("delete", "trash", 0.6, 0.8),
        ("notif", "notification", 0.0, 0.0),
        ("brightn", "brightness", 0.7, 0.8),
        ("1", "10", 0.0, 0.0),
        ("cat", "car", 0.0, 0.0),
    ],
)
def test_kinship(left: str, right: str, low: float, high: float) -> None:
    assert low <= kin(left, right) <= high
    assert kin(left, right) == kin(right, left)


def test_an_exact_label_beats_a_longer_one() -> None:
    weights = (("wifi", 1.0),)
    assert relevance("Wi-Fi", weights) > relevance("Wi-Fi calling", weights) > relevance("Calling", weights) == 0


def test_a_label_in_a_script_without_blanks_matches_inside_a_sentence() -> None:
    assert relevance("蓝牙", (("打开蓝牙", 1.0),)) == 1.0
    assert relevance("热点", (("打开蓝牙", 1.0),)) == 0.0


def test_phrases() -> None:
    assert says("Alarm, 7:30 AM", "7:30 am")
    assert not says("Annabel Lee", "Ann")
    assert not says("anything", "  ")
    assert same("About phone", "about  PHONE")
    assert same("Remember the milkk", "Remember the milk")
    assert not same("Note 1", "Note 2")
    assert same("…", "…")
    assert segments("Mobile, Wi-Fi • hotspot") == ["Mobile", "Wi-Fi", "hotspot"]


def test_coverage_is_a_share() -> None:
    assert coverage(("a", "b"), ("b",)) == 0.5
    assert coverage((), ("b",)) == 0.0


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_comparisons_take_any_text(left: str, right: str) -> None:
    assert relevance(left, tuple((word, 1.0) for word in content(right))) >= 0
    assert same(left, left)
    assert isinstance(says(left, right), bool)
