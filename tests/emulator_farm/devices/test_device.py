"""What `Device` itself adds: which server it uses, what it remembers, and what it refuses."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable
from typing import Any

import pytest

from agent_server.actions import Click, Drag, Scroll
from agent_server.geometry import Point, Size
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.gestures import Gesture
from emulator_farm.errors import CallerError, ClaimLost, CommandFailed, DeviceError
from emulator_farm.virtual.host import PhoneHost

Scripted = Callable[..., Any]
WINDOWS = "  Display: mDisplayId=0\n    cur=60x40\n  mCurrentFocus=null\n"
DRAG = Drag(start=Point(1, 2), end=Point(3, 4))


def test_the_server_is_given_by_object_port_or_environment(device: Device, adb_server: AdbServer) -> None:
    with Device(device.serial, port=adb_server.address.port) as by_port:
        assert by_port.shell("echo hi").text == "hi\n"
    assert Device(device.serial, adb_server).server is adb_server


def test_after_the_block_the_phone_is_out_of_reach(device: Device, adb_server: AdbServer) -> None:
    with Device(device.serial, adb_server) as other:
        other.shell("echo")
    with pytest.raises(ClaimLost):
        other.shell("echo")
    device.shell("echo")


def test_points_are_judged_by_the_last_frame(device: Device) -> None:
    """Before any frame, by the display as it is."""
    inside_landscape = Click(point=Point(2000, 500))
    with pytest.raises(CallerError, match=r"\(2000, 500\).*1080x2400"):
        device.perform(inside_landscape)
    device.shell("settings put system accelerometer_rotation 0 && settings put system user_rotation 1")
    device.observe()
    assert device.perform(inside_landscape).status == "ok"


def test_input_that_fails_is_the_phones_failure(scripted: Scripted, adb_server: AdbServer) -> None:
    phone = scripted({"dumpsys window displays": WINDOWS, "dumpsys SurfaceFlinger": ""})
    with Device(phone.address, adb_server) as device, pytest.raises(CommandFailed, match="input tap 1 2"):
        device.perform(Click(point=Point(1, 2)))


@pytest.mark.parametrize(
    "gesture", [Click(point=Point(1, 2)), DRAG, Scroll(direction="down")], ids=lambda gesture: str(gesture.type)
)
def test_of_several_displays_input_goes_to_the_main_one(
    scripted: Scripted, adb_server: AdbServer, transcript: Callable[[str], str], gesture: Gesture
) -> None:
    displays = transcript("surfaceflinger_display_ids_foldable.txt")
    phone = scripted({"dumpsys window displays": WINDOWS, "dumpsys SurfaceFlinger": displays, "input -d 0": ""})
    with Device(phone.address, adb_server) as device:
        assert (device.perform(gesture).command or "").startswith("input -d 0 ")


def test_a_phone_without_draganddrop_swipes_slowly(scripted: Scripted, adb_server: AdbServer) -> None:
    phone = scripted({"dumpsys window displays": WINDOWS, "dumpsys SurfaceFlinger": "", "input swipe": ""})
    with Device(phone.address, adb_server) as device:
        assert device.perform(DRAG).command == "input swipe 1 2 3 4 2000"
        device.perform(DRAG)
        assert [line.split()[1] for line in phone.commands if line.startswith("input")] == [
            "draganddrop",
            "swipe",
            "swipe",
        ]


def test_preparing_a_locked_phone_falls_back_to_the_menu_key(scripted: Scripted, adb_server: AdbServer) -> None:
    phone = scripted({"input keyevent 224": "", "settings get": "com.github.uiautomator/.AdbKeyboard\n"})
    with Device(phone.address, adb_server) as device:
        device.prepare()
    assert "{ wm dismiss-keyguard || input keyevent 82; }" in phone.commands[0]


def test_rows_go_in_change_and_out(device: Device) -> None:
    uri = "content://settings/global"
    device.content_insert(uri, {"name": "farm it's", "value": 5})
    assert device.settings_get("global", "farm it's") == "5"
    device.content_update(uri, {"value": "six"}, "name='farm it''s'")
    assert device.settings_get("global", "farm it's") == "six"
    device.content_delete(uri, "name='farm it''s'")
    assert device.settings_get("global", "farm it's") is None


def test_a_provider_that_refuses_is_an_error(device: Device) -> None:
    with pytest.raises(DeviceError):
        device.content_query("content://nobody.here/rows")
    with pytest.raises(CommandFailed):
        device.content_insert("content://nobody.here/rows", {"a": "b"})


def test_clearing_an_app_that_is_not_there(device: Device) -> None:
    device.clear_app("com.android.settings")
    device.force_stop("com.android.settings")
    with pytest.raises(CommandFailed, match=r"no\.such\.package"):
        device.clear_app("no.such.package")


def test_installing(device: Device) -> None:
    apk = importlib.resources.files("uiautomator2").joinpath("assets/app-uiautomator.apk").read_bytes()
    device.install(apk)
    assert "com.github.uiautomator" in device.apps.installed()
    assert device.file_read("/data/local/tmp/farm.apk") is None
    with pytest.raises(CommandFailed, match="INSTALL_PARSE_FAILED"):
        device.install(b"this is no apk")


def test_facts_and_their_absence(device: Device, scripted: Scripted, adb_server: AdbServer) -> None:
    assert device.info.size == Size(1080, 2400)
    assert device.info.density == 420
    assert device.info.sdk == 34
    assert "shell_v2" in device.info.features
    assert device.incarnation == device.info.boot_id
    phone = scripted({"getprop": "[ro.product.model]: [X]\n:farm-facts:\nno wm\n:farm-facts:\n"})
    with Device(phone.address, adb_server) as other, pytest.raises(DeviceError, match="display size"):
        _ = other.info


def test_what_was_learned_is_dropped_on_demand(device: Device, host: PhoneHost) -> None:
    assert device.info.size == Size(1080, 2400)
    device.shell("wm size 720x1280")
    assert device.info.size == Size(1080, 2400)
    device.forget()
    assert device.info.size == Size(720, 1280)
