"""The life of uiautomator2's server on the phone: start, end, faults, and what it answers to requests by hand."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbutils
import pytest
import uiautomator2
from uiautomator2.exceptions import RPCUnknownError

Wired = Any
DEADLINE_S = 30.0
START = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main"
JAR = Path(uiautomator2.__file__).parent / "assets" / "u2.jar"


@pytest.fixture
def device(wired: Wired) -> adbutils.AdbDevice:
    return wired.device()


@pytest.fixture
def d(device: adbutils.AdbDevice) -> Iterator[uiautomator2.Device]:
    client = uiautomator2.connect(device)
    yield client
    client.stop_uiautomator()


@pytest.fixture
def running(wired: Wired) -> Iterator[Wired]:
    """A phone whose server was started by hand."""
    wired("push", str(JAR), "/data/local/tmp/u2.jar")
    with wired.open(f"shell:{START}"):
        wired.adb.wait(lambda: _ping(wired))
        yield wired


def _get(wired: Wired, *pieces: bytes, port: int = 9008) -> bytes:
    """What comes back for bytes sent to the server. Raises ConnectionRefusedError."""
    with wired.open(f"tcp:{port}") as connection:
        for piece in pieces:
            connection.sendall(piece)
        parts = []
        while data := connection.recv(65536):
            parts.append(data)
    return b"".join(parts)


def _request(path: str, body: bytes = b"", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def _ping(wired: Wired) -> bool:
    try:
        return _get(wired, _request("/ping")).endswith(b"\r\n\r\npong")
    except ConnectionRefusedError:
        return False


def _call(wired: Wired, body: object) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head, _, answer = _get(wired, _request("/jsonrpc/0", data, "POST")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: application/json")
    return json.loads(answer)


def _error(answer: Any) -> tuple[int, str]:
    return answer["error"]["code"], answer["error"]["message"]


class TestLife:
    def test_the_client_starts_it_and_its_end_is_the_servers_end(self, d: Any, wired: Wired) -> None:
        assert "app_process" in wired.shell("ps -A").out
        assert wired.shell("pgrep -f uia2").out.strip().isdecimal()
        assert wired.shell("ls /data/local/tmp/u2.jar").code == 0
        d.stop_uiautomator()
        assert not _ping(wired)
        assert "app_process" not in wired.shell("ps -A").out

    def test_the_jar_is_pushed_once(self, d: Any, wired: Wired) -> None:
        """Pushing it again would give it back its mode."""
        assert wired.shell("stat -c %s /data/local/tmp/u2.jar; chmod 600 /data/local/tmp/u2.jar").out == (
            f"{JAR.stat().st_size}\n"
        )
        d.reset_uiautomator()
        assert wired.shell("stat -c %a /data/local/tmp/u2.jar").out == "600\n"

    def test_a_second_client_uses_the_server_of_the_first(self, d: Any, device: adbutils.AdbDevice) -> None:
        second = uiautomator2.connect(device)
        second.stop_uiautomator(wait=False)
        assert d.info["screenOn"] is True

    def test_another_server_is_refused_while_one_runs(self, d: Any, wired: Wired) -> None:
        second = wired.shell(f"{START} -p 9009")
        assert second.code == 1
        assert "already registered!" in second.err
        assert d.info["screenOn"] is True

    def test_another_port(self, wired: Wired, device: adbutils.AdbDevice) -> None:
        client = uiautomator2.connect(device, port=9123)
        assert _get(wired, _request("/ping"), port=9123).endswith(b"pong")
        with pytest.raises(ConnectionRefusedError):
            wired.open("tcp:9008")
        client.stop_uiautomator()

    def test_a_reset_starts_a_new_one(self, d: Any, wired: Wired) -> None:
        before = wired.shell("pgrep -f uia2").out
        d.reset_uiautomator()
        assert wired.shell("pgrep -f uia2").out not in (before, "")
        assert d.info["screenOn"] is True

    def test_stop_by_request(self, running: Wired) -> None:
        assert _get(running, _request("/stop")).endswith(b"Server stopped!!!")
        running.adb.wait(lambda: not _ping(running))
        assert "app_process" not in running.shell("ps -A").out

    def test_a_return_to_the_factory_ends_it(self, d: Any, wired: Wired) -> None:
        wired.shell("vphone reset")
        wired.adb.wait(lambda: "app_process" not in wired.shell("ps -A").out)
        assert d.info["screenOn"] is True

    def test_what_does_not_start(self, wired: Wired) -> None:
        wired("push", str(JAR), "/data/local/tmp/u2.jar")
        for command, code, text in (
            ("app_process / com.wetest.uia2.Main", 134, "ClassNotFoundException: com.wetest.uia2.Main"),
            ("CLASSPATH=/sdcard/none.jar app_process / com.wetest.uia2.Main", 134, "ClassNotFoundException"),
            (f"{START.removesuffix('.Main')}.Other", 134, "ClassNotFoundException: com.wetest.uia2.Other"),
            (f"{START} -p 0", 1, "Invalid port: 0. Must be between 1 and 65535."),
            (f"{START} -p 70000", 1, "Invalid port: 70000"),
            (f"{START} --frob", 1, "usage: uiautomator2-server"),
            ("app_process", 1, "no class name"),
        ):
            result = wired.shell(command)
            assert (result.code, text in result.err) == (code, True), (command, result)


class TestFaults:
    """The client's own restart must work through each of them."""

    @pytest.mark.parametrize("fault", ["killed", "refused", "not_connected"])
    def test_the_client_recovers(self, d: Any, wired: Wired, fault: str) -> None:
        before = wired.shell("pgrep -f uia2").out
        wired.shell(f"vphone fault u2 {fault}; vphone fault count 1")
        assert d.info["currentPackageName"] == "com.android.launcher3"
        assert wired.shell("pgrep -f uia2").out not in (before, "")
        assert "u2=\n" in wired.shell("vphone faults").out

    @pytest.mark.parametrize("command", ["pkill -f com.wetest.uia2.Main", "kill -9 $(pidof app_process)"])
    def test_killed_from_a_shell(self, d: Any, wired: Wired, command: str) -> None:
        assert wired.shell(command).code == 0
        wired.adb.wait(lambda: not _ping(wired))
        assert d.info["currentPackageName"] == "com.android.launcher3"

    def test_the_jar_was_deleted_with_the_server(self, d: Any, wired: Wired) -> None:
        wired.shell("pkill -f uia2; rm /data/local/tmp/u2.jar")
        wired.adb.wait(lambda: not _ping(wired))
        assert d.info["screenOn"] is True

    def test_a_reboot(self, d: Any, wired: Wired) -> None:
        wired("reboot")
        wired.adb.wait(lambda: not _ping(wired))
        wired.adb("connect", wired.serial)
        wired.adb.wait(lambda: wired("get-state").out.strip() == "device")
        assert d.info["screenOn"] is True

    def test_an_empty_tree(self, d: Any, wired: Wired) -> None:
        wired.shell("vphone fault dump null_root; vphone fault count 1")
        assert "<node" in d.dump_hierarchy()
        wired.shell("vphone fault dump null_root")
        assert d.jsonrpc.dumpWindowHierarchy(False, 50).endswith('\r\n<hierarchy rotation="0" />')

    def test_an_old_tree(self, d: Any, wired: Wired) -> None:
        old = d.dump_hierarchy()
        wired.shell("am start -n com.android.settings/.Settings; vphone fault dump stale")
        assert d.dump_hierarchy() == old
        wired.shell("vphone fault clear")
        assert d.dump_hierarchy() != old

    def test_no_picture_makes_the_client_use_screencap(self, d: Any, wired: Wired) -> None:
        wired.shell("vphone fault screencap empty; vphone fault count 1")
        assert d.screenshot().format == "PNG"
        assert d.screenshot().format == "JPEG"
        wired.shell("vphone fault screencap black")
        assert d.screenshot().convert("L").getextrema()[1] < 8

    def test_dropped_input(self, d: Any, wired: Wired) -> None:
        wired.shell("am start -n com.android.settings/.Settings; vphone fault input drop")
        d(text="Display").click(timeout=DEADLINE_S)
        assert d(text="Display").exists
        assert not d(text="Brightness level").exists
        wired.shell("vphone fault clear")
        d(text="Display").click(timeout=DEADLINE_S)
        assert d(text="Brightness level").exists

    def test_latency(self, d: Any, wired: Wired) -> None:
        wired.shell("vphone latency u2=0.5 capture=0.5 input=0.5")
        for call in (d.dump_hierarchy, d.screenshot, lambda: d.press("home")):
            started = time.monotonic()
            call()
            assert time.monotonic() - started >= 0.5


