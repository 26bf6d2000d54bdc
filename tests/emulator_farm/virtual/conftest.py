"""A phone's shell without ADB, and a real adb server with a virtual phone connected to it."""

import asyncio
import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import adbutils
import pytest
import uiautomator2

from emulator_farm.virtual.commands import TOOLS
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.host import PhoneHost, new_event_loop
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.interpreter import Shell
from emulator_farm.virtual.shell.pipes import BytesSink, BytesSource, Streams

TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Result:
    """What a command gave back."""

    code: int
    out: str
    err: str
    raw: bytes = b""


class ShellRunner:
    """`sh("ls /")` runs a script on a phone of its own; state stays between calls, the shell's variables do not."""

    def __init__(self) -> None:
        self.handset = Handset(Phone())
        self._runner = asyncio.Runner(loop_factory=new_event_loop)

    @property
    def phone(self) -> Phone:
        return self.handset.phone

    def __call__(self, script: str, stdin: bytes = b"") -> Result:
        out, err = BytesSink(), BytesSink()
        shell = Shell(self.handset, TOOLS)
        code = self._runner.run(shell.run_text(script, Streams(BytesSource(stdin), out, err)))
        return Result(code, out.data.decode(errors="surrogateescape"), err.data.decode(errors="replace"), out.data)

    def close(self) -> None:
        self.handset.close()
        self._runner.close()


@pytest.fixture
def sh() -> Iterator[ShellRunner]:
    """A shell on a fresh phone."""
    runner = ShellRunner()
    yield runner
    runner.close()


@pytest.fixture
def out(sh: ShellRunner) -> Callable[[str], str]:
    """Standard output of a script that must succeed and complain about nothing."""

    def run(script: str) -> str:
        result = sh(script)
        assert (result.code, result.err) == (0, ""), script
        return result.out

    return run


class Adb:
    """The real adb: its server on a port of its own, and its client."""

    def __init__(self, home: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self.environment = {**os.environ, "HOME": str(home), "ADB_MDNS": "0", "ADB_USB": "0"}
        self.environment.pop("ADB_TRACE", None)
        self._server = subprocess.Popen(
            [adbutils.adb_path(), "-P", str(self.port), "server", "nodaemon"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait(self._is_listening)

    def _is_listening(self) -> bool:
        """Asked by a bare socket: the client would start a server of its own while ours is not up yet."""
        assert self._server.poll() is None, "the adb server ended"
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1):
                return True
        except OSError:
            return False

    def __call__(self, *arguments: str, stdin: bytes | None = None, timeout: float = TIMEOUT_S) -> Result:
        done = subprocess.run(
            [adbutils.adb_path(), "-P", str(self.port), *arguments],
            env=self.environment,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(), done.stdout)

    def wait(self, condition: Callable[[], bool], timeout: float = TIMEOUT_S) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true in time"
            select.select([], [], [], 0.02)

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()


class PhoneAdb:
    """adb with one virtual phone selected."""

    def __init__(self, adb: Adb, host: PhoneHost) -> None:
        self.adb = adb
        self.host = host
        self.serial = host.addresses[0]
        connected = adb("connect", self.serial)
        assert f"connected to {self.serial}" in connected.out, connected

    def __call__(self, *arguments: str, stdin: bytes | None = None, timeout: float = TIMEOUT_S) -> Result:
        return self.adb("-s", self.serial, *arguments, stdin=stdin, timeout=timeout)

    def shell(self, script: str, stdin: bytes | None = None) -> Result:
        return self("shell", script, stdin=stdin)

    def open(self, service: str) -> socket.socket:
        """A raw connection to a service of the phone through the adb server, past its OKAY."""
        connection = socket.create_connection(("127.0.0.1", self.adb.port), TIMEOUT_S)
        for request in (f"host:transport:{self.serial}", service):
            connection.sendall(f"{len(request.encode()):04x}{request}".encode())
            answer = connection.recv(4, socket.MSG_WAITALL)
            if answer != b"OKAY":
                length = int(connection.recv(4, socket.MSG_WAITALL), 16)
                message = connection.recv(length, socket.MSG_WAITALL).decode()
                connection.close()
                raise ConnectionRefusedError(message)
        return connection

    def device(self) -> adbutils.AdbDevice:
        """The same phone in adbutils."""
        return adbutils.AdbClient(host="127.0.0.1", port=self.adb.port).device(self.serial)


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    """A real adb server for the whole session."""
    server = Adb(tmp_path_factory.mktemp("adb-home"))
    yield server
    server.close()


@pytest.fixture
def wired(adb: Adb) -> Iterator[PhoneAdb]:
    """A fresh phone that the real adb server is connected to."""
    with PhoneHost(1) as host:
        phone = PhoneAdb(adb, host)
        yield phone
        adb("disconnect", phone.serial)


@pytest.fixture(scope="session")
def uiautomator_apk() -> Path:
    """A real APK: the keyboard that the uiautomator2 wheel carries."""
    return Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk"


@pytest.fixture(scope="module")
def u2_host() -> Iterator[PhoneHost]:
    """The phone of a file of uiautomator2 tests."""
    with PhoneHost(1) as host:
        yield host


@pytest.fixture(scope="module")
def u2_client(u2_host: PhoneHost, adb: Adb) -> Iterator[uiautomator2.Device]:
    """The real client; the server that it started stays up for a whole file."""
    serial = u2_host.addresses[0]
    adb("connect", serial)
    client = uiautomator2.connect(adbutils.AdbClient(host="127.0.0.1", port=adb.port).device(serial))
    client.settings["wait_timeout"] = TIMEOUT_S
    yield client
    client.stop_uiautomator()
    adb("disconnect", serial)


@pytest.fixture
def d(u2_host: PhoneHost, u2_client: uiautomator2.Device) -> uiautomator2.Device:
    """The real uiautomator2 client, under the name that its users give it, on a phone in its factory state."""
    u2_host.call(lambda phone: phone.reset())
    u2_client.clear_toast()
    return u2_client
