"""Health, readiness, metrics, and what is served."""

from __future__ import annotations

from fastapi import FastAPI, Response

from agent_server.metrics import CONTENT_TYPE, Metrics
from agent_server.openapi import PROBLEM_RESPONSES
from agent_server.policy import Policy
from agent_server.schemas import ModelList


def add_state(app: FastAPI, policy: Policy, metrics: Metrics) -> None:
    """Add the routes that tell how the server is."""

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
