"""The console of a real emulator on this host: the way to its snapshots."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, field
from pathlib import Path

from emulator_farm.devices.deadline import Deadline
from emulator_farm.errors import CallerError, DeviceError, DeviceGone, DeviceTimeout

TOKEN_FILE = ".emulator_console_auth_token"
"""In the home directory of whoever started the emulator."""
_END = re.compile(rb"(?:^|\n)(OK|KO)([^\r\n]*)\r?\n$")
_DEADLINE_S = 60.0


@dataclass(frozen=True)
class EmulatorConsole:
    """Lines of text over TCP. Every call is a session of its own: greeting, token, one command."""

    serial: str
    port: int
    token: str = field(repr=False)
    host: str = "127.0.0.1"

    @classmethod
    def of(cls, serial: str, home: Path | None = None) -> EmulatorConsole | None:
        """The console of the emulator with this serial (`emulator-5554`); None where there is none that lets us in."""
        kind, _, port = serial.partition("-")
        file = (home or Path.home()) / TOKEN_FILE
        if kind != "emulator" or not port.isdecimal() or not file.is_file():
            return None
        return cls(serial, int(port), file.read_text().strip())

    def ask(self, command: str, deadline_s: float = _DEADLINE_S) -> str:
        """What the console answers, without its `OK`. Raises DeviceError with its reason, DeviceGone, DeviceTimeout."""
        deadline = Deadline(deadline_s)
        try:
            with socket.create_connection((self.host, self.port), timeout=deadline_s) as connection:
                self._answer(connection, deadline)
                for line in (f"auth {self.token}", command):
                    connection.sendall(f"{line}\n".encode())
                    answer = self._answer(connection, deadline)
                return answer
        except TimeoutError:
            late = f"the console did not answer to `{command}` within {deadline_s:g} s"
            raise DeviceTimeout(late, serial=self.serial) from None
        except OSError as error:
            raise DeviceGone(f"no console at {self.host}:{self.port}: {error}", serial=self.serial) from None

    def snapshot(self, verb: str, *names: str) -> str:
        """`avd snapshot VERB NAME`. Raises CallerError for a name that the console cannot take, and as `ask`."""
        for name in names:
            if not re.fullmatch(r"[\w.-]+", name, re.ASCII):
                raise CallerError(f"{name!r} is no name for an emulator's snapshot; use letters, digits and _ . -")
        return self.ask(" ".join(("avd snapshot", "del" if verb == "delete" else verb, *names)))

    def snapshots(self) -> list[str]:
        """The names that `avd snapshot list` gives, which stand in its second column."""
        rows = (line.split() for line in self.snapshot("list").splitlines())
        return [row[1] for row in rows if len(row) > 4 and row[0] != "ID" and re.search(r"\d:\d", " ".join(row))]

    def _answer(self, connection: socket.socket, deadline: Deadline) -> str:
        data = b""
        while (end := _END.search(data)) is None:
            connection.settimeout(deadline.remaining or 0.001)
            chunk = connection.recv(4096)
            if not chunk:
                raise ConnectionResetError("it hung up")
            data += chunk
        if end.group(1) == b"KO":
            said = end.group(2).decode(errors="replace").lstrip(": ")
            raise DeviceError(f"the console says: {said}", serial=self.serial, cause="console_refused")
        return data[: end.start()].decode(errors="replace").strip()
