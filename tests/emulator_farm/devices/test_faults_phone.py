"""What `Device` does when the phone itself is in a bad way: not up, full, with another keyboard, at another time."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from agent_server.actions import Click, Type
from agent_server.geometry import Point
from emulator_farm.devices.device import Device
from emulator_farm.devices.health import doctor, wait_until_ready
from emulator_farm.devices.keyboard import IME
from emulator_farm.errors import CommandFailed, DeviceError, DeviceGone, NotReady, SnapshotFailed
from emulator_farm.virtual.defaults import LATIN_IME
from emulator_farm.virtual.host import PhoneHost

READY_S = 60.0
NOTE = "am start -n org.virtual.notes/.EditorActivity"


class TestKeyboard:
    def test_another_keyboard_is_replaced_before_text_is_lost(self, device: Device) -> None:
        device.prepare()
        device.shell(NOTE)
        device.shell("input tap 540 700")
        device.shell("vphone fault ime wrong")
        assert device.keyboard.current() == LATIN_IME
        assert device.perform(Type(text="你好, %s")).status == "ok"
        assert device.keyboard.current() == IME
        assert "你好, %s" in (device.observe().ui_tree or "")

    def test_a_keyboard_that_covers_the_screen_is_gone_from_a_prepared_phone(self, device: Device) -> None:
        device.prepare()
        device.shell(NOTE)
        device.shell("input tap 540 700")
        free = device.observe()
        device.shell("vphone fault ime wrong")
        assert device.observe().image != free.image
        device.prepare()
        assert device.observe().image == free.image

    def test_a_keyboard_that_cannot_be_selected_is_named(self, device: Device) -> None:
        device.shell("vphone fault ime stuck")
        with pytest.raises(NotReady, match=r"AdbKeyboard was selected, but .*LatinIME is still the keyboard") as caught:
            device.prepare()
        assert caught.value.check == "keyboard"


class TestBoot:
    @pytest.mark.parametrize(("fault", "check"), [("slow", "boot"), ("lying", "screen")])
    def test_a_phone_that_is_not_up_is_not_ready_and_is_waited_for(
        self, device: Device, host: PhoneHost, fault: str, check: str
    ) -> None:
        device.health()
        device.shell(f"vphone fault boot {fault}")
        assert device.shell("getprop sys.boot_completed").text.strip() == ("1" if fault == "lying" else "")
        with pytest.raises(NotReady) as caught:
            device.health()
        assert caught.value.check == check
        timer = threading.Timer(0.5, host.calm)
        timer.start()
        wait_until_ready(device, READY_S)
        timer.join()
        assert device.observe().flags == ()

    def test_looking_at_a_phone_that_is_not_up_is_an_error(self, device: Device) -> None:
        device.shell("vphone fault boot lying")
        for look in (device.observe, device.screenshot, device.foreground):
            with pytest.raises(DeviceError, match=r"find service|incomplete|wrote"):
                look()
        device.shell("vphone fault boot off")
        assert device.observe().flags == ()

    def test_a_restart_that_takes_its_time(self, device: Device) -> None:
        device.shell("vphone latency boot=2")
        with contextlib.suppress(DeviceGone):
            device.shell("reboot")
        wait_until_ready(device, READY_S)
        assert device.observe().flags == ()


class TestStorage:
    def test_a_full_disk_is_named(self, device: Device) -> None:
        sound = device.observe()
        device.shell("vphone fault disk full")
        with pytest.raises(CommandFailed, match="No space left on device") as caught:
            device.push(b"x" * 100_000, "/sdcard/x")
        assert caught.value.cause == "device_full"
        with pytest.raises(NotReady, match="No space left") as unready:
            device.health()
        assert unready.value.check == "ui_tree"
        observation = device.observe()
        assert (observation.image, observation.ui_tree, observation.flags) == (sound.image, None, ("no_ui_tree",))
        device.shell("vphone fault disk off")
        device.push(b"x" * 100_000, "/sdcard/x")
        assert device.observe().ui_tree == sound.ui_tree

    def test_the_doctor_says_so(self, device: Device) -> None:
        device.shell("vphone fault disk full")
        checks = {check.name: check for check in doctor(device)}
        assert not checks["ui_tree"].ok
        assert "No space left" in checks["ui_tree"].detail
        assert checks["frame"].ok


class TestSettings:
    def test_a_change_without_effect_is_an_error(self, device: Device) -> None:
        device.settings_put("system", "system_locales", "en-US")
        device.shell("vphone fault locale ignored")
        with pytest.raises(DeviceError, match="'zh-CN' and is 'en-US'") as caught:
            device.settings_put("system", "system_locales", "zh-CN")
        assert caught.value.cause == "without_effect"
        device.shell("vphone fault clear")
        device.settings_put("system", "system_locales", "zh-CN")

    @pytest.mark.parametrize("value", ["", "null", "a b 'c'", "x=1\n"])
    def test_no_change_that_took_effect_is_called_one_without(self, device: Device, value: str) -> None:
        device.settings_put("global", "farm_probe", value)
        assert (device.settings_get("global", "farm_probe") or "null") == (value or "null")

    @pytest.mark.parametrize("fault", ["ahead", "behind"])
    def test_a_clock_that_jumps_moves_no_deadline(self, device: Device, fault: str) -> None:
        device.observe()
        device.shell(f"vphone fault clock {fault}")
        assert device.observe().flags == ()
        assert device.perform(Click(point=Point(5, 5))).status == "ok"
        device.transport.wait(0.1)
        assert abs(int(device.shell("date +%s").text) - time.time()) > 300 * 86400
        device.shell("vphone fault clear")
        assert abs(int(device.shell("date +%s").text) - time.time()) < 60


class TestSnapshots:
    def test_one_that_cannot_be_loaded_leaves_the_phone_as_it_was(self, device: Device) -> None:
        device.snapshot("clean")
        device.shell("am start -n com.android.settings/.Settings")
        before = device.observe()
        device.shell("vphone fault snapshot fail times=1")
        with pytest.raises(SnapshotFailed, match="could not be loaded") as caught:
            device.restore("clean")
        assert caught.value.cause == "snapshot_failed"
        assert device.observe().image == before.image
        device.restore("clean")
        assert device.observe().app == "com.android.launcher3"

    def test_a_phone_that_dies_of_loads_is_gone_for_good(self, device: Device, host: PhoneHost) -> None:
        device.snapshot("clean")
        device.shell("vphone fault loads 3")
        device.restore("clean")
        device.restore("clean")
        with contextlib.suppress(DeviceGone):
            device.restore("clean")
        with pytest.raises(DeviceGone):
            device.observe()
        assert host.handsets[0].loads == 3
        with pytest.raises(NotReady) as caught:
            wait_until_ready(device, 2)
        assert caught.value.check == "shell"
