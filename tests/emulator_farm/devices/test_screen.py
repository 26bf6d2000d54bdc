"""Looking at a phone that misbehaves: what is repaired, flagged, or refused."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image, ImageChops

from agent_server.geometry import Size
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.screen import Patience, Screen
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import BadFrame, DeviceError, DeviceGone
from emulator_farm.virtual.host import PhoneHost

Scripted = Callable[..., Any]

WINDOWS = """WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init=60x40 420dpi cur=60x40 app=60x40 rng=40x40-60x60
    mRotation=ROTATION_0
  mCurrentFocus=Window{e425f96 u0 an.app/an.app.Main}
"""
TREE = '<?xml version="1.0"?><hierarchy rotation="0"><node package="an.app" bounds="[0,0][60,40]" /></hierarchy>'
LOOK = f"UI hierchary dumped to: /data/local/tmp/farm_ui.xml\n{TREE}\n:farm-windows:\n{WINDOWS}"


def png(width: int = 60, height: int = 40, colour: str = "teal") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def screen_of(scripted: Scripted, adb_server: AdbServer) -> Callable[..., tuple[Any, Screen]]:
    """Makes a scripted phone with a screen of 60x40 and the given answers in place of the sound ones."""

    def make(**patience: float) -> tuple[Any, Screen]:
        phone = scripted(
            {"rm -f": LOOK, "screencap -p": png(), "dumpsys window displays": WINDOWS, "dumpsys SurfaceFlinger": ""}
        )
        limits = {"tree_s": 0.3, "frame_s": 0.3, "black_s": 0.2, "stable_s": 0.3} | patience
        return phone, Screen(Transport(phone.address, adb_server.address), Patience(**limits))

    return make


class TestFaultsOfTheVirtualPhone:
    @pytest.mark.parametrize(
        ("fault", "flag"), [("warning", "leading_text"), ("crlf", "crlf")], ids=lambda value: str(value)
    )
    def test_what_can_be_undone_is_undone_and_flagged(
        self, device: Device, host: PhoneHost, fault: str, flag: str
    ) -> None:
        sound = device.observe()
        host.phones[0].faults.screencap = fault
        observation = device.observe()
        assert observation.image == sound.image
        assert observation.flags == (flag,)

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [("truncated", "truncated"), ("empty", "empty"), ("wrong_size", "wrong_size"), ("status", "no_png")],
    )
    def test_what_cannot_is_refused_with_the_reason(
        self, device: Device, host: PhoneHost, fault: str, reason: str
    ) -> None:
        host.phones[0].faults.screencap = fault
        with pytest.raises(BadFrame) as caught:
            device.observe()
        assert caught.value.reason == reason
        assert caught.value.serial == device.serial

    @pytest.mark.parametrize("fault", ["truncated", "empty", "wrong_size", "status", "black"])
    def test_a_fault_that_passes_is_flagged_only(self, device: Device, host: PhoneHost, fault: str) -> None:
        sound = device.observe()
        host.phones[0].faults.screencap = fault
        host.phones[0].faults.count = 1
        observation = device.observe()
        assert observation.size == sound.size
        assert observation.flags == ("retaken",)

    def test_black_that_stays_is_flagged(self, device: Device, host: PhoneHost) -> None:
        host.phones[0].faults.screencap = "black"
        observation = device.observe()
        assert observation.flags == ("black", "retaken")
        assert observation.size == Size(1080, 2400)

    def test_black_because_the_screen_is_off(self, device: Device) -> None:
        device.shell("input keyevent 223")
        observation = device.observe(ui_tree=False)
        assert {"black", "screen_off"} <= set(observation.flags)

    @pytest.mark.parametrize("fault", ["idle_error", "null_root"])
    def test_a_tree_that_cannot_be_had_is_flagged(self, device: Device, host: PhoneHost, fault: str) -> None:
        host.phones[0].faults.dump = fault
        began = time.monotonic()
        observation = device.observe()
        assert observation.ui_tree is None
        assert observation.flags == ("no_ui_tree",)
        assert time.monotonic() - began < 3

    @pytest.mark.parametrize("fault", ["idle_error", "null_root"])
    def test_a_tree_that_comes_at_the_second_try(self, device: Device, host: PhoneHost, fault: str) -> None:
        host.phones[0].faults.dump = fault
        host.phones[0].faults.count = 1
        observation = device.observe()
        assert observation.ui_tree is not None
        assert observation.flags == ()

    def test_an_old_dump_file_is_never_read(self, device: Device, host: PhoneHost) -> None:
        """The failed dump wrote nothing; the file of the one before is still meant to be there."""
        assert device.observe().ui_tree
        host.phones[0].faults.dump = "null_root"
        assert device.observe().ui_tree is None

    def test_a_stale_tree_of_another_app_is_flagged(self, device: Device, host: PhoneHost) -> None:
        device.observe()
        host.phones[0].faults.dump = "stale"
        device.shell("am start -n com.android.settings/.Settings")
        observation = device.observe()
        assert observation.app == "com.android.settings"
        assert observation.flags == ("foreign_ui_tree",)

    def test_a_stale_tree_that_is_fresh_at_the_second_try(self, device: Device, host: PhoneHost) -> None:
        device.observe()
        host.phones[0].faults.dump = "stale"
        host.phones[0].faults.count = 1
        device.shell("am start -n com.android.settings/.Settings")
        observation = device.observe()
        assert 'package="com.android.settings"' in (observation.ui_tree or "")
        assert observation.flags == ()

    def test_a_phone_that_vanishes_while_it_is_looked_at(self, device: Device, host: PhoneHost) -> None:
        device.observe()
        host.phones[0].faults.offline_after = 1
        with pytest.raises(DeviceGone):
            device.observe()

    def test_a_turned_phone(self, device: Device) -> None:
        upright = device.observe()
        device.shell("settings put system accelerometer_rotation 0 && settings put system user_rotation 1")
        observation = device.observe()
        assert (observation.size, observation.rotation) == (Size(2400, 1080), 1)
        assert observation.flags == ()
        assert (upright.size, upright.rotation) == (Size(1080, 2400), 0)

    def test_an_overridden_size(self, device: Device) -> None:
        device.shell("wm size 720x1280")
        assert device.observe().size == Size(720, 1280)
        assert device.info.size == Size(720, 1280)


class TestRawFrames:
    """Pixels from the phone, encoded here."""

    def test_they_show_the_same(self, device: Device, adb_server: AdbServer) -> None:
        with Device(device.serial, adb_server, raw_frames=True) as raw:
            ours, theirs = raw.observe(), device.observe()
        assert ours.flags == ()
        difference = ImageChops.difference(
            Image.open(io.BytesIO(ours.image)).convert("RGB"), Image.open(io.BytesIO(theirs.image)).convert("RGB")
        )
        assert difference.getbbox() is None

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [("truncated", "truncated"), ("empty", "empty"), ("wrong_size", "wrong_size"), ("status", "truncated")],
    )
    def test_they_are_checked_too(
        self, device: Device, host: PhoneHost, adb_server: AdbServer, fault: str, reason: str
    ) -> None:
        host.phones[0].faults.screencap = fault
        patience = Patience(frame_s=0.2)
        with Device(device.serial, adb_server, patience=patience, raw_frames=True) as raw:
            with pytest.raises(BadFrame) as caught:
                raw.observe()
            assert caught.value.reason == reason
            host.phones[0].faults.screencap = "black"
            assert raw.observe().flags == ("black", "retaken")


class TestScripts:
    def test_phones_without_shell_v2_send_frames_by_exec(self, scripted: Scripted, adb_server: AdbServer) -> None:
        phone = scripted({"screencap -p": png(), "(dumpsys SurfaceFlinger": "\n:adb-exit:1\n"}, shell_v2=False)
        frame = Screen(Transport(phone.address, adb_server.address), Patience()).frame()
        assert (frame.size, frame.flags) == (Size(60, 40), ())

    def test_a_phone_that_vanishes_in_the_middle_of_a_frame_is_gone(
        self, screen_of: Callable[..., tuple[Any, Screen]]
    ) -> None:
        phone, screen = screen_of()
        half = phone.answers["screencap -p"]._replace(stdout=png()[:40], hang_up=True)
        phone.answers["screencap -p"] = half
        with pytest.raises(DeviceGone):
            screen.frame()

    def test_tree_display_and_focus_come_in_one_exchange(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        phone, screen = screen_of()
        observation = screen.observe(ui_tree=True, settle=True)
        assert observation.ui_tree == TREE
        assert (observation.app, observation.activity) == ("an.app", "an.app.Main")
        assert (observation.size, observation.rotation, observation.flags) == (Size(60, 40), 0, ())
        assert observation.settle_ms > 0
        assert observation.capture_ms > 0
        assert [line.split(" ")[0] for line in phone.commands] == ["rm", "dumpsys", "screencap"]
        screen.observe(ui_tree=True, settle=True)
        assert len(phone.commands) == 5

    def test_without_settling_one_frame_is_enough(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        phone, screen = screen_of()
        assert screen.observe(ui_tree=False, settle=False).ui_tree is None
        assert sum(line.startswith("screencap") for line in phone.commands) == 1
        screen.observe(ui_tree=False, settle=True)
        assert sum(line.startswith("screencap") for line in phone.commands) == 3

    def test_of_several_displays_the_built_in_one_is_captured(
        self, screen_of: Callable[..., tuple[Any, Screen]], transcript: Callable[[str], str]
    ) -> None:
        phone, screen = screen_of()
        listed = transcript("surfaceflinger_display_ids_foldable.txt").encode()
        phone.answers["dumpsys SurfaceFlinger"] = phone.answers["dumpsys SurfaceFlinger"]._replace(stdout=listed)
        screen.frame()
        assert phone.commands[-1] == "screencap -p -d 4630946219955703955"

    def test_a_frame_with_its_sides_swapped(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        phone, screen = screen_of()
        phone.answers["screencap -p"] = phone.answers["screencap -p"]._replace(stdout=png(40, 60))
        observation = screen.observe(ui_tree=True, settle=True)
        assert observation.size == Size(40, 60)
        assert observation.flags == ("turned",)

    def test_a_phone_that_is_turned_between_tree_and_frame(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        phone, screen = screen_of()
        turned = WINDOWS.replace("cur=60x40", "cur=40x60").replace("ROTATION_0", "ROTATION_90")
        phone.answers["dumpsys window displays"] = phone.answers["dumpsys window displays"]._replace(
            stdout=turned.encode()
        )
        phone.answers["screencap -p"] = phone.answers["screencap -p"]._replace(stdout=png(40, 60))
        observation = screen.observe(ui_tree=True, settle=True)
        assert (observation.size, observation.rotation, observation.flags) == (Size(40, 60), 1, ())

    def test_old_phones_tell_focus_and_size_elsewhere(
        self, scripted: Scripted, adb_server: AdbServer, transcript: Callable[[str], str]
    ) -> None:
        phone = scripted(
            {
                "dumpsys window displays": "WINDOW MANAGER DISPLAY CONTENTS\n",
                "dumpsys window": transcript("focus_window_emulator_paused_suffix.txt"),
                "dumpsys display": transcript("dumpsys_display_android12.txt"),
            }
        )
        look = Screen(Transport(phone.address, adb_server.address), Patience()).look()
        assert look.display.size == Size(1440, 2960)
        assert look.focus.component is not None
        assert look.focus.component.package == "com.dtmilano.android.sampleui"

    def test_an_answer_that_cannot_be_read_is_an_error(self, scripted: Scripted, adb_server: AdbServer) -> None:
        phone = scripted({"dumpsys": "Can't find service: window\n", "rm -f": "nothing"})
        screen = Screen(Transport(phone.address, adb_server.address), Patience())
        with pytest.raises(DeviceError, match="find service") as caught:
            screen.look()
        assert caught.value.cause == "unexpected_reply"
        with pytest.raises(DeviceError, match="incomplete"):
            screen.tree()

    def test_below_the_shade_no_tree_is_foreign(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        phone, screen = screen_of()
        shade = LOOK.replace("an.app/an.app.Main", "NotificationShade").replace('"an.app"', '"com.android.systemui"')
        phone.answers["rm -f"] = phone.answers["rm -f"]._replace(stdout=shade.encode())
        look = screen.tree()
        assert look.flags == ()
        assert "com.android.systemui" in (look.ui_tree or "")
        assert len(phone.commands) == 1

    def test_a_screen_at_rest(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        _, screen = screen_of()
        began = time.monotonic()
        frame = screen.stable(5)
        assert frame.flags == ()
        assert time.monotonic() - began < 2

    def test_a_screen_that_never_rests(self, screen_of: Callable[..., tuple[Any, Screen]]) -> None:
        phone, screen = screen_of()
        stop = threading.Event()

        def move() -> None:
            number = 0
            while not stop.wait(0.005):
                number += 1
                frame = png(colour=f"#{number % 4096 + 1:06x}")
                phone.answers["screencap -p"] = phone.answers["screencap -p"]._replace(stdout=frame)

        thread = threading.Thread(target=move)
        thread.start()
        try:
            assert screen.stable(0.4).flags[-1] == "unstable"
            observation = screen.observe(ui_tree=False, settle=True)
            assert "unstable" in observation.flags
        finally:
            stop.set()
            thread.join()
