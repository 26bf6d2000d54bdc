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
    assert episode.phone.numbers["Silver Birch"] == "+44 20 7946 0777"
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


def test_edits_by_deleting_what_is_there(play: Play) -> None:
    episode = play("Change the phone number of Walnut to 0117 496 0001 in Garden")
    assert episode.phone.numbers["Walnut"] == "0117 496 0001"
    assert "Walnut" in episode.phone.plants
    assert episode.last == Finished()


def test_does_to_a_thing_what_the_goal_says(play: Play) -> None:
    episode = play("Mark Fern as a favourite in Garden")
    assert episode.phone.starred == {"Fern"}
    assert episode.last == Finished()


def test_opens_a_thing(play: Play) -> None:
    episode = play("Open the plant 'Walnut' in the Garden app")
    assert episode.phone.page.title == "Walnut"
    assert episode.last == Finished()


def test_opens_an_app(play: Play) -> None:
    episode = play("Open the Radio app")
    assert episode.phone.page.title == "Radio"
    assert episode.last == Finished()


def test_switches_by_a_button_that_says_what_it_does(play: Play) -> None:
    episode = play("Turn on quiet hours in the Garden app")
    assert episode.phone.quiet is True
    assert episode.last == Finished()


@pytest.mark.parametrize(("goal", "size"), [("two steps larger", 5), ("one step smaller", 2)])
def test_changes_by_steps(play: Play, goal: str, size: int) -> None:
    episode = play(f"Make the label size {goal} in the Garden app")
    assert episode.phone.size == size
    assert episode.last == Finished()


def test_flips_the_switch_in_the_right_entry_of_a_list(play: Play) -> None:
    episode = play("Turn on the watering for 8:00 PM in Garden")
    assert episode.phone.times == {"6:30 AM": True, "8:00 PM": True}
    assert episode.last == Finished()


def test_deletes_an_entry_where_it_unfolds(play: Play) -> None:
    episode = play("Delete the watering time '8:00 PM' in Garden")
    assert list(episode.phone.times) == ["6:30 AM"]
    assert episode.last == Finished()


@pytest.mark.parametrize("face", [False, True])
def test_picks_a_time(play: Play, toy: Any, face: bool) -> None:
    toy.face = face
    episode = play("Set a watering time for 7:45 PM in Garden")
    assert episode.phone.times.get("7:45 PM") is True
    assert episode.last == Finished()


def test_types_a_minute_that_the_face_does_not_show(play: Play, toy: Any) -> None:
    toy.face = True
    episode = play("Add a watering time for 9:07 AM labelled 'Ferns' in Garden")
    assert episode.phone.times.get("9:07 AM") is True
    assert episode.phone.labels == {"9:07 AM": "Ferns"}


def test_appends_to_a_text(play: Play) -> None:
    episode = play("Add a line 'West bed 4' at the end of the page 'Journal' in Garden")
    assert episode.phone.journal == "North bed 17\nSouth bed 23\nWest bed 4"
    assert episode.last == Finished()


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("What is the count of the south bed in the page 'Journal' of the Garden app?", "23"),
        ("Whose phone number is +44 20 7946 0958? Look in the Garden app.", "Rose"),
        ("Are frost alerts on in the preferences of the Garden app?", "yes"),
        ("Check whether watering reminders are off in the Garden app", "yes"),
        ("How many watering times are on in Garden?", "1"),
        ("How many watering times are there in Garden?", "2"),
    ],
)
def test_answers(play: Play, goal: str, answer: str) -> None:
    episode = play(goal)
    assert [action.text for action in episode.actions if isinstance(action, Answer)] == [answer]
    assert episode.last == Finished()


@pytest.mark.parametrize("window", [0, 1, 3])
def test_works_with_a_history_cut_short(play: Play, window: int) -> None:
    episode = play("Delete the plant 'Fern' in the Garden app", window=window)
    assert "Fern" not in episode.phone.plants
    assert len(episode.phone.plants) == 15


def test_a_history_cut_short_still_ends(play: Play) -> None:
    episode = play("In the Garden app, turn on autopilot.", window=1, limit=50)
    assert isinstance(episode.last, Finished)
    assert episode.last.status == "infeasible"
