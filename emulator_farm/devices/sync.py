"""Files to and from a phone: the `sync:` service, with the deadline and the errors of every other call."""

from __future__ import annotations

import struct
import time

from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.smart_socket import HungUp, SmartSocket
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import CommandFailed

_PACKET = struct.Struct("<4sI")
_BLOCK = 1 << 16
_DEADLINE_S = 60.0


def push(transport: Transport, data: bytes, path: str, mode: int = 0o644, deadline_s: float = _DEADLINE_S) -> None:
    """Write `data` to `path` on the phone; folders are made. Raises CommandFailed with the phone's reason."""
    what = f"push {path}"
    with transport.service("sync:", Deadline(deadline_s), what) as stream:
        target = f"{path},{0o100000 | mode}".encode()
        stream.send(_PACKET.pack(b"SEND", len(target)) + target)
        view = memoryview(data)
        for start in range(0, len(data), _BLOCK):
            block = view[start : start + _BLOCK]
            stream.send(_PACKET.pack(b"DATA", len(block)) + block)
        stream.send(_PACKET.pack(b"DONE", int(time.time())))
        kind, length = _PACKET.unpack(stream.exactly(_PACKET.size))
        if kind != b"OKAY":
            raise _failure(transport, stream, what, kind, length)


def pull(transport: Transport, path: str, deadline_s: float = _DEADLINE_S) -> bytes:
    """The content of the file `path`. Raises CommandFailed with the phone's reason."""
    what = f"pull {path}"
    blocks: list[bytes] = []
    with transport.service("sync:", Deadline(deadline_s), what) as stream:
        target = path.encode()
        stream.send(_PACKET.pack(b"RECV", len(target)) + target)
        while True:
            kind, length = _PACKET.unpack(stream.exactly(_PACKET.size))
            if kind == b"DONE":
                return b"".join(blocks)
            if kind != b"DATA":
                raise _failure(transport, stream, what, kind, length)
            blocks.append(stream.exactly(length))


def _failure(transport: Transport, stream: SmartSocket, what: str, kind: bytes, length: int) -> CommandFailed:
    if kind != b"FAIL":
        raise HungUp(f"expected a sync packet, got {kind!r}")
    reason = stream.exactly(length).decode(errors="replace")
    return CommandFailed(serial=transport.serial, command=what, exit_code=1, stderr=reason)
