"""The body of a request, read with a limit that holds while it streams in."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from agent_server.errors import InvalidRequest


async def read_body(request: Request, max_bytes: int, patience_s: float = 60.0) -> bytes:
    """The whole body.

    Raises InvalidRequest: 413 as soon as it is, or says it will be, too long; 415 if compressed; 408 where it is not
    there after `patience_s` seconds.
    """
    encoding = request.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise InvalidRequest(f"the body is encoded as {encoding!r}; send it as it is", status=415)
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > max_bytes:
        raise _too_long(stated, max_bytes)
    try:
        async with asyncio.timeout(patience_s):
            return await _read(request, max_bytes)
    except TimeoutError as error:
        raise InvalidRequest(f"the body did not come to its end within {patience_s:g} s", status=408) from error


async def _read(request: Request, max_bytes: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > max_bytes:
                raise _too_long(f"more than {max_bytes}", max_bytes)
            chunks.append(chunk)
    except ClientDisconnect as error:
        raise InvalidRequest(f"the caller hung up after {size} bytes of its request", status=400) from error
    return b"".join(chunks)


def _too_long(stated: str, max_bytes: int) -> InvalidRequest:
    return InvalidRequest(f"the body has {stated} bytes; at most {max_bytes} are allowed", status=413)
