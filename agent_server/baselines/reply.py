"""Decisions dressed as answers: what policies without a model share on the wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import orjson

import agent_server
from agent_server.actions import Action
from agent_server.errors import UnknownName
from agent_server.schemas import ActResponse, HistoryTurn, ModelCard, Sample

if TYPE_CHECKING:
    from agent_server.policy import Observation


@dataclass(frozen=True)
class Decision:
    """One action with its reasons. `mark` is whatever JSON the policy wants to find again in its history."""

    action: Action
    thought: str
    summary: str
    mark: dict[str, object] | None = None

    @property
    def raw(self) -> str:
        """The action as compact JSON, with the mark beside it: these policies' own grammar."""
        body: dict[str, object] = {"action": self.action.model_dump(mode="json", exclude_none=True)}
        if self.mark is not None:
            body["mark"] = self.mark
        return orjson.dumps(body).decode()


def card(name: str) -> ModelCard:
    """What `/v1/models` says of a policy whose weights are this package's own code."""
    return ModelCard(id=name, adapter=name, weights=agent_server.__version__)


def step_of(history: tuple[HistoryTurn, ...]) -> int:
    """The position of the coming step: told by the last turn where it knows, else counted."""
    if history and history[-1].step is not None:
        return history[-1].step + 1
    return len(history)


def answer(name: str, observation: Observation, decide: Callable[[int], Decision]) -> ActResponse:
    """Ask `decide` for each of the wanted samples (0 to n - 1) and dress the results.

    Raises UnknownName when the observation asks for another model.
    """
    if observation.model not in (None, name):
        raise UnknownName("model", str(observation.model), [name])
    start = perf_counter()
    samples = [_sample(decide(index)) for index in range(observation.sampling.n)]
    elapsed = (perf_counter() - start) * 1000
    first = samples[0]
    return ActResponse(
        action=first.action,
        thought=first.thought,
        summary=first.summary,
        raw=first.raw,
        finish_reason=first.finish_reason,
        model=name,
        adapter=name,
        weights=agent_server.__version__,
        timing_ms={"decide": elapsed, "total": elapsed},
        samples=samples if len(samples) > 1 else [],
    )


def _sample(decision: Decision) -> Sample:
    return Sample(
        action=decision.action,
        thought=decision.thought,
        summary=decision.summary,
        raw=decision.raw,
        finish_reason="stop",
    )
