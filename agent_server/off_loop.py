"""Work that would hold the event loop is done in a thread; what is short stays, for a hop costs 0.1 ms.

While a callback runs nobody else is served, so no callback may take more than about 2 ms of processor time
(`benchmarks/event_loop.py`). What a piece of work costs is known from its size before it begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

BYTES_MOVED = 256 * 1024
"""Base64, JSON without structure, checks of an image: about a millisecond of copying."""
CHARACTERS_READ = 1_500
"""Text taken apart by a grammar, at about a microsecond a character."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


async def off_loop(
    heavy: bool, work: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
) -> _Result:
    """The result of `work`: in a thread where it is heavy, at once where it is not. Raises what it raises."""
    if heavy:
        return await asyncio.to_thread(work, *arguments, **named)
    return work(*arguments, **named)
