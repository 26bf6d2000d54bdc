"""One run of one tool: its arguments, its streams and the phone it works on."""

import asyncio
import os
import posixpath
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.files import FileTree
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.stream import Stream

from .pipes import SharedSource, Source, Streams, read_all, to_bytes

if TYPE_CHECKING:
    from .interpreter import Shell

T = TypeVar("T")
LARGE = 1024 * 1024
"""Bytes beyond which pieces of output are not worth joining."""


class ToolError(Exception):
    """A tool gives up: the message goes to standard error, `code` becomes the exit status.

    `prefix` is put before the message; by default that is the tool's name and a colon. Few tools complain on standard
    output; for them `on_stdout` is set.
    """

    def __init__(self, message: str, code: int = 1, prefix: str | None = None, on_stdout: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.prefix = prefix
        self.on_stdout = on_stdout


class Invocation:
    """What a tool gets. Output is collected by `out` and `err` and sent by `flush` or when the tool ends."""

    def __init__(self, name: str, args: list[str], shell: "Shell", streams: Streams) -> None:
        self.name = name
        self.args = args
        self.shell = shell
        self.streams = streams
        self._chunks: list[tuple[bool, bytes]] = []

    @property
    def handset(self) -> Handset:
        """The phone's system side."""
        return self.shell.handset

    @property
    def phone(self) -> Phone:
        """The phone itself. Only for code that runs on the phone's thread."""
        return self.shell.handset.phone

    @property
    def files(self) -> FileTree:
        """The phone's files. Only for code that runs on the phone's thread."""
        return self.shell.handset.phone.files

    async def call(self, function: Callable[[Phone], T]) -> T:
        """Run `function(phone)` on the phone's thread."""
        return await self.shell.handset.call(function)

    def out(self, data: str | bytes) -> None:
        """Write to standard output."""
        self._chunks.append((False, data if isinstance(data, bytes) else to_bytes(data)))

    def err(self, data: str | bytes) -> None:
        """Write to standard error."""
        self._chunks.append((True, data if isinstance(data, bytes) else to_bytes(data)))

    def line(self, text: str = "") -> None:
        """Write a line to standard output."""
        self.out(text + "\n")

    def complain(self, message: str) -> None:
        """`NAME: message` on standard error."""
        self.err(f"{self.name}: {message}\n")

    async def flush(self) -> None:
        """Send what was written so far."""
        chunks, self._chunks = self._chunks, []
        start = 0
        for index, (is_error, _) in enumerate(chunks):
            if index + 1 == len(chunks) or chunks[index + 1][0] != is_error:
                run = [data for _, data in chunks[start : index + 1]]
                start = index + 1
                sink = self.streams.stderr if is_error else self.streams.stdout
                if sum(map(len, run)) > LARGE:
                    for data in run:
                        await sink.write(data)
                else:
                    await sink.write(run[0] if len(run) == 1 else b"".join(run))

    def taken(self) -> bytes:
        """Take back what was written to standard output and not sent yet."""
        data = b"".join(data for is_error, data in self._chunks if not is_error)
        self._chunks = [chunk for chunk in self._chunks if chunk[0]]
        return data

    async def read_stdin(self) -> bytes:
        """Standard input up to its end."""
        return await read_all(self.streams.stdin)

    async def wait_left(self) -> None:
        """Return once the host has left a command that runs without the framing of shell version 2; else never.

        With the framing, leaving ends the command by itself. What the host sends meanwhile is lost.
        """
        source: Source = self.streams.stdin
        if isinstance(source, SharedSource):
            source = source.inner
        if not isinstance(source, Stream):
            await asyncio.Event().wait()
        while await source.read():
            continue

    # -- paths; phone thread only

    def absolute(self, path: str) -> str:
        """`path` seen from the working directory; a trailing slash stays."""
        if path == "":
            raise FileNotFoundError(2, os.strerror(2), path)
        return path if path.startswith("/") else posixpath.join(self.shell.cwd, path)

    def readable(self, path: str) -> str:
        """Absolute path, checked for reading. Raises OSError."""
        path = self.absolute(path)
        rootfs.check_read(self.files, path, self.shell.uid)
        return path

    def listable(self, path: str) -> str:
        """Absolute path of a directory, checked for listing. Raises OSError."""
        path = self.absolute(path)
        rootfs.check_list(self.files, path, self.shell.uid)
        return path

    def writable(self, path: str, parents: bool = False) -> str:
        """Absolute path, checked for creating, changing and removing. Raises OSError."""
        path = self.absolute(path)
        rootfs.check_write(self.files, path, self.shell.uid, self.handset.remounted, parents)
        return path


Tool = Callable[[Invocation], Awaitable[int]]


def on_phone(body: Callable[[Invocation], int]) -> Tool:
    """Make a tool of a plain function: it runs as a whole on the phone's thread and may use `phone` and `files`."""

    async def tool(run: Invocation) -> int:
        return await run.call(lambda phone: body(run))

    tool.__doc__ = body.__doc__
    return tool


def describe(error: OSError) -> str:
    """`PATH: No such file or directory`, as toybox prints an errno."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
