"""The `shell:` and `exec:` services: one script, or a shell that reads its script from the host.

Version 2 of the shell protocol frames both directions as (id, little-endian length, bytes), so that standard error and
the exit status stay apart from standard output. When the host leaves, a version 2 command ends, as by SIGHUP; a plain
one runs on until it writes.
"""

import asyncio
import struct
from collections.abc import Mapping

from emulator_farm.virtual.handset import SHELL, Handset
from emulator_farm.virtual.processes import Process
from emulator_farm.virtual.stream import Stream, StreamClosed

from .interpreter import Shell
from .invocation import Tool
from .jobs import killed_by
from .pipes import BytesSource, CallSink, Streams, read_all, to_text
from .terminal import Terminal

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)
FRAME = struct.Struct("<BI")
MAX_FRAME = 16 * 1024 * 1024


class FramedChannel:
    """Shell protocol version 2 on one stream. Reading gives standard input only."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._ended = False

    async def read(self) -> bytes:
        """The next bytes of standard input; empty once the host has closed it."""
        while not self._ended:
            try:
                kind, length = FRAME.unpack(await self._stream.read_exactly(FRAME.size))
                if length > MAX_FRAME:
                    raise StreamClosed(f"shell packet of {length} bytes")
                payload = await self._stream.read_exactly(length)
            except StreamClosed:
                self._ended = True
                break
            if kind == STDIN and payload:
                return payload
            if kind == CLOSE_STDIN:
                self._ended = True
        return b""

    async def write(self, kind: int, data: bytes) -> None:
        """Send one kind of output, cut so that a frame fills a packet."""
        room = self._stream.max_payload - FRAME.size
        view = memoryview(data)
        for start in range(0, len(view), room):
            part = view[start : start + room]
            await self._stream.write_framed(FRAME.pack(kind, len(part)), part)

    async def exit(self, status: int) -> None:
        """Send the exit status; nothing may follow."""
        await self._stream.write(FRAME.pack(EXIT, 1) + bytes([status]))


class ShellService:
    """Runs one `shell:` or `exec:` request. `arguments` are the words between `shell,` and the colon."""

    def __init__(self, handset: Handset, tools: Mapping[str, Tool], arguments: list[str], command: str) -> None:
        self._shell = Shell(handset, tools, _environment(arguments))
        self._command = command
        self._framed = "v2" in arguments
        self._pty = "pty" in arguments or (not command and "raw" not in arguments)

    async def __call__(self, stream: Stream) -> None:
        """Serve the stream to its end."""
        task = asyncio.current_task()
        assert task is not None
        with self._shell.handset.processes.run(self._shell.uid, [SHELL], task.cancel) as process:
            self._shell.process = process
            if not self._framed:
                stream.on_hangup = self._orphan
                await self._killable(Streams(stream, CallSink(stream.write), CallSink(stream.write)), process)
                return
            channel = FramedChannel(stream)
            stdout = CallSink(lambda data: channel.write(STDOUT, data))
            stderr = CallSink(lambda data: channel.write(STDERR, data))
            stream.on_hangup = task.cancel
            status = await self._killable(Streams(channel, stdout, stderr), process)
            stream.on_hangup = None
            await channel.exit(status)

    def _orphan(self) -> None:
        self._shell.orphaned = True

    async def _killable(self, streams: Streams, process: Process) -> int:
        try:
            return await self._run(streams)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not process.signal or task is None or task.uncancel():
                raise
            return killed_by(process.signal)

    async def _run(self, streams: Streams) -> int:
        if self._pty:
            return await Terminal(self._shell, streams).run(self._command)
        if self._command:
            return await self._shell.run_text(self._command, streams)
        return await self._run_lines(streams)

    async def _run_lines(self, streams: Streams) -> int:
        """A shell without a terminal: the script is what comes in, whole."""
        script = to_text(await read_all(streams.stdin))
        return await self._shell.run_text(script, Streams(BytesSource(), streams.stdout, streams.stderr))


def _environment(arguments: list[str]) -> dict[str, str]:
    names = (argument.partition("=") for argument in arguments)
    return {name: value for name, equals, value in names if equals and name == "TERM"}
