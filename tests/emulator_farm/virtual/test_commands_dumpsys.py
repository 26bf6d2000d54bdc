"""What `dumpsys` prints, read the way that tools read it."""

import re
from collections.abc import Callable
from typing import Any

import adbutils
import pytest

Out = Callable[[str], str]
Sh = Any
Wired = Any
SETTINGS = "am start -n com.android.settings/.Settings > /dev/null 2>&1"


class TestWindow:
    def test_the_focus(self, out: Out) -> None:
        text = out(f"{SETTINGS}; dumpsys window")
        focus = set(re.findall(r"mCurrentFocus=Window\{\w+ u0 (\S+)/(\S+)\}", text))
        assert focus == {("com.android.settings", "com.android.settings.Settings")}
        assert re.search(r"mFocusedApp=ActivityRecord\{\w+ u0 com\.android\.settings/\.Settings t\d+\}", text)
        assert "WINDOW MANAGER WINDOWS" in out("dumpsys window w")

    def test_nothing_is_focused_while_the_screen_is_off(self, out: Out) -> None:
        text = out("input keyevent 26; dumpsys window windows; dumpsys window policy")
        assert "mCurrentFocus=null" in text
        assert "mAwake=false" in text
        assert "SCREEN_STATE_OFF" in text

    def test_displays(self, out: Out) -> None:
        plain = out("dumpsys window displays")
        assert plain.startswith(
            "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0 (organized)\n"
        )
        assert "init=1080x2400 420dpi" in plain
        assert " base=" not in plain
        changed = out("wm size 720x1600; wm density 300; wm user-rotation lock 1; dumpsys window d")
        assert "init=1080x2400 420dpi mMinSizeOfResizeableTaskDp=220 base=720x1600 300dpi cur=1600x720" in changed
        assert "mRotation=ROTATION_90" in changed


class TestActivity:
    def test_what_is_resumed(self, out: Out) -> None:
        text = out(f"{SETTINGS}; dumpsys activity activities")
        for key in ("topResumedActivity=", "ResumedActivity: ", "mResumedActivity: ", "mFocusedApp="):
            assert re.search(rf"{key}ActivityRecord\{{\w+ u0 com\.android\.settings/\.Settings t\d+\}}", text), key
        assert text.count("state=RESUMED") == 1

    def test_top_recents_and_processes(self, out: Out) -> None:
        top = out(f"{SETTINGS}; dumpsys activity top")
        pid = out("pidof com.android.settings").strip()
        assert re.search(rf"ACTIVITY com\.android\.settings/\.Settings \w+ pid={pid}\n", top)
        recents = out("dumpsys activity recents")
        assert recents.index("Recent #0") < recents.index("Recent #1")
        assert "realActivity={com.android.settings/com.android.settings.Settings}" in recents
        assert f"{pid}:com.android.settings/" in out("dumpsys activity p")
        assert "ACTIVITY MANAGER SERVICES" in out("dumpsys activity services")
        assert "RECENT TASKS" in out("dumpsys activity")


