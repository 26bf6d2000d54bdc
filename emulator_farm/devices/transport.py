"""The hot path to one phone: shell commands and raw streams over an adb server, with a deadline on every call.

adbutils waits 10 ms at each close and reads 4 KiB at a time; here a call costs what the wire costs. Whatever goes wrong
is classified once, here: the phone is gone, the phone is too slow, or our adb server is gone.
"""

from __future__ import annotations

import shlex
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.dumpsys import UnexpectedReply
from emulator_farm.devices.smart_socket import AdbAddress, HungUp, Refused, SmartSocket
from emulator_farm.errors import AdbServerGone, ClaimLost, CommandFailed, DeviceError, DeviceGone, DeviceTimeout

DEFAULT_DEADLINE_S = 15.0
_GATE_EVERY_S = 0.5
Parsed = TypeVar("Parsed")
_STDOUT, _STDERR, _EXIT = 1, 2, 3
_HEADER = struct.Struct("<BI")
_STATUS_MARK = b"\n:adb-exit:"
_REASONS = (
    ("unauthorized", "device_unauthorized"),
    ("authorizing", "device_unauthorized"),
    ("not found", "device_not_found"),
    ("offline", "device_offline"),
)


class Cancellable(Protocol):
    """A call under way that can be ended from another thread."""

    def cancel(self) -> object: ...


Pending = TypeVar("Pending", bound=Cancellable)

Command = str | Sequence[str]
"""A shell line as it stands, or words that are quoted one by one."""


@dataclass(frozen=True)
class Completed:
    """How a shell command ended. Without shell v2 on the phone `stderr` is part of `stdout`."""

    command: str
    stdout: bytes
    stderr: bytes
    exit_code: int

    @property
    def text(self) -> str:
        """Standard output as text; bytes that are not UTF-8 are replaced."""
        return self.stdout.decode(errors="replace")

    @property
    def said(self) -> str:
        """Both outputs as text."""
        return self.text + self.stderr.decode(errors="replace")

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    def failure(self, serial: str) -> CommandFailed:
        """The error of a command that has not done its work, whatever its exit code."""
        return CommandFailed(
            serial=serial,
            command=self.command,
            exit_code=self.exit_code,
            stdout=self.text,
            stderr=self.stderr.decode(errors="replace"),
        )


def shell_line(command: Command) -> str:
    """The one place where words become a shell line: quoted, so that no word can mean anything to the shell."""
    return command if isinstance(command, str) else shlex.join(command)


