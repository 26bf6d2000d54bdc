"""One service's two-way byte stream inside an ADB connection, with the protocol's flow control.

Each WRTE must be answered by one OKAY before the next may go out. Towards the host we wait for its OKAY; from the host
we send ours when the service has really taken the bytes, so a service that does not read holds its sender back.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from . import wire

Buffer = bytes | memoryview
Send = Callable[[int, int, int, tuple[Buffer, ...]], None]
MAX_UNREAD = 4


class StreamClosed(ConnectionError):
    """The host closed this stream, or the connection is gone."""


class Stream:
    """Reading gives payloads as they came; writing splits into packets. `on_hangup` runs when the host closes."""

    def __init__(self, send: Send, local: int, remote: int, max_payload: int) -> None:
        self._send = send
        self.local = local
        self.remote = remote
        self.max_payload = max_payload
        self.hung_up = False
        self.bytes_per_s = 0
        """How fast writing is, at most; 0 = as fast as the host reads."""
        self.on_hangup: Callable[[], object] | None = None
        self._closed = False
        self._inbox: deque[bytes] = deque()
        self._arrived = asyncio.Event()
        self._ready = asyncio.Event()
        self._ready.set()
        self._turn = asyncio.Lock()
        self._buffer = b""

    # -- what the connection calls

    def feed(self, payload: bytes) -> None:
        """Queue a payload of the host. Raises WireError where the host ignores flow control."""
        if len(self._inbox) >= MAX_UNREAD:
            raise wire.WireError(f"stream {self.local}: host sent {MAX_UNREAD + 1} packets without waiting for OKAY")
        self._inbox.append(payload)
        self._arrived.set()

    def acknowledge(self) -> None:
        """The host is ready for the next packet."""
        self._ready.set()

    def hang_up(self) -> None:
        """The host closed: what was queued can still be read, writing fails."""
        self.hung_up = True
        self._arrived.set()
        self._ready.set()
        if self.on_hangup is not None:
            self.on_hangup()

    # -- what a service calls

    async def read(self) -> bytes:
        """The next bytes of the host; empty when it has closed."""
        if self._buffer:
            data, self._buffer = self._buffer, b""
            return data
        while True:
            while not self._inbox:
                if self.hung_up:
                    return b""
                self._arrived.clear()
                await self._arrived.wait()
            payload = self._inbox.popleft()
            if not self.hung_up:
                self._send(wire.OKAY, self.local, self.remote, ())
            if payload:
                return payload

    async def read_exactly(self, count: int) -> bytes:
        """Exactly `count` bytes; raises StreamClosed when the host closes before."""
        parts: list[bytes] = []
        missing = count
        while missing > 0:
            data = await self.read()
            if not data:
                raise StreamClosed(f"stream {self.local}: host closed with {missing} bytes missing")
            if len(data) > missing:
                data, self._buffer = data[:missing], data[missing:]
            parts.append(data)
            missing -= len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def gone(self) -> None:
        """Return when the host has closed; what it sends until then is lost."""
        while await self.read():
            continue

    async def write(self, data: Buffer) -> None:
        """Send bytes in order, packet by packet; raises StreamClosed once the host has closed."""
        view = memoryview(data)
        async with self._turn:
            for start in range(0, len(view), self.max_payload):
                await self._write_packet(view[start : start + self.max_payload])

    async def write_framed(self, head: bytes, data: Buffer) -> None:
        """Send `head` and `data`, together no more than `max_payload` bytes, as one packet; raises StreamClosed."""
        async with self._turn:
            await self._write_packet(head, data)

    async def _write_packet(self, *parts: Buffer) -> None:
        await self._ready.wait()
        if self.bytes_per_s:
            await asyncio.sleep(sum(map(len, parts)) / self.bytes_per_s)
        if self.hung_up or self._closed:
            raise StreamClosed(f"stream {self.local} is closed")
        self._ready.clear()
        self._send(wire.WRTE, self.local, self.remote, parts)

    def close(self) -> None:
        """Tell the host that nothing more comes. Safe to call twice."""
        if not self._closed:
            self._closed = True
            self._send(wire.CLSE, self.local, self.remote, ())
