from __future__ import annotations

import asyncio

import pytest

from agent_server.side_by_side import one_of, until_one_ends


def test_the_first_to_fail_ends_the_others():
    ended = []

    async def lasting() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("lasting")

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"):
        asyncio.run(until_one_ends([lasting(), failing()]))
    assert ended == ["lasting"]


def test_one_event_is_enough_and_none_is_not_waited_for():
    async def run() -> None:
        events = [asyncio.Event(), asyncio.Event()]
        asyncio.get_running_loop().call_later(0.01, events[1].set)
        await one_of(events)
        assert not events[0].is_set()
        await one_of([])

    asyncio.run(asyncio.wait_for(run(), 10))
