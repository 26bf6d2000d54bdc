"""`adb shell` and `adb exec-out` by the real adb, and by raw connections through its server."""

import asyncio
import io
import os
import re
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from xml.etree import ElementTree

import adbutils
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from uiautomator2._input import InputMethodMixIn

from emulator_farm.virtual.commands import TOOLS
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.interpreter import Shell
from emulator_farm.virtual.shell.pipes import BytesSink, Streams
from emulator_farm.virtual.shell.terminal import Terminal

Wired = Any


def _drain(connection: socket.socket) -> bytes:
    with connection:
        parts = []
        while data := connection.recv(1 << 20):
            parts.append(data)
        return b"".join(parts)


def _frames(data: bytes) -> list[tuple[int, bytes]]:
    """Packets of version 2 of the shell protocol."""
    out = []
    while data:
        kind, length = data[0], int.from_bytes(data[1:5], "little")
        out.append((kind, data[5 : 5 + length]))
        data = data[5 + length :]
    return out


class TestVersionTwo:
    def test_streams_and_status_stay_apart(self, wired: Wired) -> None:
        result = wired.shell("echo out; echo err >&2; exit 9")
        assert (result.code, result.out, result.err) == (9, "out\n", "err\n")

    def test_standard_input_reaches_the_command_and_ends(self, wired: Wired) -> None:
        assert wired.shell("cat; echo end", stdin=b"line\n" * 20000).out == "line\n" * 20000 + "end\n"
        assert wired.shell("wc -c", stdin=b"").out == "0\n"

    def test_a_command_that_ignores_its_input(self, wired: Wired) -> None:
        assert wired.shell("echo ok", stdin=b"x" * 300_000).out == "ok\n"

    def test_no_command_reads_a_script(self, wired: Wired) -> None:
        result = wired("shell", stdin=b"echo hi\ncd /sdcard\npwd\nexit 3\n")
        assert (result.code, result.out) == (3, "hi\n/sdcard\n")

    def test_frames_on_the_wire(self, wired: Wired) -> None:
        assert _frames(_drain(wired.open("shell,v2,raw:echo a; echo b >&2; false"))) == [
            (1, b"a\n"), (2, b"b\n"), (3, b"\x01"),
        ]  # fmt: skip

    def test_window_size_and_closing_of_input(self, wired: Wired) -> None:
        connection = wired.open("shell,v2,raw:cat")
        size = b"24x80,0x0\0"
        connection.sendall(bytes([5]) + len(size).to_bytes(4, "little") + size)
        connection.sendall(bytes([0]) + (2).to_bytes(4, "little") + b"ab" + bytes([0, 0, 0, 0, 0]))
        connection.sendall(bytes([4, 0, 0, 0, 0]))
        assert _frames(_drain(connection)) == [(1, b"ab"), (3, b"\0")]

    def test_an_absurd_frame_ends_the_input(self, wired: Wired) -> None:
        connection = wired.open("shell,v2,raw:cat; echo end")
        connection.sendall(bytes([0]) + b"\xff\xff\xff\x7f")
        assert _frames(_drain(connection))[-2:] == [(1, b"end\n"), (3, b"\0")]

    def test_leaving_hangs_up_on_the_command(self, wired: Wired) -> None:
        connection = wired.open("shell,v2,raw:sleep 0.3; touch /sdcard/survived")
        connection.close()
        threading.Event().wait(0.6)  # nothing happens that could be waited for
        assert wired.shell("ls /sdcard/survived").code == 1


class TestVersionOne:
    def test_streams_come_together_in_order(self, wired: Wired) -> None:
        assert _drain(wired.open("shell:echo a; echo b >&2; echo c")) == b"a\nb\nc\n"

    def test_it_goes_on_without_its_host(self, wired: Wired) -> None:
        wired.open("shell:sleep 0.2; touch /sdcard/survived").close()
        wired.adb.wait(lambda: wired.shell("ls /sdcard/survived").code == 0)

    def test_exec_is_binary(self, wired: Wired) -> None:
        data = bytes(range(256)) * 100
        wired.shell("cat > /sdcard/bin", stdin=data)
        assert wired("exec-out", "cat /sdcard/bin").raw == data
        assert wired.device().shell("cat /sdcard/bin", encoding=None) == data

    def test_exec_without_a_command_is_refused(self, wired: Wired) -> None:
        with pytest.raises(ConnectionRefusedError):
            wired.open("exec:")

    def test_ports_of_the_phone_are_closed(self, wired: Wired) -> None:
        for service in ("tcp:9008", "localabstract:minicap", "jdwp:1"):
            with pytest.raises(ConnectionRefusedError):
                wired.open(service)


