"""The policies of `storm.py` behind one port: `python storm_policy.py PORT`.

The number of the sample chooses: the baseline, chance for a few steps, or nothing at all. Each is the same for the same
episode, step and UI tree, so that how an episode ends is a question of the phone alone.
"""

from __future__ import annotations

import sys

import uvicorn

from agent_server.actions import Finished
from agent_server.app import create_app
from agent_server.baselines.chance import RandomPolicy
from agent_server.baselines.explorer import ExplorerPolicy
from agent_server.baselines.null import NullPolicy
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, ModelCard

RANDOM_STEPS = 8


class MixedPolicy:
    """Sample 0, 3, 6, … of a task is played by the baseline, 1, 4, … by chance, 2, 5, … by nobody."""

    def __init__(self) -> None:
        self._policies = (ExplorerPolicy(), RandomPolicy(), NullPolicy())

    def cards(self) -> list[ModelCard]:
        return [ModelCard(id="mixed", adapter="mixed")]

    async def act(self, observation: Observation) -> ActResponse:
        _, _, sample = (observation.session or "").rpartition("k")
        policy = self._policies[int(sample or 0) % len(self._policies)]
        response = await policy.act(observation)
        if policy is self._policies[1] and len(observation.history) >= RANDOM_STEPS:
            done = Finished()
            response = response.model_copy(update={"action": done, "raw": done.model_dump_json()})
        return response.model_copy(update={"model": "mixed", "adapter": "mixed"})

    async def ready(self) -> None:
        return

    async def aclose(self) -> None:
        return


if __name__ == "__main__":
    uvicorn.run(create_app(MixedPolicy()), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
