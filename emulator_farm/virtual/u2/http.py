"""As much of HTTP/1.1 as the server speaks: requests with a length, one after the other on a connection."""

from dataclasses import dataclass

from emulator_farm.virtual.stream import Stream

MAX_HEAD = 64 * 1024
MAX_BODY = 16 * 1024 * 1024


class BadRequest(ValueError):
    """The bytes are no HTTP request; the connection cannot be used any further."""


@dataclass(frozen=True)
class Request:
    """Method, path without query, headers by lower-case name, body."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    """Status line after the version, content type, body."""

    body: bytes
    status: str = "200 OK"
    content_type: str = "text/html"

    def encode(self) -> bytes:
        """The bytes on the wire."""
        head = f"HTTP/1.1 {self.status}\r\nContent-Type: {self.content_type}\r\nContent-Length: {len(self.body)}\r\n"
        return f"{head}Connection: keep-alive\r\n\r\n".encode() + self.body


class Reader:
    """Cuts a stream into requests."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._buffer = b""

    async def request(self) -> Request | None:
        """The next request, None at the end of the stream. Raises BadRequest."""
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > MAX_HEAD:
                raise BadRequest(f"headers of more than {MAX_HEAD} bytes")
            if not await self._more():
                return None
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/"):
            raise BadRequest(f"not a request line: {first[:80]!r}")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            raise BadRequest(f"content-length {length!r}")
        while len(self._buffer) < int(length):
            if not await self._more():
                return None
        body, self._buffer = self._buffer[: int(length)], self._buffer[int(length) :]
        return Request(words[0], words[1].partition("?")[0], headers, body)

    async def _more(self) -> bool:
        data = await self._stream.read()
        self._buffer += data
        return bool(data)
