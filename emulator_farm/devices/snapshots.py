"""Saved states of a phone, its state as data, and one phone made into the copy of another.

A virtual phone does this by its own command, `vphone`; an emulator on this host saves and loads by its console. Of any
other phone `Unsupported` says so.
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from emulator_farm.devices import sync
from emulator_farm.devices.emulator_console import EmulatorConsole
from emulator_farm.devices.transport import Command, Completed, Transport
from emulator_farm.errors import DeviceError, SnapshotFailed, Unsupported

State = dict[str, JsonValue]
"""Sections of a phone's state by name; `docs/virtual-phone.md` lists them."""
_UNKNOWN_COMMAND = 127
_CARRIED = "/data/local/tmp/.vphone-snapshot"


class Snapshots:
    """What one phone has saved."""

    def __init__(self, transport: Transport, console: EmulatorConsole | None = None) -> None:
        """`console` is that of an emulator, by default found by the serial."""
        self._transport = transport
        self._console = console or EmulatorConsole.of(transport.serial)

    def save(self, name: str) -> None:
        """Keep the whole state under a name, in place of one that is there. Raises Unsupported, DeviceError."""
        if self._console is not None:
            self._console.snapshot("save", name)
        else:
            self._run(["vphone", "snapshot", "save", name])

    def load(self, name: str) -> bool:
        """Return to a saved state; True where the phone must be waited for. Raises Unsupported, DeviceError."""
        if self._console is not None:
            self._console.snapshot("load", name)
            return True
        self._run(["vphone", "snapshot", "load", name])
        return False

    def delete(self, name: str) -> None:
        """Forget a saved state. Raises Unsupported, DeviceError."""
        if self._console is not None:
            self._console.snapshot("delete", name)
        else:
            self._run(["vphone", "snapshot", "delete", name])

    def names(self) -> list[str]:
        """What is saved. Raises Unsupported, DeviceError."""
        if self._console is not None:
            return self._console.snapshots()
        return self._run(["vphone", "snapshot", "list"]).text.splitlines()

    def state(self) -> State | None:
        """Everything that is on the phone, None where it cannot tell."""
        completed = self._transport.shell("vphone state")
        if completed.exit_code == _UNKNOWN_COMMAND:
            return None
        try:
            state: JsonValue = json.loads(completed.text)
        except ValueError:
            state = None
        if not isinstance(state, dict):
            raise self._failed(completed)
        return state

    def copy_to(self, others: Sequence[Snapshots]) -> None:
        """Make other phones what this one is now; those of another process get it as bytes. Raises as `load`.

        Only virtual phones can: an emulator's snapshots belong to itself.
        """
        if self._console is not None:
            raise Unsupported(f"{self._transport.serial} cannot be forked: an emulator's snapshots belong to itself")
        with self._shared() as name:
            data: bytes | None = None
            for other in others:
                try:
                    other.load(name)
                except SnapshotFailed as error:
                    if "no snapshot is named" not in str(error):
                        raise
                    data = data or self._transport.exec_out("vphone snapshot export")
                    other.take_on(data)

    def take_on(self, data: bytes) -> None:
        """Take on a state that came as bytes. Raises Unsupported, DeviceError."""
        sync.push(self._transport, data, _CARRIED)
        try:
            self._run(f"vphone snapshot import < {_CARRIED}")
        except DeviceError:
            self._transport.shell(["rm", "-f", _CARRIED])
            raise

    @contextlib.contextmanager
    def _shared(self) -> Iterator[str]:
        name = f"shared/{uuid.uuid4().hex}"
        self.save(name)
        try:
            yield name
        finally:
            self.delete(name)

    def _run(self, command: Command) -> Completed:
        completed = self._transport.shell(command)
        if completed.exit_code == _UNKNOWN_COMMAND:
            raise Unsupported(f"{self._transport.serial} has no snapshots: it is no virtual phone and no emulator here")
        if not completed.ok:
            raise self._failed(completed)
        return completed

    def _failed(self, completed: Completed) -> DeviceError:
        return SnapshotFailed(
            serial=self._transport.serial,
            command=completed.command,
            exit_code=completed.exit_code,
            stdout=completed.text,
            stderr=completed.stderr.decode(errors="replace"),
        )
