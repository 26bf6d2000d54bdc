"""All model servers that were started here: watched side by side, and told of to the backend that asks them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from agent_server.errors import LaunchError
from agent_server.launcher.command import Command
from agent_server.launcher.console import Console
from agent_server.launcher.replica import Patience, Replica
from agent_server.launcher.state import GivenUp, Starting, Up, refusal
from agent_server.side_by_side import one_of, until_one_ends

_UPDATE_S = 1.0
_CONTINUED = re.compile(r"(\(\w[^)]*\) )?\s")
"""A line of a log that goes on with the one before, as those of Python's warnings and tracebacks do; vLLM puts the name
of the process in front."""
_LINE_S = 10.0
"""Between two lines of progress where there is no terminal to update one on."""


class Replicas:
    """One server for each command. For use from one event loop: `run` in a task, `stop` when that was cancelled.

    It is the `Watch` of a `ChatBackend` over the commands' URLs.
    """

    quick = False

    def __init__(self, commands: Sequence[Command], patience: Patience, console: Console) -> None:
        numbered = [f"vllm {index}" for index in range(len(commands))] if len(commands) > 1 else ["vllm"]
        self._console = console
        self._replicas = {
            command.url: Replica(name, command, patience, console.line)
            for name, command in zip(numbered, commands, strict=True)
        }

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(self._replicas)

    def starts(self, url: str) -> int:
        """How often the server behind a URL was started: a higher number than before means that it has forgotten."""
        return self._replicas[url].starts

    async def run(self) -> None:
        """Keep all alive. Raises LaunchError when one is given up and none of the others is up."""
        await until_one_ends([self._progress(), *map(self._keep, self._replicas.values())])

    async def ready(self) -> None:
        """Return as soon as one is up."""
        await one_of(replica.up for replica in self._replicas.values())

    async def stop(self, grace_s: float) -> None:
        """SIGTERM to all, SIGKILL after `grace_s` seconds; returns when no process of theirs is left."""
        self._console.status("")
        await asyncio.gather(*(replica.stop(grace_s) for replica in self._replicas.values()))

    def refusal(self, url: str) -> str | None:
        """Why the server behind `url` cannot be asked now; None where it can, or is none of ours."""
        replica = self._replicas.get(url)
        return refusal(replica.state, asyncio.get_running_loop().time()) if replica else None

    async def fate(self, url: str) -> str | None:
        """Why the server behind `url` failed a request; None where it did not die of it, or is none of ours."""
        replica = self._replicas.get(url)
        return await replica.fate() if replica else None

    async def _keep(self, replica: Replica) -> None:
        await replica.run(lambda: not any(isinstance(other.state, Up) for other in self._replicas.values()))
        assert isinstance(replica.state, GivenUp)
        for line in replica.tail:
            self._console.line(f"[{replica.name}] | {line}")
        raise LaunchError(f"{replica.name} {replica.state.reason}; its last {len(replica.tail)} lines are above")

    async def _progress(self) -> None:
        pause_s = _UPDATE_S if self._console.terminal else _LINE_S
        while True:
            await asyncio.sleep(pause_s)
            self._console.status("; ".join(filter(None, map(self._seen_starting, self._replicas.values()))))

    def _seen_starting(self, replica: Replica) -> str:
        if not isinstance(replica.state, Starting):
            return ""
        elapsed = asyncio.get_running_loop().time() - replica.state.since
        last = next((line for line in reversed(replica.tail) if not _CONTINUED.match(line)), "no line of its log yet")
        return f"agent-server: {replica.name} is starting, {elapsed:.0f} s: {last}"
