"""`POST /act`: what is asked and what is answered."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from pydantic import Field, model_validator

from agent_server.actions import Action
from agent_server.schemas.wire import GOAL_LIMIT, HISTORY_LIMIT, Answered, LogprobsMode, Sha256, Text, Wire


class ParseError(Wire):
    """Why a model's text gave no action."""

    kind: Literal["malformed", "unsupported", "out_of_range"]
    """malformed: the grammar cannot read it; unsupported: well-formed, but not something a phone does;
    out_of_range: coordinates outside the model's own space."""
    message: str


class Sampling(Wire):
    """What the caller may set of sampling; None leaves the adapter's default."""

    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=65_536)
    top_k: int | None = Field(default=None, ge=-1)
    """How many of the likeliest tokens are drawn from; 0 and -1 mean all."""
    repetition_penalty: float | None = Field(default=None, gt=0, le=5)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    n: int = Field(default=1, ge=1, le=128)
    constrained: bool | None = None
    """Whether the model can only write what its grammar reads (structured output). None leaves it to the server.
    Constrained replies are not what the model would have said by itself."""


class HistoryTurn(Wire):
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
    screenshot_sha256: Sha256 | None = None
    """In place of the image: the digest of bytes that this server was sent before. Where it does not have them any more
    and would show them to the model, it answers 409 (type `MISSING_SCREENSHOTS`), and the images must be sent."""


class ActRequest(Wire):
    """What to do next on this screen?"""

    goal: Annotated[str, Field(min_length=1, max_length=GOAL_LIMIT)]
    screenshot: str | None = None
    """Base64 of a PNG, JPEG or WebP. In a multipart request the image is a file part instead."""
    history: Annotated[list[HistoryTurn], Field(max_length=HISTORY_LIMIT)] = Field(default_factory=list)
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


class Tokens(Wire):
    """What a trainer needs of one sample. What the backend does not tell is None."""

    prompt_ids: list[int] | None = None
    response_ids: list[int] | None = None
    logprobs: list[float] | None = None
    """Natural logarithms, one per response token."""
    logprobs_mode: LogprobsMode | None = None
    image_grid: list[tuple[int, int, int]] | None = None
    """(frames, rows, columns) of patches, one entry an image in the order of the prompt, before patches are merged into
    tokens; None where the processor of the backend is not known."""


class Sample(Wire):
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


class ActResponse(Sample, Answered):
    """The decision. The fields of `Sample` are those of `samples[0]`."""

    adapter: str
    samples: list[Sample] = Field(default_factory=list)
    """All samples when n > 1, else empty."""
