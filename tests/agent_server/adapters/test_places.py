"""Coordinates in whatever notation a reply has them, outside of thinking."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.adapters.places import find_place


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[100, 200, 300, 400]", [100, 200, 300, 400]),
        ("[1835,170,1854,196]", [1835, 170, 1854, 196]),
        ("(5,6)", [5, 6]),
        ("（5，6）", [5, 6]),
        ("[[5, 6]]", [5, 6]),
        ("[5.5, 6.25]", [5.5, 6.25]),
        ("5, 6", [5, 6]),
        ("100 200 300 400", [100, 200, 300, 400]),
        ("x=5, y=6", [5, 6]),
        ('{"x": 5, "y": 6}', [5, 6]),
        ('{"x1": 1, "y1": 2, "x2": 3, "y2": 4}', [1, 2, 3, 4]),
        ('{"point_2d": [5, 6]}', [5, 6]),
        ('{"bbox_2d": "1, 2, 3, 4"}', [1, 2, 3, 4]),
        ("bbox_2d: [1, 2, 3, 4", [1, 2, 3, 4]),
        ("Position: (10, 20)", [10, 20]),
        ("<point>5 6</point>", [5, 6]),
        ("<|box_start|>(1,2),(3,4)<|box_end|>", [1, 2, 3, 4]),
        ("<box>1,2,3,4</box>", [1, 2, 3, 4]),
        ("(1,2),(3,4)", [1, 2, 3, 4]),
        ("The button is at [5, 6].", [5, 6]),
        ("```json\n{\"coordinate\": [5, 6]}\n```", [5, 6]),
        ("[-1, -1]", [-1, -1]),
    ],
)  # fmt: skip
def test_notations(text, numbers):
    found = find_place(text)
    assert found is not None
    assert found.numbers == numbers
    assert found.more == 0


def test_geminis_own_key_counts_y_first():
    assert find_place('[{"box_2d": [10, 20, 30, 40], "label": "x"}]').numbers == [20, 10, 40, 30]
    assert find_place('{"box_2d": [10, 20]}').numbers == [20, 10]
    assert find_place('{"bbox_2d": [10, 20, 30, 40]}').numbers == [10, 20, 30, 40]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('[{"label": "Tab (1, 2)", "bbox_2d": [10, 20, 30, 40]}]', [10, 20, 30, 40]),
        ("Near (1, 2) is <point>10 20</point>", [10, 20]),
        ('Row [1, 2]: {"x": 10, "y": 20}', [10, 20]),
    ],
)
def test_the_more_explicit_notation_is_meant(text, numbers):
    assert find_place(text).numbers == numbers


def test_the_first_of_several_counts_and_the_others_are_counted():
    found = find_place('[{"bbox_2d": [1, 2, 3, 4]}, {"bbox_2d": [5, 6, 7, 8]}, {"bbox_2d": [9, 9, 9, 9]}]')
    assert (found.numbers, found.more) == ([1, 2, 3, 4], 2)
    assert found.written == "[1, 2, 3, 4]"


def test_thinking_names_no_place_unless_it_never_ends():
    assert find_place("<think>[1, 2] perhaps</think>") is None
    assert find_place("<think>[1, 2]</think>[3, 4]").numbers == [3, 4]
    assert find_place("<grounding_think>[1, 2] no</grounding_think><answer>[3, 4]</answer>").numbers == [3, 4]
    assert find_place("<think>it must be [1, 2]").numbers == [1, 2]
    assert find_place("<think>[1, 2] or some other one") is None


@pytest.mark.parametrize(
    "text",
    [
        "", "row 2, 3", "[1]", "[1, 2, 3]", "(a, b)", "45%", "(45%, 30%)", "[1, 2, 3, 4, 5]", "12", "x=5",
        "at 3, 4 o'clock", '{"bbox_2d": null}', '{"point": "centre"}', "1e3, 4", "[]",
    ],
)  # fmt: skip
def test_what_is_no_coordinate(text):
    assert find_place(text) is None


@given(st.lists(st.integers(0, 5000), min_size=4, max_size=4), st.sampled_from(["[{}, {}, {}, {}]", "({},{}),({},{})"]))
def test_any_box_is_found(box, form):
    assert find_place("Here: " + form.format(*box)).numbers == box


@pytest.mark.parametrize(
    "unit", ["[1", "[1,", "(1, 2", "x=", "x=1,", "<point>", "box: ", 'box: "', "1, ", "<think>[1,2]", " "]
)
def test_time_grows_with_length_only(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        start = time.process_time()
        find_place(text)
        return time.process_time() - start

    assert min(seconds(20_000) for _ in range(3)) < 2.0
