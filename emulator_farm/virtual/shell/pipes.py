"""Where a command's input comes from and where its output goes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


class Source(Protocol):
    """Something to read from."""

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""
        ...


class Sink(Protocol):
    """Something to write to."""

    async def write(self, data: bytes) -> None:
        """Write all of `data`."""
        ...


class BytesSource:
    """Fixed input, such as the output of the command before in a pipe or of a file."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


class BytesSink:
    """Collects output."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    async def write(self, data: bytes) -> None:
        self._parts.append(data)

    @property
    def data(self) -> bytes:
        """Everything written so far."""
        return b"".join(self._parts)


class CallSink:
    """Hands each write to a coroutine function."""

    def __init__(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        self._write = write

    async def write(self, data: bytes) -> None:
        if data:
            await self._write(data)


class NullSink:
    """/dev/null."""

    async def write(self, data: bytes) -> None:
        """Forget `data`."""


@dataclass(frozen=True)
class Streams:
    """Standard input, output and error of a command."""

    stdin: Source
    stdout: Sink
    stderr: Sink


async def read_all(source: Source) -> bytes:
    """Everything up to the end of `source`."""
    parts = []
    while data := await source.read():
        parts.append(data)
    return b"".join(parts)


def to_bytes(text: str) -> bytes:
    """Shell text to the bytes it came from; bytes that are no UTF-8 survive the round trip."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """The reverse of `to_bytes`."""
    return data.decode("utf-8", "surrogateescape")
