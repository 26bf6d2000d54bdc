"""`multipart/form-data` in memory: files stay bytes from the socket to the model, without base64 and without a disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from agent_server.errors import InvalidRequest

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks


@dataclass(frozen=True)
class Part:
    """One form field or file."""

    name: str
    media_type: str
    """As declared; empty where nothing was."""
    data: bytes


def read_parts(content_type: str, body: bytes, max_parts: int = 1100) -> dict[str, Part]:
    """The parts by name. Raises InvalidRequest for a body that is not what its content type says."""
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        raise InvalidRequest("the multipart content type names no boundary", status=415)
    collector = _Collector(max_parts)
    try:
        parser = MultipartParser(boundary, collector.callbacks())
        parser.write(body)
        parser.finalize()
    except FormParserError as error:
        raise InvalidRequest(f"the multipart body cannot be read: {error}") from error
    if not collector.complete:
        raise InvalidRequest("the multipart body is cut off: its closing boundary is missing")
    return collector.parts


@dataclass
class _Collector:
    """What the parser has called back so far."""

    max_parts: int
    parts: dict[str, Part] = field(default_factory=dict)
    complete: bool = False
    _headers: dict[str, str] = field(default_factory=dict)
    _name: bytes = b""
    _value: bytes = b""
    _data: list[bytes] = field(default_factory=list)

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_part_data": self._part_data,
            "on_part_end": self._end,
            "on_end": self._finish,
        }

    def _begin(self) -> None:
        self._headers, self._data = {}, []
        if len(self.parts) >= self.max_parts:
            raise FormParserError(f"it has more than {self.max_parts} parts")

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._name.decode("latin-1").lower()] = self._value.decode("utf-8", "replace")
        self._name = self._value = b""

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self._data.append(data[start:end])

    def _end(self) -> None:
        disposition, options = parse_options_header(self._headers.get("content-disposition"))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        if disposition != b"form-data" or not name:
            raise FormParserError("a part has no name")
        if name in self.parts:
            raise FormParserError(f"there are two parts called {name!r}")
        self.parts[name] = Part(name, self._headers.get("content-type", ""), b"".join(self._data))

    def _finish(self) -> None:
        self.complete = True