class TestByHand:
    def test_http(self, running: Wired) -> None:
        assert _get(running, _request("/nothing")).startswith(b"HTTP/1.1 404 Not Found\r\n")
        assert _get(running, _request("/jsonrpc/0")).startswith(b"HTTP/1.1 500 ")
        assert _get(running, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert _get(running, b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: x\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        assert _get(running, _request("/screenshot/0?scale=1")).count(b"\x89PNG\r\n") == 1

    def test_several_requests_on_one_connection_in_any_pieces(self, running: Wired) -> None:
        keep = b"GET /ping HTTP/1.1\r\n\r\n"
        wire = keep + keep + _request("/ping")
        data = _get(running, *(wire[start : start + 7] for start in range(0, len(wire), 7)))
        assert data.count(b"pong") == 3

    def test_envelopes(self, running: Wired) -> None:
        assert _call(running, {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}) == {
            "jsonrpc": "2.0",
            "id": 7,
            "result": "pong",
        }
        assert _call(running, {"id": "x", "method": "isScreenOn"})["result"] is True
        assert _error(_call(running, b"{")) == (-32700, "JSON parse error")
        assert _error(_call(running, [])) == (-32600, "Invalid Request")
        assert _error(_call(running, {"id": 1, "method": "frobnicate"})) == (-32601, "method not found")

    def test_parameters_that_no_overload_takes(self, running: Wired) -> None:
        calls: list[tuple[str, object]] = [
            ("click", []),
            ("click", [1, 2, 3, 4]),
            ("click", [{"no": "mask"}]),
            ("swipe", [1, 2, 3]),
            ("swipePoints", [[1, 2, 3], 5]),
            ("pressKey", [3]),
            ("objInfo", []),
            ("waitForExists", [{"mask": 0}]),
            ("setText", [{"mask": 0}, 5]),
            ("scrollForward", [{"mask": 0}, "yes", 5]),
            ("takeScreenshot", ["x", 1]),
            ("freezeRotation", ["yes"]),
            ("deviceInfo", {"a": 1}),
        ]
        for method, params in calls:
            answer = _call(running, {"id": 1, "method": method, "params": params})
            assert _error(answer) == (-32602, "method parameters invalid"), method

    def test_java_errors(self, running: Wired) -> None:
        selector = {"mask": 1, "text": "x", "childOrSibling": ["child"], "childOrSiblingSelector": [{"mask": 16}]}
        for method, params, data in (
            ("objInfo", [{"mask": 1, "text": "Nope"}], "UiSelector[TEXT=Nope]"),
            ("objInfo", [selector], "UiSelector[TEXT=x, CHILD=UiSelector[CLASS=None]]"),
            ("click", ["no-such-name"], "UiObject no-such-name not found!"),
            ("childByText", [{"mask": 0}, {"mask": 0}, "Nope"], 'for text= "Nope"'),
        ):
            answer = _call(running, {"id": 1, "method": method, "params": params})
            assert _error(answer) == (-32001, "androidx.test.uiautomator.UiObjectNotFoundException")
            assert data in answer["error"]["data"]
        answer = _call(running, {"id": 1, "method": "exist", "params": [{"mask": 4, "textMatches": "("}]})
        assert _error(answer) == (-32001, "java.util.regex.PatternSyntaxException")

    def test_named_objects(self, running: Wired) -> None:
        def call(method: str, *params: object) -> Any:
            return _call(running, {"id": 1, "method": method, "params": params})["result"]

        running.shell("am start -n com.android.settings/.Settings")
        name = call("getUiObject", {"mask": 1, "text": "Display"})
        assert call("getUiObjects") == [name]
        assert call("exist", name) is True
        assert call("getText", name) == "Display"
        assert call("objInfo", name)["resourceName"] is None
        pane = call("getUiObject", {"mask": 0x4000, "scrollable": True})
        child = call("getChild", pane, {"mask": 1, "text": "Display"})
        assert call("objInfo", child)["bounds"] == call("objInfo", name)["bounds"]
        sibling = call("getFromParent", child, {"mask": 0x10, "className": "android.widget.TextView"})
        assert call("getText", sibling) == "Display"
        assert call("longClick", name) is True
        assert call("click", name, "tl") is True
        assert call("exist", {"mask": 1, "text": "Brightness level"}) is True
        assert call("removeUiObject", name) is None
        assert name not in call("getUiObjects")

    def test_configurator_and_idle(self, running: Wired) -> None:
        def call(method: str, *params: object) -> Any:
            return _call(running, {"id": 1, "method": method, "params": params})["result"]

        assert call("getConfigurator")["actionAcknowledgmentTimeout"] == 500
        assert call("setConfigurator", {"waitForIdleTimeout": 9, "other": 1})["waitForIdleTimeout"] == 9
        assert "other" not in call("getConfigurator")
        assert call("waitForIdle", 100) is None
        assert call("waitForWindowUpdate", None, 50) is False


def test_a_toast_by_an_old_method(d: Any) -> None:
    d.clear_toast()
    d.toast.show("Hello")
    assert d.last_toast == "Hello"
    with pytest.raises(RPCUnknownError, match="-32601 method not found"):
        d.jsonrpc.nosuch()


def test_a_wait_ends_when_the_view_comes(d: Any, wired: Wired, device: adbutils.AdbDevice) -> None:
    seen: list[bool] = []
    waiting = threading.Thread(target=lambda: seen.append(d(text="Display").wait(timeout=DEADLINE_S)))
    waiting.start()
    wired.shell("am start -n com.android.settings/.Settings")
    waiting.join(DEADLINE_S)
    assert seen == [True]
