"""How to do each task of the suite `phone`, knowing only its goal and the screen.

An expert is a function of a person and of what a pattern reads from the goal. The pattern fits the whole goal, so a
goal that does not say what is needed has no expert.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from person import Person

Play = Callable[..., None]


@dataclass(frozen=True)
class Expert:
    """`play(person, **read)` where `read` are the named groups of `goal`; `decided` overrules its judgement."""

    goal: re.Pattern[str]
    play: Play

    def __call__(self, person: Person, goal: str, **decided: object) -> None:
        read = self.goal.fullmatch(goal)
        assert read, f"the expert does not understand {goal!r}"
        self.play(person, **read.groupdict(), **decided)


EXPERTS: dict[str, Expert] = {}


def expert(goal: str) -> Callable[[Play], Play]:
    """Register a function as the expert of the task that it is named for."""

    def register(play: Play) -> Play:
        EXPERTS[play.__name__] = Expert(re.compile(goal), play)
        return play

    return register


# -- Settings


@expert("Turn Wi-Fi off")
def wifi_off(person: Person) -> None:
    person.open("Settings")
    person.go("Network & internet", "Internet")
    person.switch("Wi-Fi", False)
    person.finish()


@expert("Turn on Bluetooth")
def bluetooth_on(person: Person) -> None:
    person.open("Settings")
    person.go("Connected devices", "Connection preferences", "Bluetooth")
    person.switch("Use Bluetooth", True)
    person.finish()


@expert("Turn on the dark theme")
def dark_theme_on(person: Person) -> None:
    person.open("Settings")
    person.tap("Display")
    person.switch("Dark theme", True)
    person.finish()


@expert("Set the screen timeout to (?P<timeout>.+)")
def screen_timeout(person: Person, timeout: str) -> None:
    person.open("Settings")
    person.go("Display", "Screen timeout", timeout)
    person.finish()


@expert("Set the screen brightness to its maximum")
def brightness_maximum(person: Person) -> None:
    person.open("Settings")
    person.go("Display", "Brightness level")
    person.slide(person.find("Display brightness"), 1)
    person.finish()


@expert("Make the font size two steps larger than it is now")
def font_size(person: Person) -> None:
    person.open("Settings")
    person.go("Display", "Display size and text", "Make larger", "Make larger")
    person.finish()


@expert("Make the phone show the time in 24-hour format")
def clock_24_hours(person: Person) -> None:
    person.open("Settings")
    person.go("System", "Date & time")
    person.switch("Use 24-hour format", True)
    person.finish()


@expert("What is the device name of this phone, as About phone in Settings shows it.*")
def device_name(person: Person) -> None:
    person.open("Settings")
    person.tap("About phone")
    person.find("Device name")
    texts = person.texts()
    person.answer(texts[texts.index("Device name") + 1])


@expert("Enable the developer options of this phone")
def developer_options(person: Person) -> None:
    person.open("Settings")
    person.tap("About phone")
    person.go(*["Build number"] * 7)
    person.finish()


# -- Contacts


@expert("Mark (?P<name>.+) as a favorite in Contacts")
def contact_favorite(person: Person, name: str) -> None:
    person.open("Contacts")
    person.go(name, "Add to favorites")
    person.finish()


@expert(r"Add a contact named (?P<first>\w+) (?P<last>\w+) with the phone number (?P<phone>\d+)")
def contact_add(person: Person, first: str, last: str, phone: str) -> None:
    person.open("Contacts")
    person.tap("Create contact")
    person.enter("First name", first)
    person.enter("Last name", last)
    person.enter("Phone", phone)
    person.tap("Save")
    person.finish()


@expert("Delete the contact (?P<name>.+)")
def contact_delete(person: Person, name: str) -> None:
    person.open("Contacts")
    person.go(name, "More options", "Delete", "Delete")
    person.finish()


@expert(r"Change the phone number of (?P<name>.+) to (?P<phone>\d+) in Contacts")
def contact_change_number(person: Person, name: str, phone: str) -> None:
    person.open("Contacts")
    person.go(name, "Edit contact")
    field = person.first(lambda node: node.editable and node.text.isdigit(), "number to change")
    old = field.text
    person.tap(field)
    person.erase(len(old))
    person.type(phone)
    person.tap("Save")
    person.finish()


@expert(r"Whose phone number is (?P<phone>\d+)\? Look it up in Contacts and answer with the name\.")
def contact_of_number(person: Person, phone: str) -> None:
    person.open("Contacts")
    person.tap("Search contacts")
    person.type(phone)
    row = person.first(lambda node: node.resource_id.endswith("cliv_name_textview"), "contact")
    person.answer(row.text)


@expert("Delete the contact (?P<name>.+)")
def contact_delete_missing(person: Person, name: str) -> None:
    person.open("Contacts")
    assert person.see(name) is None
    person.give_up()


# -- Notes


@expert('Create a note titled "(?P<title>.+)" with the text "(?P<text>.+)"')
def note_create(person: Person, title: str, text: str) -> None:
    person.open("Notes")
    person.tap("New note")
    person.enter("Title", title)
    person.enter("Note", text)
    person.tap("Save")
    person.finish()


@expert(r'What is the code of the (?P<place>\w+), according to the note "Door codes"\? Answer with the code\.')
def note_code(person: Person, place: str) -> None:
    person.open("Notes")
    person.tap("Door codes")
    note = person.first(lambda node: node.editable and place in node.text.lower(), "note").text
    (code,) = re.findall(rf"{place} (\d+)", note.lower())
    person.answer(code)


@expert('Add a line "(?P<item>.+)" at the end of the note "Shopping list"')
def note_add_line(person: Person, item: str) -> None:
    person.open("Notes")
    person.tap("Shopping list")
    person.tap_end(person.first(lambda node: node.editable and "\n" in node.text, "note"))
    person.type(f"\n{item}")
    person.tap("Save")
    person.finish()


@expert(
    'Look up the phone number of (?P<name>.+) in Contacts and save it as the text of a new note titled "(?P<title>.+)"'
)
def note_from_contact(person: Person, name: str, title: str) -> None:
    person.open("Contacts")
    person.tap(name)
    phone = person.first(lambda node: node.text.isdigit(), "phone number").text
    person.open("Notes")
    person.tap("New note")
    person.enter("Title", title)
    person.enter("Note", phone)
    person.tap("Save")
    person.finish()


# -- Clock


@expert("Start the stopwatch in the Clock app")
def stopwatch_start(person: Person) -> None:
    person.open("Clock")
    person.go("Stopwatch", "Start")
    person.finish()


@expert("Turn off the alarm for (?P<time>.+) in the Clock app")
def alarm_off(person: Person, time: str) -> None:
    person.open("Clock")
    alarm = person.find(time).bounds
    switch = person.first(lambda node: node.class_name.endswith("Switch") and node.bounds.top >= alarm.bottom, "switch")
    assert switch.checked
    person.tap(switch)
    person.finish()


def enter_time(person: Person, hour: str, minute: str, half: str) -> None:
    person.tap("Add alarm")
    person.enter("hour", hour)
    person.enter("minute", minute)
    person.go(half, "OK")


@expert(r"Set an alarm for (?P<hour>\d+):(?P<minute>\d+) (?P<half>[AP]M) in the Clock app")
def alarm_set(person: Person, hour: str, minute: str, half: str) -> None:
    person.open("Clock")
    enter_time(person, hour, minute, half)
    person.finish()


@expert(r"Start a timer of (?P<minutes>\d+) minutes in the Clock app")
def timer_start(person: Person, minutes: str) -> None:
    person.open("Clock")
    person.go("Timer", *minutes, "00", "Start")
    person.finish()


@expert(
    r"In the Clock app, set an alarm for (?P<hour>\d+):(?P<minute>\d+) AM that repeats every (?P<one>\w+) and "
    r'(?P<two>\w+), and label it "(?P<label>.+)"'
)
def alarm_weekly(person: Person, hour: str, minute: str, one: str, two: str, label: str) -> None:
    person.open("Clock")
    enter_time(person, hour, minute, "AM")
    person.go(one, two, "Add label")
    person.type(label)
    person.tap("OK")
    person.finish()


@expert("Turn off the alarm for (?P<time>.+) in the Clock app")
def alarm_off_missing(person: Person, time: str) -> None:
    person.open("Clock")
    assert person.see(time) is None
    person.give_up()
