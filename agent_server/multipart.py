"""`multipart/form-data` in memory: files stay bytes from the socket to the model, without base64 and without a disk.

The body is whole when it gets here, so it is cut at its boundaries; no byte of a file is looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from python_multipart.multipart import parse_options_header

from agent_server.errors import InvalidRequest

_MAX_HEADERS = 8192
_MAX_BOUNDARY = 200


@dataclass(frozen=True)
class Part:
    """One form field or file."""

    name: str
    media_type: str
    """As declared; empty where nothing was."""
    data: bytes


def read_parts(content_type: str, body: bytes, max_parts: int = 1100) -> dict[str, Part]:
    """The parts by name. Raises InvalidRequest for a body that is not what its content type says."""
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not 0 < len(boundary) <= _MAX_BOUNDARY:
        raise InvalidRequest("the multipart content type names no usable boundary", status=415)
    parts: dict[str, Part] = {}
    for headers, data in _split(body, b"--" + boundary):
        part = _part(headers, data)
        if part.name in parts:
            raise _unreadable(f"there are two parts called {part.name!r}")
        if len(parts) >= max_parts:
            raise _unreadable(f"it has more than {max_parts} parts")
        parts[part.name] = part
    return parts


def _split(body: bytes, delimiter: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Headers and content of every part."""
    start = 0 if body.startswith(delimiter) else body.find(b"\r\n" + delimiter) + 2
    if start == 1:
        raise _unreadable("its boundary does not occur")
    while True:
        start += len(delimiter)
        if body.startswith(b"--", start):
            return
        line_end = body.find(b"\r\n", start)
        if line_end < 0 or body[start:line_end].strip(b" \t"):
            raise _unreadable("a boundary is followed by something else than a line end")
        # A part without headers begins with the empty line that would end them.
        headers_end = body.find(b"\r\n\r\n", line_end, line_end + _MAX_HEADERS)
        if headers_end < 0:
            raise _unreadable("the headers of a part do not end")
        end = body.find(b"\r\n" + delimiter, headers_end + 4)
        if end < 0:
            raise _unreadable("it is cut off: its closing boundary is missing")
        yield body[line_end:headers_end], body[headers_end + 4 : end]
        start = end + 2


def _part(headers: bytes, data: bytes) -> Part:
    found = {}
    for line in headers.decode("utf-8", "replace").split("\r\n"):
        name, _, value = line.partition(":")
        found[name.strip().lower()] = value.strip()
    disposition, options = parse_options_header(found.get("content-disposition"))
    name = options.get(b"name", b"").decode("latin-1")
    if disposition != b"form-data" or not name:
        raise _unreadable("a part has no name")
    return Part(name, found.get("content-type", ""), data)


def _unreadable(why: str) -> InvalidRequest:
    return InvalidRequest(f"the multipart body cannot be read: {why}")
