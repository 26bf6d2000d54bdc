"""No model server is used before it was examined, nor after it was away until it was examined again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, assert_never

from agent_server.backend import Watch
from agent_server.errors import BackendError, BackendUnreachable, ModelNotServed, NotVerified
from agent_server.model_policy import ModelPolicy
from agent_server.serving import Companion
from agent_server.side_by_side import one_of, until_one_ends
from agent_server.verify.examination import examine
from agent_server.verify.report import Report

_LOG = logging.getLogger("uvicorn.error")
_ABSENT_S = 0.5
"""Between two looks at a server that does not answer."""
_PRESENT_S = 5.0
"""Between two looks at one that does: shorter than a model server takes to be replaced by another."""


class Launched(Companion, Watch, Protocol):
    """Who has started servers and keeps them alive."""

    @property
    def urls(self) -> tuple[str, ...]:
        """Of those servers."""
        ...


@dataclass(frozen=True)
class Awaited:
    """It does not answer yet, or not any more."""

    reason: str


@dataclass(frozen=True)
class UnderExamination:
    pass


@dataclass(frozen=True)
class Examined:
    report: Report


State = Awaited | UnderExamination | Examined


class Guard:
    """Examines every server when it first answers, and again after it was away or was replaced.

    It is the `Watch` of the backend that serves, so that no request goes to a server that has not passed, and runs
    beside the app. A server that does not fit while the app is starting ends the app; one that does not fit later is
    not used, and its refusal says why. For use from one event loop.
    """

    def __init__(self, policies: Mapping[str, ModelPolicy], launched: Launched | None = None) -> None:
        """`policies` by URL: each asks that server alone. `launched` is who started them, where we did."""
        self.heard: Callable[[Report], None] = lambda report: None
        """Called with every report."""
        self._policies = dict(policies)
        self._launched = launched
        self._ours = launched.urls if launched is not None else ()
        self._states: dict[str, State] = {url: Awaited("nobody has looked yet") for url in policies}
        self._tried = {url: asyncio.Event() for url in policies}
        self._look = {url: asyncio.Event() for url in policies}
        self._said: dict[str, str] = {}
        self._started = False

    @property
    def quick(self) -> bool:
        """Whether there is nothing to stop that takes time."""
        return self._launched is None

    async def run(self) -> None:
        """Raises NotVerified for a server that does not fit before all were tried."""
        jobs = [self._keep(url) for url in self._policies]
        if self._launched is not None:
            jobs.append(self._launched.run())
        await until_one_ends(jobs)

    async def ready(self) -> None:
        """Return when every server was examined or found to be absent; of those started here, when one was examined."""
        await asyncio.gather(*(event.wait() for url, event in self._tried.items() if url not in self._ours))
        await one_of(self._tried[url] for url in self._ours)
        self._started = True

    async def stop(self, grace_s: float) -> None:
        if self._launched is not None:
            await self._launched.stop(grace_s)
        for policy in self._policies.values():
            await policy.aclose()

    def refusal(self, url: str) -> str | None:
        """Why the server behind `url` cannot be asked; None where it can, or is none of ours."""
        if self._launched is not None and (refusal := self._launched.refusal(url)):
            return refusal
        match self._states.get(url):
            case None:
                return None
            case Awaited(reason):
                return f"it is not verified yet: {reason}"
            case UnderExamination():
                return "it is not verified yet: it is being examined"
            case Examined(report):
                return None if report.ok else str(report)
            case state:
                assert_never(state)

    async def fate(self, url: str) -> str | None:
        """Why the server behind `url` failed a request; None where nothing is known."""
        if url in self._look:
            self._look[url].set()
        return await self._launched.fate(url) if self._launched is not None else None

    async def _keep(self, url: str) -> None:
        """Examine a server whenever it is new."""
        while True:
            report = await self._report(url)
            if not report.ok and not self._started:
                raise NotVerified(str(report))
            self._states[url] = Examined(report)
            self._tried[url].set()
            _LOG.log(logging.INFO if report.ok else logging.ERROR, "%s", report)
            for note in report.notes:
                _LOG.warning("%s: %s", url, note)
            self.heard(report)
            await self._until_new(url)
            self._states[url] = Awaited("it is no longer there, or is another one")
            _LOG.warning("%s is not used until it is verified again", url)

    async def _report(self, url: str) -> Report:
        """Of a server, as soon as it can be examined."""
        policy, pause_s = self._policies[url], _ABSENT_S
        while True:
            try:
                with suppress(ModelNotServed):  # which is for the report to say
                    await policy.backend.entry()
                pause_s = _PRESENT_S
                self._states[url] = UnderExamination()
                return await examine(policy)
            except BackendError as error:
                self._await(url, str(error))
            await asyncio.sleep(pause_s)

    def _await(self, url: str, reason: str) -> None:
        """Note why a server could not be examined; those started here may take their time, others count as tried."""
        self._states[url] = Awaited(reason)
        if url not in self._ours:
            self._tried[url].set()
        if self._said.get(url) != reason and not (self._launched is not None and self._launched.refusal(url)):
            self._said[url] = reason
            _LOG.warning("%s is used once it is verified, and cannot be examined: %s", url, reason)

    async def _until_new(self, url: str) -> None:
        """Return when the server is away, or another one than before."""
        policy, known = self._policies[url], None
        while True:
            try:
                entry = await policy.backend.entry()
                identity = entry.get("root"), entry.get("max_model_len")
                if known not in (None, identity):
                    return
                known = identity
            except (BackendUnreachable, ModelNotServed):
                return
            except BackendError:
                if self._launched is not None and self._launched.refusal(url):
                    return
            self._look[url].clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look[url].wait(), _PRESENT_S)