class TestFrames:
    def test_png_and_raw_show_the_same(self, wired: Wired) -> None:
        png = Image.open(io.BytesIO(wired("exec-out", "screencap", "-p").raw))
        raw = wired("exec-out", "screencap").raw
        assert png.size == (1080, 2400)
        assert raw[:16] == (1080).to_bytes(4, "little") + (2400).to_bytes(4, "little") + b"\1\0\0\0\1\0\0\0"
        assert Image.frombytes("RGBA", png.size, raw[16:]).convert("RGB").tobytes() == png.convert("RGB").tobytes()
        assert set(raw[19::4]) == {255}

    def test_a_slow_reader_gets_every_byte(self, wired: Wired) -> None:
        connection = wired.open("exec:screencap")
        threading.Event().wait(0.3)  # being slow is what is tested: every buffer on the way is full by now
        assert len(_drain(connection)) == 16 + 1080 * 2400 * 4

    def test_adbutils_takes_a_screenshot(self, wired: Wired) -> None:
        assert wired.device().screenshot().size == (1080, 2400)


def test_twenty_streams_at_once(wired: Wired) -> None:
    def one(number: int) -> bool:
        blob = bytes([number]) * 300_000
        wired.shell(f"cat > /sdcard/f{number}", stdin=blob)
        return bool(_drain(wired.open(f"exec:sleep 0.1; cat /sdcard/f{number}")) == blob)

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(one, range(20)))


def test_a_host_that_dies_in_a_transfer_harms_nobody(wired: Wired) -> None:
    client = subprocess.Popen(
        [adbutils.adb_path(), "-P", str(wired.adb.port), "-s", wired.serial, "exec-out", "screencap; sleep 20"],
        env=wired.adb.environment,
        stdout=subprocess.PIPE,
    )
    assert client.stdout is not None
    client.stdout.read(1000)
    client.kill()
    client.stdout.close()
    client.wait()
    assert wired.shell("echo alive").out == "alive\n"


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_quoted_comes_back_through_adb(wired: Wired, text: str) -> None:
    assert _drain(wired.open(f"shell:echo {shlex.quote('x' + text)}")).decode() == f"x{text}\n"


class Keyboard(InputMethodMixIn):  # type: ignore[misc]
    """uiautomator2's own typing code on a plain adb device."""

    adb_device = jsonrpc = None

    def __init__(self, device: adbutils.AdbDevice) -> None:
        self._device = device

    def shell(self, command: list[str], timeout: float = 60) -> Any:
        return self._device.shell2(command, rstrip=True)


class TestUiautomator2Keyboard:
    TEXT = "Grüße %s \"quoted\" 'x' $HOME `id`; 你好 😀"

    @pytest.fixture
    def keyboard(self, wired: Wired) -> Keyboard:
        """With the search field of Settings in focus."""
        wired.shell("am start -a android.settings.APP_SEARCH_SETTINGS")
        tree = wired.shell("uiautomator dump /dev/tty").out
        left, top, right, bottom = map(int, re.findall(r"EditText.*?bounds=\"\[(\d+),(\d+)\]\[(\d+),(\d+)\]", tree)[0])
        wired.shell(f"input tap {(left + right) // 2} {(top + bottom) // 2}")
        return Keyboard(wired.device())

    def _field(self, wired: Wired) -> str:
        root = ElementTree.fromstring(wired.shell("uiautomator dump /dev/tty").out.partition("UI hier")[0])
        return next(node.get("text", "") for node in root.iter("node") if node.get("class", "").endswith("EditText"))

    def test_any_text_and_clearing(self, wired: Wired, keyboard: Keyboard) -> None:
        assert keyboard.send_keys(self.TEXT)
        assert self._field(wired) == self.TEXT
        assert keyboard.current_ime() == "com.github.uiautomator/.AdbKeyboard"
        keyboard.clear_text()
        keyboard.send_keys("again")
        assert self._field(wired) == "again"

    def test_editor_actions_and_hiding(self, keyboard: Keyboard) -> None:
        keyboard.send_keys("wifi")
        keyboard.send_action("search")
        keyboard.hide_keyboard()


