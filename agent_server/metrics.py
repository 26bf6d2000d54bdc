"""What Prometheus scrapes. One registry per app, so that two apps in one process do not meet."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_server.errors import BackendError
from agent_server.schemas import ActResponse, GroundResponse, JudgeResponse, Usage

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120)


class Metrics:
    """The counters of one app; all names start with `agent_server_`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"agent_server_{name}", text, labels, registry=self.registry)

        def histogram(name: str, text: str, *labels: str) -> Histogram:
            return Histogram(f"agent_server_{name}", text, labels, registry=self.registry, buckets=_SECONDS)

        self.requests = counter("requests", "Requests answered", "route", "status")
        self.seconds = histogram("request_seconds", "Wall time of a request", "route")
        self.in_flight = Gauge("agent_server_in_flight", "Requests being answered", registry=self.registry)
        self.stages = histogram("stage_seconds", "Wall time of a decision by stage", "stage")
        self.decisions = counter("decisions", "Samples that gave an action", "action")
        self.parse_errors = counter("parse_errors", "Samples that gave none", "kind")
        self.groundings = counter("groundings", "Samples that were asked where an element is", "outcome")
        self.votes = counter("votes", "Votes on episodes", "outcome")
        self.tokens = counter("tokens", "Tokens that the backend counted", "kind")
        self.backend_errors = counter("backend_errors", "Decisions that the backend failed", "kind")
        self.weight_loads = counter("weight_loads", "Orders to load weights", "outcome")
        self.weight_load_seconds = histogram("weight_load_seconds", "Wall time of an order to load weights", "outcome")

    def decided(self, response: ActResponse) -> None:
        """Count one answer of a policy."""
        for stage, milliseconds in response.timing_ms.items():
            self.stages.labels(stage).observe(milliseconds / 1000)
        for sample in response.samples or [response]:
            if sample.action is not None:
                self.decisions.labels(sample.action.type).inc()
            elif sample.parse_error is not None:
                self.parse_errors.labels(sample.parse_error.kind).inc()
        self._used(response.usage)

    def grounded(self, response: GroundResponse) -> None:
        """Count one answer of a grounding model."""
        for sample in response.samples or [response]:
            outcome = {True: "place", False: "absent", None: "unreadable"}[sample.present]
            self.groundings.labels(outcome).inc()
        self._used(response.usage)

    def judged(self, response: JudgeResponse) -> None:
        """Count one judgement."""
        for vote in response.votes:
            outcome = {True: "success", False: "failure", None: "refused" if vote.refused else "unreadable"}
            self.votes.labels(outcome[vote.success]).inc()
        self._used(response.usage)

    def _used(self, usage: Usage) -> None:
        self.tokens.labels("prompt").inc(usage.prompt_tokens)
        self.tokens.labels("completion").inc(usage.completion_tokens)
        self.tokens.labels("cached").inc(usage.cached_tokens or 0)

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Count a failure of the backend that comes out of the block."""
        try:
            yield
        except BackendError as error:
            self.backend_errors.labels(type(error).__name__).inc()
            raise

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Count and time one load of weights, whether it succeeds or not."""
        start, outcome = time.perf_counter(), "failed"
        try:
            yield
            outcome = "loaded"
        finally:
            self.weight_loads.labels(outcome).inc()
            self.weight_load_seconds.labels(outcome).observe(time.perf_counter() - start)

    def text(self) -> bytes:
        """The exposition of everything, as CONTENT_TYPE says."""
        return generate_latest(self.registry)


class Measured:
    """Middleware: counts and times every request, the refused ones too."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        start = time.perf_counter()

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, observed)
            finally:
                # Routes are few and known; paths are whatever a stranger asks for.
                route = getattr(scope.get("route"), "path", "other")
                self._metrics.requests.labels(route, str(status)).inc()
                self._metrics.seconds.labels(route).observe(time.perf_counter() - start)
