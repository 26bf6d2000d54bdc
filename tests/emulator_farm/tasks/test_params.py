"""Parameters are drawn from the seed, in order, each from its own stream."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from emulator_farm.tasks.params import Draw, NoValue, draw_value, draw_values
from emulator_farm.tasks.template import Value

SEEDS = range(200)


def drawn(template: JsonValue, earlier: Mapping[str, Value] | None = None) -> list[Value]:
    return [draw_value(template, earlier or {}, Draw("task", seed, "p")) for seed in SEEDS]


def test_numbers_are_those_of_sha256_everywhere() -> None:
    draw = Draw("add_contact", 7, "name")
    assert [draw.below(1000) for _ in range(5)] == [320, 559, 802, 658, 294]


def test_numbers_cover_their_range_evenly() -> None:
    draw = Draw("x")
    counts = [0] * 5
    for _ in range(5000):
        counts[draw.below(5)] += 1
    assert min(counts) > 850
    assert max(counts) < 1150


def test_a_choice_is_one_of_its_items() -> None:
    assert set(drawn({"kind": "choice", "of": ["a", "b", "c"]})) == {"a", "b", "c"}
    assert set(drawn({"kind": "choice", "of": [1, 2.5]})) == {1, 2.5}


def test_a_range_has_both_ends_and_its_steps() -> None:
    assert set(drawn({"kind": "range", "low": 5, "high": 21, "step": 5})) == {5, 10, 15, 20}
    assert set(drawn({"kind": "range", "low": -1, "high": 1})) == {-1, 0, 1}
    assert set(drawn({"kind": "range", "low": 3, "high": 3})) == {3}


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("first_name", r"[A-Z][a-z]+"),
        ("last_name", r"[A-Z][a-z]+"),
        ("full_name", r"[A-Z][a-z]+ [A-Z][a-z]+"),
        ("phone", r"[2-9]\d\d55501\d\d"),
        ("email", r"[a-z]+\.[a-z]+@example\.com"),
        ("word", r"[a-z]+"),
    ],
)
def test_generators_make_what_they_are_named_for(what: str, pattern: str) -> None:
    values = drawn({"kind": "generate", "what": what})
    assert all(isinstance(value, str) and re.fullmatch(pattern, value) for value in values)
    assert len(set(values)) > 20


def test_a_sample_has_different_items_in_any_order() -> None:
    values = drawn({"kind": "sample", "of": ["a", "b", "c", "a"], "count": 2, "separator": "+"})
    assert set(values) == {"a+b", "a+c", "b+a", "b+c", "c+a", "c+b"}


def test_later_parameters_are_made_of_earlier_ones() -> None:
    params: dict[str, JsonValue] = {
        "first": {"kind": "choice", "of": ["Ada", "Ben"]},
        "both": {"kind": "text", "template": "{first} & Co"},
        "low": {"kind": "range", "low": 3, "high": 4},
        "high": {"kind": "range", "low": "{low}", "high": 9, "unlike": "low"},
        "code": {"kind": "lookup", "key": "{first}", "table": {"Ada": 1, "Ben": 2}},
    }
    for seed in SEEDS:
        values = draw_values(params, "task", seed)
        assert values["both"] == f"{values['first']} & Co"
        assert values["low"] < values["high"] <= 9
        assert values["code"] == (1 if values["first"] == "Ada" else 2)


def test_unlike_keeps_values_apart_whatever_their_case() -> None:
    assert set(drawn({"kind": "choice", "of": ["ADA", "Ben"], "unlike": ["other"]}, {"other": "ada"})) == {"Ben"}
    with pytest.raises(NoValue, match="offer more values"):
        drawn({"kind": "choice", "of": ["ada"], "unlike": ["other"]}, {"other": "ada"})


def test_a_table_without_the_entry_is_named() -> None:
    with pytest.raises(NoValue, match="no entry 'c', only 'a', 'b'"):
        drawn({"kind": "lookup", "key": "c", "table": {"a": 1, "b": 2}})


@pytest.mark.parametrize(
    "template",
    [
        {"kind": "choice", "of": []},
        {"kind": "choice", "of": [True]},
        {"kind": "choice", "of": ["a", 1]},
        {"kind": "range", "low": 2, "high": 1},
        {"kind": "range", "low": 1, "high": 2, "step": 0},
        {"kind": "range", "low": 1.5, "high": 2},
        {"kind": "sample", "of": ["a", "a"], "count": 2},
        {"kind": "generate", "what": "poem"},
        {"kind": "generate", "what": "word", "unlike": ["Not A Name"]},
    ],
)
def test_bad_parameters_are_refused(template: JsonValue) -> None:
    with pytest.raises(ValidationError):
        drawn(template)


def test_a_fixed_value_is_taken_as_it_is() -> None:
    params: dict[str, JsonValue] = {
        "a": {"kind": "choice", "of": ["x", "y"]},
        "b": {"kind": "text", "template": "<{a}>"},
    }
    assert draw_values(params, "task", 0, {"a": "z"}) == {"a": "z", "b": "<z>"}


@given(st.text(max_size=10), st.integers(0, 2**63 - 1), st.integers(1, 10**9))
def test_every_number_is_below_its_bound(task: str, seed: int, bound: int) -> None:
    assert 0 <= Draw(task, seed).below(bound) < bound


@given(st.integers(0, 2**63 - 1))
def test_a_parameter_is_unmoved_by_others(seed: int) -> None:
    name: JsonValue = {"kind": "generate", "what": "full_name"}
    alone = draw_values({"name": name}, "t", seed)
    beside = draw_values({"extra": {"kind": "range", "low": 0, "high": 9}, "name": name}, "t", seed)
    assert beside["name"] == alone["name"]
