"""When a screen is at rest, on screens played by a clock that the test owns."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from emulator_farm.devices.settle import CELL, Pace, Rest

SIZE = (270, 600)
Draw = Callable[[ImageDraw.ImageDraw, float], None]


@dataclass
class Scripted:
    """A screen as a function of time: what changes once, by moment, and what goes on for ever."""

    changes: dict[float, tuple[int, int, int, int]] = field(default_factory=dict)
    always: tuple[Draw, ...] = ()

    def picture(self, at: float) -> Image.Image:
        image = Image.new("RGB", SIZE, "white")
        draw = ImageDraw.Draw(image)
        for index, (moment, box) in enumerate(sorted(self.changes.items())):
            if at >= moment:
                draw.rectangle(box, fill=(40 + 50 * (index % 4), 0, 200 - 40 * (index % 5)))
        for paint in self.always:
            paint(draw, at)
        return image


def settled(
    screen: Scripted, *, period: float, acted: bool = True, pace: Pace | None = None, limit: float = 10
) -> Rest:
    """The detector when it said that the screen is at rest; `at` holds when. The action was done at 0."""
    rest = Rest(pace or Pace(), 0.0 if acted else None, screen.picture(-1) if acted else None)
    now = 0.0
    while now < limit:
        if rest.see(screen.picture(now), now, now + period):
            rest.at = now  # type: ignore[attr-defined]
            return rest
        now += period
    raise AssertionError(f"not at rest after {limit} s")


def when(screen: Scripted, **options: float) -> float:
    return settled(screen, **options).at  # type: ignore[attr-defined, arg-type, no-any-return]


def spinner(draw: ImageDraw.ImageDraw, at: float) -> None:
    draw.arc((115, 280, 155, 320), start=at * 360, end=at * 360 + 90, fill="blue", width=5)


def stopwatch(draw: ImageDraw.ImageDraw, at: float) -> None:
    draw.text((100, 100), f"{at:07.2f}", fill="black")


def video(draw: ImageDraw.ImageDraw, at: float) -> None:
    noise = random.Random(round(at * 1000))
    for row in range(0, 250, 10):
        draw.rectangle((0, row, 270, row + 9), fill=tuple(noise.randrange(256) for _ in range(3)))


def cursor(draw: ImageDraw.ImageDraw, at: float) -> None:
    if at % 1 < 0.5:
        draw.line((60, 200, 60, 212), fill="black")


WHOLE = (0, 0, 270, 600)
PERIODS = [0.05, 0.3]


@pytest.mark.parametrize("period", PERIODS)
def test_nothing_was_done(period: float) -> None:
    assert settled(Scripted(), period=period, acted=False).animated is False
    assert when(Scripted(), period=period, acted=False) == pytest.approx(period)


@pytest.mark.parametrize("period", PERIODS)
def test_an_action_without_effect_is_waited_for(period: float) -> None:
    assert Pace().onset_s <= when(Scripted(), period=period) <= Pace().onset_s + 2 * period


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("onset", [0.0, 0.15, 0.35])
def test_one_change(period: float, onset: float) -> None:
    at = when(Scripted({onset: WHOLE}), period=period)
    soonest = max(onset + Pace().quiet_s, Pace().onset_s)
    assert soonest <= at <= soonest + 3 * period


def test_a_button_that_lights_up_before_its_page_comes() -> None:
    assert when(Scripted({0.02: (10, 10, 60, 30), 0.38: WHOLE}), period=0.03) >= 0.38 + Pace().quiet_s


def test_a_single_pixel_is_a_change() -> None:
    assert when(Scripted({0.3: (100, 100, 100, 100)}), period=0.03) >= 0.5


def test_a_page_that_slides_in() -> None:
    slide = {0.05 * step: (0, 600 - 40 * step, 270, 600) for step in range(1, 15)}
    assert when(Scripted(slide), period=0.03) >= 0.7 + Pace().quiet_s


@pytest.mark.parametrize("period", [0.03, 0.1])
@pytest.mark.parametrize(("paint", "latest"), [(spinner, 1.3), (stopwatch, 1.3), (video, 2.3), (cursor, 1.0)])
def test_what_never_rests_does_not_stall_it(paint: Draw, latest: float, period: float) -> None:
    rest = settled(Scripted({0.1: WHOLE}, (paint,)), period=period)
    assert rest.at <= latest  # type: ignore[attr-defined]
    assert rest.animated is (paint is not cursor)


def test_beside_a_spinner_a_late_change_is_still_seen() -> None:
    screen = Scripted({0.1: WHOLE, 0.9: (0, 0, 270, 100), 1.05: (0, 500, 270, 600)}, (spinner,))
    assert when(screen, period=0.03) >= 1.05 + Pace().quiet_s


def test_a_turned_screen_is_a_change() -> None:
    rest = Rest(Pace(), 0.0, Image.new("RGB", SIZE))
    turned = Image.new("RGB", (600, 270))
    assert not rest.see(turned, 0.0, 0.01)
    assert not rest.see(turned, 0.1, 0.11)
    assert rest.see(turned, 0.45, 0.46)


def test_scripted_transitions_settle_soon_and_not_early() -> None:
    """A hundred of what screens do: a first change within 0.35 s, up to four more, a spinner now and then."""
    dice = random.Random(7)
    early, waits, once = 0, [], []
    for number in range(100):
        moment = dice.uniform(0.0, 0.35)
        changes = {}
        for _ in range(dice.choice((1, 1, 1, 2, 3, 5))):
            left, top = dice.randrange(0, 200), dice.randrange(0, 500)
            changes[moment] = (left, top, left + dice.randrange(5, 70), top + dice.randrange(5, 100))
            moment += dice.uniform(0.02, 0.18)
        always: tuple[Draw, ...] = (spinner,) if number % 10 == 0 else ()
        at = when(Scripted(changes, always), period=0.04)
        early += at < max(changes)
        waits.append(at - max(changes))
        if len(changes) == 1 and not always:
            once.append(at)
    assert early / len(waits) < 0.01
    assert statistics.median(once) < 0.6


@settings(max_examples=40, deadline=None)
@given(
    onset=st.floats(0, 0.35),
    gaps=st.lists(st.floats(0.01, 0.18), max_size=4),
    period=st.floats(0.03, 0.2),
    corner=st.tuples(st.integers(0, 250), st.integers(0, 580)),
)
def test_it_never_ends_before_the_last_change(
    onset: float, gaps: list[float], period: float, corner: tuple[int, int]
) -> None:
    left, top = corner
    changes = {onset: (left, top, left + 3, top + 3)}
    for gap in gaps:
        left = (left + 4 * CELL) % 250
        changes[max(changes) + gap] = (left, top, left + 3, top + 3)
    assert when(Scripted(changes), period=period) >= max(changes)
