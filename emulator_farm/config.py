"""Settings of the commands, read from flags in `emulator_farm.cli` only."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from agent_server.schemas import Sampling
from emulator_farm.devices.reset_policy import ResetPolicy
from emulator_farm.rollout import Limits


class HarvestConfig(BaseModel):
    """What `harvest` was asked to do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: str
    """A built-in suite, a YAML or a JSONL file."""
    out: str
    """Folder or fsspec URI of the record."""
    policy: str
    """Base URL of the policy server."""
    devices: str = "virtual:4"
    samples: int = Field(default=1, ge=1, le=10_000)
    seed: int = Field(default=0, ge=0, lt=2**31)
    redis: str | None = None
    """None starts an embedded Valkey."""
    policy_token_file: str | None = None
    policy_timeout_s: float = Field(default=120.0, gt=0, le=86_400)
    model: str | None = None
    sampling: Sampling = Sampling()
    tokens: bool = False
    """Whether token ids and log-probabilities are recorded. Not part of a run's identity."""
    limits: Limits = Limits()
    patience_s: float = Field(default=60.0, ge=0)
    """How long a dead policy server or Redis, or any fit phone, is waited for before the run gives up."""
    log_dir: str | None = None
    reset: ResetPolicy = ResetPolicy()
    """What is done to a phone before each episode. Level and base are part of a run's identity."""
