"""Phones of a host are lent one holder at a time."""

from __future__ import annotations

import time

import pytest
import redis

from emulator_farm.devices.pool import Pool
from emulator_farm.errors import InfrastructureError
from emulator_farm.leases import Holder

HOLDER = Holder(host="h", worker="w", pid=1)


@pytest.fixture
def pool(connection: redis.Redis) -> Pool:
    pool = Pool(connection, "h")
    for serial in ("a", "b"):
        pool.put(serial)
    return pool


def test_every_phone_is_lent_once(pool: Pool) -> None:
    lent = {pool.lend(HOLDER, [], patience_s=0, deadline_s=0).member for _ in range(2)}
    assert lent == {"a", "b"}
    with pytest.raises(InfrastructureError, match="no phone came free") as caught:
        pool.lend(HOLDER, [], patience_s=0, deadline_s=0)
    assert caught.value.cause == "no_phone"


def test_a_retry_goes_to_another_phone(pool: Pool) -> None:
    for _ in range(5):
        lease = pool.lend(HOLDER, ["a"], patience_s=5, deadline_s=5)
        assert lease.member == "b"
        pool.leases.release(lease)


def test_patience_with_another_phone_ends(pool: Pool) -> None:
    taken = pool.lend(HOLDER, ["a"], patience_s=5, deadline_s=5)
    assert taken.member == "b"
    began = time.monotonic()
    assert pool.lend(HOLDER, ["a"], patience_s=0.3, deadline_s=5).member == "a"
    assert time.monotonic() - began >= 0.3


def test_where_every_phone_failed_before_any_will_do(pool: Pool) -> None:
    assert pool.lend(HOLDER, ["a", "b"], patience_s=60, deadline_s=1).member in {"a", "b"}


def test_a_withdrawn_phone_is_not_lent(pool: Pool) -> None:
    pool.withdraw("a")
    assert pool.ready() == {"b"}
    assert pool.lend(HOLDER, [], patience_s=0, deadline_s=0).member == "b"
    with pytest.raises(InfrastructureError):
        pool.lend(HOLDER, [], patience_s=0, deadline_s=0.1)


def test_hosts_do_not_share(pool: Pool, connection: redis.Redis) -> None:
    assert Pool(connection, "other").ready() == set()
    pool.clear()
    assert pool.ready() == set()
    assert pool.leases.held() == []
