"""`GET /v1/models`: what a server serves."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from agent_server.schemas.wire import LogprobsMode, Wire


class ModelCard(Wire):
    """One entry of `/v1/models`; what a run's identity needs to know about a policy."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    object: Literal["model"] = "model"
    owned_by: str = "android-rollout-farm"
    adapter: str
    weights: str | None = None
    prompt_digest: str | None = None
    prompt_origin: str | None = None
    """Whose prompt it is: "shipped" (written here, not the vendor's), "custom", or "vendor: NAME VERSION"."""
    images: int = 1
    """How many screenshots the model is shown at most, the current one included."""
    verified: bool | None = None
    """Whether the model server was found to see the images that coordinates are counted on: true after an examination,
    false where there was to be none (`--no-verify`), null before it and where there is no model."""
    logprobs_mode: LogprobsMode | None = None
    """How log-probabilities are computed that come with `return_tokens`; None where that is not known."""
    sampling: dict[str, bool | int | float | str | None] = Field(default_factory=dict)
    """The defaults that apply where a request says nothing."""


class ModelList(Wire):
    object: Literal["list"] = "list"
    data: list[ModelCard]
