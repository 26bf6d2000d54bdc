"""Wire models of the policy server."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agent_server.actions import Action

GOAL_LIMIT = 20_000
TEXT_LIMIT = 200_000
HISTORY_LIMIT = 1_000

Text = Annotated[str, Field(max_length=TEXT_LIMIT)]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ParseError(_Wire):
    """Why a model's text gave no action."""

    kind: Literal["malformed", "unsupported", "out_of_range"]
    """malformed: the grammar cannot read it; unsupported: well-formed, but not something a phone does;
    out_of_range: coordinates outside the model's own space."""
    message: str


class Sampling(_Wire):
    """What the caller may set of sampling; None leaves the adapter's default."""

    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=65_536)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    n: int = Field(default=1, ge=1, le=128)


class HistoryTurn(_Wire):
    """One earlier step, as this server answered it, oldest first."""

    step: int | None = Field(default=None, ge=0)
    """Position in the episode; where given, steps must increase."""
    thought: Text | None = None
    summary: Text | None = None
    action: Action | None = None
    raw: Text | None = None
    parse_error: ParseError | None = None
    screenshot: str | None = None
    """What that step saw: base64 of the image, for models that look back."""


class ActRequest(_Wire):
    """What to do next on this screen?"""

    goal: Annotated[str, Field(min_length=1, max_length=GOAL_LIMIT)]
    screenshot: str | None = None
    """Base64 of a PNG, JPEG or WebP. In a multipart request the image is a file part instead."""
    history: Annotated[list[HistoryTurn], Field(max_length=HISTORY_LIMIT)] = []
    ui_tree: Annotated[str, Field(max_length=4_000_000)] | None = None
    """The UI hierarchy (uiautomator XML) of the same moment."""
    app: Annotated[str, Field(max_length=1_000)] | None = None
    """The foreground package or component."""
    model: str | None = None
    session: Annotated[str, Field(max_length=500)] | None = None
    """Same session, same backend, so that a trajectory finds its prefix cache."""
    sampling: Sampling = Sampling()
    return_tokens: bool = False

    @model_validator(mode="after")
    def _history_in_order(self) -> ActRequest:
        steps = [turn.step for turn in self.history if turn.step is not None]
        for earlier, later in itertools.pairwise(steps):
            if later <= earlier:
                raise ValueError(f"history is out of order: step {later} follows step {earlier}; send it oldest first")
        if not self.goal.strip():
            raise ValueError("the goal is blank")
        return self


class Usage(_Wire):
    """Token counts of one request, all samples together."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


class Tokens(_Wire):
    """What a trainer needs of one sample."""

    prompt_ids: list[int] | None = None
    response_ids: list[int] | None = None
    logprobs: list[float] | None = None
    """Natural logarithms, one per response token."""


class Sample(_Wire):
    """One reading of one reply."""

    action: Action | None
    thought: str | None = None
    summary: str | None = None
    raw: str = ""
    parse_error: ParseError | None = None
    extra_actions: int = 0
    """How many further actions the reply held; they are not executed."""
    finish_reason: str | None = None
    tokens: Tokens | None = None


class ActResponse(Sample):
    """The decision. The fields of `Sample` are those of `samples[0]`."""

    model: str
    adapter: str
    weights: str | None = None
    """Revision of the weights that answered, where the backend tells."""
    prompt_digest: str | None = None
    usage: Usage = Usage()
    timing_ms: dict[str, float] = {}
    """Wall time by stage: image, prompt, backend, parse, total."""
    samples: list[Sample] = []
    """All samples when n > 1, else empty."""


class ModelCard(_Wire):
    """One entry of `/v1/models`; what a run's identity needs to know about a policy."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    object: Literal["model"] = "model"
    owned_by: str = "android-rollout-farm"
    adapter: str
    weights: str | None = None
    prompt_digest: str | None = None
    sampling: dict[str, float | int | str | None] = {}
    """The defaults that apply where a request says nothing."""


class ModelList(_Wire):
    object: Literal["list"] = "list"
    data: list[ModelCard]


class Problem(BaseModel):
    """RFC 9457 problem details (`application/problem+json`)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[dict[str, object]] | None = None
    """For validation errors: where (`loc`) and what (`msg`)."""
