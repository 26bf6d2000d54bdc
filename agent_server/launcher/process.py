"""One run of a model server: started in a group of its own, its log read line by line, ended with all its workers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Self

from agent_server.launcher import keeper

TAIL_LINES = 50
_LONGEST_LINE = 4000
_CHUNK = 65536
_DRAIN_S = 1.0
_GONE_S = 0.5
"""For killed workers to be reaped by whoever inherits them; they hold nothing any more."""
_POLL_S = 0.02
_KILLED = -signal.SIGKILL
_LINE_END = re.compile(rb"[\r\n]+")

OnLine = Callable[[str], None]


class ModelProcess:
    """Made by `start`. Everything that it starts dies with it, and with us."""

    def __init__(
        self, process: asyncio.subprocess.Process, life: socket.socket, log: asyncio.StreamReader, on_line: OnLine
    ) -> None:
        self.pid = process.pid
        """Of the group, too."""
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        """Its last lines."""
        self._process = process
        self._life = life
        self._log = log
        self._on_line = on_line
        self._gone = False
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, argv: Sequence[str], environment: Mapping[str, str], on_line: OnLine) -> Self:
        """`environment` is added to ours; `on_line` gets each line of output. A missing program ends with code 127."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        # A pipe of our own: with one of asyncio's, the end of the process would be known only when its last worker has
        # closed it.
        read_end, write_end = os.pipe()
        try:
            log = await _reader(read_end)
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", keeper.__file__, *argv),
                stdin=theirs.fileno(),
                stdout=write_end,
                stderr=write_end,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except BaseException:
            ours.close()  # which ends what may have been started
            raise
        finally:
            theirs.close()
            os.close(write_end)
        return cls(process, ours, log, on_line)

    async def ended(self) -> int:
        """Wait for its end: the exit code, or minus the number of the signal that killed it."""
        await self._process.wait()
        self._signal_group(signal.SIGKILL)  # where the keeper was killed before it could do that
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._reading), _DRAIN_S)
        try:
            told = self._life.recv(16)
        except OSError:
            told = b""
        return int(told) if told else _KILLED

    async def stop(self, grace_s: float) -> None:
        """SIGTERM, after `grace_s` seconds SIGKILL; returns when the group is gone. May be called twice."""
        if self._gone:
            return  # and its number may be somebody else's by now
        if grace_s > 0:
            self._signal_group(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._process.wait()), grace_s)
        self._signal_group(signal.SIGKILL)
        await self._process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._reading, _DRAIN_S)
        self._life.close()
        deadline = asyncio.get_running_loop().time() + _GONE_S
        while self._signal_group(0) and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(_POLL_S)
        self._gone = True

    def _signal_group(self, number: int) -> bool:
        """Whether anybody is there to get it."""
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # what macOS says of a group of zombies
            return False
        return True

    async def _read(self) -> None:
        rest = b""
        while chunk := await self._log.read(_CHUNK):
            *lines, rest = _LINE_END.split(rest + chunk)
            for line in lines:
                self._say(line)
            if len(rest) > _LONGEST_LINE:
                self._say(rest)
                rest = b""
        self._say(rest)

    def _say(self, line: bytes) -> None:
        text = line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()
        if text:
            self.tail.append(text)
            self._on_line(text)


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", buffering=0))
    return reader


def described(code: int) -> str:
    """An exit code in words that follow "the model server"."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
