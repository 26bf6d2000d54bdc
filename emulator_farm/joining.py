"""The `work` command: bring this host's phones and workers into runs that are coordinated elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import redis
from pydantic import ValidationError

from emulator_farm.board import Board, Order
from emulator_farm.campaign import log_folder, require_redis, stopping_signals
from emulator_farm.devices.capture import Frames
from emulator_farm.devices.reset_policy import ResetPolicy
from emulator_farm.errors import CallerError, QueueError
from emulator_farm.fleet import Fleet
from emulator_farm.phones import DevicesSpec
from emulator_farm.site import read_token
from emulator_farm.store import Store

_TICK_S = 0.2


def orders(connection: redis.Redis) -> list[Order]:
    """Every run that is on the board. Raises redis.RedisError, and CallerError for a run of another version."""
    names = [key.decode().split(":")[2] for key in cast("list[bytes]", connection.keys("farm:run:*:order"))]
    found = []
    for name in names:
        try:
            order = Board(connection, name).order()
        except ValidationError:
            raise CallerError(f"run {name} is coordinated by another version of this program") from None
        found += [order] if order is not None else []
    return found


def join(
    *,
    redis_url: str,
    out: str,
    devices: str,
    policy_token_file: str | None = None,
    log_dir: str | None = None,
    until_idle: bool = False,
    patience_s: float = 60.0,
    announce: Callable[[str], None] = lambda _line: None,
) -> None:
    """Work until told to stop by a signal, or with `until_idle` until no run is on the board.

    `announce` is told when the phones are there, and which are not. Raises CallerError where `out` is not the record of
    a run on the board, QueueError where Redis stays away, other InfrastructureErrors where no phone can be played on.
    """
    spec = DevicesSpec.parse(devices)
    store = Store(out)
    if policy_token_file:
        read_token(Path(policy_token_file))
    require_redis(redis_url)
    connection = redis.Redis.from_url(redis_url)
    try:
        run = _require_run(connection, store)
        fleet = _fleet(redis_url, run, out, spec, log_dir, policy_token_file, _frames(store), _reset(connection, run))
        _work(fleet, connection, f"for run {run}", until_idle, patience_s, announce)
    except redis.RedisError as error:
        raise QueueError(f"Redis failed: {error}") from error
    finally:
        connection.close()


def _fleet(
    redis_url: str,
    run: str,
    out: str,
    devices: DevicesSpec,
    log_dir: str | None,
    policy_token_file: str | None,
    frames: Frames,
    reset: ResetPolicy,
) -> Fleet:
    return Fleet(
        redis_url=redis_url,
        run=run,
        out=out,
        devices=devices,
        log_dir=log_folder(log_dir, out),
        policy_token_file=policy_token_file,
        frames=frames,
        reset=reset,
    )


def _frames(store: Store) -> Frames:
    """How the run in `store` keeps frames."""
    limits = (store.run() or {}).get("identity", {}).get("limits", {})
    return "jpeg95" if limits.get("frames") == "jpeg95" else "png"


def _reset(connection: redis.Redis, run: str) -> ResetPolicy:
    """How the run on the board has phones reset."""
    order = Board(connection, run).order()
    return ResetPolicy() if order is None else order.reset


def _work(
    fleet: Fleet,
    connection: redis.Redis,
    what: str,
    until_idle: bool,
    patience_s: float,
    announce: Callable[[str], None],
) -> None:
    stop = threading.Event()
    with stopping_signals(stop.set), fleet:
        announce(f"working {what} with {fleet.size - len(fleet.unfit)} of {fleet.size} phones; Ctrl-C stops")
        for trouble in fleet.unfit.values():
            announce(f"not fit yet: {trouble}")
        while not stop.wait(_TICK_S):
            try:
                fleet.tick()
                if until_idle and not orders(connection):
                    break
            except redis.RedisError as error:
                _await_redis(connection, stop, patience_s, error)
                if not stop.is_set():
                    fleet.restart()
        fleet.stop(grace_s=10.0)


def _require_run(connection: redis.Redis, store: Store) -> str:
    """The run in `store`, one of those on the board unless that is empty. Raises CallerError."""
    manifest = store.run()
    here = None if manifest is None else manifest.get("run")
    active = [order.run for order in orders(connection)]
    if here is None:
        raise CallerError(f"{store.uri} holds no run; start one there with `harvest`, or give the --out it writes to")
    if active and here not in active:
        raise CallerError(f"{store.uri} holds run {here}, but Redis coordinates {', '.join(active)}")
    return str(here)


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
