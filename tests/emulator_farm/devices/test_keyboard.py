"""Typing: any text arrives as it is, and nothing of it can mean anything to a shell."""

from __future__ import annotations

import base64
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_server.actions import Click, OpenApp, Press, Type
from agent_server.ui_tree import Node, parse_ui_tree
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.keyboard import IME, NO_FIELD, Keyboard, chunks
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import CommandFailed, DeviceError, NotReady

Scripted = Callable[..., Any]
LATIN = "com.android.inputmethod.latin/.LatinIME"


@given(st.text(), st.integers(4, 40))
def test_pieces_are_small_enough_and_give_the_text(text: str, limit: int) -> None:
    pieces = list(chunks(text, limit))
    assert "".join(pieces) == text
    assert all(0 < len(piece.encode()) <= limit for piece in pieces)


def _nodes(device: Device) -> list[Node]:
    tree = device.observe().ui_tree
    assert tree is not None
    return list(parse_ui_tree(tree))


def _field(device: Device) -> Node:
    return next(node for node in _nodes(device) if node.editable)


@pytest.fixture
def field(device: Device) -> Device:
    """The phone with an empty, focused text field: the search of its settings."""
    device.perform(OpenApp(app="Settings"))
    search = next(node for node in _nodes(device) if node.label == "Search settings")
    device.perform(Click(point=search.bounds.centre))
    assert _field(device).focused
    return device


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'it\'s "quoted"',
        "100%s and %d",
        "$(reboot) `reboot` ; reboot & reboot | reboot > /sdcard/x",
        "back\\slash \\n \\u0041",
        "日本語 العربية हिन्दी",
        "😀 👩‍👩‍👧‍👦 é é",
        "  spaces  ",
        "-n --es text x",
        "x" * 5000 + "é" * 3000,
    ],
    ids=lambda text: text[:12],
)
def test_any_text_arrives_as_it_is(field: Device, text: str) -> None:
    outcome = field.perform(Type(text=text))
    assert outcome.status == "ok"
    assert _field(field).text == text


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Zl", "Zp"]), min_size=1, max_size=40)
)
def test_any_text_at_all(field: Device, text: str) -> None:
    field.keyboard.clear_text()
    assert field.perform(Type(text=text)).status == "ok"
    assert field.perform(Type(text="|")).status == "ok"
    assert _field(field).text == text + "|"


def test_what_goes_to_the_shell_holds_nothing_of_the_text(field: Device) -> None:
    outcome = field.perform(Type(text="$(reboot)'\"; reboot"))
    command = re.fullmatch(
        r"am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text ([A-Za-z0-9+/=]+)", outcome.command or ""
    )
    assert command is not None
    assert base64.b64decode(command[1]).decode() == "$(reboot)'\"; reboot"


def test_text_is_added_and_can_be_cleared(field: Device) -> None:
    field.perform(Type(text="one "))
    field.perform(Type(text="two"))
    assert _field(field).text == "one two"
    assert field.keyboard.clear_text().status == "ok"
    assert _field(field).text in ("", "Search settings")


def test_a_final_newline_is_the_enter_key(scripted: Scripted, adb_server: AdbServer) -> None:
    phone, keyboard = _scripted_keyboard(scripted, adb_server)
    assert keyboard.type("one\ntwo\n").status == "ok"
    assert base64.b64decode(phone.commands[-2].split()[-1]) == b"one\ntwo"
    assert phone.commands[-1] == "input keyevent 66"
    count = len(phone.commands)
    outcome = keyboard.type("\n")
    assert (outcome.status, outcome.command) == ("ok", "input keyevent 66")
    assert len(phone.commands) == count + 1


def test_nothing_to_type_touches_nothing(device: Device) -> None:
    outcome = device.perform(Type(text=""))
    assert (outcome.status, outcome.command) == ("none", None)


def test_without_a_focused_field_it_is_the_agents_mistake(device: Device) -> None:
    device.perform(Press(key="home"))
    outcome = device.perform(Type(text="hello"))
    assert (outcome.status, outcome.detail) == ("rejected", NO_FIELD)
    assert device.keyboard.clear_text().status == "rejected"


def test_the_keyboard_is_set_once_and_can_be_put_back(device: Device) -> None:
    assert device.keyboard.current() == LATIN
    device.prepare()
    assert device.keyboard.current() == IME
    assert device.keyboard.previous == LATIN
    device.keyboard.ensure()
    assert device.keyboard.previous == LATIN
    device.keyboard.restore()
    assert device.keyboard.current() == LATIN
    device.keyboard.restore()
    assert device.keyboard.current() == LATIN


def test_a_keyboard_that_somebody_changed_is_set_again(field: Device) -> None:
    field.perform(Type(text="one "))
    field.shell(["ime", "set", LATIN])
    assert field.perform(Type(text="two")).status == "ok"
    assert _field(field).text == "one two"
    assert field.keyboard.current() == IME


