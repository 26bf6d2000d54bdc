"""`POST /act`."""

from __future__ import annotations

import asyncio

from fastapi import FastAPI, Request, Response

from agent_server.act_request import read_observation
from agent_server.body import read_body
from agent_server.config import MIB, ServerConfig
from agent_server.errors import BackendError
from agent_server.metrics import Metrics
from agent_server.openapi import ACT_BODY, PROBLEM_RESPONSES
from agent_server.policy import Observation, Policy
from agent_server.presence import while_present
from agent_server.schemas import ActResponse
from agent_server.screenshot_store import ScreenshotStore

_INLINE_BYTES = MIB
"""Bodies up to this are read on the event loop, where that takes about a millisecond; longer ones in a thread."""


def add_act(app: FastAPI, policy: Policy, config: ServerConfig, metrics: Metrics) -> None:
    """Add the route of decisions."""
    looks_back = any(card.images > 1 for card in policy.cards())
    store = ScreenshotStore(config.screenshot_cache_bytes if looks_back else 0)

    @app.post("/act", response_model=ActResponse, openapi_extra=ACT_BODY, responses=PROBLEM_RESPONSES)
    async def act(request: Request) -> Response:
        """Choose the next action."""
        observation = await _observe(request, config, store)
        decision = await while_present(request, _decide(policy, observation, metrics))
        return Response(decision.model_dump_json(), media_type="application/json")


async def _observe(request: Request, config: ServerConfig, store: ScreenshotStore) -> Observation:
    body = await read_body(request, config.max_body_bytes, config.body_timeout_s)
    content_type = request.headers.get("content-type", "")
    if len(body) <= _INLINE_BYTES:
        return read_observation(content_type, body, config.image_limits, store)
    return await asyncio.to_thread(read_observation, content_type, body, config.image_limits, store)


async def _decide(policy: Policy, observation: Observation, metrics: Metrics) -> ActResponse:
    try:
        decision = await policy.act(observation)
    except BackendError as error:
        metrics.failed(error)
        raise
    metrics.decided(decision)
    return decision
