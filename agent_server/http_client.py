"""A pooled HTTP/1.1 client for one server: what the backend needs and nothing else.

It exists for two reasons. A decision spends most of its time in this process on moving a few hundred kilobytes, and a
general client costs several times more than the parser does. And whether a request may be sent elsewhere depends on
whether any byte of an answer came, which is known here and lost further up.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

import httptools

_IDLE_S = 4.0
"""Shorter than the 5 s after which uvicorn, and with it vLLM, hangs up: no request meets a closing connection."""
_MAX_ANSWER = 512 * 2**20


class NoAnswer(Exception):
    """The server could not be reached, or hung up before the first byte of an answer."""


class BrokenAnswer(Exception):
    """An answer began and did not end, or is not HTTP."""


@dataclass
class HttpResponse:
    """One answer, read to its end."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: bytes = b""


class HttpClient:
    """Keeps connections to one server. Deadlines are the caller's: cancelling a request closes its connection."""

    def __init__(self, base_url: str, headers: Mapping[str, str] | None = None) -> None:
        """Raises ValueError for what is not an http or https URL."""
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{base_url!r} is not an http or https URL")
        self._host = parts.hostname
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        self._prefix = parts.path.rstrip("/")
        given = {"Host": parts.netloc.rpartition("@")[2], "Accept": "application/json", **(headers or {})}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        self._idle: list[_Connection] = []
        self.greet: Callable[[], Awaitable[bool]] | None = None
        """Called whenever a connection was opened, before anything is sent on it: a restarted server shows there, and
        nowhere else. True: it changed the server, connect again. What it raises, the request raises."""

    async def request(
        self, method: str, path: str, body: bytes = b"", connect_timeout_s: float = 5.0, fields: str = ""
    ) -> HttpResponse:
        """One exchange; `fields` are further lines of its head, ended by CRLF each. Raises NoAnswer and BrokenAnswer.

        A kept connection that turns out to be dead is replaced by a new one, once; beyond that nothing is sent twice.
        """
        text = f"{method} {self._prefix}{path} HTTP/1.1\r\n{self._headers}{fields}Content-Length: {len(body)}\r\n\r\n"
        head = text.encode("latin-1")
        kept = self._take()
        if kept is not None:
            try:
                return await self._exchange(kept, head, body)
            except NoAnswer:
                self.close()  # the others are as old
        return await self._exchange(await self._connect(connect_timeout_s), head, body)

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    async def _exchange(self, connection: _Connection, head: bytes, body: bytes) -> HttpResponse:
        try:
            response = await connection.exchange(head, body)
        except BaseException:
            connection.close()
            raise
        if connection.reusable:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.append(connection)
        else:
            connection.close()
        return response

    def _take(self) -> _Connection | None:
        """The connection used last, while it is fresh; older ones are closed on the way."""
        oldest = asyncio.get_running_loop().time() - _IDLE_S
        while self._idle:
            connection = self._idle.pop()
            if connection.idle_since > oldest and connection.reusable:
                return connection
            connection.close()
        return None

    async def _connect(self, timeout_s: float) -> _Connection:
        while True:
            connection = await self._open(timeout_s)
            try:
                if self.greet is None or not await self.greet():
                    return connection
            except BaseException:
                connection.close()
                raise
            connection.close()

    async def _open(self, timeout_s: float) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout_s):
                _, connection = await loop.create_connection(_Connection, self._host, self._port, ssl=self._tls)
        except TimeoutError as error:
            raise NoAnswer(f"no connection within {timeout_s:g} s") from error
        except (OSError, UnicodeError) as error:
            raise NoAnswer(f"no connection: {error}") from error
        return connection


class _Connection(asyncio.Protocol):
    """One socket; one exchange at a time."""

    def __init__(self) -> None:
        self.idle_since = 0.0
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[HttpResponse] | None = None
        self._keeps_alive = False
        self._begun = False
        self._reset()

    @property
    def reusable(self) -> bool:
        return self._keeps_alive and self._transport is not None and not self._transport.is_closing()

    async def exchange(self, head: bytes, body: bytes) -> HttpResponse:
        if self._transport is None or self._transport.is_closing():
            raise NoAnswer("the connection was closed")
        self._reset()
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.writelines([head, body] if body else [head])
        return await self._answer

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are none by inheritance

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.done():
            self.close()  # nobody asked
            return
        self._begun = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(BrokenAnswer(f"not HTTP: {error}"))
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        reason = str(error) if error else "it hung up"
        if not self._begun:
            self._fail(NoAnswer(f"the connection was cut before an answer: {reason}"))
        elif self._until_close:
            self.on_message_complete()
        else:
            self._fail(BrokenAnswer(f"the answer broke off: {reason}"))

    def on_header(self, name: bytes, value: bytes) -> None:
        self._response.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._response.status = self._parser.get_status_code()
        framed = {"content-length", "transfer-encoding"} & self._response.headers.keys()
        self._until_close = not framed and self._response.status not in (204, 304)

    def on_body(self, data: bytes) -> None:
        self._chunks.append(data)
        self._size += len(data)
        if self._size > _MAX_ANSWER:
            self._fail(BrokenAnswer(f"the answer is longer than {_MAX_ANSWER} bytes"))
            self.close()

    def on_message_complete(self) -> None:
        self._until_close = False
        self._keeps_alive = self._transport is not None and self._parser.should_keep_alive()
        self._response.body = b"".join(self._chunks)
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self._response)

    def _reset(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._response = HttpResponse()
        self._chunks: list[bytes] = []
        self._size = 0
        self._begun = self._keeps_alive = self._until_close = False

    def _fail(self, error: Exception) -> None:
        self._keeps_alive = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
