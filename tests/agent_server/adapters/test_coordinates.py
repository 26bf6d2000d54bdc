"""Coordinates in every notation, and what is none."""

from __future__ import annotations

import pytest

from agent_server.adapters.coordinates import numbers_of, read_point, written_point
from agent_server.adapters.reply import Unreadable
from agent_server.geometry import CoordinateMap, OutOfRange, Point, Size

THOUSAND = CoordinateMap.relative(Size(1000, 1000), 1000)
FRACTION = CoordinateMap.relative(Size(1000, 500), 1)


@pytest.mark.parametrize(
    "value",
    [
        "(10, 20)", "[10,20]", "10 20", "10,20", " 10 , 20 ", "<point>10 20</point>", "<box>(10,20)</box>",
        "（10，20）", "１０，２０", "x=10, y=20", "X:10 Y:20", "(10.0, 20.)", "10、20", [10, 20], ["10", "20"],
        [[10, 20]], [[9, 19], [11, 21]],
        [9, 19, 11, 21], "[9, 19, 11, 21]", "x1=9 y1=19 x2=11 y2=21", {"x": 10, "y": 20}, {"X": "10", "Y": "20"},
        {"x1": 9, "y1": 19, "x2": 11, "y2": 21}, {"left": 9, "top": 19, "right": 11, "bottom": 21},
        {"point": [10, 20]}, [{"x": 10, "y": 20}], ["10 20"],
    ],
    ids=str,
)  # fmt: skip
def test_notations(value):
    assert read_point(value, THOUSAND) == (10, 20)


@pytest.mark.parametrize(
    "value",
    [
        "", "=", "null", "here", "10", "10,20,30", "1-2", "10px, 20px", "0x10, 5", "1.2.3, 4", None, True, 5,
        [], [5], [1, 2, 3], [[1, [2]], 3], {"a": 1}, {"x": 1}, {"x": [1], "y": 2}, {"point": {"x": 1}},
        [True, False], "9" * 500,
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_what_is_no_coordinate(value):
    with pytest.raises(Unreadable) as caught:
        read_point(value, THOUSAND)
    assert caught.value.kind == "malformed"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("value", ["(-1, 5)", "(5, 1001)", [0.5, 0.25], "1e9, 5", [0, 0, 2000, 10], [float("nan"), 5]])
def test_what_lies_outside(value):
    with pytest.raises((OutOfRange, Unreadable)):
        read_point(value, THOUSAND)


def test_fractions_are_for_those_who_count_to_one():
    assert read_point([0.5, 0.25], FRACTION) == (500, 125)
    with pytest.raises(OutOfRange, match="looks like a fraction of the screen; this model counts to 1000"):
        read_point([0.5, 0.25], THOUSAND)
    assert read_point([1, 1], THOUSAND) == (1, 1)


def test_numbers_and_writing():
    assert numbers_of("(1, 2.5)") == [1, 2.5]
    assert numbers_of(7) == [7]
    assert written_point(Point(3, 4), THOUSAND) == ("3", "4")
    assert written_point(Point(500, 125), FRACTION) == ("0.5000", "0.2500")
