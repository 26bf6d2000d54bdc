"""Whether whoever asked is still there: work for a caller that hung up is stopped, down to the model server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from agent_server.errors import InvalidRequest

_Answer = TypeVar("_Answer")


async def while_present(request: Request, work: Coroutine[Any, Any, _Answer]) -> _Answer:
    """The result of `work`, which is cancelled as soon as the caller of `request` hangs up.

    The body of the request must have been read. Raises InvalidRequest (status 499, which only the metrics see) for a
    caller that is gone, and whatever `work` raises.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_hung_up(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise InvalidRequest("the caller hung up before the answer", status=499)
    finally:
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
