"""Patterns are exact: the numbers of a range, the points of a screen, the paths that have a direction."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.adapters.pattern import Form, calls, either, integers, literal, verbs, words
from agent_server.geometry import CoordinateMap, Size

SCREEN = CoordinateMap.relative(Size(1080, 2400), 1000)
TAP = Form("Tap", "($x, $y)")
SWIPE = Form("Swipe", "($x1, $y1, $x2, $y2)")


@given(st.integers(0, 20_000), st.integers(0, 20_000), st.data())
def test_a_range_of_numbers_is_exact(low, length, data):
    high = low + length
    inside = re.compile(integers(low, high))
    edges = [low - 1, low, high, high + 1, low * 10, high * 10, high // 10]
    for number in [*edges, *data.draw(st.lists(st.integers(0, 99_999), max_size=20))]:
        assert bool(inside.fullmatch(str(number))) == (low <= number <= high)
    assert not inside.fullmatch(f"0{high}")
    assert not inside.fullmatch("")


@given(st.text(), st.text())
def test_a_literal_is_itself_and_nothing_else(text, other):
    assert re.fullmatch(literal(text), text)
    assert bool(re.fullmatch(literal(text), other)) == (text == other)


def test_a_text_is_so_many_words():
    three = re.compile(words(3))
    for text in ("", "one", "one two", "one two 3", "a very-long-word then", "你好，世界。好", "two  ends"):
        assert three.fullmatch(text), text
    for text in ("one two three four", "abcdefghijklmnopq", "it's", 'say "no"', "a\nb", "<b>", "f(x)", "{1}", "\\"):
        assert not three.fullmatch(text), text


def test_a_point_may_be_any_that_a_pixel_is_written_as():
    tap = re.compile(calls([TAP], CoordinateMap.absolute(Size(1080, 2400), Size(644, 1428))))
    for point in ("(0, 0)", "(643, 1427)", "(322, 9)"):
        assert tap.fullmatch(f"Tap{point}"), point
    for point in ("(644, 0)", "(0, 1428)", "(-1, 0)", "(00, 1)", "(1.5, 1)", "(1,1)", "(, 1)"):
        assert not tap.fullmatch(f"Tap{point}"), point


def test_the_two_points_of_a_path_lie_in_different_halves():
    swipe = re.compile(calls([SWIPE], SCREEN))
    for path in (
        "(500, 700, 500, 300)",
        "(500, 300, 500, 700)",
        "(499, 0, 500, 0)",
        "(999, 5, 0, 5)",
        "(0, 500, 0, 499)",
    ):
        assert swipe.fullmatch(f"Swipe{path}"), path
    for path in ("(500, 700, 500, 700)", "(0, 0, 499, 499)", "(600, 600, 999, 999)"):
        assert not swipe.fullmatch(f"Swipe{path}"), path


def test_a_path_needs_room_on_the_screen():
    assert calls([TAP, SWIPE], CoordinateMap.relative(Size(1, 1), 1000)) == "((Tap)\\((0), (0)\\))"
    wide = re.compile(calls([SWIPE], CoordinateMap.relative(Size(2, 1), 1000)))
    assert wide.fullmatch("Swipe(0, 0, 500, 0)")
    assert not wide.fullmatch("Swipe(0, 0, 0, 0)")


def test_forms_with_the_same_rest_share_it():
    forms = [Form("Type", "('$text')"), Form("Back", "()"), Form("Answer", "('$text')")]
    said = calls(forms, SCREEN)
    assert said.count("(Type|Answer)") == 1
    assert all(re.fullmatch(said, text) for text in ("Type('a b')", "Answer('')", "Back()"))
    assert not re.fullmatch(said, "Back('a')")


def test_verbs_are_those_that_a_parser_compares():
    assert verbs([Form("Long Press"), Form("ask_user"), Form("CLICK")]) == {"longpress", "askuser", "click"}


def test_an_unknown_slot_is_an_error():
    with pytest.raises(KeyError, match="colour"):
        calls([Form("Paint", "($colour)")], SCREEN)


def test_fractions_of_the_screen_cannot_be_held():
    with pytest.raises(ValueError, match="whole numbers"):
        calls([TAP], CoordinateMap.relative(Size(1080, 2400), 1))


def test_either_is_one_of_them():
    assert re.fullmatch(either(["a", "bc"]), "bc")
    assert not re.fullmatch(either(["a", "bc"]), "abc")
