"""What coordinator and workers tell each other about a run, in Redis.

The coordinator posts the order (what to play with which policy) and flags (paused, stopping); workers post events and
count steps. All of it can be lost: the store alone says what has been played.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import redis
from pydantic import BaseModel, ConfigDict

from agent_server.schemas import Sampling
from emulator_farm.devices.reset_policy import ResetPolicy
from emulator_farm.leases import Leases
from emulator_farm.rollout import Limits

CLAIM_TTL_S = 15.0


class BoardLost(redis.RedisError):
    """Redis answers, but what was on the board is gone: it was started anew or emptied."""


def queue_of(run: str) -> str:
    """Name of the RQ queue of a run. Each has its own: workers know one place to publish to, which is one run's."""
    return f"farm-rollouts-{run}"


class Order(BaseModel):
    """What a worker has to know of a run. Holds no secrets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str
    policy_url: str
    policy_timeout_s: float
    model: str | None
    adapter: str
    sampling: Sampling
    """As it is sent."""
    defaults: dict[str, Any] = {}
    """The policy's own sampling, which holds where `sampling` says nothing."""
    images: int = 1
    """How many screenshots the policy looks at, the current one included."""
    tokens: bool = False
    """Whether every decision must bring token ids and log-probabilities."""
    limits: Limits
    reset: ResetPolicy = ResetPolicy()
    """What is done to a phone before each episode."""


class Event(BaseModel):
    """How a try at an episode ended."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    episode_id: str
    result: Literal["published", "infrastructure", "stopped"]
    attempt: int
    device: str = ""
    cause: str = ""
    detail: str = ""
    status: str = ""
    steps: int = 0
    seconds: float = 0.0
    reset: str = ""
    """How deep the phone was reset before."""


class Board:
    """The keys of one run. Raises redis.RedisError."""

    def __init__(self, connection: redis.Redis, run: str) -> None:
        self.connection = connection
        self.run = run
        self._name = f"farm:run:{run}"
        self.claims = Leases(connection, f"{self._name}:claims", CLAIM_TTL_S)
        self.lead = Leases(connection, f"{self._name}:lead", CLAIM_TTL_S)
        """Held by the run's one coordinator, under the member's name `coordinator`."""

    def open(self, order: Order) -> None:
        """Post the order and forget whatever an earlier coordinator of the run left."""
        self.close()
        self.connection.set(f"{self._name}:order", order.model_dump_json())

    def close(self) -> None:
        """Take the run off the board: workers drop its jobs."""
        self.connection.delete(*(f"{self._name}:{part}" for part in ("order", "events", "steps", "flags")))
        self.claims.clear()

    def order(self) -> Order | None:
        """The order, None where the run is over."""
        text = cast("bytes | None", self.connection.get(f"{self._name}:order"))
        return None if text is None else Order.model_validate_json(text)

    def post(self, event: Event) -> None:
        self.connection.rpush(f"{self._name}:events", event.model_dump_json())

    def drain(self) -> list[Event]:
        """Take every event posted since the last call."""
        rows = cast("list[bytes] | None", self.connection.lpop(f"{self._name}:events", 10_000))
        return [Event.model_validate_json(row) for row in rows or []]

    def count_step(self) -> None:
        self.connection.incr(f"{self._name}:steps")

    def steps(self) -> int:
        """Steps played since the run was opened, by all workers."""
        return int(cast("bytes | None", self.connection.get(f"{self._name}:steps")) or 0)

    def flag(self, name: Literal["paused", "stopping"], on: bool) -> None:
        if on:
            self.connection.sadd(f"{self._name}:flags", name)
        else:
            self.connection.srem(f"{self._name}:flags", name)

    def flagged(self, name: Literal["paused", "stopping"]) -> bool:
        return bool(cast(Any, self.connection.sismember(f"{self._name}:flags", name)))
