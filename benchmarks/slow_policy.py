"""A policy server that takes a fixed time for each decision: `python slow_policy.py PORT SECONDS STEPS`.

It opens an app and goes home by turns and says that it is done after STEPS steps.
"""

from __future__ import annotations

import asyncio
import sys

import uvicorn

from agent_server.actions import Action, Click, Finished, Press
from agent_server.app import create_app
from agent_server.geometry import Point
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, ModelCard


class SlowPolicy:
    """Decides after `seconds`."""

    def __init__(self, seconds: float, steps: int) -> None:
        self._seconds = seconds
        self._steps = steps

    def cards(self) -> list[ModelCard]:
        return [ModelCard(id="slow", adapter="slow")]

    async def act(self, observation: Observation) -> ActResponse:
        await asyncio.sleep(self._seconds)
        step = len(observation.history)
        action: Action = Press(key="home") if step % 2 else Click(point=Point(921, 1960))
        if step >= self._steps - 1:
            action = Finished()
        return ActResponse(action=action, raw=action.model_dump_json(), model="slow", adapter="slow")

    async def ready(self) -> None:
        return

    async def aclose(self) -> None:
        return


if __name__ == "__main__":
    policy = SlowPolicy(float(sys.argv[2]), int(sys.argv[3]))
    uvicorn.run(create_app(policy), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
