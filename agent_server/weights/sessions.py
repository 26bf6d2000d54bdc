"""Sessions: who keeps to which revision of the weights, and for how long. In this process's memory only."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass

from agent_server.weights.revision import Revision


@dataclass
class Session:
    """One episode, as long as it is heard of."""

    revision: Revision
    began: float
    used: float
    """Seconds of the clock: when its last request came or was answered."""
    in_flight: int = 0
    moved: bool = False
    """Whether its revision was replaced before it ended."""


class Sessions:
    """The sessions that are pinned now. One ends when it is ended, or when nothing was heard of it for `idle_s`; after
    `deadline_s` it goes on, but is not entitled to its revision any more."""

    def __init__(self, idle_s: float, deadline_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._idle_s, self._deadline_s, self._clock = idle_s, deadline_s, clock
        self._by_name: OrderedDict[str, Session] = OrderedDict()
        """The one used longest ago in front."""

    def find(self, name: str) -> Session | None:
        self._forget_idle()
        return self._by_name.get(name)

    def begin(self, name: str, revision: Revision) -> Session:
        now = self._clock()
        self._by_name[name] = session = Session(revision, now, now)
        return session

    def touch(self, name: str) -> None:
        """Something was heard of it."""
        if session := self._by_name.get(name):
            session.used = self._clock()
            self._by_name.move_to_end(name)

    def end(self, name: str) -> None:
        """It may be unknown."""
        self._by_name.pop(name, None)

    def all(self) -> Collection[Session]:
        self._forget_idle()
        return self._by_name.values()

    def entitled(self, session: Session) -> bool:
        """Whether it may keep its revision."""
        return self._clock() < session.began + self._deadline_s

    def next_change_s(self) -> float:
        """Seconds until time alone ends a session or its entitlement; infinity where there is none."""
        now = self._clock()
        ends = [self._end(session) for session in self._by_name.values()]
        return min((end - now for end in ends if end > now), default=float("inf"))

    def _end(self, session: Session) -> float:
        deadline = session.began + self._deadline_s
        return deadline if session.in_flight else min(deadline, session.used + self._idle_s)

    def _forget_idle(self) -> None:
        oldest = self._clock() - self._idle_s
        while self._by_name:
            name, session = next(iter(self._by_name.items()))
            if session.used > oldest:
                return
            if session.in_flight:
                self.touch(name)
            else:
                del self._by_name[name]
