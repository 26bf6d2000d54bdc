"""Keeping leases alive while an episode is played, and knowing at once when they are lost.

A thread renews the leases; the playing thread asks `check()` before it touches the phone or the store. Loss shows in
two ways, and either is enough: Redis says so, or this process's own monotonic clock says that no renewal succeeded for
a whole time to live, as after a SIGSTOP or a long stall, when nobody had a chance to be told.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import redis

from emulator_farm.errors import ClaimLost
from emulator_farm.leases import Lease, Leases


class Stopped(Exception):
    """The user stopped the run: this episode is neither an outcome nor a failure."""


class Hold:
    """`with Hold(...) as hold:` — renews every lease given, until the block ends, and releases them there.

    `stopping` is asked at every renewal; once it says True, `check()` raises Stopped. After `limit_s` the leases are
    no longer renewed, so that a player that hangs for ever loses them like one that died.
    """

    def __init__(self, *, limit_s: float, stopping: Callable[[], bool]) -> None:
        self._leases: list[tuple[Leases, Lease]] = []
        self._limit_s = limit_s
        self._stopping = stopping
        self._ended = threading.Event()
        self._lost: str | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._born = time.monotonic()
        self._renewed = self._born
        self._thread = threading.Thread(target=self._renew_for_ever, name="lease-renewal", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def add(self, leases: Leases, lease: Lease) -> None:
        """Keep this lease too."""
        with self._lock:
            self._leases.append((leases, lease))
            if len(self._leases) == 1:
                self._renewed = time.monotonic()

    def release(self, leases: Leases, lease: Lease) -> None:
        """Give one lease back early."""
        with self._lock:
            self._leases.remove((leases, lease))
            leases.release(lease)

    def check(self) -> None:
        """Raise ClaimLost where a lease is or may be lost, Stopped where the user stopped the run."""
        if self._lost is not None:
            raise ClaimLost(self._lost)
        if self._stopped:
            raise Stopped
        with self._lock:
            shortest = min((leases.ttl_s for leases, _ in self._leases), default=None)
        if shortest is not None and time.monotonic() - self._renewed >= shortest:
            self._lost = f"no renewal succeeded for {shortest:g} s, so the claim counts as lost"
            raise ClaimLost(self._lost)

    def _renew_for_ever(self) -> None:
        while not self._ended.wait(self._interval()):
            if time.monotonic() - self._born > self._limit_s:
                self._lost = f"the episode took more than its limit of {self._limit_s:g} s"
                return
            try:
                self._renew()
            except redis.RedisError:
                continue  # the monotonic clock in `check` decides how long this may go on
            if self._lost is not None:
                return

    def _renew(self) -> None:
        began = time.monotonic()
        with self._lock:
            for leases, lease in self._leases:
                if not leases.renew(lease):
                    self._lost = f"the lease on {lease.member} (fence {lease.fence}) is no longer ours"
                    return
        self._renewed = began
        if self._stopping():
            self._stopped = True

    def _interval(self) -> float:
        with self._lock:
            shortest = min((leases.ttl_s for leases, _ in self._leases), default=0.2)
        return min(1.0, shortest / 4)