class Transport:
    """Shell and exec on the phone `serial`. Safe for several threads; each call has a connection of its own.

    Every call raises DeviceGone, DeviceTimeout or AdbServerGone; after `cut` it raises ClaimLost at once. `gate` is
    asked before every call and raises where the caller has lost the right to touch the phone.
    """

    def __init__(self, serial: str, server: AdbAddress, gate: Callable[[], None] | None = None) -> None:
        self.serial = serial
        self.server = server
        self._gate = gate
        self._features: frozenset[str] | None = None
        self._cut = threading.Event()
        self._open: set[SmartSocket] = set()
        self._beside: set[Cancellable] = set()
        self._lock = threading.Lock()

    def shell(self, command: Command, deadline_s: float = DEFAULT_DEADLINE_S) -> Completed:
        """Run a command and give its output and exit code, whatever the code."""
        line = shell_line(command)
        deadline = Deadline(deadline_s)
        if "shell_v2" not in self.features(deadline):
            return self._shell_by_exec(line, deadline)
        with self.service(f"shell,v2,raw:{line}", deadline, line) as stream:
            out, err, code = _read_packets(stream)
        return Completed(line, out, err, code)

    def run(self, command: Command, deadline_s: float = DEFAULT_DEADLINE_S) -> Completed:
        """As `shell`, but raises CommandFailed unless the exit code is 0."""
        completed = self.shell(command, deadline_s)
        if not completed.ok:
            raise completed.failure(self.serial)
        return completed

    def read(self, parser: Callable[[str], Parsed], command: Command, deadline_s: float = DEFAULT_DEADLINE_S) -> Parsed:
        """What `parser` makes of a command's output; raises DeviceError (`unexpected_reply`) for one it cannot read."""
        completed = self.run(command, deadline_s)
        try:
            return parser(completed.text)
        except UnexpectedReply as error:
            raise DeviceError(
                f"`{completed.command[:100]}`: {error}", serial=self.serial, cause="unexpected_reply"
            ) from None

    def exec_out(self, command: Command, deadline_s: float = DEFAULT_DEADLINE_S) -> bytes:
        """Run a command and give the bytes it wrote until it ended. There is no exit code, and no sign of a cut."""
        line = shell_line(command)
        with self.service(f"exec:{line}", Deadline(deadline_s), line) as stream:
            return stream.rest()

    def features(self, deadline: Deadline | None = None) -> frozenset[str]:
        """What adb server and phone have in common, `shell_v2` for instance; asked once."""
        if self._features is None:
            with self._guarded(deadline or Deadline(DEFAULT_DEADLINE_S), "features") as stream:
                stream.request(f"host-serial:{self.serial}:features")
                self._features = frozenset(stream.block().split(","))
        return self._features

    def forget(self) -> None:
        """Drop what was learned about the phone: it was restarted or its snapshot restored."""
        self._features = None

    def cut(self) -> None:
        """Take the path to the phone away for good: calls that run and calls to come raise ClaimLost."""
        with self._lock:
            self._cut.set()
            for stream in self._open:
                stream.interrupt()
            for call in self._beside:
                call.cancel()

    def wait(self, seconds: float) -> None:
        """Let time pass. Raises ClaimLost when the path is cut meanwhile, and what the gate raises."""
        deadline = Deadline(seconds)
        while not deadline.passed:
            self._check_right()
            self._cut.wait(min(_GATE_EVERY_S, deadline.remaining))
        self._check_right()

    @contextmanager
    def beside(self, start: Callable[[], Pending]) -> Iterator[Pending]:
        """A call that reaches the phone past adb: it too needs the right to the phone, and `cut` cancels it."""
        self._check_right()
        call = start()
        with self._lock:
            self._beside.add(call)
            if self._cut.is_set():
                call.cancel()
        try:
            yield call
        finally:
            with self._lock:
                self._beside.discard(call)
            if self._cut.is_set():
                raise self._claim_lost()

    @contextmanager
    def service(self, service: str, deadline: Deadline, what: str) -> Iterator[SmartSocket]:
        """A conversation with a service of the phone, `sync:` for instance; `what` names it in errors."""
        with self._guarded(deadline, what) as stream:
            stream.request(f"host:transport:{self.serial}")
            stream.request(service)
            yield stream

    def _shell_by_exec(self, line: str, deadline: Deadline) -> Completed:
        script = f"({line}\n) 2>&1; s=$?; echo; echo :adb-exit:$s"
        with self.service(f"exec:{script}", deadline, line) as stream:
            output = stream.rest()
        out, mark, status = output.rpartition(_STATUS_MARK)
        if not mark or not status.strip().isdigit():
            raise DeviceGone(f"hung up during `{line[:100]}`", serial=self.serial)
        return Completed(line, out, b"", int(status))

    @contextmanager
    def _guarded(self, deadline: Deadline, what: str) -> Iterator[SmartSocket]:
        self._check_right()
        try:
            with SmartSocket(self.server, deadline) as stream:
                with self._lock:
                    self._open.add(stream)
                try:
                    yield stream
                finally:
                    with self._lock:
                        self._open.discard(stream)
            if self._cut.is_set():
                raise self._claim_lost()  # what was read may end where the cut was
        except TimeoutError:
            late = f"no answer to `{what[:100]}` within {deadline.seconds:g} s"
            raise DeviceTimeout(late, serial=self.serial) from None
        except Refused as refusal:
            self.forget()
            raise self._gone(str(refusal)) from None
        except HungUp as error:
            if self._cut.is_set():
                raise self._claim_lost() from None
            self.forget()
            raise self._who_hung_up(what, error) from None

    def _gone(self, reason: str) -> DeviceError:
        cause = next((cause for words, cause in _REASONS if words in reason.lower()), None)
        return DeviceGone(f"adb says: {reason.strip()}", serial=self.serial, cause=cause)

    def _who_hung_up(self, what: str, error: HungUp) -> DeviceError | AdbServerGone:
        """Ask the adb server for a sign of life: if it is well, it was the phone."""
        try:
            with SmartSocket(self.server, Deadline(1.0)) as stream:
                stream.request("host:version")
        except (AdbServerGone, HungUp, Refused, TimeoutError):
            return AdbServerGone(f"the adb server at {self.server} went away during `{what[:100]}`")
        return DeviceGone(f"hung up during `{what[:100]}`: {error}", serial=self.serial)

    def _check_right(self) -> None:
        if self._cut.is_set():
            raise self._claim_lost()
        if self._gate is not None:
            self._gate()

    def _claim_lost(self) -> ClaimLost:
        return ClaimLost(f"the path to {self.serial} was cut: someone else holds the phone now")


def _read_packets(stream: SmartSocket) -> tuple[bytes, bytes, int]:
    """Standard output, standard error and exit code out of a shell v2 stream."""
    parts: dict[int, list[bytes]] = {_STDOUT: [], _STDERR: []}
    while True:
        kind, length = _HEADER.unpack(stream.exactly(_HEADER.size))
        if kind == _EXIT:
            code = stream.exactly(length)
            return b"".join(parts[_STDOUT]), b"".join(parts[_STDERR]), code[0] if code else 0
        parts.setdefault(kind, []).extend(stream.pieces(length))
