"""Goals are read into intents, values with their fields, names, states and apps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_server.baselines.goal import Goal, Part, read_goal


def only(text: str) -> Part:
    parts = read_goal(text).parts
    assert len(parts) == 1, parts
    return parts[0]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Turn Wi-Fi off.", "toggle"),
        ("Please enable location", "toggle"),
        ("Make sure dark theme is turned on", "toggle"),
        ("Make sure frost alerts are on in Garden", "toggle"),
        ("Create a playlist named Rain", "create"),
        ("I want you to add a bookmark for www.example.org", "create"),
        ("Delete the plant 'Fern'", "delete"),
        ("Clear the history", "delete"),
        ("Rename the file A.txt to 'B.txt'", "edit"),
        ("Set the volume to 30%", "set"),
        ("Start the stopwatch", "start"),
        ("Open the second page", "open"),
        ("Find the cheapest flight", "find"),
        ("What is the battery level?", "ask"),
        ("How many plants are there?", "ask"),
        ("Tell me the serial number", "ask"),
        ("Check whether location is on", "ask"),
        ("Blah", "other"),
    ],
)
def test_intent(text: str, intent: str) -> None:
    assert only(text).intent == intent


def test_a_toggle_has_subject_and_state() -> None:
    part = only("In the Garden app, turn off Wi‑Fi scanning")
    assert part.terms == ("wifi", "scanning")
    assert part.state is False
    assert part.app is not None
    assert (part.app.name, part.app.said) == ("Garden", "called")


def test_two_switches_are_two_parts_each_with_its_state() -> None:
    on, off = read_goal("Turn reminders on and frost alerts off").parts
    assert (on.terms, on.state) == (("reminder",), True)
    assert (off.terms, off.state) == (("frost", "alert"), False)
    both = read_goal("Turn off Bluetooth and NFC").parts
    assert [(part.terms, part.state) for part in both] == [(("bluetooth",), False), (("nfc",), False)]


def test_values_know_their_fields() -> None:
    part = only('Add a plant: first name "Ann", last name "O\'Neil", phone 555-010-4477, email a.b@example.org')
    assert [(value.text, value.kind, value.key) for value in part.values] == [
        ("Ann", "text", ("first", "name")),
        ("O'Neil", "text", ("last", "name")),
        ("555-010-4477", "phone", ("phone",)),
        ("a.b@example.org", "email", ("email",)),
    ]


def test_names_without_quotes() -> None:
    part = only("Create a plant named Silver Birch with the phone number +44 20 7946 0777 in the Garden app.")
    assert [(value.text, value.key) for value in part.values] == [
        ("Silver Birch", ("name",)),
        ("+44 20 7946 0777", ("phone", "number")),
    ]
    assert part.terms == ("plant",)


def test_a_value_may_name_its_field_behind_itself() -> None:
    part = only("Write 'Rain' as the title and 'all day' into the body field")
    assert [(value.text, value.key) for value in part.values] == [("Rain", ("title",)), ("all day", ("body",))]


def test_later_clauses_join_the_thing_they_speak_of() -> None:
    part = only("Create a playlist called Rain and set its label to 'wet', then save it")
    assert part.intent == "create"
    assert [value.text for value in part.values] == ["Rain", "wet"]


def test_editing_keeps_what_is_there_apart_from_what_is_to_be_written() -> None:
    part = only("Change the phone number of Ana Lopez to 555 123 9876.")
    assert part.targets == ("Ana Lopez",)
    assert [value.text for value in part.values] == ["555 123 9876"]
    assert part.terms == ("phone", "number")
    renamed = only('Rename the list "A" to "B"')
    assert (renamed.targets, [value.text for value in renamed.values]) == (("A",), ["B"])


def test_an_option_is_a_value_even_without_quotes() -> None:
    part = only("Set the measurement units to Imperial in the Garden app.")
    assert [value.text for value in part.values] == ["Imperial"]
    assert part.terms == ("measurement", "unit")


@pytest.mark.parametrize(("words", "extreme"), [("the maximum", "highest"), ("its lowest level", "lowest")])
def test_extremes(words: str, extreme: str) -> None:
    part = only(f"Set the brightness to {words}")
    assert part.extreme == extreme
    assert part.terms[0] == "brightness"


def test_a_question_about_somebody() -> None:
    part = only("Open the Garden app, find Zoe Young and tell me her email address")
    assert part.intent == "ask"
    assert part.targets == ("Zoe Young",)
    assert part.terms == ("email", "address")


def test_how_to_answer_belongs_to_the_question() -> None:
    part = only("What is the phone number of Bob Stone? Answer with the digits only.")
    assert part.intent == "ask"
    assert part.targets == ("Bob Stone",)


def test_each_part_has_the_app_of_its_clause() -> None:
    goal = read_goal("Turn on reminders in the Garden app, then start the stopwatch in the Kitchen app.")
    assert [(part.intent, part.app.name if part.app else None) for part in goal.parts] == [
        ("toggle", "Garden"),
        ("start", "Kitchen"),
    ]


def test_opening_an_app_is_a_goal_of_its_own_only_when_nothing_follows() -> None:
    part = only("Open Garden")
    assert (part.intent, part.terms, part.app.name if part.app else "") == ("open", (), "Garden")
    assert only("Open Garden and delete 'Fern'").intent == "delete"


@pytest.mark.parametrize("text", ["", " ", "???", "\ue000\ue001", "“”", "''", "and then, and", "Turn on", "named", "5"])
def test_odd_goals_have_a_part(text: str) -> None:
    assert read_goal(text).parts


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    goal = read_goal(text)
    assert isinstance(goal, Goal)
    assert goal.parts


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "turn",
                "on",
                "off",
                "and",
                "then",
                "create",
                "named",
                "'X'",
                '"a',
                'b"',
                "7:30",
                "pm",
                "5",
                "minutes",
                "Open",
                "Settled",
                "in",
                "the",
                "Foo",
                "app",
                ",",
                ".",
                "?",
                "to",
                "Ann",
                "Lee's",
            ]
        ),
        max_size=25,
    )
)
def test_any_order_of_telling_words_is_read(pieces: list[str]) -> None:
    assert read_goal(" ".join(pieces)).parts
