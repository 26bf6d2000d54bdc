"""What every route does with a request before it can answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request

from agent_server.body import read_body
from agent_server.config import MIB, ServerConfig

_INLINE_BYTES = MIB
"""Bodies up to this are read on the event loop, where that takes about a millisecond; longer ones in a thread."""

_Read = TypeVar("_Read")


async def read_with(request: Request, config: ServerConfig, read: Callable[[str, bytes], _Read]) -> _Read:
    """What `read` makes of the content type and the whole body."""
    body = await read_body(request, config.max_body_bytes, config.body_timeout_s)
    content_type = request.headers.get("content-type", "")
    if len(body) <= _INLINE_BYTES:
        return read(content_type, body)
    return await asyncio.to_thread(read, content_type, body)
