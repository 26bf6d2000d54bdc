"""An interactive shell on a terminal: prompt, echo, line editing by backspace, Ctrl-C and Ctrl-D."""

import asyncio

from .interpreter import Shell, ShellExit
from .parser import parse
from .pipes import CallSink, Sink, Source, Streams, to_text
from .scanner import ShellSyntaxError

ERASE = (0x08, 0x7F)
INTERRUPT, END, KILL_LINE = 0x03, 0x04, 0x15
INTERRUPTED = 130


class Terminal:
    """A line discipline between the host and one shell. Output gets CR LF, as a terminal gives."""

    def __init__(self, shell: Shell, streams: Streams) -> None:
        self._shell = shell
        self._source: Source = streams.stdin
        self._screen: Sink = streams.stdout
        self._line = bytearray()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._job: asyncio.Task[int] | None = None

    async def run(self, command: str) -> int:
        """Run one command, or prompt and run line after line until `exit` or the end of input."""
        typing = asyncio.get_running_loop().create_task(self._type())
        try:
            return await (self._foreground(command) if command else self._prompt_loop())
        except ShellExit as leaving:
            return leaving.status
        finally:
            typing.cancel()

    async def _prompt_loop(self) -> int:
        while True:
            await self._print(self._prompt())
            script = ""
            while True:
                line = await self._lines.get()
                if line is None:
                    return self._shell.status
                script += to_text(line)
                if not _is_open(script):
                    break
                await self._print(b"> ")
            if script.strip():
                self._shell.status = await self._foreground(script)

    def _prompt(self) -> bytes:
        sign = "#" if self._shell.uid == 0 else "$"
        status = f"{self._shell.status}|" if self._shell.status else ""
        return f"{status}virtual:{self._shell.cwd} {sign} ".encode("utf-8", "surrogateescape")

    async def _foreground(self, script: str) -> int:
        output = CallSink(self._print)
        self._job = asyncio.get_running_loop().create_task(self._interruptible(script, Streams(self, output, output)))
        try:
            return await self._job
        except asyncio.CancelledError:
            if self._job.cancelled() and not _is_cancelling():
                return INTERRUPTED
            self._job.cancel()
            raise
        finally:
            self._job = None

    async def _interruptible(self, script: str, streams: Streams) -> int:
        try:
            parsed = parse(script)
        except ShellSyntaxError:
            return await self._shell.run_text(script, streams)
        return await self._shell.run_line(parsed, streams)

    async def read(self) -> bytes:
        """Standard input of the running command: whole lines, empty at Ctrl-D."""
        return await self._lines.get() or b""

    async def _print(self, data: bytes) -> None:
        await self._screen.write(data.replace(b"\n", b"\r\n"))

    async def _type(self) -> None:
        while data := await self._source.read():
            echo = bytearray()
            lines: list[bytes | None] = []
            for byte in data:
                if byte == INTERRUPT:
                    echo += b"^C\r\n"
                    self._interrupt()
                else:
                    self._key(byte, echo, lines)
            if echo:
                await self._screen.write(bytes(echo))
            for line in lines:
                self._lines.put_nowait(line)
        if self._line:
            self._lines.put_nowait(bytes(self._line))
        self._lines.put_nowait(None)

    def _key(self, byte: int, echo: bytearray, lines: list[bytes | None]) -> None:
        if byte in (0x0A, 0x0D):
            echo += b"\r\n"
            lines.append(bytes(self._line) + b"\n")
            self._line.clear()
        elif byte in ERASE:
            if self._line:
                while self._line and self._line.pop() & 0xC0 == 0x80:
                    pass
                echo += b"\b \b"
        elif byte == KILL_LINE:
            self._line.clear()
            echo += b"\r\n"
        elif byte == END:
            lines.append(bytes(self._line) if self._line else None)
            self._line.clear()
        else:
            self._line.append(byte)
            echo.append(byte)

    def _interrupt(self) -> None:
        self._line.clear()
        if self._job is not None:
            self._job.cancel()
        else:
            self._lines.put_nowait(b"\n")


def _is_cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _is_open(script: str) -> bool:
    """Whether a quote, a compound command or a here-document still waits for its end."""
    try:
        parse(script)
    except ShellSyntaxError as error:
        message = str(error)
        return message in ("no closing quote", "syntax error: unexpected EOF") or message.endswith("unclosed")
    return False
