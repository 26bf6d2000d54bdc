"""Faults are switched on and off on a running phone: by `vphone`, from the process that runs it, and by a plan."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from emulator_farm.virtual.defaults import ADB_IME
from emulator_farm.virtual.fault_plan import FaultPlan, Rule
from emulator_farm.virtual.faults import LASTING, WORDS
from emulator_farm.virtual.fleet import PhoneOptions

Sh = Any
"""The `sh` fixture."""
SETTINGS = "am start -n com.android.settings/.Settings"


def test_each_can_be_armed_and_disarmed(sh: Sh) -> None:
    for kind, values in WORDS.items():
        for value in values:
            assert sh(f"vphone fault {kind} {value}").code == 0, (kind, value)
            assert f"{kind}={value}\n" in sh("vphone faults").out
        assert sh(f"vphone fault {kind} off").code == 0
    assert all(line.endswith(("=", "=0")) for line in sh("vphone faults").out.splitlines())


@pytest.mark.parametrize("kind", LASTING)
def test_what_changes_the_phone_is_undone(sh: Sh, kind: str) -> None:
    sh(f"ime set {ADB_IME}; vphone clock hold; settings put system accelerometer_rotation 0; {SETTINGS}")
    ask = "wm size; settings list system; settings get secure default_input_method; date; getprop sys.boot_completed"
    look = f"{ask}; dumpsys window; dumpsys input_method; touch /sdcard/x && echo yes > /sdcard/x && cat /sdcard/x"
    sound, picture = sh(look), sh("screencap -p").raw
    changed = []
    for value in WORDS[kind]:
        sh(f"vphone fault {kind} {value}")
        changed.append(sh(look) != sound or sh("screencap -p").raw != picture)
        sh(f"vphone fault {kind} off")
        if value == "call":  # which was missed
            assert "InCallActivity" not in sh("dumpsys window").out
            sh(SETTINGS)
            sound, picture = sh(look), sh("screencap -p").raw
        assert sh(look) == sound, value
        assert sh("screencap -p").raw == picture, value
    assert changed.count(False) == (1 if kind == "ime" else 0)  # `stuck` shows only when another is selected


def test_another_value_takes_the_place_of_the_first(sh: Sh) -> None:
    sh("vphone fault window anr; vphone fault window permission")
    assert "isn't responding" not in sh("uiautomator dump /dev/tty").out
    assert "permission_message" in sh("uiautomator dump /dev/tty").out


def test_so_many_times(sh: Sh) -> None:
    sh("vphone fault screencap empty times=2")
    assert [len(sh("screencap -p").raw) > 0 for _ in range(4)] == [False, False, True, True]


def test_so_many_times_of_several_kinds(sh: Sh) -> None:
    sh("vphone fault screencap empty times=2; vphone fault dump null_root times=1")
    assert "null root" in sh("uiautomator dump").err
    assert "dumped" in sh("uiautomator dump").out
    assert sh("screencap -p").raw == b""


def test_for_so_long(sh: Sh) -> None:
    sh("vphone fault display rotated seconds=0.3")
    assert "ROTATION_90" in sh("dumpsys window displays").out
    time.sleep(0.4)
    sh.handset.count_command()  # what adbd does when it is asked for anything
    assert "ROTATION_0 " in sh("dumpsys window displays").out


def test_reset_leaves_nothing_of_it(sh: Sh) -> None:
    sh("vphone fault display resized; vphone fault window anr; vphone reset")
    assert sh("wm size").out == "Physical size: 1080x2400\n"
    assert "window=\ndisplay=\n" in sh("vphone faults").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("screencap torn", "unknown screencap fault 'torn'; known: truncated"),
        ("weather rain", "unknown fault 'weather'; known: screencap"),
        ("loads many", "loads needs a number, not 'many'"),
        ("dump stale times=x", "times needs a number"),
        ("dump stale for=3", "unknown limit for; known: times=N, seconds=N"),
    ],
)
def test_what_cannot_be_armed_is_named(sh: Sh, words: str, says: str) -> None:
    result = sh(f"vphone fault {words}")
    assert result.code == 1
    assert says in result.err


def test_a_plan_brings_faults_at_their_operations(sh: Sh) -> None:
    rules = (
        Rule(fault="screencap", value="empty", after=1, of="frames", times=2),
        Rule(fault="display", value="rotated", after=2, of="inputs"),
    )
    sh.phone.faults.plan = FaultPlan(rules, 0)
    assert [len(sh("screencap -p").raw) > 0 for _ in range(5)] == [True, False, False, True, True]
    turned = []
    for _ in range(4):
        sh("input keyevent 3")
        turned.append("ROTATION_90" in sh("dumpsys window displays").out)
    assert turned == [False, False, True, True]
    sh("vphone fault clear")
    assert sh.phone.faults.plan is None
    assert "ROTATION_90" not in sh("dumpsys window displays").out


def test_phones_of_a_fleet_follow_the_file(tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(
        "seed: 3\nlatency: {dump: 0.5}\nfaults:\n  - {fault: shell, value: hang, probability: 0.5, times: 0}\n"
    )
    phone, other = (PhoneOptions(faults=str(path), capture_s=0.2).make(index) for index in (0, 1))
    assert (phone.latency.capture_s, phone.latency.dump_s) == (0.2, 0.5)
    drawn = [[bool(one.faults.plan.step("commands", one.faults)) for _ in range(50)] for one in (phone, other)]
    assert drawn[0] != drawn[1]
    again = PhoneOptions(faults=str(path)).make(0)
    assert drawn[0] == [bool(again.faults.plan.step("commands", again.faults)) for _ in range(50)]
