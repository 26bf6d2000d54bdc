"""What every route does with a request before it can answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fastapi import Request

from agent_server.body import read_body
from agent_server.config import ServerConfig
from agent_server.off_loop import off_loop

_INLINE_BYTES = 160 * 1024
"""Bodies up to this are read on the event loop, where that takes about a millisecond: base64 is decoded, JSON parsed,
and the checksums of a PNG computed."""

_Read = TypeVar("_Read")


async def read_with(request: Request, config: ServerConfig, read: Callable[[str, bytes], _Read]) -> _Read:
    """What `read` makes of the content type and the whole body."""
    body = await read_body(request, config.max_body_bytes, config.body_timeout_s)
    content_type = request.headers.get("content-type", "")
    return await off_loop(len(body) > _INLINE_BYTES, read, content_type, body)
