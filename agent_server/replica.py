"""One model server as the backend sees it: where it is, how it is, which weights it has, and a gate in front of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent_server.errors import BackendUnavailable
from agent_server.http_client import HttpClient
from agent_server.weights.revision import Revision


class Gate:
    """Lets requests pass; shut, it keeps new ones waiting, and whoever shut it knows that none is inside."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._inside = 0

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    @asynccontextmanager
    async def passed(self) -> AsyncIterator[None]:
        """Waits while the gate is shut."""
        while not self.is_open:
            await self._open.wait()
        self._inside += 1
        self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()

    @asynccontextmanager
    async def shut(self, within_s: float) -> AsyncIterator[None]:
        """Shut it, and go on when nobody is inside any more. Raises BackendUnavailable where that takes too long."""
        self._open.clear()
        try:
            await asyncio.wait_for(self._empty.wait(), within_s)
            yield
        except TimeoutError as error:
            message = f"{self._inside} requests were still being answered after {within_s:g} s"
            raise BackendUnavailable(message) from error
        finally:
            self._open.set()


@dataclass(eq=False)
class Replica:
    """One base URL."""

    url: str
    client: HttpClient
    root: Revision
    """The full weights that it has."""
    outstanding: int = 0
    down_until: float = 0.0
    started_with: str | None = None
    """What it calls the weights it was started with."""
    asked: bool = False
    """Whether it has been asked what it serves since it was last unreachable."""
    named: str | None = None
    """What an earlier policy server loaded into it, where it tells."""
    gate: Gate = field(default_factory=Gate)

    @property
    def weights(self) -> str | None:
        """The name of its full weights; None where it never told."""
        return self.root.name or self.first_weights

    @property
    def first_weights(self) -> str | None:
        """The name of those that it had when it was first asked."""
        return self.named or self.started_with

    def serves(self, revision: Revision | None) -> bool:
        """Whether a request for `revision` (None: whatever there is) may go here."""
        return revision is None or self.root is revision.root
