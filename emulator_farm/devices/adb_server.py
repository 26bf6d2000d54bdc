"""The adb server of this host: one process, ours, in the foreground, on our own port.

adb's habit of starting a daemon on port 5037 on demand is what makes neighbours kill each other's connections. Here one
owner starts the server tethered to itself, everyone else is told its address. `kill-server` is no way to recover (the
server refuses it): `ensure` starts a dead server again on the same port and connects the phones that it knew.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

from emulator_farm import tether
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.replies import device_list
from emulator_farm.devices.smart_socket import AdbAddress, HungUp, Refused, SmartSocket
from emulator_farm.errors import AdbServerGone, CallerError, DeviceGone, DeviceTimeout

if TYPE_CHECKING:
    from adbutils import AdbClient

PORT_VARIABLE = "ANDROID_ADB_SERVER_PORT"
_LAUNCHES = 3
_LAUNCH_S = 15.0
_CALL_S = 10.0


class ConnectedDevice(NamedTuple):
    """One line of `adb devices`: state is `device` when it can be used, else offline, unauthorized, …"""

    serial: str
    state: str


class AdbServer:
    """A client's view of one adb server. `launch` starts one, which ends by `close` or with its owner."""

    def __init__(self, host: str = "127.0.0.1", port: int = 5037) -> None:
        """Name a server that someone else runs; nothing is contacted."""
        self.address = AdbAddress(host, port)
        self._process: tether.Process | None = None
        self._log: IO[bytes] | None = None
        self._scan: dict[str, str] = {}
        self._known: set[str] = set()
        self._lock = threading.RLock()

    @classmethod
    def launch(cls, port: int | None = None, *, scan_emulators: bool = False, usb: bool = False) -> Self:
        """Start a server and wait until it answers. Raises AdbServerGone with what adb wrote when it does not.

        Without `port` a free one is taken. `scan_emulators` lets it take hold of emulators on this host's ports
        5555-5585 by itself: wanted where no other server serves them, harmful to that one where it does. `usb` lets it
        take hold of phones on cables; on a machine without USB that delays the start by 3 s.
        """
        for _ in range(_LAUNCHES):
            server = cls(port=port or _free_port())
            server._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
            server._scan = {"ADB_EMU": str(int(scan_emulators)), "ADB_USB": str(int(usb))}
            try:
                server._start()
            except AdbServerGone as error:
                server.close()
                failure = error
                if port is not None:
                    break
            else:
                return server
        raise failure

    @classmethod
    def launch_for(cls, serials: Iterable[str]) -> Self:
        """A server that reaches these phones: `HOST:PORT`, `emulator-N` on this host, or the serial of a USB phone."""
        local = [serial for serial in serials if ":" not in serial]
        emulators = [serial for serial in local if serial.startswith("emulator-")]
        return cls.launch(scan_emulators=bool(emulators), usb=len(local) > len(emulators))

    @classmethod
    def from_environment(cls) -> Self:
        """The server that a parent process named in ANDROID_ADB_SERVER_PORT. Raises CallerError for a bad value."""
        return cls(port=_port_in_environment())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server if it is ours."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
                self._process = None
            if self._log is not None:
                self._log.close()
                self._log = None

    def export(self) -> None:
        """Name this server in the environment of this process, so that every child finds it instead of port 5037."""
        os.environ[PORT_VARIABLE] = str(self.address.port)

    @property
    def pid(self) -> int | None:
        """The process id of a server of ours, None for someone else's."""
        return self._process.pid if self._process else None

    def ensure(self) -> None:
        """Start a server of ours again if it died, on its port, and connect the phones it knew.

        Raises AdbServerGone if it does not come back, or if it is someone else's and does not answer.
        """
        with self._lock:
            if self._process is None:
                self.version()
                return
            if self._process.poll() is None:
                try:
                    self.version()
                except AdbServerGone:  # dying, or not worth waiting for
                    self._process.kill()
                    self._process.wait()
                else:
                    return
            self._start()
            known = sorted(self._known)
        for serial in known:
            try:
                self.connect(serial)
            except (DeviceGone, DeviceTimeout):
                continue  # whoever uses that phone finds out

    def version(self) -> int:
        """The server's protocol version, 41 for instance. Raises AdbServerGone."""
        return int(self._ask("host:version"), 16)

    def connect(self, serial: str, deadline_s: float = _CALL_S) -> None:
        """Connect to `HOST:PORT` and wait until the phone can be used; other serials are only waited for.

        Raises DeviceGone where nothing answers there or our key is not known, DeviceTimeout where it does not become
        usable in time.
        """
        deadline = Deadline(deadline_s)
        if ":" in serial:
            reply = self._ask(f"host:connect:{serial}", deadline, serial)
            if not reply.startswith(("connected", "already connected")):
                cause = "device_unauthorized" if "authenticate" in reply else "device_unreachable"
                raise DeviceGone(f"cannot connect: {reply.strip()}", serial=serial, cause=cause)
            self._known.add(serial)
        self.wait_for(serial, deadline)

    def wait_for(self, serial: str, deadline: Deadline) -> None:
        """Return when the phone's state is `device`; raises DeviceTimeout with the state it is in."""
        state = "absent"
        while not deadline.passed:
            state = next((found.state for found in self.devices() if found.serial == serial), "absent")
            if state == "device":
                return
            deadline.pause(0.02)
        raise DeviceTimeout(f"is {state} after {deadline.seconds:g} s", serial=serial, cause=f"device_{state}")

    def disconnect(self, serial: str) -> None:
        """Let go of a `HOST:PORT` phone; one that is not connected is not an error."""
        self._known.discard(serial)
        try:
            self._ask(f"host:disconnect:{serial}")
        except Refused:
            return

    def devices(self) -> list[ConnectedDevice]:
        """What the server sees, in its order."""
        return [ConnectedDevice(serial, state) for serial, state in device_list(self._ask("host:devices"))]

    def adb(self, timeout_s: float = 60.0) -> AdbClient:
        """adbutils on this server, for what is cold. It would start a daemon of its own if this one were dead."""
        self.version()
        return _adbutils().AdbClient(host=self.address.host, port=self.address.port, socket_timeout=timeout_s)

    def _start(self) -> None:
        environment = os.environ | self._scan
        environment |= {PORT_VARIABLE: str(self.address.port), "ADB_REJECT_KILL_SERVER": "1"}
        environment |= {"ADB_MDNS": "0", "ADB_MDNS_AUTO_CONNECT": "0"}
        argv = [_adbutils().adb_path(), "-P", str(self.address.port), "nodaemon", "server"]
        self._process = tether.spawn(
            argv, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, env=environment
        )
        deadline = Deadline(_LAUNCH_S)
        while self._process.poll() is None and not deadline.passed:
            try:
                self._ask("host:version", deadline.within(1.0))
            except AdbServerGone:
                deadline.pause(0.01)
            else:
                return
        state = "did not answer" if self._process.poll() is None else f"ended with code {self._process.returncode}"
        raise AdbServerGone(f"the adb server on port {self.address.port} {state}: {self._last_words()}")

    def _last_words(self) -> str:
        if self._log is None:
            return "no log"
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it wrote nothing"

    def _ask(self, service: str, deadline: Deadline | None = None, serial: str | None = None) -> str:
        with self._conversation(deadline or Deadline(_CALL_S), service, serial) as stream:
            stream.request(service)
            return stream.block()

    @contextmanager
    def _conversation(self, deadline: Deadline, what: str, serial: str | None) -> Iterator[SmartSocket]:
        try:
            with SmartSocket(self.address, deadline) as stream:
                yield stream
        except TimeoutError:
            late = f"no answer to `{what}` within {deadline.seconds:g} s"
            if serial is not None:
                raise DeviceTimeout(late, serial=serial) from None
            raise AdbServerGone(f"the adb server at {self.address} gave {late}") from None
        except HungUp as error:
            raise AdbServerGone(f"the adb server at {self.address} went away during `{what}`: {error}") from None


def _port_in_environment() -> int:
    value = os.environ.get(PORT_VARIABLE, "5037")
    if not value.isdecimal() or not 0 < int(value) < 65536:
        raise CallerError(f"{PORT_VARIABLE} is {value!r}; it must be a port number")
    return int(value)


def _adbutils() -> Any:
    """Imported late: it reads the variable when it is imported, and fails without saying which."""
    _port_in_environment()
    import adbutils

    return adbutils


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
