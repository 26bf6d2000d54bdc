"""Phones of a host are lent one holder at a time."""

from __future__ import annotations

import time

import pytest
import redis

from emulator_farm.devices.choice import Choice
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


def test_how_a_phone_is_reached_goes_along(pool: Pool) -> None:
    found = Choice(incarnation="one", capture=("grpc png", "screencap -p"), input="grpc", latency_ms={"grpc": 1.5})
    pool.put("a", found)
    assert pool.choice("a") == found
    assert pool.choice("b") is None
    assert pool.choices() == {"a": found}
    pool.withdraw("a")
    assert pool.choices() == {}
    pool.clear()
    assert pool.choice("a") is None


def test_only_who_holds_a_phone_says_how_it_is_reached(pool: Pool) -> None:
    found = Choice(incarnation="one", capture=("screencap -p",), input="input")
    lease = pool.lend(HOLDER, ["b"], patience_s=5, deadline_s=5)
    assert pool.note(lease, found)
    assert pool.choice("a") == found
    pool.leases.release(lease)
    assert not pool.note(lease, found.model_copy(update={"incarnation": "late"}))
    assert pool.choice("a") == found
