"""One model server through many runs: started, watched, started again.

Its end is known at once, because the end of a child is an event. A server whose health answers with an error has lost
its engine and is replaced, and so is one that gives no answer for `Patience.hang_s`. Before each further start there is
a pause of 1, 2, 4, … 60 seconds, of 1 again after five good minutes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent_server.http_client import BrokenAnswer, HttpClient, NoAnswer
from agent_server.launcher.causes import cause_of
from agent_server.launcher.command import Command
from agent_server.launcher.process import ModelProcess, described
from agent_server.launcher.state import GivenUp, Lost, Starting, State, Stopping, Up

MOST_FAILURES = 5
"""Starts in a row that fail before it is given up."""
_LONGEST_PAUSE_S = 60.0
_GOOD_S = 300.0
_POLL_S = 1.0
_PROBE_S = 5.0
_LAST_WORD_S = 1.2
"""For the exit code of a process that has closed its sockets, which tells more than these, and the last of its log."""
_FATE_S = 3.0
_STOP_S = 3.0


@dataclass(frozen=True)
class Patience:
    """How long a server is waited for, in seconds."""

    start_s: float = 1800.0
    hang_s: float = 60.0
    first_pause_s: float = 1.0


@dataclass(frozen=True)
class _End:
    reason: str
    up_s: float | None
    """How long it was up; None where it never was."""


class Replica:
    """`run` keeps the server alive until it is cancelled or gives up."""

    def __init__(self, name: str, command: Command, patience: Patience, say: Callable[[str], None]) -> None:
        """`say` gets every line of its log and what there is to tell about it."""
        self.name = name
        self.command = command
        self.state: State = Stopping()
        self.tail: Sequence[str] = ()
        """The last lines of its log."""
        self.up = asyncio.Event()
        self.starts = 0
        """How often it was started; what was loaded into an earlier run is gone."""
        self._lost = asyncio.Event()
        self._patience = patience
        self._say = say
        self._process: ModelProcess | None = None
        self._health = HttpClient(command.url.removesuffix("/v1"))

    async def run(self, needed: Callable[[], bool]) -> None:
        """Return when it is given up: after MOST_FAILURES failed starts in a row, while it is `needed` to serve at all.

        The very first start fails for good where the log names a cause that lasts.
        """
        failures = losses = 0
        after: str | None = None
        while True:
            self._enter(Starting(_now(), after))
            end = await self._live()
            failures = failures + 1 if end.up_s is None else 0
            losses = losses + 1 if (end.up_s or 0.0) < _GOOD_S else 1
            cause = cause_of(self.tail) if end.up_s is None else None
            after = f"{end.reason}: {cause.hint}" if cause else end.reason
            hopeless = failures >= MOST_FAILURES or (self.starts == 1 and cause is not None and cause.lasting)
            if hopeless and needed():
                self._enter(GivenUp(after))
                await self._cleared()
                return
            pause_s = min(self._patience.first_pause_s * 2 ** (losses - 1), _LONGEST_PAUSE_S)
            self._enter(Lost(after, _now() + pause_s))
            self._tell(f"{after}; it is started again in {pause_s:g} s")
            await self._cleared()
            await asyncio.sleep(pause_s)

    async def fate(self) -> str | None:
        """Why it is lost; None where it is still up after a few seconds, in which a death would have been seen."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._lost.wait(), _FATE_S)
        match self.state:
            case Lost(reason):
                return f"the model server {reason}, and the request with it"
            case Up():
                return None
            case _:
                return "the model server went down, and the request with it"

    async def stop(self, grace_s: float) -> None:
        """End its process, if any. `run` must have ended before."""
        self._enter(Stopping())
        self._health.close()
        if self._process is not None:
            await self._process.stop(grace_s)

    async def _live(self) -> _End:
        """One run, from its start until it must be replaced."""
        self.starts += 1
        process = await ModelProcess.start(self.command.argv, self.command.environment, self._log)
        self._process, self.tail = process, process.tail
        ended = asyncio.create_task(process.ended())
        watched = asyncio.create_task(self._watch())
        try:
            await asyncio.wait({ended, watched}, return_when=asyncio.FIRST_COMPLETED)
            up_s = _now() - self.state.since if isinstance(self.state, Up) else None
            return _End(described(ended.result()) if ended.done() else watched.result(), up_s)
        finally:
            ended.cancel()
            watched.cancel()

    async def _watch(self) -> str:
        """Return when it must be replaced, and why."""
        began = last = _now()
        while True:
            try:
                status = await self._probe()
            except NoAnswer as refused:
                if self.up.is_set():
                    await asyncio.sleep(_LAST_WORD_S)
                    return f"no longer answers ({refused})"
                status = None
            now = _now()
            if status == 200:
                last = now
                if not self.up.is_set():
                    self._enter(Up(now))
                    self._tell(f"is up after {now - began:.0f} s on {self.command.url}")
            elif self.up.is_set() and status is not None:
                return f"lost its engine (health answers {status})"
            elif self.up.is_set() and now - last > self._patience.hang_s:
                return f"hung (no sign of health for {now - last:.0f} s) and was killed"
            elif not self.up.is_set() and now - began > self._patience.start_s:
                return f"was not up after {now - began:.0f} s and was killed; --start-timeout sets how long it may take"
            await asyncio.sleep(_POLL_S)

    async def _probe(self) -> int | None:
        """The status of its health; None where it is late. Raises NoAnswer where nobody listens or it hangs up."""
        try:
            async with asyncio.timeout(min(_PROBE_S, self._patience.hang_s)):
                return (await self._health.request("GET", "/health", connect_timeout_s=2 * _PROBE_S)).status
        except (TimeoutError, BrokenAnswer):
            return None

    async def _cleared(self) -> None:
        """No process of one run is left when the next begins."""
        if self._process is not None:
            await self._process.stop(0)

    def _enter(self, state: State) -> None:
        self.state = state
        if isinstance(state, Up):
            self._lost.clear()
            self.up.set()
        else:
            self.up.clear()
            self._lost.set()

    def _log(self, line: str) -> None:
        self._say(f"[{self.name}] {line}")

    def _tell(self, text: str) -> None:
        self._say(f"agent-server: {self.name} {text}")


def _now() -> float:
    return asyncio.get_running_loop().time()
