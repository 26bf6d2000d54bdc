"""Settings of the policy server. Read from flags in `cli.py` only; units are in the names."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agent_server.images import ImageLimits
from agent_server.schemas import LogprobsMode

MIB = 2**20


class ServerConfig(BaseModel):
    """What the HTTP side needs to know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token_file: Path | None = None
    """Bearer tokens, one a line; None lets everyone in."""
    admin_token_file: Path | None = None
    """Bearer tokens of those who may change weights; None lets nobody."""
    max_body_bytes: int = Field(default=32 * MIB, ge=1024)
    """Of a whole request, history screenshots included."""
    max_image_bytes: int = Field(default=16 * MIB, ge=1)
    """Of one image."""
    max_image_pixels: int = Field(default=40_000_000, ge=1, le=89_000_000)
    """Width times height of one image."""
    screenshot_cache_bytes: int = Field(default=512 * MIB, ge=0)
    """Of screenshots that later requests may name by their digest; 0 keeps none."""
    verify: bool = True
    """Whether a model server is examined before it is used; see `agent_server.verify`."""
    max_in_flight: int = Field(default=512, ge=1)
    """Requests that are answered at once; more are refused with 429. Each holds its screenshots in memory."""
    body_timeout_s: float = Field(default=60.0, gt=0)
    """From the head of a request to the last byte of its body."""

    @property
    def image_limits(self) -> ImageLimits:
        return ImageLimits(self.max_image_bytes, self.max_image_pixels)


class GroundConfig(BaseModel):
    """Which model says where elements are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    """None: the policy's own, where its family can."""
    backends: tuple[str, ...] = ()
    served_name: str | None = None
    adapter: str | None = None
    backend_token_file: Path | None = None


class JudgeConfig(BaseModel):
    """Which model judges episodes, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    """None: the policy's own."""
    backends: tuple[str, ...] = ()
    served_name: str | None = None
    backend_token_file: Path | None = None
    frames: int | None = Field(default=None, ge=1, le=1_000)
    """How many images it is shown at most; None: as many as the policy's family, 8 for another model."""
    frame_pixels: int = Field(default=1_048_576, ge=1)
    """Larger screenshots are scaled down to this many pixels."""
    scale: int = Field(default=10, ge=1, le=1_000)
    """The best score that its prompt speaks of; the worst is 0."""


class WeightsConfig(BaseModel):
    """How weights are changed while they serve; see `agent_server.weights`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: Literal["pinned", "step"] = "pinned"
    """Whether a session keeps the revision it began with, or every request gets the newest."""
    session_idle_s: float = Field(default=600.0, gt=0)
    """A session that was not heard of for so long is over."""
    session_deadline_s: float = Field(default=1800.0, gt=0)
    """A session that is older is not entitled to its revision any more."""
    keep_adapters: int = Field(default=2, ge=1)
    """LoRA revisions that stay loaded at least, the newest ones."""
    load_timeout_s: float = Field(default=600.0, gt=0)
    """For one model server to load weights."""
    remote: bool = False
    """Whether folders of weights are the model servers' own, and cannot be looked at here."""


class PolicyConfig(BaseModel):
    """Which policy decides, and how it is reached."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: str | None = None
    """A policy without a model, by name; excludes `model`."""
    model: str | None = None
    """Name or path of a model; what callers name, and what chooses adapter and pixel limits."""
    backends: tuple[str, ...] = ()
    """Base URLs of OpenAI-compatible servers of that model."""
    served_name: str | None = None
    """The name under which the backends serve it (vLLM's --served-model-name); None means `model`."""
    adapter: str | None = None
    """None chooses by the model's name."""
    prompts: Path | None = None
    """Folder with templates that replace shipped ones."""
    language: str = "English"
    """In which the model is asked to think, where its prompt can say so."""
    history: int | None = Field(default=None, ge=0)
    """How many earlier steps are told; None leaves it to the adapter."""
    constrained: bool = False
    """Whether replies are held to the grammar where a request does not say."""
    logprobs_mode: LogprobsMode | None = None
    """How the backends compute log-probabilities; None where that is not known."""
    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)
    """Pixel limits of the checkpoint's own processor, where they differ from the adapter's."""
    image_format: Literal["jpeg", "png"] = "jpeg"
    """How a screenshot is sent when its pixels had to change."""
    jpeg_quality: int = Field(default=95, ge=1, le=100)
    backend_token_file: Path | None = None
    """A file with the backends' API key on its first line."""
    connect_timeout_s: float = Field(default=5.0, gt=0)
    backend_timeout_s: float = Field(default=120.0, gt=0)
    """From sending a request to the last byte of the completion."""
    cool_down_s: float = Field(default=10.0, ge=0)
    """How long a backend that cannot be reached is tried last."""


class LaunchConfig(BaseModel):
    """How model servers are started here; see `agent_server.launcher`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vllm: Path | None = None
    """The executable; None looks beside this Python, then on PATH."""
    replicas: int = Field(default=1, ge=1)
    """How many servers of the model, GPUs divided among them."""
    tensor_parallel_size: int | None = Field(default=None, ge=1)
    """Over how many GPUs each is spread; None takes what the visible ones allow."""
    logprobs_mode: Literal["raw", "processed"] = "raw"
    """Log-probabilities before temperature, top-p and penalties, or after."""
    weight_updates: bool = False
    """Whether weights can be changed while they serve."""
    start_timeout_s: float = Field(default=1800.0, gt=0)
    """From the start of a server to its first good answer; the download of a model counts."""
    hang_timeout_s: float = Field(default=60.0, gt=0)
    """How long a running server may leave its health unanswered before it is replaced."""
    vllm_flags: tuple[str, ...] = ()
    """Passed on as they are; they replace planned ones of the same name."""
