"""Leases on a real Valkey: one holder at a time, whatever happens in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.leases import Holder, Lease, Leases

HOLDER = Holder(host="here", worker="w", pid=1, episode="e", phone="p")


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while time.monotonic() < deadline:
        if condition():
            return True
        pause.wait(0.01)
    return False


@pytest.fixture
def leases(connection: redis.Redis) -> Leases:
    return Leases(connection, "test", ttl_s=30)


def test_a_member_has_one_holder(leases: Leases) -> None:
    first = leases.acquire("phone", HOLDER)
    assert first is not None
    assert leases.acquire("phone", HOLDER) is None
    assert leases.release(first)
    second = leases.acquire("phone", HOLDER)
    assert second is not None
    assert second.fence > first.fence


def test_a_late_holder_can_do_nothing(leases: Leases) -> None:
    late = leases.acquire("phone", HOLDER)
    assert late is not None
    assert leases.forfeit(late)
    assert leases.release(late)
    current = leases.acquire("phone", HOLDER)
    assert current is not None
    assert not leases.renew(late)
    assert not leases.forfeit(late)
    assert not leases.annotate(late, HOLDER)
    assert not leases.release(late)
    assert [lease.fence for lease in leases.held()] == [current.fence]


def test_an_expired_lease_stays_until_it_is_reaped(connection: redis.Redis) -> None:
    leases = Leases(connection, "short", ttl_s=0.05)
    lease = leases.acquire("phone", HOLDER)
    assert lease is not None
    assert wait_until(lambda: leases.held()[0].expired)
    assert leases.acquire("phone", HOLDER) is None, "nobody may take it before the old holder is harmless"
    assert not leases.renew(lease), "an expired lease cannot come back to life"
    assert leases.release(lease)
    assert leases.acquire("phone", HOLDER) is not None


def test_renewal_extends(connection: redis.Redis) -> None:
    leases = Leases(connection, "renewed", ttl_s=0.4)
    lease = leases.acquire("phone", HOLDER)
    assert lease is not None
    began = time.monotonic()
    pause = threading.Event()
    while time.monotonic() - began < 1.0:
        assert leases.renew(lease)
        pause.wait(0.05)
    assert not leases.held()[0].expired


def test_what_is_known_of_the_holder(leases: Leases) -> None:
    lease = leases.acquire("episode", HOLDER)
    assert lease is not None
    assert leases.annotate(lease, HOLDER.model_copy(update={"phone": "127.0.0.1:6001"}))
    (seen,) = leases.held()
    assert (seen.member, seen.fence, seen.holder.phone) == ("episode", lease.fence, "127.0.0.1:6001")
    assert 0 < seen.left_ms <= 30_000


def test_fences_grow_over_the_loss_of_everything(connection: redis.Redis) -> None:
    before = Leases(connection, "x", 30).acquire("m", HOLDER)
    connection.flushall()
    after = Leases(connection, "x", 30).acquire("m", HOLDER)
    assert before is not None
    assert after is not None
    assert after.fence > before.fence


def test_the_first_free_member_is_taken(leases: Leases) -> None:
    assert leases.acquire("a", HOLDER)
    lease = leases.acquire_first(["a", "b", "c"], HOLDER)
    assert lease is not None
    assert lease.member == "b"
    assert leases.acquire_first(["a", "b"], HOLDER) is None


def test_many_takers_one_winner(valkey: EmbeddedValkey, connection: redis.Redis) -> None:
    won: list[Lease] = []
    barrier = threading.Barrier(16)

    def take() -> None:
        client = redis.Redis.from_url(valkey.url)
        barrier.wait()
        lease = Leases(client, "race", 30).acquire("phone", HOLDER)
        if lease is not None:
            won.append(lease)
        client.close()

    threads = [threading.Thread(target=take) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


class LeaseMachine(RuleBasedStateMachine):
    """Any interleaving of takers, deaths, expiries and reaping leaves each member with at most one valid lease."""

    given = Bundle("given")
    server: EmbeddedValkey

    @initialize()
    def start(self) -> None:
        self.client = redis.Redis.from_url(self.server.url)
        self.client.flushall()
        self.leases = Leases(self.client, "machine", ttl_s=60)
        self.valid: dict[str, int] = {}
        self.fences: list[int] = []

    def teardown(self) -> None:
        if hasattr(self, "client"):
            self.client.close()

    @rule(target=given, member=st.sampled_from("ab"))
    def take(self, member: str) -> Lease | None:
        lease = self.leases.acquire(member, HOLDER)
        assert (lease is None) == (member in self.valid)
        if lease is not None:
            assert not self.fences or lease.fence > self.fences[-1]
            self.fences.append(lease.fence)
            self.valid[member] = lease.fence
        return lease

    @rule(lease=given)
    def give_back(self, lease: Lease | None) -> None:
        if lease is not None:
            ours = self.valid.get(lease.member) == lease.fence
            assert self.leases.release(lease) == ours
            if ours:
                del self.valid[lease.member]

    @rule(lease=given)
    def expire(self, lease: Lease | None) -> None:
        if lease is not None:
            assert self.leases.forfeit(lease) == (self.valid.get(lease.member) == lease.fence)

    @rule(lease=given)
    def renew(self, lease: Lease | None) -> None:
        if lease is not None:
            expired = {held.member for held in self.leases.held() if held.expired}
            ours = self.valid.get(lease.member) == lease.fence and lease.member not in expired
            assert self.leases.renew(lease) == ours

    @invariant()
    def one_holder(self) -> None:
        if hasattr(self, "leases"):
            assert {lease.member: lease.fence for lease in self.leases.held()} == self.valid


def test_any_interleaving(valkey: EmbeddedValkey) -> None:
    LeaseMachine.server = valkey
    case = LeaseMachine.TestCase
    case.settings = settings(
        max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
    )
    case().runTest()
