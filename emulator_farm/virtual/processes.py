"""Programs that a shell keeps running: `ps` lists them beside the apps, `kill` ends them, and they listen on ports."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .server import Service

FIRST_PID = 20000
SIGTERM = 15
Listener = Callable[[], Service | None]
"""Called for each connection; None refuses it."""


@dataclass(eq=False)
class Process:
    """One running program."""

    pid: int
    uid: int
    name: str
    """As `ps` shows it: the file's name."""
    line: str
    """The whole command line, which `pkill -f` searches."""
    _loop: asyncio.AbstractEventLoop
    _on_kill: Callable[[], object] = lambda: None
    signal: int = 0
    """What killed it, 0 as long as nothing has."""
    _killed: asyncio.Event = field(default_factory=asyncio.Event)

    def kill(self, signal: int = SIGTERM) -> None:
        """Ask it to end; from any thread."""
        self.signal = signal
        self._loop.call_soon_threadsafe(self._killed.set)
        self._loop.call_soon_threadsafe(self._on_kill)

    async def wait_killed(self) -> None:
        """Return once somebody has killed it."""
        await self._killed.wait()


class Processes:
    """The programs of one phone and their ports, named as in ADB: `tcp:9008`, `localabstract:name`."""

    def __init__(self) -> None:
        self._next_pid = FIRST_PID
        self._running: dict[int, Process] = {}
        self._ports: dict[str, Listener] = {}

    def __iter__(self) -> Iterator[Process]:
        """In the order they were started."""
        return iter([*self._running.values()])

    def start(self, uid: int, words: list[str], on_kill: Callable[[], object] = lambda: None) -> Process:
        """List a program, given by the words of its command line; `on_kill` is called when somebody kills it."""
        process = Process(self._next_pid, uid, words[0], " ".join(words), asyncio.get_running_loop(), on_kill)
        self._next_pid += 1
        self._running[process.pid] = process
        return process

    def end(self, process: Process) -> None:
        """The program is no more."""
        self._running.pop(process.pid, None)

    @contextmanager
    def run(self, uid: int, words: list[str], on_kill: Callable[[], object] = lambda: None) -> Iterator[Process]:
        """List a program for as long as the block lasts."""
        process = self.start(uid, words, on_kill)
        try:
            yield process
        finally:
            self.end(process)

    @contextmanager
    def listen(self, port: str, listener: Listener) -> Iterator[None]:
        """Answer connections to a port for as long as the block lasts. Raises OSError where the port is taken."""
        if port in self._ports:
            raise OSError(98, "Address already in use", port)
        self._ports[port] = listener
        try:
            yield
        finally:
            del self._ports[port]

    def connect(self, port: str) -> Service | None:
        """Who serves a connection to a port, None where nobody listens."""
        listener = self._ports.get(port)
        return listener() if listener is not None else None
