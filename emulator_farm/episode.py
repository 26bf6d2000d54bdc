"""The nouns of the record: an episode, its steps, the attempts at it and the verdicts on it.

How an episode lies on disk is `emulator_farm.table`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent_server.actions import Action
from agent_server.geometry import Size
from agent_server.schemas import ParseError, Tokens, WeightsPolicy

Status = Literal["success", "failure", "truncated"]
"""success: the check passed, or the agent said so and there is no check; failure: it did not; truncated: the step or
time limit ended the episode."""
End = Literal["finished", "infeasible", "answer", "call_user", "step_limit", "parse_errors", "time_limit"]
"""What ended the episode."""


@dataclass(frozen=True)
class Screen:
    """What the phone showed. `image` is the frame as captured; `app` is the foreground package."""

    image: bytes
    sha256: str
    size: Size
    rotation: int = 0
    flags: tuple[str, ...] = ()
    app: str | None = None
    activity: str | None = None
    ui_tree: str | None = None


@dataclass(frozen=True)
class Decision:
    """What the policy said. `action` is None where its text could not be read."""

    action: Action | None
    thought: str | None = None
    summary: str | None = None
    raw: str = ""
    parse_error: ParseError | None = None
    extra_actions: int = 0
    finish_reason: str | None = None
    tokens: Tokens | None = None
    cached_tokens: int | None = None
    """Prompt tokens that the model server found in its cache, where it tells."""
    weights: str | None = None
    """Revision of the weights that this reply was sampled from."""
    weights_policy: WeightsPolicy | None = None


@dataclass(frozen=True)
class Effect:
    """What became of the action on the phone."""

    status: str
    """`ok`, or why nothing happened (`rejected`: the phone could not do it; `none`: nothing to do)."""
    detail: str = ""
    command: str | None = None
    """What was executed on the phone, as one line."""


@dataclass(frozen=True)
class Timing:
    """Milliseconds of each stage of a step."""

    capture_ms: float | None = None
    decide_ms: float | None = None
    act_ms: float | None = None
    settle_ms: float | None = None


@dataclass(frozen=True)
class Step:
    """One frame and, but for a closing frame, what was decided and done on it."""

    index: int
    screen: Screen
    started_at: datetime
    decision: Decision | None = None
    effect: Effect | None = None
    timing: Timing = Timing()


@dataclass(frozen=True)
class Header:
    """What is the same for every row of an episode."""

    episode_id: str
    run: str
    group_id: str
    """The task instance: all samples of it share this."""
    task: str
    seed: int
    """Seed of the task instance."""
    sample: int
    goal: str
    round: int = 0
    attempt: int = 1
    device: str = ""
    incarnation: str = ""
    """Which life of the phone this was (changes with every restart)."""
    model: str = ""
    adapter: str = ""
    prompt_digest: str | None = None
    sampling: dict[str, Any] = field(default_factory=dict)
    """In effect: the policy's defaults with what was asked for."""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Episode:
    """A played task: an outcome, never an infrastructure failure."""

    header: Header
    steps: tuple[Step, ...]
    status: Status
    end: End
    reward: float | None = None
    reason: str = ""
    """What the checker found, for people."""
    clean: bool | None = None
    """Whether nothing else changed on the phone than what the task declares; None where that is not known."""
    undeclared: tuple[str, ...] = ()
    """What else changed, one change a text."""
    progress: float | None = None
    """How far the agent came, from 0 to 1, where the task has milestones."""

    @property
    def id(self) -> str:
        return self.header.episode_id

    @property
    def moves(self) -> tuple[Step, ...]:
        """The steps at which the policy decided (without the closing frame)."""
        return tuple(step for step in self.steps if step.decision is not None)

    @property
    def weights(self) -> tuple[str, ...]:
        """The revisions of the weights that decided, in the order in which they came; empty where none was told."""
        told = (step.decision.weights for step in self.steps if step.decision is not None)
        return tuple(dict.fromkeys(revision for revision in told if revision is not None))


class Attempt(BaseModel):
    """One try at an episode: `attempts/<episode_id>/<number>.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    episode_id: str
    number: Annotated[int, Field(ge=1)]
    run: str
    worker: str
    device: str | None = None
    fence: int | None = None
    """The claim's fencing number."""
    started_at: datetime
    ended_at: datetime
    result: Literal["published", "infrastructure", "lost", "stopped"]
    """published: an episode exists; infrastructure: a part of ours failed; lost: the holder went silent;
    stopped: the user stopped the run."""
    cause: str = ""
    """Slug of what failed, for counting."""
    detail: str = ""


class Verdict(BaseModel):
    """What a filter, a judge or a person says of an episode. Never edits the episode."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    episode_id: str
    source: str
    """rules, judge, human."""
    version: str
    settings_digest: str
    decision: Literal["accepted", "rejected", "cut"]
    """cut: only the first `valid_steps` steps are good."""
    reason: str = ""
    """Slug of the first rule that fired, empty for accepted."""
    detail: str = ""
    reasons: list[str] = []
    """Slugs of every rule that fired."""
    valid_steps: int
    """Length of the longest valid prefix, in steps."""
    who: str = ""
    retracts: str | None = None
    at: datetime
