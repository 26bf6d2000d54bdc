"""An RQ worker process: `python -m emulator_farm.worker`, started by the fleet, one per phone.

Everything that jobs import is imported here, before RQ forks, so that a job starts in milliseconds.
"""

from __future__ import annotations

import logging
import sys

import pyarrow as pa
import redis
from rq import Queue, Worker
from rq.serializers import JSONSerializer

from emulator_farm import jobs, tether
from emulator_farm.board import QUEUE
from emulator_farm.parquet import encode
from emulator_farm.site import Site
from emulator_farm.table import SCHEMA


def main() -> int:
    """Work until told to stop. Jobs are JSON: a pickle queue hands code execution to whoever reaches it."""
    tether.bind()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    _warm_up()
    site = Site.inherited()
    connection = redis.Redis.from_url(site.redis_url)
    queue = Queue(QUEUE, connection=connection, serializer=JSONSerializer)
    logging.info("host %s, jobs from %s by %s", site.host, QUEUE, jobs.play_episode.__qualname__)
    worker = Worker([queue], connection=connection, serializer=JSONSerializer)
    worker.work(logging_level="WARNING")
    return 0


def _warm_up() -> None:
    """Let pyarrow load what it loads at first use (pandas too, where that is installed) before jobs are forked."""
    pa.array([0], pa.int32())
    encode(SCHEMA.empty_table())


if __name__ == "__main__":
    sys.exit(main())
