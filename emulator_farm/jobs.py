"""What RQ runs: one job is one try at one episode.

The job claims the episode, leases a phone of its host, plays, and publishes while it still holds both. However it ends,
it says so in an attempt and an event; if it is killed it says nothing, its claim expires, and the coordinator speaks.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import redis
from rq import get_current_job

from agent_server.adapters import ADAPTERS
from agent_server.client import PolicyClient
from emulator_farm import processes, tether
from emulator_farm.board import Board, Event, Order
from emulator_farm.devices.device import Device
from emulator_farm.devices.pool import Pool
from emulator_farm.devices.reset import Reset
from emulator_farm.disturbance import Watch, signs
from emulator_farm.episode import Attempt, Episode, Header
from emulator_farm.errors import (
    AdbServerGone,
    AlreadyPublished,
    ClaimLost,
    DeviceError,
    FarmError,
    InfrastructureError,
    PolicyFault,
    StoreError,
)
from emulator_farm.hold import Hold, Stopped
from emulator_farm.leases import Holder, Lease
from emulator_farm.plan import Planned
from emulator_farm.rollout import Rollout
from emulator_farm.site import Site
from emulator_farm.store import Store
from emulator_farm.upkeep import Upkeep

logger = logging.getLogger(__name__)

PHONE_PATIENCE_S = 2.0
"""How long a retry holds out for a phone that has not failed it before."""
PHONE_DEADLINE_S = 60.0
TEARDOWN_S = 120.0
"""What an episode may take beyond its own limit for setup, check and teardown before its claim is left to expire."""


def play_episode(run: str, planned: dict[str, Any], avoid: list[str]) -> None:
    """RQ entry point. `planned` is a `Planned` as JSON, `avoid` are phones that failed this episode before."""
    tether.bind()
    job = get_current_job()
    if job is None:
        raise RuntimeError("play_episode is run by an RQ worker")
    board = Board(job.connection, run)
    order = board.order()
    if order is None or not _may_start(board):
        return
    Try(board, order, Planned.model_validate(planned), avoid, Site.inherited()).run()


def _may_start(board: Board) -> bool:
    """Wait while the run is paused; False where it is being stopped."""
    pause = threading.Event()
    while board.flagged("paused") and not board.flagged("stopping"):
        pause.wait(0.2)
    return not board.flagged("stopping")


@dataclass
class Try:
    """One try at one episode."""

    board: Board
    order: Order
    planned: Planned
    avoid: list[str]
    site: Site
    phone: str = ""
    ways: str = ""
    """How the phone was reached, in words."""
    reset: Reset | None = None
    """What was done to the phone before."""
    claim: Lease | None = None
    known: frozenset[str] = frozenset()
    """What befell the phones of earlier tries; when it comes again, it is the task's."""
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def run(self) -> None:
        """Play it, unless it has been played or someone else is at it."""
        try:
            self._run(Store(self.site.out))
        except StoreError as error:  # before there was an attempt to note it in
            self._post("infrastructure", 0, cause=error.cause, detail=str(error))

    def _run(self, store: Store) -> None:
        manifest = store.run()
        if manifest is None or manifest.get("run") != self.order.run:
            logger.error("%s does not hold run %s; this worker leaves its jobs to others", store.uri, self.order.run)
            return
        if store.has(self.planned.episode_id):
            self._post("published", 0)
            return
        number = store.next_attempt(self.planned.episode_id)
        if number > 1:
            self.known = signs(store.attempts(self.planned.episode_id))
        self.claim = self.board.claims.acquire(self.planned.episode_id, self._holder(number))
        if self.claim is None:
            return
        try:
            self._play_and_tell(store, number)
        finally:
            self.board.claims.release(self.claim)

    def _play_and_tell(self, store: Store, number: int) -> None:
        assert self.claim is not None
        limit_s = self.order.limits.episode_s + TEARDOWN_S + PHONE_DEADLINE_S
        began = time.monotonic()
        with Hold(limit_s=limit_s, stopping=lambda: self.board.flagged("stopping")) as hold:
            hold.add(self.board.claims, self.claim)
            try:
                episode = self._play(store, hold, number)
            except Stopped:
                self._record(store, number, "stopped", "stopped", "the run was stopped")
            except AlreadyPublished:
                self._post("published", number)
            except ClaimLost:
                return  # the coordinator speaks for claims that expired
            except PolicyFault as error:
                self.board.flag("paused", True)  # until the coordinator has seen the server well
                self._record(store, number, "infrastructure", error.cause, str(error))
            except InfrastructureError as error:
                self._record(store, number, "infrastructure", error.cause, str(error))
            except FarmError as error:
                self._record(store, number, "infrastructure", "caller_error", str(error))
            except Exception:  # noqa: BLE001 - the job's outermost boundary: a fault of ours is an attempt, not silence
                self._record(store, number, "infrastructure", "internal_error", traceback.format_exc()[-4000:])
            else:
                seconds = time.monotonic() - began
                with contextlib.suppress(StoreError):  # the episode is there, and says more than its attempt
                    self._write(store, number, "published", "", self._notes())
                facts = {"status": episode.status, "steps": len(episode.moves), "seconds": seconds}
                self._post("published", number, reset=self.reset.level if self.reset else "", **facts)

    def _play(self, store: Store, hold: Hold, number: int) -> Episode:
        pool = Pool(self.board.connection, self.site.host)
        holder = self._holder(number)
        lease = pool.lend(holder, self.avoid, patience_s=PHONE_PATIENCE_S, deadline_s=PHONE_DEADLINE_S)
        self.phone = lease.member
        hold.add(pool.leases, lease)
        if self.claim is not None:
            self.board.claims.annotate(self.claim, holder.model_copy(update={"phone": self.phone}))
        try:
            episode = self._roll(hold, number, pool, lease)
            if Upkeep(self.board.connection, self.site.host, self.order.reset).after_episode(self.phone):
                pool.withdraw(self.phone)
        except (DeviceError, AdbServerGone):
            pool.withdraw(self.phone)
            raise
        finally:
            hold.release(pool.leases, lease)
        hold.check()
        store.publish(episode)
        return episode

    def _roll(self, hold: Hold, number: int, pool: Pool, lease: Lease) -> Episode:
        with (
            Device(self.phone, port=self.site.adb_port, gate=hold.check, frames=self.order.limits.frames) as device,
            PolicyClient(
                self.order.policy_url, token=self.site.policy_token(), timeout_s=self.order.policy_timeout_s
            ) as policy,
        ):
            self._reach(device, pool, lease)
            try:
                return self._play_on(device, policy, hold, number)
            finally:
                self._tell_ways(device, pool, lease)

    def _play_on(self, device: Device, policy: PolicyClient, hold: Hold, number: int) -> Episode:
        self.reset = Upkeep(self.board.connection, self.site.host, self.order.reset).before_episode(
            device, self.planned.task.reset
        )
        return Rollout(
            device=device,
            policy=policy,
            task=self.planned.task,
            header=self._header(device, number),
            limits=self.order.limits,
            sampling=self.order.sampling,
            checkpoint=hold.check,
            on_step=lambda _step: self._count_step(),
            model=self.order.model,
            images=self.order.images,
            tokens=self.order.tokens,
            watch=Watch(device, self.known, needs_tree=self.order.adapter not in ADAPTERS),
        ).play()

    def _reach(self, device: Device, pool: Pool, lease: Lease) -> None:
        """Use the ways to the phone that were found for it; find them where it has begun another life since."""
        choice = pool.choice(self.phone)
        if choice is None or not device.ways.use(choice):
            device.provision()
            pool.note(lease, device.ways.choice)

    def _tell_ways(self, device: Device, pool: Pool, lease: Lease) -> None:
        """What the phone was reached by to the end; whoever plays on it next begins with that."""
        choice = device.ways.choice
        self.ways = choice.told
        logger.info("%s on %s: %s", self.planned.episode_id, self.phone, self.ways)
        with contextlib.suppress(redis.RedisError):  # `hold` decides whether the loss of Redis ends the episode
            if choice != pool.choice(self.phone):
                logger.info("%s is noted as reached by %s", self.phone, choice)
                pool.note(lease, choice)

    def _notes(self) -> str:
        """What is to be known of an attempt that went well: a reset that needed more than usual, and the ways."""
        notes = [self.reset.note if self.reset else "", self.ways]
        return "; ".join(note for note in notes if note)

    def _count_step(self) -> None:
        try:
            self.board.count_step()
        except redis.RedisError:
            return  # a figure for the progress line; `hold` decides whether the loss of Redis ends the episode

    def _header(self, device: Device, number: int) -> Header:
        task = self.planned.task
        return Header(
            episode_id=self.planned.episode_id,
            run=self.order.run,
            group_id=task.group_id,
            task=task.task,
            seed=task.seed,
            sample=self.planned.sample,
            goal=task.goal,
            round=self.planned.round,
            attempt=number,
            device=self.phone,
            incarnation=device.incarnation,
            model=self.order.model or "",
            adapter=self.order.adapter,
            sampling={
                **self.order.defaults,
                **self.order.sampling.model_dump(exclude_none=True, exclude={"seed", "n"}),
            },
            tags=(*task.tags, *(mark for mark in ("question", "infeasible") if getattr(task, mark))),
        )

    def _holder(self, number: int) -> Holder:
        pid = os.getpid()
        return Holder(
            host=self.site.host,
            worker=os.environ.get("RQ_WORKER_ID", ""),
            pid=pid,
            born=processes.born(pid),
            run=self.order.run,
            episode=self.planned.episode_id,
            claim_fence=self.claim.fence if self.claim else 0,
            attempt=number,
        )

    def _record(self, store: Store, number: int, result: Any, cause: str, detail: str) -> None:
        try:
            self._write(store, number, result, cause, detail)
        except StoreError as error:  # the coordinator must hear of it all the more
            detail = f"{detail}; and that could not be noted: {error}"
        self._post(result, number, cause=cause, detail=detail)

    def _write(self, store: Store, number: int, result: Any, cause: str, detail: str) -> None:
        store.write_attempt(
            Attempt(
                episode_id=self.planned.episode_id,
                number=number,
                run=self.order.run,
                worker=f"{self.site.host}/{os.getpid()}",
                device=self.phone or None,
                fence=self.claim.fence if self.claim else None,
                started_at=self.started_at,
                ended_at=datetime.now(UTC),
                result=result,
                cause=cause,
                detail=detail,
            )
        )

    def _post(self, result: Any, number: int, **facts: Any) -> None:
        self.board.post(
            Event(episode_id=self.planned.episode_id, result=result, attempt=number, device=self.phone, **facts)
        )
