"""The loop: observe, decide, act, record.

One call plays one task on one phone with one policy and returns the record of it. What the agent does wrong ends up in
the record; what a machine does wrong is raised, and then there is no record.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from agent_server.actions import Action, Answer, CallUser, Finished, action_points
from agent_server.adapters import ADAPTERS
from agent_server.client import PolicyClient
from agent_server.errors import PolicyError, PolicyRejected
from agent_server.schemas import ActResponse, HistoryTurn, Sampling, Tokens
from emulator_farm.devices.capture import Frames
from emulator_farm.devices.device import Device
from emulator_farm.devices.observation import Observation
from emulator_farm.devices.snapshots import State
from emulator_farm.disturbance import Watch
from emulator_farm.episode import Decision, Effect, End, Episode, Header, Screen, Status, Step, Timing
from emulator_farm.errors import PolicyFault
from emulator_farm.tasks.checks import CheckResult, Evidence, conclude, state_before
from emulator_farm.tasks.setup import prepare, tear_down
from emulator_farm.tasks.spec import TaskInstance

PARSE_ERRORS_IN_A_ROW = 3
"""So many unreadable replies in a row end an episode as the agent's failure."""


class Limits(BaseModel):
    """What bounds one episode. Part of a run's identity."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_steps: int | None = Field(default=None, ge=1)
    """Replaces every task's own limit."""
    episode_s: float = Field(default=1800.0, gt=0, allow_inf_nan=False)
    """An episode that takes longer is truncated."""
    ui_tree: bool = True
    """Whether the UI tree is captured with every frame (policies without a model need it; it costs a dump a step)."""
    frames: Frames = "png"
    """How frames are recorded, and sent to the policy."""


class Checkpoint(Protocol):
    """Called before the phone is touched; raises where the player has lost the right to."""

    def __call__(self) -> None: ...


@dataclass
class Rollout:
    """One episode in the making.

    `checkpoint` guards every touch of the phone; `on_step` is told of every step. `images` is how many screenshots the
    policy looks at, the current one included; with `tokens` every decision must bring token ids and log-probabilities.
    `watch` looks out for what befalls the phone meanwhile.
    """

    device: Device
    policy: PolicyClient
    task: TaskInstance
    header: Header
    limits: Limits
    sampling: Sampling
    checkpoint: Checkpoint
    on_step: Callable[[Step], None]
    model: str | None = None
    images: int = 1
    tokens: bool = False
    watch: Watch | None = None

    def play(self) -> Episode:
        """Set the task up, play it, check it.

        Raises InfrastructureError for a phone or policy server that failed, and whatever `checkpoint` raises.
        """
        self.checkpoint()
        prepare(self.task, self.device)
        before = state_before(self.task, self.device)
        if self.watch is not None:
            self.watch.begin()
        steps, end = self._played()
        self.checkpoint()
        if self.watch is not None:
            self.watch.end()
        result = self._check(steps, end, before)
        tear_down(self.task, self.device)
        reward = None if result is None else _reward(result, end)
        return Episode(
            header=self.header,
            steps=tuple(steps),
            status=_status(result, end),
            end=end,
            reward=reward,
            reason="" if result is None else result.reason,
            clean=None if result is None else result.clean,
            undeclared=() if result is None else result.undeclared,
            progress=None if result is None else result.progress,
        )

    def _played(self) -> tuple[list[Step], End]:
        """All steps; the policy's session is over with them, unless the policy server is what failed."""
        try:
            steps, end = self._steps()
        except PolicyFault:
            raise
        except BaseException:
            self._end_session()
            raise
        self._end_session()
        return steps, end

    def _end_session(self) -> None:
        """Nothing but courtesy: a session of which nothing is heard ends by itself."""
        with contextlib.suppress(PolicyError):
            self.policy.end_session(self.header.episode_id)

    def _steps(self) -> tuple[list[Step], End]:
        steps: list[Step] = []
        deadline = time.monotonic() + self.limits.episode_s
        for index in range(self.limits.max_steps or self.task.max_steps):
            step = self._step(index, steps)
            steps.append(step)
            self.on_step(step)
            end = self._end(steps)
            if end is None and time.monotonic() >= deadline:
                end = "time_limit"
            if end is not None:
                return self._closed(steps), end
        return self._closed(steps), "step_limit"

    def _step(self, index: int, earlier: Sequence[Step]) -> Step:
        started_at = datetime.now(UTC)
        self.checkpoint()
        observation = self._look()
        response, decide_ms = self._decide(index, observation, earlier)
        self._note_policy(response)
        effect, act_ms = Effect("none", "the reply could not be read"), 0.0
        if response.action is not None:
            self.checkpoint()
            began = time.monotonic()
            effect = self._perform(response.action, observation)
            act_ms = (time.monotonic() - began) * 1000
        return Step(
            index=index,
            screen=_screen(observation),
            started_at=started_at,
            decision=_decision(response),
            effect=effect,
            timing=Timing(observation.capture_ms, decide_ms, act_ms, observation.settle_ms),
        )

    def _look(self) -> Observation:
        observation = self.device.observe(ui_tree=self.limits.ui_tree)
        if self.watch is not None:
            self.watch.see(observation)
        return observation

    def _perform(self, action: Action, observation: Observation) -> Effect:
        if not all(point.inside(observation.size) for point in action_points(action)):
            return Effect("rejected", f"a point lies outside the screen of {observation.size}")
        outcome = self.device.perform(action)
        return Effect(outcome.status, outcome.detail, outcome.command)

    def _decide(self, index: int, observation: Observation, earlier: Sequence[Step]) -> tuple[ActResponse, float]:
        began = time.monotonic()
        sampling = self.sampling.model_copy(update={"seed": step_seed(self.header.episode_id, index)})
        try:
            response = self.policy.act(
                goal=self.task.goal,
                screenshot=observation.image,
                history=_history(earlier),
                history_screenshots=self._past_screens(earlier),
                ui_tree=observation.ui_tree,
                app=observation.app,
                model=self.model,
                session=self.header.episode_id,
                sampling=sampling,
                return_tokens=self.tokens,
            )
        except PolicyRejected as error:
            raise PolicyFault(f"the policy server refused step {index}: {error}", cause="policy_rejected") from error
        except PolicyError as error:
            raise PolicyFault(f"no decision for step {index}: {error}", cause="policy_unavailable") from error
        missing = missing_tokens(response) if self.tokens else ()
        if missing:
            raise PolicyFault(
                f"the decision of step {index} came without {' and '.join(missing)}", cause="tokens_missing"
            )
        return response, (time.monotonic() - began) * 1000

    def _past_screens(self, earlier: Sequence[Step]) -> dict[int, bytes]:
        """The screenshots that the policy looks back at, by position in the history."""
        return {step.index: step.screen.image for step in earlier[max(0, len(earlier) - self.images + 1) :]}

    def _note_policy(self, response: ActResponse) -> None:
        """Record who answered; the header says it once for the episode."""
        self.header = replace(
            self.header,
            model=response.model,
            adapter=response.adapter,
            prompt_digest=response.prompt_digest,
        )

    def _end(self, steps: Sequence[Step]) -> End | None:
        last = [step.decision for step in steps[-PARSE_ERRORS_IN_A_ROW:]]
        if len(last) == PARSE_ERRORS_IN_A_ROW and all(decision and decision.action is None for decision in last):
            return "parse_errors"
        decision = steps[-1].decision
        return None if decision is None or decision.action is None else self._end_of(decision.action)

    def _end_of(self, action: Action) -> End | None:
        match action:
            case Finished(status="infeasible"):
                return "infeasible"
            case Finished():
                return "finished"
            case CallUser():
                return "call_user"
            case Answer():
                adapter = ADAPTERS.get(self.header.adapter)
                return "answer" if adapter is not None and "answer" in adapter.declaration.ends else None
            case _:
                return None

    def _closed(self, steps: list[Step]) -> list[Step]:
        """Add the frame after the last action, where that action touched the phone."""
        effect = steps[-1].effect
        if effect is None or effect.command is None:
            return steps
        self.checkpoint()
        started_at = datetime.now(UTC)
        observation = self._look()
        timing = Timing(observation.capture_ms, None, None, observation.settle_ms)
        return [*steps, Step(index=len(steps), screen=_screen(observation), started_at=started_at, timing=timing)]

    def _check(self, steps: Sequence[Step], end: End, before: State | None) -> CheckResult | None:
        answers = [
            step.decision.action.text
            for step in steps
            if step.decision is not None and isinstance(step.decision.action, Answer)
        ]
        closing = steps[-1].decision.action if steps[-1].decision else None
        if not answers and isinstance(closing, Finished) and closing.text:
            answers = [closing.text]
        evidence = Evidence(answer=answers[-1] if answers else None, ended=end)
        return conclude(self.task, self.device, evidence, before)


