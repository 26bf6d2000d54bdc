"""The `work` command: bring this host's phones and workers into runs that are coordinated elsewhere."""

from __future__ import annotations

import threading
import time
from typing import cast

import redis

from emulator_farm.board import Board, Order
from emulator_farm.campaign import log_folder, require_redis, stopping_signals
from emulator_farm.errors import CallerError, QueueError
from emulator_farm.fleet import Fleet
from emulator_farm.phones import DevicesSpec
from emulator_farm.store import Store

_TICK_S = 0.2


def orders(connection: redis.Redis) -> list[Order]:
    """Every run that is on the board. Raises redis.RedisError."""
    names = [key.decode().split(":")[2] for key in cast("list[bytes]", connection.keys("farm:run:*:order"))]
    return [order for name in names if (order := Board(connection, name).order()) is not None]


def join(
    *,
    redis_url: str,
    out: str,
    devices: str,
    policy_token_file: str | None = None,
    log_dir: str | None = None,
    until_idle: bool = False,
    patience_s: float = 60.0,
) -> None:
    """Work until told to stop by a signal, or with `until_idle` until no run is on the board.

    Raises CallerError where `out` is not the record of a run on the board, QueueError where Redis stays away.
    """
    spec = DevicesSpec.parse(devices)
    require_redis(redis_url)
    connection = redis.Redis.from_url(redis_url)
    _require_run(connection, Store(out))
    stop = threading.Event()
    fleet = Fleet(
        redis_url=redis_url,
        out=out,
        devices=spec,
        log_dir=log_folder(log_dir, out),
        policy_token_file=policy_token_file,
    )
    with stopping_signals(stop.set), fleet:
        while not stop.wait(_TICK_S):
            try:
                fleet.tick()
                if until_idle and not orders(connection):
                    break
            except redis.RedisError as error:
                _await_redis(connection, stop, patience_s, error)
                fleet.restart()
        fleet.stop(grace_s=10.0)


def _require_run(connection: redis.Redis, store: Store) -> None:
    manifest = store.run()
    here = None if manifest is None else manifest.get("run")
    active = [order.run for order in orders(connection)]
    if here is None:
        raise CallerError(f"{store.uri} holds no run; start one there with `harvest`, or give the --out it writes to")
    if active and here not in active:
        raise CallerError(f"{store.uri} holds run {here}, but Redis coordinates {', '.join(active)}")


def _await_redis(connection: redis.Redis, stop: threading.Event, patience_s: float, error: Exception) -> None:
    deadline = time.monotonic() + patience_s
    while not stop.wait(0.5):
        try:
            connection.ping()
        except redis.RedisError:
            if time.monotonic() >= deadline:
                raise QueueError(f"Redis does not answer for more than {patience_s:g} s: {error}") from None
        else:
            return
