"""`vphone snapshot`, `vphone state` and `vphone clock` as a shell sees them."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from emulator_farm.virtual.commands import TOOLS
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.interpreter import Shell
from emulator_farm.virtual.shell.pipes import BytesSink, BytesSource, Streams

Out = Callable[[str], str]


def state(out: Out) -> Any:
    return json.loads(out("vphone state"))


def test_a_saved_state_comes_back_by_name(out: Out) -> None:
    out("vphone snapshot save clean")
    out("settings put system font_scale 1.3; echo hi > /sdcard/x.txt; svc wifi disable")
    out("vphone snapshot save 'shared/with wifi off'")
    assert out("vphone snapshot list") == "clean\nshared/with wifi off\n"
    out("vphone snapshot load clean")
    assert out("settings get system font_scale; settings get global wifi_on") == "1.0\n1\n"
    assert "x.txt" not in out("ls /sdcard")
    out("vphone snapshot load 'shared/with wifi off'")
    assert out("settings get global wifi_on; cat /sdcard/x.txt") == "0\nhi\n"
    out("vphone snapshot delete clean")
    assert out("vphone snapshot list") == "shared/with wifi off\n"


def test_an_unknown_name_is_said(sh: Callable[..., Any]) -> None:
    result = sh("vphone snapshot load nowhere")
    assert (result.code, result.err) == (1, "vphone: no snapshot is named 'nowhere'; saved are: none\n")
    assert sh("vphone snapshot frobnicate x").code == 1
    assert "snapshot import" in sh("vphone snapshot").err


def test_bytes_carry_a_state_to_another_phone(sh: Callable[..., Any]) -> None:
    sh("echo carried > /sdcard/x.txt; input keyevent 187")
    data = sh("vphone snapshot export").raw
    handset = Handset(Phone("virtual-7", seed=7))
    out, err = BytesSink(), BytesSink()
    line = "vphone snapshot import && cat /sdcard/x.txt"
    code = asyncio.run(Shell(handset, TOOLS).run_text(line, Streams(BytesSource(data), out, err)))
    assert (code, out.data, err.data) == (0, b"carried\n", b"")
    assert handset.phone.hierarchy() == sh.phone.hierarchy()  # type: ignore[attr-defined]
    assert handset.loads == 1
    handset.close()
    refused = sh("vphone snapshot import", b"PNG")
    assert (refused.code, refused.err) == (1, "vphone: these bytes are no snapshot of a virtual phone\n")


def test_the_state_is_what_other_commands_say(sh: Callable[..., Any], out: Out) -> None:
    out("settings put system font_scale 1.15; echo -n text > /sdcard/a.txt; mkdir /sdcard/b")
    out("pm grant com.android.contacts android.permission.READ_SMS; setprop debug.x 1; cmd battery set level 41")
    out("content insert --uri content://com.android.deskclock/alarms --bind hour:i:6 --bind minutes:i:5")
    out("input keyevent 187")
    sh("cat > /sdcard/zero.bin", bytes(5000))
    now = state(out)
    assert now["settings"]["system"]["font_scale"] == "1.15"
    assert now["props"]["debug.x"] == "1"
    assert (now["files"]["/sdcard/a.txt"], now["files"]["/sdcard/b"]) == ("text", "folder")
    assert now["files"]["/sdcard/zero.bin"].startswith("5000 bytes, sha256 ")
    assert now["packages"]["com.android.contacts"]["permissions"] == {"android.permission.READ_SMS": True}
    assert now["device"]["battery"] == 41
    alarms = now["content"]["com.android.deskclock"]["alarms"]
    assert [(row["hour"], row["minutes"]) for row in alarms.values()] == [(8, 30), (9, 0), (6, 5)]
    people = now["content"]["com.android.contacts"]["raw_contacts"]
    assert people["1"]["display_name"] == "Amara Okafor"
    assert "contacts" not in now["content"]["com.android.contacts"]
    assert now["screen"]["foreground"].startswith("com.android.launcher3/")


def test_the_state_is_the_same_text_while_nothing_happens(out: Out) -> None:
    out("vphone clock hold")
    first = out("vphone state")
    assert out("vphone state") == first
    assert first == json.dumps(json.loads(first), ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def test_databases_of_apps_are_read_as_rows(sh: Callable[..., Any], out: Out) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE cart (_id INTEGER PRIMARY KEY, item TEXT, n INTEGER)")
    db.execute("INSERT INTO cart VALUES (3, 'x', 2)")
    db.commit()
    data = db.serialize()
    db.close()
    sh("cat > /data/local/tmp/shop.db", data)
    assert state(out)["files"]["/data/local/tmp/shop.db"] == {"cart": {"3": {"item": "x", "n": 2}}}
    sh("cat > /data/local/tmp/shop.db", data[:20] + bytes(200))
    assert state(out)["files"]["/data/local/tmp/shop.db"].startswith("220 bytes")


def test_the_clock_can_be_held(out: Out) -> None:
    out("vphone clock hold")
    assert len({out("date +%s.%N") for _ in range(3)}) == 1
    out("vphone clock run")
    assert len({out("date +%s.%N") for _ in range(3)}) > 1


@pytest.mark.parametrize(
    "commands",
    [
        "cmd notification post -t Hello tag1 'A text'; cmd statusbar expand-notifications",
        "cmd statusbar expand-settings",
        "am start -n com.android.settings/.Settings; input keyevent 187",
        "locksettings set-pin 1234; input keyevent 26; input keyevent 26",
        "cmd uimode night yes; wm density 360; settings put system font_scale 1.3; input keyevent 176",
        "settings put system user_rotation 1; am start -n com.android.contacts/.activities.PeopleActivity",
        "input keyevent 26",
    ],
)
def test_the_system_itself_comes_back(sh: Callable[..., Any], commands: str) -> None:
    sh("vphone clock hold")
    sh(commands)
    looks = sh("screencap -p").raw, sh("uiautomator dump /dev/tty").out, sh("dumpsys window").out
    sh("vphone snapshot save there")
    sh("reboot; vphone reset; vphone clock hold; vphone snapshot load there")
    assert (sh("screencap -p").raw, sh("uiautomator dump /dev/tty").out, sh("dumpsys window").out) == looks
    sh("vphone reset; input keyevent 3")
    assert sh("screencap -p").raw != looks[0]
    sh("vphone snapshot load there")
    assert sh("screencap -p").raw == looks[0]
