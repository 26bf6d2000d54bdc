"""Which screens a judge sees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_server.actions import Click, OpenApp, Press, Scroll, Type, Wait
from agent_server.geometry import Point
from agent_server.key_frames import key_frames
from agent_server.schemas import JudgeStep

STEPS = [
    JudgeStep(action=OpenApp(app="Clock")),
    JudgeStep(action=Click(point=Point(1, 1))),
    JudgeStep(action=Scroll(direction="down")),
    JudgeStep(action=Type(text="7:30")),
    JudgeStep(action=Press(key="back")),
    JudgeStep(raw="nonsense"),
    JudgeStep(action=Press(key="enter")),
    JudgeStep(action=Wait()),
]


def test_last_then_first_then_results_then_the_rest():
    frames = range(9)
    assert key_frames(frames, STEPS, 1) == [8]
    assert key_frames(frames, STEPS, 2) == [0, 8]
    assert key_frames(frames, STEPS, 3) == [0, 7, 8]
    assert key_frames(frames, STEPS, 4) == [0, 4, 7, 8]
    assert key_frames(frames, STEPS, 5) == [0, 2, 4, 7, 8]
    assert key_frames(frames, STEPS, 6) == [0, 2, 4, 6, 7, 8]


def test_without_steps_the_newest_are_shown():
    assert key_frames([3, 9, 4, 7], [], 3) == [3, 7, 9]


@given(st.sets(st.integers(0, 8), min_size=1), st.integers(1, 10))
def test_never_more_never_others_always_the_last(frames, most):
    chosen = key_frames(frames, STEPS, most)
    assert len(chosen) == min(most, len(frames))
    assert chosen == sorted(set(chosen) & frames)
    assert max(frames) in chosen
