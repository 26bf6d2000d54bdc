"""The HTTP interface: `create_app` puts a policy, and what else there is, behind routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from agent_server import __version__
from agent_server.admission import Admission
from agent_server.auth import BearerAuth
from agent_server.config import ServerConfig
from agent_server.ground import GroundingModel
from agent_server.judge import Judge
from agent_server.metrics import Measured, Metrics
from agent_server.openapi import describe
from agent_server.policy import Policy
from agent_server.problems import install
from agent_server.routes.act import add_act
from agent_server.routes.admin import add_admin
from agent_server.routes.ground import add_ground
from agent_server.routes.judge import add_judge
from agent_server.routes.state import add_state
from agent_server.tokens import TokenFile
from agent_server.weights.change import WeightChanges


def create_app(
    policy: Policy,
    config: ServerConfig | None = None,
    *,
    grounding: GroundingModel | None = None,
    judge: Judge | None = None,
    weights: WeightChanges | None = None,
) -> FastAPI:
    """The policy server; closes what it was given when it shuts down.

    Raises InvalidRequest for an unusable token file.
    """
    config = config or ServerConfig()
    metrics = Metrics()
    app = _Application(
        title="Android policy server",
        version=__version__,
        description="Given a goal, a history and a screenshot, choose one action.",
        lifespan=_closing(policy, grounding, judge, weights),
        redirect_slashes=False,
    )
    install(app)
    add_act(app, policy, config, metrics)
    add_ground(app, grounding, config, metrics)
    add_judge(app, judge, config, metrics)
    add_admin(app, weights, metrics)
    add_state(app, policy, metrics)
    app.add_middleware(Admission, limit=config.max_in_flight)
    if config.token_file is not None or config.admin_token_file is not None:
        tokens, admins = (TokenFile(path) if path else None for path in (config.token_file, config.admin_token_file))
        app.add_middleware(BearerAuth, tokens=tokens, admins=admins)
    app.add_middleware(Measured, metrics=metrics)
    return app


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        self.openapi_schema = self.openapi_schema or describe(self)
        return self.openapi_schema


def _closing(*parts: Policy | GroundingModel | Judge | WeightChanges | None) -> Any:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        for part in parts:
            if part is not None:
                await part.aclose()

    return lifespan
