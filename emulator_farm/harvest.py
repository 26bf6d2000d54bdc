"""The coordinator: play every episode of a plan that the store does not hold yet.

It enqueues jobs, watches claims, decides what is tried again, and is the only layer that does. Everything it needs to
know is in the store; Redis may lose all it holds at any moment and is then filled again from here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import redis
from rq import Queue
from rq.serializers import JSONSerializer

from agent_server.client import PolicyClient
from agent_server.errors import PolicyError
from emulator_farm.board import Board, Event, Order, queue_of
from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.episode import Attempt
from emulator_farm.errors import AlreadyPublished, InfrastructureError, QueueError
from emulator_farm.fleet import Fleet
from emulator_farm.lead import Lead
from emulator_farm.leases import Lease
from emulator_farm.plan import Planned
from emulator_farm.progress import Outcome, Progress, Watcher
from emulator_farm.store import Store

TRIES = 3
"""A first try and at most two more; then the episode is a hole of this run."""
TICK_S = 0.2
_SWEEP_S = 2.0
_UNSEEN_S = 10.0
"""An episode that is neither queued nor claimed for so long was lost by a worker that died early."""
_UNCHARGED = frozenset({"queue", "stopped", "no_phone"})
"""Causes that say nothing about the episode: they do not use up its tries."""
_POLICY_CHECK_S = 1.0


@dataclass
class _Open:
    """An episode that has neither been published nor given up."""

    planned: Planned
    job_id: str = ""
    failed: int = 0
    avoid: list[str] = field(default_factory=list)
    seen: float = field(default_factory=time.monotonic)
    claim: Lease | None = None


class Harvest:
    """One run of the coordinator. `stop` may be set from a signal handler or another thread."""

    def __init__(
        self,
        *,
        store: Store,
        planned: Sequence[Planned],
        order: Order,
        redis_url: str,
        policy: PolicyClient,
        fleet: Fleet | None,
        valkey: EmbeddedValkey | None,
        watcher: Watcher,
        patience_s: float = 60.0,
    ) -> None:
        self.stop = threading.Event()
        self._store = store
        self._order = order
        self._policy = policy
        self._fleet = fleet
        self._valkey = valkey
        self._watcher = watcher
        self._patience_s = patience_s
        self._connection = redis.Redis.from_url(redis_url)
        self._queue = Queue(queue_of(order.run), connection=self._connection, serializer=JSONSerializer)
        self._board = Board(self._connection, order.run)
        self._lead = Lead(self._board)
        done = store.episode_ids()
        self._open = {one.episode_id: _Open(one) for one in planned if one.episode_id not in done}
        self.progress = Progress(total=len(planned), held=len(planned) - len(self._open))
        self._swept = 0.0
        self._policy_checked = 0.0
        self._policy_lost: float | None = None
        self._phones_lost: float | None = None
        self._elsewhere = False
        """Whether other hosts play episodes of this run."""
        self._failed_in_a_row = 0
        self._last_failure = ""
        self._serial = 0
        self._steps_before = 0

    def run(self) -> Outcome:
        """Play until nothing is left, the user stops, or nothing works any more."""
        fault = ""
        try:
            self._publish_order()
            while self._open and not self.stop.is_set() and not fault:
                fault = self._tick()
                self._watcher(self.progress)
                self.stop.wait(TICK_S)
        except InfrastructureError as error:
            fault = str(error)
        stopped = self.stop.is_set() and bool(self._open)
        self._wind_up(fault)
        self._watcher(self.progress)
        self._connection.close()
        return Outcome(self.progress, stopped, fault)

    def _tick(self) -> str:
        """One round of watching; a text where the run must give up."""
        try:
            self._lead.keep()
            if self._fleet is not None:
                self._fleet.tick()
            for event in self._board.drain():
                self._take(event)
            self._sweep()
            self._watch_policy()
            self._count()
        except redis.RedisError as error:
            self._revive(error)
        return self._given_up()

    def _publish_order(self) -> None:
        self._lead.take()
        self._board.open(self._order)
        for entry in self._open.values():
            self._enqueue(entry)

    def _enqueue(self, entry: _Open) -> None:
        self._serial += 1
        entry.job_id = f"{entry.planned.episode_id}-{time.time_ns():x}-{self._serial}"
        entry.seen, entry.claim = time.monotonic(), None
        self._queue.enqueue_call(
            "emulator_farm.jobs.play_episode",
            args=(self._order.run, entry.planned.model_dump(mode="json"), entry.avoid),
            job_id=entry.job_id,
            timeout=-1,
            result_ttl=60,
            failure_ttl=600,
            description=entry.planned.episode_id,
        )

    def _take(self, event: Event) -> None:
        entry = self._open.get(event.episode_id)
        if event.result == "published":
            if entry is not None and self._store.has(event.episode_id):
                self._publish(event)
        elif event.result == "infrastructure" and entry is not None:
            self._fail(entry, event.cause, event.detail, event.device)

    def _publish(self, event: Event) -> None:
        del self._open[event.episode_id]
        self.progress.published += 1
        status = event.status or self._store.read(event.episode_id).status
        self.progress.successes += status == "success"
        self.progress.episode_seconds += event.seconds
        if event.reset:
            self.progress.resets[event.reset] = self.progress.resets.get(event.reset, 0) + 1
        self._failed_in_a_row = 0

    def _fail(self, entry: _Open, cause: str, detail: str, phone: str) -> None:
        failures = self.progress.failures
        failures[cause] = failures.get(cause, 0) + 1
        self._failed_in_a_row += cause not in _UNCHARGED
        self._last_failure = " ".join(detail.split())[:300]
        entry.failed += cause not in _UNCHARGED
        if phone and phone not in entry.avoid:
            entry.avoid.append(phone)
        if cause.startswith("policy"):
            self._policy_checked = 0.0
            self._policy_lost = self._policy_lost or time.monotonic()
        if entry.failed >= TRIES:
            episode_id = entry.planned.episode_id
            del self._open[episode_id]
            self.progress.holes[episode_id] = f"{cause}: {self._last_failure}"
        else:
            self._enqueue(entry)

    def _sweep(self) -> None:
        """Reap expired claims at every tick; look for episodes that nobody has at longer intervals."""
        held = {lease.member: lease for lease in self._board.claims.held()}
        self._elsewhere = any(self._fleet is None or lease.holder.host != self._fleet.host for lease in held.values())
        now = time.monotonic()
        for episode_id, lease in held.items():
            entry = self._open.get(episode_id)
            if lease.expired and self._board.claims.release(lease):
                if entry is not None:
                    self._lose(entry, lease)
            elif entry is not None:
                entry.seen, entry.claim = now, lease
        self.progress.playing = len(held)
        if now - self._swept < _SWEEP_S:
            return
        self._swept = now
        queued = set(self._queue.job_ids)
        for entry in list(self._open.values()):
            if entry.job_id in queued or self.progress.waiting_for:
                entry.seen = now
            elif now - entry.seen > _SWEEP_S and self._store.has(entry.planned.episode_id):  # its word was lost
                self._publish(Event(episode_id=entry.planned.episode_id, result="published", attempt=0))
            elif now - entry.seen > _UNSEEN_S:
                self._fail(entry, "job_lost", "the job ended without a word; see the workers' log", "")

    def _lose(self, entry: _Open, lease: Lease, cause: str = "claim_expired") -> None:
        """Speak for a holder that went silent."""
        episode_id = entry.planned.episode_id
        if self._store.has(episode_id):
            self._publish(Event(episode_id=episode_id, result="published", attempt=lease.holder.attempt))
            return
        detail = f"{lease.holder.host}/{lease.holder.pid} went silent"
        self._write_lost(episode_id, lease, cause, detail)
        self._fail(entry, cause, detail, lease.holder.phone)

    def _write_lost(self, episode_id: str, lease: Lease, cause: str, detail: str) -> None:
        now = datetime.now(UTC)
        number = lease.holder.attempt or self._store.next_attempt(episode_id)
        attempt = Attempt(
            episode_id=episode_id,
            number=number,
            run=self._order.run,
            worker=f"{lease.holder.host}/{lease.holder.pid}",
            device=lease.holder.phone or None,
            fence=lease.fence,
            started_at=now,
            ended_at=now,
            result="lost",
            cause=cause,
            detail=detail,
        )
        try:
            self._store.write_attempt(attempt)
        except AlreadyPublished:
            return  # the holder wrote before it went silent

    def _watch_policy(self) -> None:
        """After a policy failure, hold new episodes back until the server is ready again."""
        now = time.monotonic()
        if now - self._policy_checked < _POLICY_CHECK_S:
            return
        self._policy_checked = now
        if self._policy_lost is None:
            if not self._board.flagged("paused"):
                return
            self._policy_lost = now  # by a job that died before it could say so
        try:
            self._policy.ready()
        except PolicyError as error:
            self.progress.waiting_for = f"the policy server: {error}"
            self._board.flag("paused", True)
        else:
            self._policy_lost, self.progress.waiting_for = None, ""
            self._board.flag("paused", False)

    def _count(self) -> None:
        self.progress.steps = self._steps_before + self._board.steps()
        if self._fleet is not None:
            self._watch_phones(self._fleet)

    def _watch_phones(self, fleet: Fleet) -> None:
        """Note since when there is no phone to play on, here or elsewhere."""
        unfit = fleet.unfit
        self.progress.phones = fleet.size - len(unfit)
        self.progress.ways = fleet.ways or self.progress.ways
        if self.progress.phones or self._elsewhere:
            self._phones_lost = None
        elif self._phones_lost is None:
            self._phones_lost = time.monotonic()
        if self._policy_lost is None:
            lost = self._phones_lost is not None
            self.progress.waiting_for = f"a phone: {'; '.join(unfit.values())}" if lost else ""

    def _given_up(self) -> str:
        if self._policy_lost is not None and time.monotonic() - self._policy_lost > self._patience_s:
            return f"{self.progress.waiting_for or 'the policy server fails'} for more than {self._patience_s:g} s"
        if self._phones_lost is not None and time.monotonic() - self._phones_lost > self._patience_s:
            trouble = "; ".join(self._fleet.unfit.values()) if self._fleet is not None else ""
            return f"no phone is fit to play on for more than {self._patience_s:g} s: {trouble}"
        limit = max(3 * TRIES, 3 * self.progress.phones)
        if self._failed_in_a_row >= limit:
            causes = ", ".join(f"{cause} x{count}" for cause, count in sorted(self.progress.failures.items()))
            return f"the last {self._failed_in_a_row} attempts all failed ({causes}), at last: {self._last_failure}"
        return ""

    def _revive(self, error: redis.RedisError) -> None:
        """Redis failed: get it back, then post everything that is open again. Raises QueueError."""
        self._steps_before = self.progress.steps
        self._lead.forget()
        if self._valkey is not None and not self._valkey.alive():
            self._valkey.start()
        self._await(self._answers, f"Redis does not answer: {error}")
        for entry in list(self._open.values()):
            if entry.claim is not None:
                self._write_lost(entry.planned.episode_id, entry.claim, "queue", f"Redis failed: {error}")
                self.progress.failures["queue"] = self.progress.failures.get("queue", 0) + 1
        if self._fleet is not None:
            self._fleet.restart()
        self._publish_order()

    def _await(self, condition: Callable[[], bool], complaint: str) -> None:
        deadline = time.monotonic() + self._patience_s
        while not condition():
            if time.monotonic() >= deadline or self.stop.is_set():
                raise QueueError(f"{complaint}; gave up after {self._patience_s:g} s")
            self.stop.wait(0.2)

    def _answers(self) -> bool:
        try:
            return bool(self._connection.ping())
        except redis.RedisError:
            return False

    def _wind_up(self, fault: str) -> None:
        """Tell workers to stop, wait for what they still say, name what is left."""
        try:
            self._board.flag("stopping", True)
            for entry in self._open.values():
                self._queue.remove(entry.job_id)
            deadline = time.monotonic() + 5.0
            while self._board.claims.held() and time.monotonic() < deadline:
                self._hear_out()
                threading.Event().wait(0.05)
            self._hear_out()
            self._board.close()
            self._lead.drop()
        except redis.RedisError as error:
            fault = fault or f"Redis failed: {error}"
        if fault:
            for episode_id in self._open:
                self.progress.holes[episode_id] = fault
            self._open.clear()

    def _hear_out(self) -> None:
        for event in self._board.drain():
            if event.result == "published" and event.episode_id in self._open:
                self._publish(event)
