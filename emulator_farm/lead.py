"""The right to coordinate a run: one process at a time has it."""

from __future__ import annotations

import os
import threading
import time

from emulator_farm import processes
from emulator_farm.board import Board, BoardLost
from emulator_farm.errors import CallerError, QueueError
from emulator_farm.leases import Holder, Lease

_MEMBER = "coordinator"
_PATIENCE_S = 5.0
"""How long beyond its time to live the lease of another host's dead coordinator is waited for."""


class Lead:
    """The lease of a run's coordinator. Raises redis.RedisError."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._lease: Lease | None = None

    def take(self) -> None:
        """Take the lead, after the lease of one that died. Raises CallerError where one is alive."""
        pid = os.getpid()
        holder = Holder(host=os.uname().nodename, worker="harvest", pid=pid, born=processes.born(pid))
        deadline = time.monotonic() + self._board.lead.ttl_s + _PATIENCE_S
        pause = threading.Event()
        while (lease := self._board.lead.acquire(_MEMBER, holder)) is None:
            for other in self._board.lead.held():
                here = other.holder.host == holder.host
                if other.expired or (here and not processes.alive(other.holder.pid, other.holder.born)):
                    self._board.lead.release(other)
                elif here or time.monotonic() >= deadline:
                    who = f"process {other.holder.pid} on {other.holder.host}"
                    raise CallerError(f"run {self._board.run} is being coordinated by {who}; use `work` to join it")
            pause.wait(0.2)
        self._lease = lease

    def keep(self) -> None:
        """Renew the lease, or take it again where it expired while this process was stopped.

        Raises QueueError where someone else has the lead, BoardLost where Redis knows nothing of the run any more.
        """
        if self._lease is None or self._board.lead.renew(self._lease):
            return
        fences = {lease.fence for lease in self._board.lead.held()}
        if not fences:
            raise BoardLost(f"Redis was emptied, and run {self._board.run} with it")
        if self._lease.fence not in fences or not self._board.lead.release(self._lease):
            raise QueueError(f"run {self._board.run} has another coordinator now")
        self.take()

    def drop(self) -> None:
        """Let others take the lead."""
        if self._lease is not None:
            self._board.lead.release(self._lease)
        self._lease = None

    def forget(self) -> None:
        """Redis lost everything, this lease too."""
        self._lease = None