class TestOthers:
    def test_display(self, out: Out) -> None:
        text = out("wm user-rotation lock 3; dumpsys display")
        viewport = re.search(
            r"DisplayViewport\{.*?valid=true, .*?orientation=(\d+), .*?deviceWidth=(\d+), deviceHeight=(\d+)", text
        )
        assert viewport is not None
        assert viewport.groups() == ("3", "2400", "1080")
        assert "Display State=ON" in text
        assert "mCurrentOrientation=3" in text

    def test_power(self, out: Out) -> None:
        assert re.findall(r"mWakefulness=(\w+)", out("dumpsys power")) == ["Awake"]
        asleep = out("input keyevent SLEEP; dumpsys power")
        assert "mWakefulness=Asleep" in asleep
        assert "mHoldingDisplaySuspendBlocker=false" in asleep
        assert "Display Power: state=OFF" in asleep
        assert "mWakefulness=Awake" in out("input keyevent 224; dumpsys power")
        assert "mStayOn=true" in out("svc power stayon true; dumpsys power")

    def test_battery(self, sh: Sh, out: Out) -> None:
        values = dict(line.strip().split(": ") for line in out("dumpsys battery").splitlines()[1:])
        assert (values["level"], values["AC powered"], values["status"], values["scale"]) == ("100", "true", "5", "100")
        out("dumpsys battery set level 42; dumpsys battery unplug")
        assert "level: 42" in out("dumpsys battery")
        assert "AC powered: false" in out("dumpsys battery")
        assert "status: 2" in out("dumpsys battery set usb 1; dumpsys battery")
        assert "level: 100" in out("dumpsys battery reset; dumpsys battery")
        assert "Unknown command" in sh("dumpsys battery frob").err

    def test_input_method(self, out: Out) -> None:
        assert "mCurMethodId=com.android.inputmethod.latin/.LatinIME" in out("dumpsys input_method")
        assert "mInputShown=false" in out("dumpsys input_method")
        assert "mInputShown=true" not in out("dumpsys input_method")

    def test_package(self, out: Out) -> None:
        text = out("dumpsys package com.android.settings")
        assert re.search(r"versionName=\S+", text)
        assert re.search(r"firstInstallTime=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text)
        assert "pkgFlags=[ SYSTEM" in text
        assert out("dumpsys package no.such") == "Unable to find package: no.such\n"
        assert out("dumpsys package").count("Package [") > 3

    def test_surface_flinger(self, out: Out) -> None:
        assert re.fullmatch(
            r"Display \d{19} \(HWC display 0\): port=0 .*\n", out("dumpsys SurfaceFlinger --display-id")
        )
        assert "resolution=1080x2400" in out("dumpsys SurfaceFlinger")

    def test_small_ones(self, out: Out) -> None:
        assert "SurfaceOrientation: 1" in out("wm user-rotation lock 1; dumpsys input")
        assert re.search(r"nowRTC=\d{13}=\d{4}-", out("dumpsys alarm"))
        assert "name:airplane_mode_on pkg:android value:0" in out("dumpsys settings")
        assert out("dumpsys connectivity; dumpsys -t 5 clipboard") == ""

    def test_lists_and_unknown_services(self, sh: Sh, out: Out) -> None:
        assert "  window\n" in out("dumpsys -l")
        assert "DUMP OF SERVICE battery:" in out("dumpsys")
        result = sh("dumpsys nosuch")
        assert (result.code, result.out, result.err) == (0, "", "Can't find service: nosuch\n")
        assert out("service check window; service check nosuch") == "Service window: found\nService nosuch: not found\n"
        assert "services:" in out("service list")
        assert sh("service call window 1").code == 10


@pytest.fixture
def device(wired: Wired) -> adbutils.AdbDevice:
    wired.shell(SETTINGS)
    device: adbutils.AdbDevice = wired.device()
    return device


class TestThroughAdbutils:
    """adbutils' own parsers understand the phone."""

    def test_reading(self, device: adbutils.AdbDevice) -> None:
        current = device.app_current()
        assert (current.package, current.activity) == ("com.android.settings", "com.android.settings.Settings")
        assert tuple(device.window_size()) == (1080, 2400)
        assert device.rotation() == 0
        assert device.is_screen_on()
        assert device.battery().level == 100
        assert device.wlan_ip() == "10.0.2.16"
        assert "com.android.settings" in device.list_packages()
        assert device.prop.model == "Virtual Phone"
        assert device.get_state() == "device"
        assert device.get_serialno() != ""

    def test_acting(self, device: adbutils.AdbDevice) -> None:
        device.switch_screen(False)
        assert not device.is_screen_on()
        device.switch_screen(True)
        device.brightness_value = 99
        assert device.brightness_value == 99
        device.app_stop("com.android.settings")
        assert device.app_current().package != "com.android.settings"
        device.app_start("com.android.settings")
        assert device.app_current().package == "com.android.settings"
        device.keyevent("HOME")
        device.switch_wifi(False)
        assert device.shell("settings get global wifi_on") == "0"
        device.click(10, 10)
        device.swipe(500, 1500, 500, 500, 0.1)
        assert device.dump_hierarchy().startswith("<?xml")

    def test_exit_codes_over_both_protocols(self, device: adbutils.AdbDevice) -> None:
        for v2 in (False, True):
            assert device.shell2("(exit 3)", v2=v2).returncode == 3
        split = device.shell2("echo out; echo err >&2", v2=True)
        assert (split.stdout, split.stderr) == ("out\n", "err\n")
