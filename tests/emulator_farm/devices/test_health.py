"""Readiness is proved end to end, and a phone that is not ready says why."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.health import doctor, observe_to, wait_until_ready
from emulator_farm.devices.screen import Patience
from emulator_farm.errors import DeviceGone, NotReady
from emulator_farm.virtual.host import PhoneHost

Scripted = Callable[..., Any]


def _not_ready(device: Device) -> NotReady:
    with pytest.raises(NotReady) as caught:
        device.health()
    assert caught.value.cause == f"not_ready_{caught.value.check}"
    return caught.value


def test_a_sound_phone_passes(device: Device) -> None:
    device.health()


def test_a_sleeping_phone_is_woken(device: Device) -> None:
    device.shell("input keyevent 223")
    assert not device.screen.awake()
    device.health()
    assert device.screen.awake()


@pytest.mark.parametrize(
    ("fault", "value", "check", "says"),
    [
        ("screencap", "black", "frame", "black"),
        ("screencap", "truncated", "frame", "truncated"),
        ("screencap", "wrong_size", "frame", "1080x2400"),
        ("dump", "null_root", "ui_tree", "no UI tree"),
    ],
)
def test_each_fault_is_named(device: Device, host: PhoneHost, fault: str, value: str, check: str, says: str) -> None:
    setattr(host.phones[0].faults, fault, value)
    error = _not_ready(device)
    assert error.check == check
    assert says in str(error)


def test_a_phone_that_is_still_booting(device: Device, host: PhoneHost) -> None:
    host.phones[0].props["sys.boot_completed"] = ""
    assert _not_ready(device).check == "boot"


def test_a_phone_that_is_gone(device: Device, host: PhoneHost) -> None:
    host.close()
    error = _not_ready(device)
    assert error.check == "shell"
    assert isinstance(error.__cause__, DeviceGone)


def test_waiting_until_it_is_ready(device: Device, host: PhoneHost) -> None:
    host.phones[0].faults.dump = "null_root"
    timer = threading.Timer(0.5, host.phones[0].faults.clear)
    timer.start()
    wait_until_ready(device, 20)
    timer.join()
    host.phones[0].faults.dump = "null_root"
    began = time.monotonic()
    with pytest.raises(NotReady, match="UI tree"):
        wait_until_ready(device, 0.5)
    assert time.monotonic() - began < 5


def test_a_phone_that_restarts_is_connected_to_anew(device: Device) -> None:
    with contextlib.suppress(DeviceGone):
        device.shell("reboot")
    wait_until_ready(device, 20)
    assert device.observe().flags == ()


def test_a_phone_that_never_comes_back(device: Device, host: PhoneHost) -> None:
    host.close()
    with pytest.raises(NotReady, match="shell"):
        wait_until_ready(device, 1)


SOUND = {
    "echo": "",
    "getprop sys.boot_completed": "1\n",
    "getprop": "[ro.product.model]: [X]\n:farm-facts:\nPhysical size: 60x40\nPhysical density: 420\n:farm-facts:\nb1\n",
    "input keyevent 224": "",
    "dumpsys power": "mWakefulness=Awake\n",
    "dumpsys SurfaceFlinger": "",
    "dumpsys window displays": "  Display: mDisplayId=0\n  cur=60x40\n  mCurrentFocus=null\n",
}


@pytest.mark.parametrize(
    ("changes", "name", "says"),
    [
        ({}, "shell", "gave ''"),
        ({"dumpsys power": "mWakefulness=Dozing\n"}, "screen", "does not wake"),
        ({}, "front", "no app is in front"),
        (
            {
                "dumpsys window displays": "  Display: mDisplayId=0\n  cur=60x40\n"
                "  mCurrentFocus=Window{1 u0 com.android.settings/.FallbackHome}\n"
            },
            "front",
            "unlocked",
        ),
        (
            {"rm -f": "<hierarchy><other /></hierarchy>\n:farm-windows:\n  cur=60x40\n  mCurrentFocus=null\n"},
            "ui_tree",
            "no nodes",
        ),
        ({"settings get": "null\n"}, "animations", "window_animation_scale is None"),
    ],
)
def test_the_doctor_names_what_is_wrong(
    scripted: Scripted, adb_server: AdbServer, changes: dict[str, str], name: str, says: str
) -> None:
    phone = scripted(SOUND | changes)
    patience = Patience(call_s=5, tree_s=0, frame_s=0, black_s=0)
    with Device(phone.address, adb_server, patience=patience) as device:
        checks = {check.name: check for check in doctor(device)}
    assert not checks[name].ok
    assert says in checks[name].detail


def test_the_doctor_looks_at_everything(device: Device) -> None:
    device.prepare()
    checks = doctor(device)
    assert [check.name for check in checks] == [
        "adb_server",
        "shell",
        "boot",
        "screen",
        "frame",
        "ui_tree",
        "front",
        "keyboard",
        "animations",
        "capture",
        "input",
        "tree",
    ]
    assert all(check.ok and check.detail for check in checks)


def test_the_doctor_goes_on_after_a_failure(device: Device, host: PhoneHost) -> None:
    host.phones[0].faults.screencap = "warning"
    checks = {check.name: check for check in doctor(device)}
    assert "leading_text" in checks["frame"].detail
    assert not checks["keyboard"].ok
    assert checks["front"].ok


def test_an_observation_as_files(device: Device, host: PhoneHost, tmp_path: Path) -> None:
    observe_to(device, tmp_path / "a" / "b")
    facts = json.loads((tmp_path / "a" / "b" / "observation.json").read_text())
    assert facts["size"] == [1080, 2400]
    assert facts["app"] == "com.android.launcher3"
    assert (tmp_path / "a" / "b" / "frame.png").read_bytes().startswith(b"\x89PNG")
    host.phones[0].faults.dump = "null_root"
    observe_to(device, tmp_path / "c")
    assert not (tmp_path / "c" / "ui.xml").exists()
