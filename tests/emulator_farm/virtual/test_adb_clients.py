"""Clients that know nothing of this phone: Google's adb, the whole of adbutils, and the pure-Python adb-shell."""

import asyncio
import io
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbutils
import pytest
from adb_shell.adb_device import AdbDeviceTcp
from adb_shell.adb_device_async import AdbDeviceTcpAsync
from adb_shell.exceptions import AdbCommandFailureException, AdbConnectionError, AdbTimeoutError

from emulator_farm.virtual.host import PhoneHost

Wired = Any
DEADLINE_S = 30.0
SETTINGS = "com.android.settings"


class Follower:
    """`adb logcat`, its lines as they come."""

    def __init__(self, wired: Wired, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [adbutils.adb_path(), "-P", str(wired.adb.port), "-s", wired.serial, "logcat", *arguments],
            env=wired.adb.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.lines.extend(iter(self._process.stdout.readline, ""))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()


class TestAdb:
    def test_what_it_says_of_the_phone(self, wired: Wired) -> None:
        line = next(line for line in wired.adb("devices", "-l").out.splitlines() if line.startswith(wired.serial))
        assert re.search(r"device product:virtual_phone model:Virtual_Phone device:virtual transport_id:\d+$", line)
        assert wired("get-state").out == "device\n"
        assert wired("get-serialno").out == f"{wired.serial}\n"
        assert wired("wait-for-device", "shell", "echo here").out == "here\n"
        assert "shell_v2" in wired("features").out

    def test_a_log_is_followed(self, wired: Wired) -> None:
        wired.shell("log -t Early one; log -t Other no")
        follower = Follower(wired, "-v", "brief", "Early:V", "Late:W", "*:S")
        try:
            wired.adb.wait(lambda: len(follower.lines) > 1)
            wired.shell("log -p i -t Late too quiet; log -p e -t Late two")
            wired.adb.wait(lambda: len(follower.lines) > 2)
        finally:
            follower.close()
        assert follower.lines == [
            "--------- beginning of main\n",
            "I/Early   ( 1000): one\n",
            "E/Late    ( 1000): two\n",
        ]

    def test_a_log_is_never_silent_for_long(self, wired: Wired) -> None:
        follower = Follower(wired, "healthd:I", "*:S")
        try:
            wired.adb.wait(lambda: len(follower.lines) > 2)
        finally:
            follower.close()
        assert "healthd: battery l=100" in follower.lines[1]

    @pytest.mark.parametrize("service", ["shell:logcat", "shell,v2:logcat"])
    def test_following_ends_with_the_phone(self, wired: Wired, caplog: pytest.LogCaptureFixture, service: str) -> None:
        with wired.open(service) as stream:
            assert b"-----" in stream.recv(20)
            wired.host.close()
        assert [record.message for record in caplog.records if "broke" in record.message] == []

    def test_forwards(self, wired: Wired) -> None:
        port = wired("forward", "tcp:0", "localabstract:nobody").out.strip()
        assert f"{wired.serial} tcp:{port} localabstract:nobody" in wired("forward", "--list").out
        assert wired("forward", "--remove", f"tcp:{port}").code == 0
        assert f"tcp:{port}" not in wired("forward", "--list").out

    def test_an_apk_comes_and_goes(self, wired: Wired, uiautomator_apk: Path) -> None:
        assert wired("uninstall", "com.github.uiautomator").out == "Success\n"
        assert "Success" in wired("install", "-r", "-g", str(uiautomator_apk)).out
        assert "package:com.github.uiautomator\n" in wired.shell("pm list packages -3").out
        assert wired("uninstall", "com.github.uiautomator").out == "Success\n"
        assert "not installed" in wired("uninstall", "com.github.uiautomator").out

    def test_modes_that_this_phone_does_not_change(self, wired: Wired) -> None:
        assert wired("tcpip", "5555").out == "restarting in TCP mode port: 5555\n"
        assert wired("usb").out == "restarting in USB mode\n"
        assert wired.shell("echo still here").out == "still here\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestAdbutils:
    """What the other tests with adbutils do not call. It leaves files and sockets of its own open."""

    @pytest.fixture
    def d(self, wired: Wired) -> adbutils.AdbDevice:
        device: adbutils.AdbDevice = wired.device()
        return device

    def test_the_phone(self, d: adbutils.AdbDevice) -> None:
        assert d.info["state"] == d.get_state() == "device"
        assert d.get_serialno() == d.serial
        assert (d.prop.name, d.prop.model, d.prop.device) == ("virtual_phone", "Virtual Phone", "virtual")
        assert d.window_size() == (1080, 2400)
        assert d.rotation() == 0
        assert re.fullmatch(r"(\d+\.){3}\d+", d.wlan_ip())
        assert d.battery().level == 100
        result = d.shell2("echo out; echo err >&2; exit 3", v2=True)
        assert (result.returncode, result.stdout, result.stderr) == (3, "out\n", "err\n")

    def test_pictures(self, d: adbutils.AdbDevice) -> None:
        raw = d.framebuffer()
        assert (raw.mode, raw.size) == ("RGBA", (1080, 2400))
        assert raw.convert("RGB").tobytes() == d.screenshot().convert("RGB").tobytes()

    def test_switches(self, d: adbutils.AdbDevice) -> None:
        d.switch_screen(False)
        assert d.is_screen_on() is False
        d.switch_screen(True)
        assert d.is_screen_on() is True
        d.switch_airplane(True)
        assert d.shell("settings get global airplane_mode_on") == "1"
        d.switch_airplane(False)
        d.switch_wifi(False)
        assert d.shell("settings get global wifi_on") == "0"
        d.brightness_value = 99
        assert d.brightness_value == 99
        d.brightness_mode = adbutils.BrightnessMode.AUTO
        assert d.brightness_mode is adbutils.BrightnessMode.AUTO
        before = int(d.shell("settings get system volume_music_speaker"))
        d.volume_up(2)
        d.volume_down()
        assert int(d.shell("settings get system volume_music_speaker")) == before + 1
        d.volume_mute()
        assert d.shell("settings get system volume_music_speaker") == "0"

    def test_apps_and_touches(self, d: adbutils.AdbDevice) -> None:
        d.app_start(SETTINGS)
        assert d.app_current().package == SETTINGS
        info = d.app_info(SETTINGS)
        assert info is not None
        assert info.package_name == SETTINGS
        assert SETTINGS in d.list_packages()
        assert SETTINGS not in d.list_packages(["-3"])
        assert 'text="Display"' in d.dump_hierarchy()
        d.swipe(540, 1800, 540, 600, 0.2)
        d.drag(540, 600, 540, 1800, 0.6)
        d.click(0.5, 0.999)
        d.keyevent("HOME")
        assert d.app_current().package == "com.android.launcher3"
        d.app_stop(SETTINGS)
        d.app_clear(SETTINGS)
        d.open_browser("https://example.org")
        assert d.app_info("no.such.app") is None

    def test_files(self, d: adbutils.AdbDevice, tmp_path: Path) -> None:
        d.sync.push(b"bytes", "/sdcard/one/a.txt")
        d.sync.push(io.BytesIO(b"stream"), "/sdcard/one/b.txt")
        assert (d.sync.exists("/sdcard/one/a.txt"), d.sync.exists("/sdcard/none")) == (True, False)
        assert d.sync.stat("/sdcard/one/a.txt").size == 5
        assert sorted(info.path for info in d.sync.iter_directory("/sdcard/one")) == [".", "..", "a.txt", "b.txt"]
        assert b"".join(d.sync.iter_content("/sdcard/one/b.txt")) == d.sync.read_bytes("/sdcard/one/b.txt") == b"stream"
        assert d.sync.read_text("/sdcard/one/a.txt") == "bytes"
        assert d.sync.pull("/sdcard/one", tmp_path / "one") == 11
        assert (tmp_path / "one" / "b.txt").read_bytes() == b"stream"
        d.remove("/sdcard/one/a.txt")
        d.rmtree("/sdcard/one")
        assert not d.sync.exists("/sdcard/one")

    def test_forward_and_reverse(self, d: adbutils.AdbDevice) -> None:
        port = d.forward_port("localabstract:x")
        assert ("localabstract:x", f"tcp:{port}") in [(item.remote, item.local) for item in d.forward_list()]
        d.forward_remove(f"tcp:{port}")
        assert port not in [item.local for item in d.forward_list()]
        d.reverse("tcp:7001", "tcp:7002")
        assert [(item.remote, item.local) for item in d.reverse_list()] == [("tcp:7001", "tcp:7002")]
        d.reverse_remove("tcp:7001")
        d.reverse_remove_all()
        assert d.reverse_list() == []

    def test_logcat_to_a_file(self, d: adbutils.AdbDevice, wired: Wired, tmp_path: Path) -> None:
        d.shell("log -t Old gone")
        target = tmp_path / "log.txt"
        stopping = d.logcat(str(target), clear=True, re_filter="Tag")
        d.shell("log -t Tag found; log -t Other lost")
        wired.adb.wait(lambda: "found" in target.read_text())
        stopping.stop(timeout=DEADLINE_S)
        assert "lost" not in target.read_text()
        assert "gone" not in target.read_text()

    def test_root_and_the_rest(self, d: adbutils.AdbDevice, wired: Wired) -> None:
        assert d.tcpip(5555) == "restarting in TCP mode port: 5555\n"
        assert d.root() == "restarting adbd as root\n"
        wired.adb.wait(lambda: "connected" in wired.adb("connect", wired.serial).out)
        wired.adb.wait(lambda: wired.shell("id -u").out == "0\n")


@pytest.fixture(scope="module")
def host() -> Iterator[PhoneHost]:
    with PhoneHost(1) as phones:
        yield phones


class TestAdbShell:
    """It speaks the phone's wire itself, in the older version of the protocol, without an adb server."""

    @pytest.fixture
    def d(self, host: PhoneHost) -> Iterator[AdbDeviceTcp]:
        address, _, port = host.addresses[0].partition(":")
        device = AdbDeviceTcp(address, int(port), default_transport_timeout_s=DEADLINE_S)
        assert device.connect(auth_timeout_s=DEADLINE_S)
        yield device
        device.close()

    def test_shell(self, d: AdbDeviceTcp) -> None:
        assert d.available
        assert d.shell("echo one; echo zwei ä") == "one\nzwei ä\n"
        assert list(d.streaming_shell("echo a; echo b"))[-1].endswith("b\n")
        assert d.exec_out("printf x") == "x"
        png = d.shell("screencap -p", decode=False, read_timeout_s=DEADLINE_S)
        assert png[:8] == b"\x89PNG\r\n\x1a\n"

    def test_files(self, d: AdbDeviceTcp, tmp_path: Path) -> None:
        data = bytes(range(256)) * 3000
        source = tmp_path / "source.bin"
        source.write_bytes(data)
        seen: list[int] = []
        d.push(str(source), "/sdcard/x.bin", progress_callback=lambda path, done, total: seen.append(done))
        assert d.stat("/sdcard/x.bin")[1] == len(data)
        assert b"x.bin" in [entry.filename for entry in d.list("/sdcard")]
        d.pull("/sdcard/x.bin", str(tmp_path / "back.bin"))
        assert (tmp_path / "back.bin").read_bytes() == data
        assert seen
        with pytest.raises(AdbCommandFailureException):
            d.pull("/sdcard/none", str(tmp_path / "none"))

    def test_root_and_reboot(self, d: AdbDeviceTcp) -> None:
        d.root(read_timeout_s=DEADLINE_S)
        _wait_for_user(d, "0\n")
        d.reboot()
        _wait_for_user(d, "2000\n")

    def test_asynchronous(self, host: PhoneHost) -> None:
        async def use() -> str:
            address, _, port = host.addresses[0].partition(":")
            device = AdbDeviceTcpAsync(address, int(port), default_transport_timeout_s=DEADLINE_S)
            await device.connect(auth_timeout_s=DEADLINE_S)
            try:
                return str(await device.shell("getprop ro.product.model"))
            finally:
                await device.close()

        assert asyncio.run(use()) == "Virtual Phone\n"


def _wait_for_user(device: AdbDeviceTcp, wanted: str) -> None:
    """The phone drops its hosts a moment after it has answered: connect until its shell runs as another user."""
    deadline = time.monotonic() + DEADLINE_S
    user = ""
    while user != wanted:
        assert time.monotonic() < deadline, f"the shell still runs as {user}"
        device.close()
        try:
            device.connect(auth_timeout_s=DEADLINE_S)
            user = device.shell("id -u")
        except (OSError, AdbConnectionError, AdbTimeoutError):
            continue
