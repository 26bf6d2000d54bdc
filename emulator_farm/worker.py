"""The RQ workers of one host: `python -m emulator_farm.worker COUNT`, started by the fleet.

This process imports everything that jobs need, once, and forks the workers, so that neither a worker nor a job has to
wait for imports. A worker that dies is forked again. Workers die with this process, jobs with their worker.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import socket
import sys
import time

import pyarrow as pa
import redis
from rq import Queue, Worker
from rq.serializers import JSONSerializer

from agent_server.client import PolicyClient
from agent_server.errors import PolicyError
from emulator_farm import jobs, tether
from emulator_farm.board import queue_of
from emulator_farm.parquet import encode
from emulator_farm.site import Site
from emulator_farm.table import SCHEMA
from emulator_farm.virtual.memory import keep_frames_in_heap

logger = logging.getLogger(__name__)
_QUICK_DEATH_S = 2.0
_QUICK_DEATHS = 10


class Crew:
    """Workers by process id. Lives in the process that forks them."""

    def __init__(self, site: Site, count: int) -> None:
        self._site = site
        self._count = count
        self._started: dict[int, float] = {}
        self._stopping = False

    def run(self) -> int:
        """Keep `count` workers until told to stop by SIGTERM or SIGINT; 1 where they die as soon as they start."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: self._stop())
        for _ in range(self._count):
            self._fork()
        quick_deaths = 0
        while self._started:
            pid, status = os.wait()
            started = self._started.pop(pid, 0.0)
            if self._stopping:
                continue
            quick_deaths = quick_deaths + 1 if time.monotonic() - started < _QUICK_DEATH_S else 0
            logger.warning("worker %d ended with status %d", pid, status)
            if quick_deaths >= _QUICK_DEATHS:
                return 1
            self._fork()
        return 0

    def _fork(self) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            tether.bind(parent)
            work(self._site)
            os._exit(0)
        self._started[pid] = time.monotonic()

    def _stop(self) -> None:
        """Let every worker finish what it does."""
        self._stopping = True
        for pid in self._started:
            os.kill(pid, signal.SIGTERM)


def work(site: Site) -> None:
    """Be one RQ worker. Jobs are JSON: a pickle queue hands code execution to whoever reaches it."""
    connection = redis.Redis.from_url(site.redis_url)
    queue = Queue(queue_of(site.run), connection=connection, serializer=JSONSerializer)
    logger.info("worker of host %s takes %s from %s", site.host, jobs.play_episode.__qualname__, queue.name)
    Worker([queue], connection=connection, serializer=JSONSerializer).work(logging_level="WARNING")


def main() -> int:
    """Entry point."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    site = Site.inherited()
    keep_frames_in_heap()
    warm_up()
    return Crew(site, int(sys.argv[1])).run()


def warm_up() -> None:
    """Let libraries load what they load at first use, pandas too where pyarrow finds it, before anything is forked."""
    with contextlib.suppress(ModuleNotFoundError):  # the extra `emulator`
        importlib.import_module("emulator_farm.devices.grpc_channel")
    pa.array([0], pa.int32())
    encode(SCHEMA.empty_table())
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody listens there, so the call is refused at once
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with contextlib.suppress(PolicyError), PolicyClient(address, timeout_s=1) as client:
            client.ready()


if __name__ == "__main__":
    sys.exit(main())
