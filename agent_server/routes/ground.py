"""`POST /ground`."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI, Request, Response

from agent_server.config import ServerConfig
from agent_server.errors import InvalidRequest
from agent_server.ground import GroundingModel, GroundQuestion, grounding_families
from agent_server.ground_request import read_ground_question
from agent_server.metrics import Metrics
from agent_server.openapi import GROUND_BODY, PROBLEM_RESPONSES
from agent_server.presence import while_present
from agent_server.routes.reading import read_with
from agent_server.schemas import GroundResponse


def add_ground(app: FastAPI, model: GroundingModel | None, config: ServerConfig, metrics: Metrics) -> None:
    """Add the route of places; without a model it says what would be needed."""
    read = partial(read_ground_question, limits=config.image_limits)

    @app.post("/ground", response_model=GroundResponse, openapi_extra=GROUND_BODY, responses=PROBLEM_RESPONSES)
    async def ground(request: Request) -> Response:
        """Say where a described element is."""
        question = await read_with(request, config, read)
        answer = await while_present(request, _ground(model, question, metrics))
        return Response(answer.model_dump_json(), media_type="application/json")


async def _ground(model: GroundingModel | None, question: GroundQuestion, metrics: Metrics) -> GroundResponse:
    if model is None:
        families = ", ".join(grounding_families())
        raise InvalidRequest(
            f"this server has no model that says where elements are; start it with --ground-model, one of: {families}",
            status=404,
        )
    with metrics.failures():
        answer = await model.ground(question)
    metrics.grounded(answer)
    return answer
