"""The real uiautomator2 client against the phone's own server: keys, display, apps, files."""

import io
import urllib.request
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from uiautomator2.exceptions import SessionBrokenError

from emulator_farm.virtual.host import PhoneHost

WAIT_S = 30.0
SETTINGS = "com.android.settings"


class TestKeysAndDisplay:
    def test_keys(self, d: Any) -> None:
        d.app_start(SETTINGS)
        d(text="Display").click()
        d.press("back")
        assert d.app_current()["activity"].endswith("Settings")
        d.press(3)
        assert d.app_current()["package"] == "com.android.launcher3"
        d.press("recent")
        volume = int(d.shell("settings get system volume_music_speaker").output)
        d.press("volume_up")
        assert int(d.shell("settings get system volume_music_speaker").output) == volume + 1
        d.long_press("home")
        d.keyevent("home")

    def test_screen_off_and_on(self, d: Any) -> None:
        d.screen_off()
        assert d.info["screenOn"] is False
        assert d.screenshot().convert("L").getextrema()[1] < 8
        d.screen_on()
        assert d.info["screenOn"] is True
        d.press("power")
        assert d.info["screenOn"] is False
        d.unlock()
        assert d.info["screenOn"] is True

    def test_orientation(self, d: Any) -> None:
        d.orientation = "left"
        assert (d.orientation, d.info["displayRotation"]) == ("left", 1)
        assert d.window_size() == (2400, 1080) == d.screenshot().size
        assert ElementTree.fromstring(d.dump_hierarchy()).get("rotation") == "1"
        d.set_orientation("r")
        assert d.orientation == "right"
        d.orientation = "natural"
        assert (d.orientation, d.info["naturalOrientation"]) == ("natural", True)
        d.freeze_rotation()
        assert d.shell("settings get system accelerometer_rotation").output.strip() == "0"
        d.freeze_rotation(False)
        assert d.shell("settings get system accelerometer_rotation").output.strip() == "1"

    def test_notifications_and_quick_settings_open(self, d: Any) -> None:
        assert not d(packageName="com.android.systemui").exists
        assert d.open_notification() is True
        assert d(packageName="com.android.systemui").exists
        d.press("back")
        assert not d(packageName="com.android.systemui").exists
        assert d.open_quick_settings() is True
        assert d(packageName="com.android.systemui", clickable=True).exists
        assert d.info["currentPackageName"] == "com.android.systemui"

    def test_toasts(self, d: Any, u2_host: PhoneHost) -> None:
        assert d.last_toast is None
        u2_host.call(lambda phone: phone.system.toast("Alarm set"))
        assert d.last_toast == "Alarm set"
        assert d.toast.get_message(wait_timeout=1) == "Alarm set"
        d.clear_toast()
        assert d.last_toast is None
        assert d.toast.get_message(wait_timeout=0.1, default="none") == "none"


class TestApps:
    def test_start_stop_current_and_lists(self, d: Any) -> None:
        d.app_start(SETTINGS, stop=True)
        pid = d.app_wait(SETTINGS, front=True)
        assert pid > 0
        assert d.app_current()["package"] == SETTINGS
        assert SETTINGS in d.app_list()
        assert SETTINGS in d.app_list_running()
        assert d.app_info(SETTINGS)["versionName"]
        d.app_start(SETTINGS, ".Settings", wait=True)
        assert d.wait_activity(d.app_current()["activity"], timeout=WAIT_S)
        d.app_stop(SETTINGS)
        assert SETTINGS not in d.app_list_running()
        d.app_start(SETTINGS, use_monkey=True)
        assert SETTINGS in d.app_stop_all(excludes=["com.android.launcher3"])
        d.app_clear(SETTINGS)

    def test_a_session_notices_that_its_app_ended(self, d: Any) -> None:
        with d.session(SETTINGS) as session:
            assert session.running()
            assert session(text="Display").exists
            d.app_stop(SETTINGS)
            with pytest.raises(SessionBrokenError):
                _ = session(text="Display").info
            session.restart()
            assert session(text="Display").exists

    def test_install_and_uninstall(self, d: Any, uiautomator_apk: Path) -> None:
        assert d.app_uninstall("com.github.uiautomator")
        assert "com.github.uiautomator" not in d.app_list()
        d.app_install(str(uiautomator_apk))
        assert "com.github.uiautomator" in d.app_list("-3")

    def test_shell_push_and_pull(self, d: Any, tmp_path: Path) -> None:
        assert d.shell("echo one; false") == ("one\n", 1)
        assert d.shell(["echo", "a b"]).output == "a b\n"
        d.push(io.BytesIO(b"\x00\x01data"), "/sdcard/pushed.bin")
        d.pull("/sdcard/pushed.bin", str(tmp_path / "pulled.bin"))
        assert (tmp_path / "pulled.bin").read_bytes() == b"\x00\x01data"
        d.open_url("https://example.org")


def test_a_picture_by_plain_http(d: Any) -> None:
    """`adb forward` reaches the server as well."""
    port = d.adb_device.forward_port(9008)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/screenshot/0", timeout=WAIT_S) as answer:
        assert answer.headers["Content-Type"] == "image/png"
        assert Image.open(io.BytesIO(answer.read())).size == (1080, 2400)