class TestTerminal:
    def test_a_command_on_a_terminal(self, wired: Wired) -> None:
        result = wired("shell", "-tt", "echo one; echo two >&2; exit 6")
        assert (result.code, result.raw) == (6, b"one\r\ntwo\r\n")

    def test_a_session(self, wired: Wired) -> None:
        connection = wired.open("shell:")
        connection.sendall(b"cd /sdcard\necho hi\nnosuch\nexit 5\n")
        screen = _drain(connection).decode()
        assert "virtual:/ $ " in screen
        assert "virtual:/sdcard $ " in screen
        assert "hi\r\n" in screen
        assert "inaccessible or not found\r\n" in screen
        assert "127|virtual:/sdcard $ " in screen

    def _type(self, typed: bytes, command: str = "") -> tuple[int, str]:
        """What a terminal shows when all of `typed` is there at once."""

        class Keys:
            def __init__(self) -> None:
                self.left = [typed[i : i + 1] for i in range(len(typed))]

            async def read(self) -> bytes:
                await asyncio.sleep(0.002)
                return self.left.pop(0) if self.left else b""

        async def main() -> tuple[int, str]:
            handset = Handset(Phone())
            screen = BytesSink()
            code = await Terminal(Shell(handset, TOOLS), Streams(Keys(), screen, screen)).run(command)
            handset.close()
            return code, screen.data.decode()

        return asyncio.run(main())

    def test_backspace_erases_whole_characters(self) -> None:
        _, screen = self._type("echo aé\x7f\x7f\x08\x7fb\n".encode())
        assert "\b \b" * 4 in screen
        assert self._type("echo aé\x7fx\nexit 2\n".encode())[1].count("ax\r\n") == 1

    def test_ctrl_c_ends_the_command_and_ctrl_d_the_shell(self) -> None:
        code, screen = self._type(b"sleep 60\n\x03echo next\n\x04")
        assert "^C\r\n130|virtual:/ $ " in screen
        assert "next\r\n" in screen
        assert code == 0

    def test_ctrl_c_drops_the_line_and_ctrl_u_too(self) -> None:
        _, screen = self._type(b"echo no\x03echo also no\x15echo yes\n")
        assert "yes\r\n" in screen
        assert "no\r\n" not in screen.replace("echo no", "").replace("echo also no", "")

    def test_a_quote_goes_on_over_lines(self) -> None:
        _, screen = self._type(b"echo 'a\nb'\n")
        assert "> " in screen
        assert "a\r\nb\r\n" in screen

    def test_a_syntax_error_leaves_the_shell_running(self) -> None:
        _, screen = self._type(b"echo )\necho still\n")
        assert "unexpected ')'" in screen
        assert "still\r\n" in screen

    def test_a_command_reads_lines_until_ctrl_d(self) -> None:
        _, screen = self._type(b"cat\nline\n\x04exit 4\n")
        assert screen.count("line\r\n") == 2

    def test_input_without_a_final_newline(self) -> None:
        assert "tail\r\n" in self._type(b"echo tail")[1]

    def test_a_command_of_its_own(self) -> None:
        assert self._type(b"", "exit 7")[0] == 7


def test_hanging_up_in_a_terminal_ends_it(wired: Wired) -> None:
    connection = wired.open("shell,v2,pty:sleep 60")
    connection.close()
    assert wired.shell("echo alive").out == "alive\n"


def test_latency_costs_no_other_stream_anything(wired: Wired) -> None:
    wired.shell("vphone latency input=1.0")
    taps = [threading.Thread(target=lambda: _drain(wired.open("shell:input tap 1 1"))) for _ in range(8)]
    started = time.monotonic()
    for tap in taps:
        tap.start()
    assert wired.shell("echo quick").out == "quick\n"
    assert time.monotonic() - started < 0.9
    for tap in taps:
        tap.join()
    assert 1.0 <= time.monotonic() - started < 3.0


@pytest.fixture(autouse=True)
def _no_adb_of_the_machine() -> Callable[[], None] | None:
    assert "ANDROID_ADB_SERVER_PORT" not in os.environ or os.environ["ANDROID_ADB_SERVER_PORT"] != "5037"
    return None
