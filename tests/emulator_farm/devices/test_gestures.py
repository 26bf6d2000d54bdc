"""Actions as `input` commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.actions import Click, Direction, DoubleClick, Drag, LongPress, Press, Scroll, finger_to_view
from agent_server.geometry import Point, Size
from emulator_farm.devices.gestures import KEYCODES, Gesture, command_of, scroll_path

SCREEN = Size(1080, 2400)


@pytest.mark.parametrize(
    ("gesture", "line"),
    [
        (Click(point=Point(3, 4)), "input tap 3 4"),
        (DoubleClick(point=Point(3, 4)), "input tap 3 4 && input tap 3 4"),
        (LongPress(point=Point(3, 4)), "input swipe 3 4 3 4 1000"),
        (LongPress(point=Point(3, 4), duration_ms=2500), "input swipe 3 4 3 4 2500"),
        (Drag(start=Point(1, 2), end=Point(3, 4)), "input draganddrop 1 2 3 4 1000"),
        (Scroll(direction="down"), "input swipe 540 1680 540 720 600"),
        (Scroll(direction="up"), "input swipe 540 720 540 1680 600"),
        (Scroll(direction="right"), "input swipe 756 1200 324 1200 300"),
        (Scroll(direction="left"), "input swipe 324 1200 756 1200 300"),
        (Scroll(direction="down", start=Point(9, 200)), "input swipe 9 200 9 0 300"),
        (Scroll(direction="down", start=Point(9, 900), end=Point(9, 100)), "input swipe 9 900 9 100 500"),
        (Press(key="recents"), "input keyevent 187"),
    ],
)
def test_one_line_each(gesture: Gesture, line: str) -> None:
    assert command_of(gesture, SCREEN) == line


def test_a_slow_swipe_where_there_is_no_draganddrop() -> None:
    drag = Drag(start=Point(1, 2), end=Point(3, 4))
    assert command_of(drag, SCREEN, can_drag=False) == "input swipe 1 2 3 4 2000"


def test_a_display_can_be_pinned_in_both_taps() -> None:
    line = command_of(DoubleClick(point=Point(3, 4)), SCREEN, tool="input -d 0")
    assert line == "input -d 0 tap 3 4 && input -d 0 tap 3 4"


def test_every_key_has_its_own_code() -> None:
    assert KEYCODES["back"] == 4
    assert KEYCODES["enter"] == 66
    assert len(set(KEYCODES.values())) == len(KEYCODES) == 11


@given(
    st.sampled_from(["up", "down", "left", "right"]),
    st.builds(Size, st.integers(50, 3000), st.integers(50, 3000)),
    st.data(),
)
def test_the_finger_moves_against_the_view_and_stays_on_the_screen(
    direction: Direction, size: Size, data: st.DataObject
) -> None:
    start = data.draw(
        st.none() | st.builds(Point, st.integers(1, size.width - 2), st.integers(1, size.height - 2)), label="start"
    )
    finger_down, finger_up = scroll_path(Scroll(direction=direction, start=start), size)
    assert finger_down.inside(size)
    assert finger_up.inside(size)
    assert finger_to_view(finger_down, finger_up) == direction
    assert start is None or finger_down == start
