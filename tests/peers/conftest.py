"""Agents of other makers, each in an environment of its own, before a virtual phone behind a real adb server."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import adbutils
import pytest
import uiautomator2

from emulator_farm.virtual.host import PhoneHost

HERE = Path(__file__).parent
DEADLINE_S = 120.0
WAITS = ("TAP", "DOUBLE_TAP", "LONG_PRESS", "SWIPE", "BACK", "HOME", "LAUNCH")
"""After each of these the two agents of one family sleep for a second, unless told otherwise."""


@pytest.fixture(scope="session")
def peers() -> Path:
    """The folder of the environments, which are made where they are not there."""
    command = [sys.executable, str(HERE / "setup.py")]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


@dataclass(frozen=True)
class AdbServer:
    """A real adb server on a port of its own."""

    port: int
    environment: dict[str, str]
    """For its clients: they find the server, and Google's adb as `adb`."""

    def adb(self, *arguments: str) -> str:
        """Standard output of a command that must succeed."""
        command = ["adb", *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout


StartServer = Callable[[str], AdbServer]


@pytest.fixture(scope="session")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """Start the server of an adb, named by its path; it ends with the session."""
    servers = []

    def start(adb: str, libraries: str = "") -> AdbServer:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port: int = probe.getsockname()[1]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ADB_")}
        environment = {
            **kept,
            "PATH": f"{Path(adb).parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path_factory.mktemp("home")),
            "ANDROID_ADB_SERVER_PORT": str(port),
            "ADB_MDNS": "0",
            "ADB_USB": "0",
            **({"LD_LIBRARY_PATH": libraries} if libraries else {}),
        }
        command = [adb, "-P", str(port), "server", "nodaemon"]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        servers.append(server)
        deadline = time.monotonic() + DEADLINE_S
        while not _listens(port):
            assert server.poll() is None, f"{adb} ended with {server.returncode}"
            assert time.monotonic() < deadline, f"{adb} does not listen"
            threading.Event().wait(0.02)
        return AdbServer(port, environment)

    yield start
    for server in servers:
        server.terminate()
        server.wait()


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1):
            return True
    except OSError:
        return False


@pytest.fixture(scope="session")
def server(start_server: StartServer) -> AdbServer:
    """The server of the adb in the adbutils wheel."""
    return start_server(adbutils.adb_path())


class Seen:
    """What the phone itself says of its state, past adb."""

    def __init__(self, host: PhoneHost) -> None:
        self.host = host

    @property
    def app(self) -> str:
        return self.host.call(lambda phone: phone.foreground().package)

    @property
    def ime(self) -> str:
        return self.host.call(lambda phone: phone.ime.current)

    @property
    def png(self) -> bytes:
        return self.host.call(lambda phone: phone.png())

    def nodes(self) -> list[ElementTree.Element]:
        return list(ElementTree.fromstring(self.host.call(lambda phone: phone.hierarchy())).iter("node"))

    @property
    def texts(self) -> list[str]:
        return [text for node in self.nodes() if (text := node.get("text"))]

    @property
    def field(self) -> str | None:
        """Text of what has the focus, without its hint."""
        return next((node.get("text") for node in self.nodes() if node.get("focused") == "true"), None)

    def center(self, **wanted: str) -> tuple[int, int]:
        """The middle of the first node whose attributes are these."""
        x1, y1, x2, y2 = self._bounds(wanted)
        return (x1 + x2) // 2, (y1 + y2) // 2

    def start(self, **wanted: str) -> tuple[int, int]:
        """A place on the first letters of such a node's text."""
        x1, y1, _, y2 = self._bounds(wanted)
        return x1 + 80, (y1 + y2) // 2

    def _bounds(self, wanted: dict[str, str]) -> tuple[int, int, int, int]:
        for node in self.nodes():
            if all(node.get(key.replace("_", "-")) == value for key, value in wanted.items()):
                x1, y1, x2, y2 = map(int, re.findall(r"-?\d+", node.get("bounds", "")))
                return x1, y1, x2, y2
        raise AssertionError(f"no {wanted} among {self.texts}")


@pytest.fixture
def host() -> Iterator[PhoneHost]:
    """A fresh phone."""
    with PhoneHost(1) as host:
        yield host


@pytest.fixture
def seen(host: PhoneHost) -> Seen:
    """The state of that phone."""
    return Seen(host)


class Peer:
    """Functions of an agent, run in its environment: `peer("tap", 10, 20)`."""

    def __init__(self, script: Path, python: Path, environment: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                [python, script],
                cwd=log.parent,  # some write traces where they are
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )

    def __call__(self, name: str, *arguments: object) -> Any:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Timer(DEADLINE_S, process.kill)
        late.start()
        try:
            process.stdin.write(json.dumps([name, *arguments]).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            late.cancel()
        assert line, f"{name}{arguments}: {self._log.read_text(errors='replace')[-4000:]}"
        return json.loads(line)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


StartPeer = Callable[[str], Peer]


@pytest.fixture
def start_peer(peers: Path, server: AdbServer, host: PhoneHost, tmp_path: Path) -> Iterator[StartPeer]:
    """Start an agent's device layer, by the name that setup.py gives it, with the phone connected."""
    phone = host.addresses[0]
    assert f"connected to {phone}" in server.adb("connect", phone)
    waits = {f"PHONE_AGENT_{wait}_DELAY": "0" for wait in WAITS}
    started = []

    def start(name: str) -> Peer:
        environment = {**server.environment, **waits, "PHONE": phone}
        script = HERE / "clients" / f"call_{name}.py"
        started.append(Peer(script, peers / name / "bin" / "python", environment, tmp_path / "log"))
        return started[-1]

    yield start
    for peer in started:
        peer.close()
    server.adb("disconnect", phone)


@pytest.fixture(scope="session")
def uiautomator_apk() -> Path:
    """A real APK: the keyboard that the uiautomator2 wheel carries."""
    return Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk"
