"""What a run is: its identity, and the episodes that it consists of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agent_server.schemas import ModelCard, Sampling
from emulator_farm.devices.reset_policy import ResetPolicy
from emulator_farm.errors import RunMismatch
from emulator_farm.rollout import Limits
from emulator_farm.tasks.spec import TaskInstance, TaskSpec


class Identity(BaseModel):
    """What makes two commands the same run. Phones, workers and addresses are free to change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: dict[str, str]
    """Digest of each task by name."""
    samples: int = Field(ge=1)
    seed: int = Field(ge=0)
    model: str
    adapter: str
    weights: str | None
    prompt_digest: str | None
    sampling: dict[str, Any]
    limits: dict[str, Any]
    reset: str = "auto"
    """How phones are reset, and to which snapshot: what a first frame may still show of other episodes."""

    @property
    def run(self) -> str:
        """Short name of the run."""
        text = json.dumps(self.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def differences(self, other: Identity) -> dict[str, tuple[object, object]]:
        """Every setting in which `other` differs: (this one's, other's); tasks each by name."""
        mine, theirs = _flat(self.model_dump(mode="json")), _flat(other.model_dump(mode="json"))
        names = sorted(mine.keys() | theirs.keys())
        return {name: (mine.get(name), theirs.get(name)) for name in names if mine.get(name) != theirs.get(name)}


class Manifest(BaseModel):
    """`run.json`: the identity of a run and what its instances are, written once."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = 1
    run: str
    created_at: datetime
    version: str
    source: str
    """Where the tasks came from."""
    identity: Identity
    episodes: int
    questions: list[str] = []
    """Names of the tasks that ask for an answer."""
    prompt_origin: str | None = None
    """Whose prompt the policy is asked with, where it says: see `agent_server.schemas.ModelCard`."""

    @classmethod
    def new(
        cls,
        identity: Identity,
        *,
        version: str,
        source: str,
        planned: Sequence[Planned],
        prompt_origin: str | None = None,
    ) -> Manifest:
        return cls(
            run=identity.run,
            created_at=datetime.now(UTC),
            version=version,
            source=source,
            identity=identity,
            episodes=len(planned),
            questions=sorted({one.task.task for one in planned if one.task.question}),
            prompt_origin=prompt_origin,
        )

    def require(self, identity: Identity, where: str) -> None:
        """Raise RunMismatch with the differences where `identity` is another run."""
        differences = self.identity.differences(identity)
        if differences:
            raise RunMismatch(where, differences)


class Planned(BaseModel):
    """One episode to play. This is what a job carries."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    episode_id: str
    task: TaskInstance
    sample: int
    round: int = 0


def identify(
    tasks: Sequence[TaskSpec],
    *,
    samples: int,
    seed: int,
    card: ModelCard,
    sampling: Sampling,
    limits: Limits,
    reset: ResetPolicy | None = None,
) -> Identity:
    """The identity of a run of these tasks with the policy that `card` describes."""
    reset = reset or ResetPolicy()
    asked = sampling.model_dump(exclude_none=True, exclude={"n", "seed"})
    return Identity(
        tasks={task.name: task.digest for task in tasks},
        samples=samples,
        seed=seed,
        model=card.id,
        adapter=card.adapter,
        weights=card.weights,
        prompt_digest=card.prompt_digest,
        sampling={**card.sampling, **asked},
        limits=limits.model_dump(exclude={"frames"} if limits.frames == "png" else None),
        reset=reset.level if reset.base is None else f"{reset.level} to {reset.base}",
    )


def plan(tasks: Sequence[TaskSpec], *, samples: int, seed: int, round: int = 0) -> list[Planned]:
    """Every episode of a run, samples of a task spread out so that a group does not wait for one phone."""
    instances = [task.instance(seed) for task in tasks]
    return [
        Planned(
            episode_id=f"{instance.task}-{instance.seed}-r{round}k{sample}", task=instance, sample=sample, round=round
        )
        for sample in range(samples)
        for instance in instances
    ]


def _flat(value: object, name: str = "") -> dict[str, object]:
    if isinstance(value, dict):
        flat: dict[str, object] = {}
        for key, inner in value.items():
            flat |= _flat(inner, f"{name}.{key}" if name else str(key))
        return flat
    return {name: value}
