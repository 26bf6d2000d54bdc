"""A hold notices the loss of its leases, by word of Redis or by its own clock."""

from __future__ import annotations

import threading
import time

import pytest
import redis

from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.errors import ClaimLost
from emulator_farm.hold import Hold, Stopped
from emulator_farm.leases import Holder, Lease, Leases

HOLDER = Holder(host="here", worker="w", pid=1)


def take(leases: Leases, member: str = "m") -> Lease:
    lease = leases.acquire(member, HOLDER)
    assert lease is not None
    return lease


def check_for(hold: Hold, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        hold.check()
        threading.Event().wait(0.01)


def wait_for_loss(hold: Hold, seconds: float = 5.0) -> ClaimLost:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while time.monotonic() < deadline:
        try:
            hold.check()
        except ClaimLost as error:
            return error
        pause.wait(0.01)
    raise AssertionError("the loss went unnoticed")


def test_leases_outlive_their_ttl(connection: redis.Redis) -> None:
    leases = Leases(connection, "kept", ttl_s=0.4)
    lease = take(leases)
    with Hold(limit_s=60, stopping=lambda: False) as hold:
        hold.add(leases, lease)
        check_for(hold, 1.2)
        hold.release(leases, lease)
    assert leases.held() == []


def test_a_reaped_lease_is_noticed(connection: redis.Redis) -> None:
    leases = Leases(connection, "reaped", ttl_s=1.0)
    lease = take(leases)
    with Hold(limit_s=60, stopping=lambda: False) as hold:
        hold.add(leases, lease)
        leases.release(lease)
        assert "no longer ours" in str(wait_for_loss(hold))


def test_silence_counts_as_loss() -> None:
    with EmbeddedValkey() as server:
        client = redis.Redis.from_url(server.url)
        leases = Leases(client, "silent", ttl_s=0.5)
        lease = take(leases)
        with Hold(limit_s=60, stopping=lambda: False) as hold:
            hold.add(leases, lease)
            server.stop()
            began = time.monotonic()
            assert "no renewal succeeded" in str(wait_for_loss(hold))
            assert time.monotonic() - began < 2
        client.close()


def test_an_episode_that_hangs_loses_its_claim(connection: redis.Redis) -> None:
    leases = Leases(connection, "hung", ttl_s=0.4)
    lease = take(leases)
    with Hold(limit_s=0.3, stopping=lambda: False) as hold:
        hold.add(leases, lease)
        assert "limit" in str(wait_for_loss(hold))
    assert leases.held()[0].left_ms <= 400


def test_the_stop_flag_reaches_the_player(connection: redis.Redis) -> None:
    leases = Leases(connection, "stop", ttl_s=0.4)
    lease = take(leases)
    flag = threading.Event()
    with Hold(limit_s=60, stopping=flag.is_set) as hold:
        hold.add(leases, lease)
        hold.check()
        flag.set()
        with pytest.raises(Stopped):
            check_for(hold, 5)
