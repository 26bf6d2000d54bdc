"""Whole episodes on the toy phone: the explorer does what the goal says, and stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent_server.actions import Answer, Finished

Play = Callable[..., Any]


def test_turns_on_a_switch_two_screens_away(play: Play) -> None:
    episode = play("In the Garden app, turn on watering reminders.")
    assert episode.phone.reminders is True
    assert episode.last == Finished()
    assert len(episode.actions) <= 10


def test_leaves_a_switch_that_is_right_already(play: Play) -> None:
    episode = play("Make sure frost alerts are on in Garden")
    assert episode.phone.frost is True
    assert episode.last == Finished()


def test_switches_two_things(play: Play) -> None:
    episode = play("Open Garden, turn watering reminders on and frost alerts off.")
    assert (episode.phone.reminders, episode.phone.frost) == (True, False)
    assert episode.last == Finished()


def test_fills_a_form_and_saves_it(play: Play) -> None:
    episode = play("Create a new plant named Silver Birch with the phone number +44 20 7946 0777 in the Garden app.")
    assert "Silver Birch" in episode.phone.plants
    assert episode.phone.heights["Silver Birch"] == "+44 20 7946 0777"
    assert episode.last == Finished()


def test_scrolls_to_what_it_looks_for_and_answers(play: Play) -> None:
    episode = play("What is the phone number of the nursery of Walnut in Garden?")
    assert Answer(text="+44 20 7946 0111") in episode.actions
    assert episode.last == Finished()


def test_deletes_through_menu_and_confirmation(play: Play) -> None:
    episode = play("Delete the plant 'Fern' in the Garden app")
    assert "Fern" not in episode.phone.plants
    assert len(episode.phone.plants) == 15
    assert episode.last == Finished()


def test_chooses_an_option(play: Play) -> None:
    episode = play("Set the measurement units to Imperial in the Garden app.")
    assert episode.phone.units == "Imperial"
    assert episode.last == Finished()


@pytest.mark.parametrize(("wanted", "moisture"), [("the maximum", 100), ("the minimum", 0), ("75%", 75)])
def test_moves_a_slider(play: Play, wanted: str, moisture: int) -> None:
    episode = play(f"Set the soil moisture to {wanted} in the Garden app")
    assert abs(episode.phone.moisture - moisture) <= 3
    assert episode.last == Finished()


def test_enters_a_duration_on_a_pad(play: Play) -> None:
    episode = play("Start the sprinkler for 5 minutes in the Garden app.")
    assert episode.phone.running == "500"
    assert episode.last == Finished()


def test_gives_up_on_an_app_that_is_not_there(play: Play) -> None:
    episode = play("Turn on autopilot in the Spaceship app.")
    assert isinstance(episode.last, Finished)
    assert episode.last.status == "infeasible"
    assert "Spaceship" in episode.last.text


def test_gives_up_on_a_thing_that_is_not_there(play: Play) -> None:
    episode = play("Delete the plant 'Baobab' in the Garden app")
    assert isinstance(episode.last, Finished)
    assert episode.last.status == "infeasible"
    assert len(episode.phone.plants) == 16


def test_finds_its_way_without_an_app_in_the_goal(play: Play) -> None:
    episode = play("Turn on watering reminders")
    assert episode.phone.reminders is True


@pytest.mark.parametrize("window", [0, 1, 3])
def test_works_with_a_history_cut_short(play: Play, window: int) -> None:
    episode = play("Delete the plant 'Fern' in the Garden app", window=window)
    assert "Fern" not in episode.phone.plants
    assert len(episode.phone.plants) == 15


def test_a_history_cut_short_still_ends(play: Play) -> None:
    episode = play("In the Garden app, turn on autopilot.", window=1, limit=50)
    assert isinstance(episode.last, Finished)
    assert episode.last.status == "infeasible"