def test_a_phone_without_it_gets_it_installed(scripted: Scripted, adb_server: AdbServer) -> None:
    phone, _ = _scripted_keyboard(
        scripted, adb_server, **{"settings get secure default_input_method": LATIN + "\n", "ime list": LATIN + "\n"}
    )
    apks: list[bytes] = []

    def install(apk: bytes) -> None:
        apks.append(apk)
        phone.answers["ime list"] = phone.answers["ime list"]._replace(stdout=f"{LATIN}\n{IME}\n".encode())
        selected = phone.answers["settings get secure default_input_method"]._replace(stdout=IME.encode() + b"\n")
        phone.answers["settings get secure default_input_method"] = selected

    keyboard = Keyboard(Transport(phone.address, adb_server.address), install)
    keyboard.ensure()
    assert keyboard.previous == LATIN
    assert [apk[:2] for apk in apks] == [b"PK"]
    assert f"ime set {IME}" in phone.commands


def _scripted_keyboard(scripted: Scripted, adb_server: AdbServer, **changes: object) -> tuple[Any, Keyboard]:
    answers = {
        "settings get secure default_input_method": IME + "\n",
        "ime list": f"{LATIN}\n{IME}\n",
        "ime enable": "",
        "ime set": f"Input method {IME} selected for user #0\n",
        "am broadcast": "Broadcasting: Intent { }\nBroadcast completed: result=-1\n",
        "input keyevent": "",
    }
    phone = scripted(answers | changes)

    def refuse(apk: bytes) -> None:
        raise CommandFailed(serial="s", command="pm install", exit_code=1, stdout="Failure [INSTALL_FAILED_ABORTED]")

    return phone, Keyboard(Transport(phone.address, adb_server.address), refuse)


def test_a_focus_that_is_lost_on_the_way_says_how_far_it_came(scripted: Scripted, adb_server: AdbServer) -> None:
    phone, keyboard = _scripted_keyboard(scripted, adb_server)
    second = base64.b64encode(b"b" * 2000).decode()
    none = phone.answers["am broadcast"]._replace(stdout=b"Broadcast completed: result=0\n")
    phone.answers[f"am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text {second}"] = none
    outcome = keyboard.type("a" * 2000 + "b" * 2000)
    assert (outcome.status, outcome.detail) == ("rejected", f"{NO_FIELD} after 2000 characters")


def test_a_phone_that_refuses_the_keyboard_is_not_ready(scripted: Scripted, adb_server: AdbServer) -> None:
    refused = "Unknown input method cannot be selected for user #0\n"
    _, keyboard = _scripted_keyboard(
        scripted, adb_server, **{"settings get secure default_input_method": LATIN + "\n", "ime set": refused}
    )
    with pytest.raises(NotReady, match="cannot be selected") as caught:
        keyboard.ensure()
    assert caught.value.cause == "not_ready_keyboard"


def test_a_failing_install_is_raised(scripted: Scripted, adb_server: AdbServer) -> None:
    _, keyboard = _scripted_keyboard(
        scripted, adb_server, **{"settings get secure default_input_method": LATIN + "\n", "ime list": LATIN + "\n"}
    )
    with pytest.raises(CommandFailed, match="INSTALL_FAILED_ABORTED"):
        keyboard.type("x")


def test_a_broadcast_that_does_not_complete_is_an_error(scripted: Scripted, adb_server: AdbServer) -> None:
    _, keyboard = _scripted_keyboard(scripted, adb_server, **{"am broadcast": "Broadcasting: Intent { }\n"})
    with pytest.raises(DeviceError, match="completed broadcast"):
        keyboard.type("x")


def test_after_forgetting_the_keyboard_is_looked_at_again(scripted: Scripted, adb_server: AdbServer) -> None:
    phone, keyboard = _scripted_keyboard(scripted, adb_server)
    keyboard.type("x")
    keyboard.type("y")
    assert sum(line.startswith("settings get") for line in phone.commands) == 1
    keyboard.forget()
    keyboard.type("z")
    assert sum(line.startswith("settings get") for line in phone.commands) == 2


def test_a_keyboard_that_was_just_selected_is_given_time(scripted: Scripted, adb_server: AdbServer) -> None:
    phone, keyboard = _scripted_keyboard(
        scripted, adb_server, **{"am broadcast": "Broadcast completed: result=0\n", "settings get": LATIN + "\n"}
    )
    current = phone.answers["settings get secure default_input_method"]
    phone.answers["settings get secure default_input_method"] = current._replace(stdout=LATIN.encode())
    done = phone.answers["am broadcast"]._replace(stdout=b"Broadcast completed: result=-1\n")

    def start() -> None:
        while not any(line.startswith("ime set") for line in phone.commands):
            time.sleep(0.01)
        phone.answers["settings get secure default_input_method"] = current
        while not any(line.startswith("am broadcast") for line in phone.commands):
            time.sleep(0.01)
        phone.answers["am broadcast"] = done

    thread = threading.Thread(target=start)
    thread.start()
    assert keyboard.type("x").status == "ok"
    thread.join()
    assert sum(line.startswith("am broadcast") for line in phone.commands) >= 2
