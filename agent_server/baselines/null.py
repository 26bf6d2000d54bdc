"""The control that does nothing: a task that it solves measures nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_server.actions import Finished
from agent_server.baselines.reply import Decision, answer, card
from agent_server.schemas import ActResponse, ModelCard

if TYPE_CHECKING:
    from agent_server.policy import Observation


class NullPolicy:
    """Ends every episode at its first step and claims success."""

    name = "null"

    def cards(self) -> list[ModelCard]:
        return [card(self.name)]

    async def act(self, observation: Observation) -> ActResponse:
        decision = Decision(Finished(), "This policy does nothing.", "Finished without doing anything.")
        return answer(self.name, observation, lambda _: decision)

    async def ready(self) -> None:
        return

    async def aclose(self) -> None:
        return
