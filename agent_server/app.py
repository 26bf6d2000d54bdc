"""The HTTP interface: `create_app` puts a policy behind five routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response

from agent_server import __version__
from agent_server.act_request import read_observation
from agent_server.auth import BearerAuth
from agent_server.body import read_body
from agent_server.config import MIB, ServerConfig
from agent_server.errors import BackendError
from agent_server.metrics import CONTENT_TYPE, Measured, Metrics
from agent_server.openapi import ACT_BODY, PROBLEM_RESPONSES, describe
from agent_server.policy import Observation, Policy
from agent_server.problems import install
from agent_server.schemas import ActResponse, ModelList
from agent_server.tokens import TokenFile

_INLINE_BYTES = MIB
"""Bodies up to this are read on the event loop, where that takes about a millisecond; longer ones in a thread."""


def create_app(policy: Policy, config: ServerConfig | None = None) -> FastAPI:
    """The policy server; closes the policy when it shuts down. Raises InvalidRequest for an unusable token file."""
    config = config or ServerConfig()
    metrics = Metrics()
    app = _Application(
        title="Android policy server",
        version=__version__,
        description="Given a goal, a history and a screenshot, choose one action.",
        lifespan=_closing(policy),
        redirect_slashes=False,
    )
    install(app)
    _add_routes(app, policy, config, metrics)
    if config.token_file is not None:
        app.add_middleware(BearerAuth, tokens=TokenFile(config.token_file))
    app.add_middleware(Measured, metrics=metrics)
    return app


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        self.openapi_schema = self.openapi_schema or describe(self)
        return self.openapi_schema


def _closing(policy: Policy) -> Any:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await policy.aclose()

    return lifespan


def _add_routes(app: FastAPI, policy: Policy, config: ServerConfig, metrics: Metrics) -> None:
    @app.post("/act", response_model=ActResponse, openapi_extra=ACT_BODY, responses=PROBLEM_RESPONSES)
    async def act(request: Request) -> Response:
        """Choose the next action."""
        decision = await _decide(policy, await _observe(request, config), metrics)
        return Response(decision.model_dump_json(), media_type="application/json")

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Whether this process answers."""
        return {"status": "ok"}

    @app.get("/readyz", responses={503: PROBLEM_RESPONSES["503"]})
    async def readyz() -> dict[str, str]:
        """Whether a decision can be made: the backend is reachable and serves the model."""
        await policy.ready()
        return {"status": "ready"}

    @app.get("/metrics", response_class=Response)
    async def metrics_text() -> Response:
        """Counters and histograms for Prometheus."""
        return Response(metrics.text(), media_type=CONTENT_TYPE)

    @app.get("/v1/models")
    async def models() -> ModelList:
        """What this server serves, and what a run's identity needs to know about it."""
        return ModelList(data=policy.cards())


async def _observe(request: Request, config: ServerConfig) -> Observation:
    body = await read_body(request, config.max_body_bytes)
    content_type = request.headers.get("content-type", "")
    if len(body) <= _INLINE_BYTES:
        return read_observation(content_type, body, config.image_limits)
    return await asyncio.to_thread(read_observation, content_type, body, config.image_limits)


async def _decide(policy: Policy, observation: Observation, metrics: Metrics) -> ActResponse:
    try:
        decision = await policy.act(observation)
    except BackendError as error:
        metrics.failed(error)
        raise
    metrics.decided(decision)
    return decision
