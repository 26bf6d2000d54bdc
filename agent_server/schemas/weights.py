"""`/admin/weights`: which weights are served, and a change of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agent_server.schemas.wire import Wire


class LoadWeights(Wire):
    """Serve other weights from now on."""

    kind: Literal["lora", "checkpoint"]
    """lora: an adapter on the full weights that are served, beside what is served; checkpoint: other full weights of
    the same shape, in place of what is served."""
    revision: str
    """A name that was never used before; every reply that these weights give carries it."""
    path: Annotated[str, Field(pattern=r"^/[^\x00]*$", max_length=4_000)]
    """The folder, absolute, as the model servers see it."""
    drain_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """How many seconds a checkpoint waits for sessions that are pinned to what it replaces. None: as long
    as the server lets a session keep its revision."""
    vision: bool = False
    """Whether the model servers apply adapters to the vision tower (vLLM's `--enable-tower-connector-lora`). Where they
    do not, an adapter that changes it is refused: they would leave that half of it out."""


class RevisionState(Wire):
    """One revision."""

    revision: str | None
    """None: what the model servers were started with, and have not told the name of."""
    kind: Literal["base", "lora", "checkpoint"]
    path: str | None = None
    current: bool
    """Whether new sessions, and requests without one, get it."""
    sessions: int
    """How many are pinned to it."""
    in_flight: int
    """How many requests it is answering."""
    backends: list[str]
    """The model servers that have it."""


class WeightsLoading(Wire):
    """A load that is going on."""

    revision: str
    kind: Literal["lora", "checkpoint"]
    seconds: float
    waiting_for: int
    """Sessions pinned to what it replaces."""
    backends: list[str]
    """The model servers that have it already."""


class WeightsState(Wire):
    """What is served."""

    weights_policy: Literal["pinned", "step"]
    revisions: list[RevisionState]
    """The newest last."""
    loading: WeightsLoading | None = None


class WeightsLoaded(Wire):
    """A load that is done: every model server has the revision, and new requests are answered by it."""

    revision: str
    kind: Literal["lora", "checkpoint"]
    path: str
    seconds: float
    previous: str | None
    """What was current before."""
    unloaded: list[str]
    """LoRA revisions that nobody was pinned to, and that were dropped to make room."""
    moved_sessions: int
    """Sessions that were pinned to replaced weights and go on with the new ones."""
