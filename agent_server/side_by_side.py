"""Jobs that go on together, and events of which one is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def until_one_ends(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all jobs; as soon as one ends the others are cancelled. Raises what that one raised."""
    tasks = [asyncio.create_task(job) for job in jobs]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def one_of(events: Iterable[asyncio.Event]) -> None:
    """Return when one of the events is set, at once where there is none."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        if waiting:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
