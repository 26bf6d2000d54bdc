"""What every wire model has in common: frozen, and strangers among its fields are an error."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

GOAL_LIMIT = 20_000
TEXT_LIMIT = 200_000
HISTORY_LIMIT = 1_000

Text = Annotated[str, Field(max_length=TEXT_LIMIT)]
LogprobsMode = Literal["raw", "processed"]
"""raw: of the model's own distribution; processed: after temperature, top-p, top-k and penalties. Where a reply was
constrained, both are of the distribution over what its grammar admits."""
WeightsPolicy = Literal["pinned", "step", "moved"]
"""pinned: a session keeps its revision of the weights until it ends; step: every request is answered by the newest;
moved: a session that was pinned goes on with other weights, because its own had to go or its time was over."""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""Of the bytes as they were sent, in lower-case hexadecimal."""


class Wire(BaseModel):
    """Base of the wire models."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Usage(Wire):
    """Token counts of one request, all samples together."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    """Prompt tokens found in the backend's prefix cache; None where it does not tell."""


class Answered(Wire):
    """Who answered, and what it took: part of every answer of a model."""

    model: str
    weights: str | None = None
    """Revision of the weights that answered, where the backend tells."""
    weights_policy: WeightsPolicy | None = None
    prompt_digest: str | None = None
    usage: Usage = Usage()
    timing_ms: dict[str, float] = Field(default_factory=dict)
    """Wall time by stage: prompt, image, backend, parse, total; policies without a model name their own."""