def _history(earlier: Sequence[Step]) -> list[HistoryTurn]:
    return [
        HistoryTurn(
            step=step.index,
            thought=step.decision.thought,
            summary=step.decision.summary,
            action=step.decision.action,
            raw=step.decision.raw,
            parse_error=step.decision.parse_error,
        )
        for step in earlier
        if step.decision is not None
    ]


def missing_tokens(response: ActResponse) -> tuple[str, ...]:
    """What of a decision's tokens did not come, in words."""
    tokens = response.tokens or Tokens()
    told = {"token ids": tokens.prompt_ids and tokens.response_ids, "log-probabilities": tokens.logprobs}
    return tuple(name for name, value in told.items() if value is None)


def step_seed(episode_id: str, step: int) -> int:
    """The sampling seed of a step, from 0 to 2**31 - 1: the same for every replay of the same episode."""
    digest = hashlib.sha256(f"{episode_id}/{step}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _ended_by_agent(end: End) -> bool:
    return end in ("finished", "infeasible", "answer")


def _reward(result: CheckResult, end: End) -> float:
    """The check's score counts only where the agent itself said that it was done."""
    return result.score if _ended_by_agent(end) else 0.0


def _status(result: CheckResult | None, end: End) -> Status:
    if end in ("step_limit", "time_limit"):
        return "truncated"
    if not _ended_by_agent(end):
        return "failure"
    if result is None:
        return "success" if end != "infeasible" else "failure"
    return "success" if result.passed else "failure"


def _screen(observation: Observation) -> Screen:
    return Screen(
        image=observation.image,
        sha256=observation.sha256,
        size=observation.size,
        rotation=observation.rotation,
        flags=observation.flags,
        app=observation.app,
        activity=observation.activity,
        ui_tree=observation.ui_tree,
    )


def _decision(response: ActResponse) -> Decision:
    return Decision(
        action=response.action,
        thought=response.thought,
        summary=response.summary,
        raw=response.raw,
        parse_error=response.parse_error,
        extra_actions=response.extra_actions,
        finish_reason=response.finish_reason,
        tokens=response.tokens,
        cached_tokens=response.usage.cached_tokens,
        weights=response.weights,
        weights_policy=response.weights_policy,
    )
