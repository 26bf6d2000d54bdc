"""One conversation with an adb server: the host side of the ADB protocol, read without detours.

A request is four hex digits of length and the text; the answer is OKAY or FAIL and a length-prefixed reason. After
`host:transport:SERIAL` the same socket speaks to the phone. What is long is joined once, because frames of 10 MB come
this way many times a second, and what they cost most is fresh memory.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Self

from emulator_farm.devices.deadline import Deadline
from emulator_farm.errors import AdbServerGone, CallerError

_CHUNK = 1 << 20
_AHEAD = 1 << 14
"""What is read at once where little was asked for: short answers come whole."""
_MAX_SERVICE = 0xFFFF


class AdbAddress(NamedTuple):
    """Where an adb server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Refused(Exception):
    """The adb server answered FAIL; the text is its reason."""


class HungUp(Exception):
    """The other side closed in the middle of an answer."""


class SmartSocket:
    """A connection that must be done by `deadline`.

    Every method raises TimeoutError once the deadline has passed, HungUp when the other side closes too early.
    """

    def __init__(self, address: AdbAddress, deadline: Deadline) -> None:
        """Connect. Raises AdbServerGone where nobody listens."""
        self._deadline = deadline
        self._ahead = b""
        try:
            self._socket = socket.create_connection(address, timeout=max(deadline.remaining, 0.001))
        except TimeoutError:
            raise
        except OSError as error:
            raise AdbServerGone(f"no adb server at {address}: {error.strerror or error}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._socket.close()

    def interrupt(self) -> None:
        """End the conversation from another thread; whoever reads gets HungUp."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # already closed, which is what was wanted

    def request(self, service: str) -> None:
        """Ask for a service and read the verdict. Raises Refused with the server's reason, CallerError if too long."""
        data = service.encode()
        if len(data) > _MAX_SERVICE:
            raise CallerError(f"a request of {len(data)} bytes is too long for adb; the limit is {_MAX_SERVICE}")
        self.send(b"%04x%s" % (len(data), data))
        verdict = self.exactly(4)
        if verdict == b"FAIL":
            raise Refused(self.block())
        if verdict != b"OKAY":
            raise HungUp(f"expected OKAY or FAIL, got {verdict!r}")

    def block(self) -> str:
        """A text with its length in front."""
        length = self.exactly(4)
        try:
            return self.exactly(int(length, 16)).decode(errors="replace")
        except ValueError:
            raise HungUp(f"expected a length, got {length!r}") from None

    def send(self, data: bytes) -> None:
        self._arm()
        try:
            self._socket.sendall(data)
        except TimeoutError:
            raise
        except OSError as error:
            raise HungUp(str(error)) from None

    def some(self, limit: int = _CHUNK) -> bytes:
        """What has arrived, at least one byte and about `limit` at most; empty at the end."""
        if self._ahead:
            data, self._ahead = self._ahead, b""
            return data
        self._arm()
        try:
            return self._socket.recv(min(limit, _CHUNK))
        except TimeoutError:
            raise
        except OSError as error:
            raise HungUp(str(error)) from None

    def exactly(self, count: int) -> bytes:
        """So many bytes."""
        pieces = [*self.pieces(count)]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def pieces(self, count: int) -> Iterator[bytes]:
        """So many bytes, as they come. What is read beyond a short answer is kept for the next question."""
        missing = count
        while missing:
            data = self.some(max(missing, _AHEAD))
            if not data:
                raise HungUp(f"{missing} of {count} bytes were missing")
            data, self._ahead = data[:missing], data[missing:]
            missing -= len(data)
            yield data

    def rest(self) -> bytes:
        """Everything until the other side closes."""
        chunks = []
        while chunk := self.some():
            chunks.append(chunk)
        return b"".join(chunks)

    def _arm(self) -> None:
        remaining = self._deadline.remaining
        if not remaining:
            raise TimeoutError
        self._socket.settimeout(remaining)
