"""Opening apps by what a model calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent_server.actions import OpenApp
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.apps import ALIASES, Apps, best_match
from emulator_farm.devices.device import Device
from emulator_farm.devices.dumpsys import Component
from emulator_farm.devices.transport import Transport

Scripted = Callable[..., Any]

EMULATOR = [
    Component.parse(name)
    for name in (
        "com.android.settings/.Settings",
        "com.google.android.deskclock/com.android.deskclock.DeskClock",
        "com.google.android.contacts/com.android.contacts.activities.PeopleActivity",
        "com.google.android.dialer/.extensions.GoogleDialtactsActivity",
        "com.android.chrome/com.google.android.apps.chrome.Main",
        "com.google.android.apps.messaging/.ui.ConversationListActivity",
        "net.gsantner.markor/.activity.MainActivity",
        "com.simplemobiletools.draw.pro/.activities.SplashActivity",
        "code.name.monkey.retromusic/.activities.MainActivity",
        "org.tasks/com.todoroo.astrid.activity.MainActivity",
        "com.arduia.expense/.ui.MainActivity",
        "de.dennisguse.opentracks/.TrackListActivity",
        "com.flauschcode.broccoli/.MainActivity",
        "org.videolan.vlc/.StartActivity",
        "com.dimowner.audiorecorder/.app.welcome.WelcomeActivity",
    )
]


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("Settings", "com.android.settings"),
        ("the settings app", "com.android.settings"),
        ("Clock", "com.google.android.deskclock"),
        ("Alarms", "com.google.android.deskclock"),
        ("Contacts", "com.google.android.contacts"),
        ("Phone", "com.google.android.dialer"),
        ("google chrome", "com.android.chrome"),
        ("Browser", "com.android.chrome"),
        ("SMS", "com.google.android.apps.messaging"),
        ("Markor", "net.gsantner.markor"),
        ("markor ", "net.gsantner.markor"),
        ("Retro Music", "code.name.monkey.retromusic"),
        ("Tasks", "org.tasks"),
        ("OpenTracks", "de.dennisguse.opentracks"),
        ("Open Tracks", "de.dennisguse.opentracks"),
        ("Broccoli", "com.flauschcode.broccoli"),
        ("VLC", "org.videolan.vlc"),
        ("Audio Recorder", "com.dimowner.audiorecorder"),
        ("Expense", "com.arduia.expense"),
        ("de.dennisguse.opentracks", "de.dennisguse.opentracks"),
    ],
)
def test_names_find_their_app(name: str, package: str) -> None:
    match = best_match(name, EMULATOR)
    assert match is not None
    assert match.package == package


@pytest.mark.parametrize("name", ["Photoshop", "", "…", "com.android.clock", "main", "android", "Whatsapp"])
def test_other_names_find_none(name: str) -> None:
    assert best_match(name, EMULATOR) is None


def test_the_table_is_in_the_form_it_is_looked_up_in() -> None:
    assert all(name == name.casefold() for name in ALIASES)
    assert all("." in package for packages in ALIASES.values() for package in packages)


def test_by_name_package_and_component(device: Device) -> None:
    for name in ("Settings", "com.android.settings", "com.android.settings/.Settings"):
        device.go_home()
        outcome = device.perform(OpenApp(app=name))
        assert outcome.status == "ok"
        assert (outcome.command or "").startswith("am start -n com.android.settings/com.android.settings.Settings ")
        component = device.foreground().component
        assert component is not None
        assert component.package == "com.android.settings"


@pytest.mark.parametrize("name", ["Photoshop", "'; reboot; '", "$(reboot)"])
def test_an_app_that_is_not_there_is_the_agents_mistake(device: Device, name: str) -> None:
    outcome = device.perform(OpenApp(app=name))
    assert (outcome.status, outcome.command) == ("rejected", None)
    assert "com.android.settings" in outcome.detail


def test_an_activity_that_is_not_there_is_the_agents_mistake(device: Device) -> None:
    outcome = device.perform(OpenApp(app="com.android.settings/.Nothing"))
    assert outcome.status == "rejected"
    assert "does not exist" in outcome.detail


def test_an_app_installed_later_is_found(scripted: Scripted, adb_server: AdbServer) -> None:
    phone = scripted({"cmd package": "com.android.settings/.Settings\n", "am start": "Starting: Intent { cmp=x }\n"})
    apps = Apps(Transport(phone.address, adb_server.address))
    assert apps.open("Markor").status == "rejected"
    listed = b"com.android.settings/.Settings\nnet.gsantner.markor/.activity.MainActivity\n"
    phone.answers["cmd package"] = phone.answers["cmd package"]._replace(stdout=listed)
    assert apps.open("Markor").status == "ok"
    count = len(phone.commands)
    apps.open("Settings")
    assert len(phone.commands) == count + 1


def test_a_phone_that_cannot_list_activities(scripted: Scripted, adb_server: AdbServer) -> None:
    none = "** No activities found to run, monkey aborted.\n"
    phone = scripted({"monkey -p a.b ": "Events injected: 1\n", "monkey": none, "pm list packages": "package:a.b\n"})
    apps = Apps(Transport(phone.address, adb_server.address))
    assert apps.open("a.b").status == "ok"
    assert apps.open("a.c").status == "rejected"
    assert apps.installed() == ["a.b"]


def test_an_answer_that_cannot_be_read_is_no_start(scripted: Scripted, adb_server: AdbServer) -> None:
    phone = scripted({"am start": ""})
    outcome = Apps(Transport(phone.address, adb_server.address)).open("a.b/.C")
    assert outcome.status == "rejected"
    assert "am start" in outcome.detail
