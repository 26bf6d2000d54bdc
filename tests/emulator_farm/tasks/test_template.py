"""Placeholders in texts, and nothing else in braces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.tasks.template import fill, fill_text, literal, placeholders

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab{}_ \\", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Call {name}", "Call Ada"),
        ("{name}{name}", "AdaAda"),
        ("{{name}} is {name}", "{name} is Ada"),
        ("{{{name}}}", "{{name}}"),
        ("{unknown} {name}", "{unknown} Ada"),
        (r"\d{2,3} {} { name } {0}", r"\d{2,3} {} { name } {0}"),
        ('{"a": {"b": "{name}"}}', '{"a": {"b": "Ada"}}'),
    ],
)
def test_only_placeholders_are_filled(template: str, text: str) -> None:
    assert fill_text(template, {"name": "Ada"}) == text


def test_a_lone_placeholder_keeps_the_type_of_its_value() -> None:
    template = {"at_least": "{n}", "text": "{n} of 9", "list": ["{n}", 7, None, True]}
    assert fill(template, {"n": 5}) == {"at_least": 5, "text": "5 of 9", "list": [5, 7, None, True]}


def test_values_stand_for_themselves_in_patterns() -> None:
    filled = fill({"matches": "^{name}, \\d{2}$", "text": "{name}"}, {"name": "a.b(c"})
    assert filled == {"matches": r"^a\.b\(c, \d{2}$", "text": "a.b(c"}
    assert re.search(str(filled["matches"]), "a.b(c, 12")
    assert fill({"regex": "{n}"}, {"n": 1.5}) == {"regex": r"1\.5"}


def test_values_are_not_read_as_templates_again() -> None:
    assert fill_text("{a}", {"a": "{b}", "b": "no"}) == "{b}"


def test_placeholders_are_found_with_their_place() -> None:
    found = list(placeholders({"setup": [{"text": "{a} and {b}"}, 3], "goal": "{{c}} {Dee}"}, ("task",)))
    assert found == [
        (("task", "setup", 0, "text"), "a"),
        (("task", "setup", 0, "text"), "b"),
        (("task", "goal"), "Dee"),
    ]


@given(json_values)
def test_a_literal_survives_filling(value: object) -> None:
    escaped = literal(value)
    assert fill(escaped, {"a": "X", "b": "Y", "ab": "Z", "a_": "Q"}) == value
    assert not list(placeholders(escaped))
