"""`POST /judge`."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI, Request, Response

from agent_server.config import ServerConfig
from agent_server.errors import InvalidRequest
from agent_server.judge import Case, Judge
from agent_server.judge_request import read_case
from agent_server.metrics import Metrics
from agent_server.openapi import JUDGE_BODY, PROBLEM_RESPONSES
from agent_server.presence import while_present
from agent_server.routes.reading import read_with
from agent_server.schemas import JudgeResponse


def add_judge(app: FastAPI, judge: Judge | None, config: ServerConfig, metrics: Metrics) -> None:
    """Add the route of judgements; without a judge it says what would be needed."""
    read = partial(read_case, limits=config.image_limits)

    @app.post("/judge", response_model=JudgeResponse, openapi_extra=JUDGE_BODY, responses=PROBLEM_RESPONSES)
    async def judge_episode(request: Request) -> Response:
        """Score a whole episode by its outcome."""
        case = await read_with(request, config, read)
        answer = await while_present(request, _judge(judge, case, metrics))
        return Response(answer.model_dump_json(), media_type="application/json")


async def _judge(judge: Judge | None, case: Case, metrics: Metrics) -> JudgeResponse:
    if judge is None:
        raise InvalidRequest(
            "this server has no model that judges; start it with --judge-model and --judge-backend, or with --model",
            status=404,
        )
    with metrics.failures():
        answer = await judge.judge(case)
    metrics.judged(answer)
    return answer
