"""Literals of a goal: what counts as one, and how times and lengths are read."""

from __future__ import annotations

import pytest

from agent_server.baselines.values import clock_of, mask, read_values, seconds_of, unmask


@pytest.mark.parametrize(
    ("text", "found", "kind"),
    [
        ("say 'Ana's list' now", "Ana's list", "text"),
        ("say “so” now", "so", "text"),
        ("mail x.y@example.org please", "x.y@example.org", "email"),
        ("see https://example.org/a?b=1.", "https://example.org/a?b=1", "url"),
        ("at 7:30 PM.", "7:30 PM", "time"),
        ("at 7 am", "7 am", "time"),
        ("for 1 hour and 30 minutes", "1 hour and 30 minutes", "duration"),
        ("a 5-minute walk", "5-minute", "duration"),
        ("to 75%", "75%", "percent"),
        ("call +1 (555) 010-4477", "+1 (555) 010-4477", "phone"),
        ("take 42 of them", "42", "number"),
    ],
)
def test_a_literal_is_found(text: str, found: str, kind: str) -> None:
    masked, table = mask(text)
    assert [value for value in table.values()] == [(found, kind)]
    assert unmask(masked, table).replace("'", "").replace("“", "").replace("”", "") == text.replace("'", "").replace(
        "“", ""
    ).replace("”", "")


@pytest.mark.parametrize("text", ["don't", "the boys' room", "version 1.2.3x", "A4 paper", ""])
def test_no_literal(text: str) -> None:
    assert mask(text)[1] == {}


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("7:30", (7, 30)),
        ("7:30 pm", (19, 30)),
        ("12 AM", (0, 0)),
        ("12:05 p.m.", (12, 5)),
        ("23:59", (23, 59)),
        ("7", None),
        ("x", None),
    ],
)
def test_time_of_day(text: str, clock: tuple[int, int] | None) -> None:
    assert clock_of(text) == clock


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5 minutes", 300), ("1 hour 30 minutes", 5400), ("90s", 90), ("5-minute", 300), ("soon", None)],
)
def test_length_of_time(text: str, seconds: int | None) -> None:
    assert seconds_of(text) == seconds


def test_values_carry_kind_specific_readings() -> None:
    masked, table = mask("at 6:45 for 20 minutes")
    time, length = read_values(masked, table)
    assert (time.clock, time.seconds) == ((6, 45), None)
    assert (length.clock, length.seconds) == (None, 1200)
