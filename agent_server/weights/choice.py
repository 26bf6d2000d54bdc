"""Which weights answer which request, while they are changed.

Pinned: the requests of a session are answered by the revision that was current when it began, until it ends, or until
it is not entitled to that any more (too old, or its weights had to go); then it is moved to the current one, and its
replies say so. Step: every request gets the current one. Either way a request is finished by what it began with.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent_server.backend import ChatBackend
from agent_server.config import WeightsConfig
from agent_server.schemas import WeightsPolicy
from agent_server.schemas.weights import RevisionState, WeightsLoading, WeightsState
from agent_server.weights.admin import ModelAdmin
from agent_server.weights.keeper import WeightKeeper
from agent_server.weights.revision import Revision
from agent_server.weights.sessions import Session, Sessions


@dataclass(frozen=True)
class Served:
    """What answers one request."""

    revision: Revision
    policy: WeightsPolicy


@dataclass
class Loading:
    """A change that is going on."""

    revision: Revision
    replaces: Revision
    """Full weights: of an adapter those under it, which stay."""
    began: float
    deadline: float
    """Of the wait for sessions; seconds of the monotonic clock."""


class Weights:
    """The revisions of one backend, and its sessions. For use from one event loop."""

    def __init__(self, backend: ChatBackend, config: WeightsConfig) -> None:
        self.backend = backend
        self.config = config
        connect_s = backend.timeouts.connect_s
        self.keepers = [
            WeightKeeper(
                replica, ModelAdmin(replica.url, backend.headers, connect_s, config.load_timeout_s), backend.model
            )
            for replica in backend.replicas
        ]
        self.adapters: list[Revision] = []
        """The LoRA revisions that are served, the oldest first."""
        self.closing: Revision | None = None
        """Full weights of which the last replica is about to be rid; no request begins with them."""
        self.loading: Loading | None = None
        self._sessions = Sessions(config.session_idle_s, config.session_deadline_s)
        self._in_flight: Counter[Revision] = Counter()
        self._change = asyncio.Event()
        backend.choose = self.serving

    @property
    def current(self) -> Revision:
        """What new sessions get."""
        return self.backend.current

    @current.setter
    def current(self, revision: Revision) -> None:
        self.backend.current = revision

    def close(self) -> None:
        for keeper in self.keepers:
            keeper.close()

    @asynccontextmanager
    async def serving(self, name: str | None) -> AsyncIterator[Served]:
        """The revision for one request of the session `name` (None: of no session); it stays while inside."""
        session = await self._admitted(name) if name is not None and self.config.policy == "pinned" else None
        while session is None and self.current.root is self.closing:
            await self.changed()
        revision = self.current if session is None else session.revision
        self._count(revision, session, 1)
        try:
            yield Served(revision, "step" if session is None else "moved" if session.moved else "pinned")
        finally:
            self._count(revision, session, -1)
            if name is not None:
                self._sessions.touch(name)
            self.tell()

    def end(self, name: str) -> None:
        """The session is over; it may be unknown."""
        self._sessions.end(name)
        self.tell()

    def pinned_to(self, root: Revision) -> list[Session]:
        """The sessions that are entitled to a revision on these full weights."""
        sessions = self._sessions
        return [one for one in sessions.all() if one.revision.root is root and sessions.entitled(one)]

    def answering(self, root: Revision) -> int:
        """How many requests are being answered by revisions on these full weights."""
        return sum(number for revision, number in self._in_flight.items() if revision.root is root)

    def sessions(self) -> int:
        """How many there are."""
        return len(self._sessions.all())

    def idle(self, revision: Revision) -> bool:
        """Whether nobody is pinned to it and no request is being answered by it."""
        return not self._in_flight[revision] and all(one.revision is not revision for one in self._sessions.all())

    def tell(self) -> None:
        """Wake whoever waits for a change."""
        self._change.set()
        self._change = asyncio.Event()

    async def changed(self, within_s: float | None = None) -> None:
        """Return at the next change, or after `within_s`."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._change.wait(), within_s)

    def next_lapse_s(self) -> float:
        """Seconds until time alone ends a session or what it is entitled to; infinity where there is none."""
        return self._sessions.next_change_s()

    def state(self) -> WeightsState:
        """What is served now."""
        roots = dict.fromkeys(replica.root for replica in self.backend.replicas)
        return WeightsState(
            weights_policy=self.config.policy,
            revisions=[self._revision_state(revision) for revision in (*roots, *self.adapters)],
            loading=self._loading_state(),
        )

    def _revision_state(self, revision: Revision) -> RevisionState:
        replicas = [replica for replica in self.backend.replicas if replica.serves(revision)]
        return RevisionState(
            revision=revision.name or next((replica.weights for replica in replicas if replica.weights), None),
            kind=revision.kind,
            path=revision.path,
            current=revision is self.current,
            sessions=sum(one.revision is revision for one in self._sessions.all()),
            in_flight=self._in_flight[revision],
            backends=[replica.url for replica in replicas],
        )

    def _loading_state(self) -> WeightsLoading | None:
        if self.loading is None:
            return None
        revision = self.loading.revision
        assert revision.kind != "base"
        assert revision.name is not None
        replaces = revision.kind == "checkpoint"
        return WeightsLoading(
            revision=revision.name,
            kind=revision.kind,
            seconds=round(time.monotonic() - self.loading.began, 3),
            waiting_for=len(self.pinned_to(self.loading.replaces)) if replaces else 0,
            backends=[replica.url for replica in self.backend.replicas if replaces and replica.root is revision],
        )

    async def _admitted(self, name: str) -> Session:
        """The session, begun or moved where it must be, as soon as its revision may be asked."""
        patience = time.monotonic() + self.backend.timeouts.total_s / 2
        while True:
            session = self._sessions.find(name)
            if session is None and self._better_waits():
                left = patience - time.monotonic()
                if left > 0:
                    await self.changed(left)
                    continue
            session = session or self._sessions.begin(name, self.current)
            if not self._keeps(session) and session.revision is not self.current:
                session.revision, session.moved = self.current, True
            if session.revision.root is not self.closing:
                return session
            await self.changed()

    def _better_waits(self) -> bool:
        """Whether a new session would be pinned to weights that are about to be replaced, with none others there."""
        loading = self.loading
        return loading is not None and loading.revision.kind == "checkpoint" and self.current.root is loading.replaces

    def _keeps(self, session: Session) -> bool:
        root = session.revision.root
        there = any(replica.root is root for replica in self.backend.replicas) and root is not self.closing
        loaded = session.revision.kind != "lora" or session.revision in self.adapters
        return there and loaded and self._sessions.entitled(session)

    def _count(self, revision: Revision, session: Session | None, number: int) -> None:
        self._in_flight[revision] += number
        if not self._in_flight[revision]:
            del self._in_flight[revision]
        if session is not None:
            session.in_flight += number
