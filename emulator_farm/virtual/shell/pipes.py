"""Where a command's input comes from and where its output goes."""

import asyncio
from collections import deque
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


PIPE_BYTES = 64 * 1024


class PipeClosed(Exception):
    """Written into a pipe that nobody reads any longer: the writer ends, as by SIGPIPE."""


class Pipe:
    """Between two commands that run at the same time: what the one writes, the other reads."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._ended = self._closed = False
        self._changed = asyncio.Event()

    async def read(self) -> bytes:
        """The next bytes; empty once the writer has ended."""
        while not self._chunks and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        if not self._chunks:
            return b""
        data = self._chunks.popleft()
        self._held -= len(data)
        self._changed.set()
        return data

    async def write(self, data: bytes) -> None:
        """Wait until there is room. Raises PipeClosed."""
        while self._held >= PIPE_BYTES and not self._closed:
            self._changed.clear()
            await self._changed.wait()
        if self._closed:
            raise PipeClosed
        if data:
            self._chunks.append(data)
            self._held += len(data)
            self._changed.set()

    def end(self) -> None:
        """The writer is done."""
        self._ended = True
        self._changed.set()

    def close(self) -> None:
        """The reader is gone."""
        self._closed = True
        self._chunks.clear()
        self._changed.set()


class SharedSource:
    """Input that several commands read one after the other: `read` takes a line and leaves the rest."""

    def __init__(self, inner: Source) -> None:
        self.inner = inner
        self._left = b""

    async def read(self) -> bytes:
        """The next bytes; empty at the end."""
        if self._left:
            data, self._left = self._left, b""
            return data
        return await self.inner.read()

    async def read_line(self) -> bytes:
        """The next line with its end; without where the input ends before, and empty at the end."""
        line = b""
        while b"\n" not in line:
            data = await self.read()
            if not data:
                return line
            line += data
        line, newline, self._left = line.partition(b"\n")
        return line + newline


def shared(source: Source) -> SharedSource:
    """`source` as one that can be read by lines."""
    return source if isinstance(source, SharedSource) else SharedSource(source)


class EndlessSource:
    """/dev/zero and /dev/urandom: as much as is read, in growing pieces."""

    def __init__(self, make: Callable[[int], bytes]) -> None:
        self._make = make
        self._size = 4096

    async def read(self) -> bytes:
        """The next bytes."""
        await asyncio.sleep(0)
        self._size = min(self._size * 2, 16 * 1024 * 1024)
        return self._make(self._size)


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
