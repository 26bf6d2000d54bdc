"""What an agent answered, as text and as number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.tasks.answers import normal, numbers, similarity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,234.5", [1234.5]),
        ("1.234,5", [1234.5]),
        ("1234.5", [1234.5]),
        ("1,234,567", [1234567]),
        ("The answer is 7.", [7]),
        ("7, or 8", [7, 8]),
        ("3 contacts (3)", [3]),
        ("-4 degrees", [-4]),
        ("\u22124 degrees", [-4]),
        ("2024-05", [2024, 5]),
        ("７", [7]),
        ("80%", [80]),
        ("$3.50", [3.5]),
        ("7:30", [7, 30]),
        ("three", [3]),
        ("Twenty-one alarms", [21]),
        ("one hundred and five", [105]),
        ("two thousand three hundred", [2300]),
        ("seven and eight", [7, 8]),
        ("hundred", []),
        ("There is one: 5", [5]),
        ("version v2", []),
        ("none at all", []),
        ("", []),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, expected: list[float]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Hello \n World. ", "hello world"),
        ("“Quoted”", "quoted"),
        ("'Android 14.'", "android 14"),
        ("ＡＢＣ", "abc"),
        ("Straße", "strasse"),
        ("U.S.", "u.s"),
    ],
)
def test_texts_that_a_person_calls_the_same_are_the_same(text: str, expected: str) -> None:
    assert normal(text) == expected


def test_similarity_forgives_order_and_slips_but_not_another_thing() -> None:
    assert similarity("Lovelace, Ada", "Lovelace, Ada") == 1
    assert similarity("ada lovelase", "Lovelace Ada") > 0.85
    assert similarity("Grace Hopper", "Ada Lovelace") < 0.5
    assert similarity("", "Ada") == 0


@given(st.text(max_size=60))
def test_reading_never_fails(text: str) -> None:
    assert normal(text).split() == [word for word in normal(text).split(" ") if word]
    assert len(set(numbers(text))) == len(numbers(text))
    assert 0 <= similarity(text, "x") <= 1


@given(st.integers(0, 10**12), st.sampled_from(["{}", "{:,}", "about {} of them", "It is {:,}."]))
def test_whole_numbers_are_read_back(number: int, wording: str) -> None:
    assert numbers(wording.format(number)) == [number]
