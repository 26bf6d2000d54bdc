"""Literals: what ends a string, what a bracket holds, and where reading gives up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.adapters.call_syntax import quoted, read_call
from agent_server.adapters.literal import ARGUMENT, ENTRY, MOST_PARTS, Scanner, unescaped


def value(text, place=ENTRY):
    return Scanner(text).value(place)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("'a'", "a"), ('"a"', "a"), ("`a`", "a"), ("“a”", "a"), ("‘a’", "a"), ("'a", "a"), ("word", "word"),
        ("None", None), ("true", True), ("False", False), ("12", "12"), ("1, 2}", "1, 2"), ("-1.5}", "-1.5"),
        ("[1, 2]", ["1", "2"]), ("(1, 2)", ["1", "2"]), ("（1，2）", ["1", "2"]), ("[1, 2", ["1", "2"]),
        ("[1, 'a, b', [2]]", ["1", "a, b", ["2"]]), ("[]", []), ("[,,1,]", ["1"]),
        ("{'a': 1, \"b\": [2]}", {"a": "1", "b": ["2"]}), ("{a: 1, b = 2", {"a": "1", "b": "2"}), ("{}", {}),
        ("{'a' 1}", {}), ("{'a': 'x', }", {"a": "x"}), ("{'a': 'it's', 'b': 1}", {"a": "it's", "b": "1"}),
        ("{'a': [1}", {"a": ["1"]}),
    ],
)  # fmt: skip
def test_values(text, read):
    assert value(text) == read


@given(st.text())
def test_quoting_is_undone_by_unescaping(text):
    assert unescaped(quoted(text)[1:-1]) == text
    assert "\n" not in quoted(text)


@given(st.text(), st.text())
def test_a_call_with_quoted_arguments_is_read_whole(first, second):
    call = read_call(Scanner(f"f(a={quoted(first)}, b={quoted(second)})"))
    assert call is not None
    assert call.arguments["b"] == second
    assert call.arguments["a"] == first


@pytest.mark.parametrize("text", [r"\q", r"\u12", "\\"])
def test_a_backslash_before_anything_else_stays(text):
    assert unescaped(text) == text


def test_too_many_parts_are_skipped():
    assert len(value("[" + "1," * 500 + "]")) == MOST_PARTS
    many = Scanner("{" + "".join(f"k{n}: 1," for n in range(500)) + "}</action>")
    assert len(many.value(ENTRY)) == MOST_PARTS
    assert many.text[many.pos :] == "</action>"
    call = read_call(Scanner("f(" + "'x'," * 500 + ")"))
    assert call is not None
    assert len(call.positional) == MOST_PARTS


def test_too_deep_a_nesting_is_skipped():
    scanner = Scanner("[" * 100 + "1" + "]" * 100 + "</action>rest")
    deep = scanner.value(ARGUMENT)
    while deep:
        assert len(deep) == 1
        (deep,) = deep
    assert deep == ""
    assert scanner.text[scanner.pos :] == "</action>rest"
