"""`POST /act`."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI, Request, Response

from agent_server.act_request import read_observation
from agent_server.config import ServerConfig
from agent_server.metrics import Metrics
from agent_server.off_loop import off_loop
from agent_server.openapi import ACT_BODY, PROBLEM_RESPONSES
from agent_server.policy import Observation, Policy
from agent_server.presence import while_present
from agent_server.routes.reading import read_with
from agent_server.schemas import ActResponse
from agent_server.screenshot_store import ScreenshotStore

_MANY_SAMPLES = 4


def add_act(app: FastAPI, policy: Policy, config: ServerConfig, metrics: Metrics) -> None:
    """Add the route of decisions."""
    looks_back = any(card.images > 1 for card in policy.cards())
    store = ScreenshotStore(config.screenshot_cache_bytes if looks_back else 0)
    read = partial(read_observation, limits=config.image_limits, store=store)

    @app.post("/act", response_model=ActResponse, openapi_extra=ACT_BODY, responses=PROBLEM_RESPONSES)
    async def act(request: Request) -> Response:
        """Choose the next action."""
        observation = await read_with(request, config, read)
        decision = await while_present(request, _decide(policy, observation, metrics))
        body = await off_loop(len(decision.samples) > _MANY_SAMPLES, decision.model_dump_json)
        return Response(body, media_type="application/json")


async def _decide(policy: Policy, observation: Observation, metrics: Metrics) -> ActResponse:
    with metrics.failures():
        decision = await policy.act(observation)
    metrics.decided(decision)
    return decision
