"""`/admin/weights`, and the end of a session."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response

from agent_server.body import read_body
from agent_server.errors import InvalidRequest
from agent_server.metrics import Metrics
from agent_server.openapi import PROBLEM_RESPONSES
from agent_server.schemas.weights import LoadWeights, WeightsLoaded, WeightsState
from agent_server.weights.change import WeightChanges

_BODY_LIMIT = 64 * 1024
_ORDER = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": LoadWeights.model_json_schema()}}}
}


def add_admin(app: FastAPI, changes: WeightChanges | None, metrics: Metrics) -> None:
    """Add the routes that change weights; without `changes` they answer 404 and say why."""

    @app.post("/admin/weights", openapi_extra=_ORDER, responses=PROBLEM_RESPONSES)
    async def load_weights(request: Request) -> WeightsLoaded:
        """Serve other weights from now on; answers when new requests get them."""
        enabled = _enabled(changes)
        body = await read_body(request, _BODY_LIMIT)
        order = LoadWeights.model_validate_json(body)
        with metrics.loading():
            return await enabled.load(order)

    @app.get("/admin/weights", responses=PROBLEM_RESPONSES)
    async def weights() -> WeightsState:
        """Which weights are served, and who keeps to which."""
        return _enabled(changes).weights.state()

    @app.delete("/sessions/{session:path}", status_code=204, response_class=Response)
    async def end_session(session: str) -> Response:
        """The episode is over: its session keeps no weights any more. Unknown sessions are no fault."""
        if changes is not None:
            changes.weights.end(session)
        return Response(status_code=204)


def _enabled(changes: WeightChanges | None) -> WeightChanges:
    if changes is None:
        raise InvalidRequest(
            "weights cannot be changed here; start the server with a model and --admin-token-file", status=404
        )
    return changes
