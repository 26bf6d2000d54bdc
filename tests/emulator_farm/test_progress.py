"""What is said while a run goes on."""

from __future__ import annotations

import io

from rich.console import Console

from emulator_farm.progress import Outcome, Progress, ProgressDisplay, summary


def a_progress(**changes: object) -> Progress:
    progress = Progress(total=10, held=2)
    for name, value in changes.items():
        setattr(progress, name, value)
    return progress


def test_everything_worth_knowing_is_in_the_line() -> None:
    progress = a_progress(published=4, successes=3, steps=80, playing=2, phones=4, failures={"device_gone": 1})
    progress.started -= 10
    line = summary(progress)
    assert line.startswith("6/10 episodes · 3 of 4 played successful · 2 playing on 4 phones · 8.0 steps/s")
    assert "failed attempts: device_gone 1" in line
    assert "ETA 0:10" in line, "four took ten seconds, four are left"


def test_waiting_holes_and_the_end() -> None:
    waiting = summary(a_progress(waiting_for="the policy server: refused", holes={"x": "y"}))
    assert "waiting for the policy server: refused" in waiting
    assert "1 holes" in waiting
    assert "ETA ?" in waiting
    done = a_progress(published=8)
    done.started -= 3700
    assert summary(done).endswith("took 1:01:40")


def test_complete_means_nothing_missing() -> None:
    assert Outcome(a_progress(published=8)).complete
    assert not Outcome(a_progress(holes={"x": "y"})).complete
    assert not Outcome(a_progress(), stopped=True).complete
    assert not Outcome(a_progress(), fault="broken").complete


def test_a_pipe_gets_lines_now_and_then() -> None:
    output = io.StringIO()
    with ProgressDisplay(Console(file=output)) as display:
        for published in range(8):
            display(a_progress(published=published))
    lines = output.getvalue().splitlines()
    assert [line.split(" · ")[0] for line in lines] == ["2/10 episodes"]


def test_a_terminal_gets_a_live_bar() -> None:
    output = io.StringIO()
    with ProgressDisplay(Console(file=output, force_terminal=True, width=200)) as display:
        display(a_progress(published=4))
    assert "6/10 episodes" in output.getvalue()
