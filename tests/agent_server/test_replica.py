from __future__ import annotations

import asyncio

import pytest

from agent_server.errors import BackendUnavailable
from agent_server.replica import Gate


def test_shut_waits_for_those_inside_and_keeps_others_out():
    async def main() -> list[str]:
        gate, events = Gate(), []
        leave = asyncio.Event()

        async def inside() -> None:
            async with gate.passed():
                events.append("in")
                await leave.wait()
            events.append("out")

        async def shut() -> None:
            async with gate.shut(5):
                events.append("shut")
                await asyncio.sleep(0.05)
                events.append("opens")

        async def late() -> None:
            async with gate.passed():
                events.append("late")

        first = asyncio.create_task(inside())
        await asyncio.sleep(0)
        second = asyncio.create_task(shut())
        await asyncio.sleep(0)
        third = asyncio.create_task(late())
        await asyncio.sleep(0.05)
        assert events == ["in"]
        assert not gate.is_open
        leave.set()
        await asyncio.gather(first, second, third)
        assert gate.is_open
        return events

    assert asyncio.run(main()) == ["in", "out", "shut", "opens", "late"]


def test_it_opens_again_where_somebody_stays_inside_too_long():
    async def main() -> None:
        gate = Gate()
        async with gate.passed():
            with pytest.raises(BackendUnavailable, match=r"1 requests were still being answered after 0\.05 s"):
                async with gate.shut(0.05):
                    raise AssertionError("somebody is inside")
        assert gate.is_open

    asyncio.run(main())


def test_it_opens_again_after_a_failure():
    async def main() -> None:
        gate = Gate()
        with pytest.raises(KeyError):
            async with gate.shut(1):
                raise KeyError
        async with asyncio.timeout(1), gate.passed():
            pass

    asyncio.run(main())
