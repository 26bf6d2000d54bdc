"""What coordinator and workers tell each other."""

from __future__ import annotations

import redis

from agent_server.schemas import Sampling
from emulator_farm.board import Board, Event, Order
from emulator_farm.joining import orders
from emulator_farm.leases import Holder
from emulator_farm.rollout import Limits

ORDER = Order(
    run="r1",
    policy_url="http://p",
    policy_timeout_s=5,
    model=None,
    adapter="a",
    sampling=Sampling(temperature=0.3),
    limits=Limits(max_steps=4),
)


def test_an_order_is_posted_and_taken_down(connection: redis.Redis) -> None:
    board = Board(connection, "r1")
    assert board.order() is None
    board.open(ORDER)
    assert Board(connection, "r1").order() == ORDER
    assert orders(connection) == [ORDER]
    board.close()
    assert orders(connection) == []
    assert connection.keys("*") == []


def test_events_are_taken_once_in_order(connection: redis.Redis) -> None:
    board = Board(connection, "r1")
    events = [Event(episode_id=f"e{n}", result="published", attempt=1, steps=n) for n in range(3)]
    for event in events:
        board.post(event)
    assert board.drain() == events
    assert board.drain() == []


def test_flags_and_steps(connection: redis.Redis) -> None:
    board = Board(connection, "r1")
    assert not board.flagged("paused")
    board.flag("paused", True)
    assert board.flagged("paused")
    assert not board.flagged("stopping")
    board.flag("paused", False)
    assert not board.flagged("paused")
    assert board.steps() == 0
    board.count_step()
    board.count_step()
    assert board.steps() == 2


def test_opening_forgets_what_an_earlier_coordinator_left(connection: redis.Redis) -> None:
    board = Board(connection, "r1")
    board.flag("stopping", True)
    board.count_step()
    assert board.claims.acquire("e", Holder(host="h", worker="w", pid=1)) is not None
    board.open(ORDER)
    assert not board.flagged("stopping")
    assert board.steps() == 0
    assert board.claims.held() == []
