"""Whether two PNGs have the same pixels below a line, told without decoding them whole.

A PNG stores each row as the difference from its neighbours ("filtered"), deflated. Two frames of one phone come from
one encoder, whose choice of filter depends on a row and the one above it only. So where the row at the line has equal
pixels, all pixels below it are equal exactly when all filtered bytes below it are. Only the part above the line is
decoded, as a small PNG of its own; the rest is inflated side by side up to the first bytes that differ. For screens
that did change this takes a few milliseconds instead of two full decodes.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator

from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""Samples per pixel by colour type; palettes (3) are not compared here."""
_BLOCK_ROWS = 64


class NotComparable(Exception):
    """Nothing can be told from the streams: decode the pictures."""


def same_rows(first: bytes, second: bytes, top: int) -> bool:
    """Whether the pixels from row `top` down are equal.

    False also where they are, but two encoders wrote them. Raises NotComparable.
    """
    try:
        return _same_rows(first, second, top)
    except (struct.error, zlib.error, OSError, SyntaxError) as error:
        raise NotComparable(str(error)) from error


def _same_rows(first: bytes, second: bytes, top: int) -> bool:
    header = _header(first)
    if header != _header(second):
        raise NotComparable("the pictures differ in size or kind")
    width, height, depth, colour, _, _, interlaced = header
    if interlaced or colour not in _CHANNELS:
        raise NotComparable("interlaced pictures and palettes are not compared by their streams")
    if top >= height:
        return True
    stride = 1 + (width * _CHANNELS[colour] * depth + 7) // 8
    streams = _Inflated(first), _Inflated(second)
    edges = [_last_row(header, top + 1, stream.take((top + 1) * stride)) for stream in streams]
    if edges[0] != edges[1]:
        return False
    for row in range(top + 1, height, _BLOCK_ROWS):
        size = min(_BLOCK_ROWS, height - row) * stride
        if streams[0].take(size) != streams[1].take(size):
            return False
    return True


def _header(data: bytes) -> tuple[int, ...]:
    if not data.startswith(_SIGNATURE):
        raise NotComparable("not a PNG")
    return struct.unpack_from(">IIBBBBB", data, 16)


def _last_row(header: tuple[int, ...], height: int, filtered: bytes) -> bytes:
    """The pixels of the last of the first `height` rows."""
    width, _, *kind = header
    ihdr = struct.pack(">IIBBBBB", width, height, *kind)
    chunks = ((b"IHDR", ihdr), (b"IDAT", zlib.compress(filtered, 0)), (b"IEND", b""))
    small = _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    with Image.open(io.BytesIO(small)) as picture:
        return picture.crop((0, height - 1, width, height)).tobytes()


class _Inflated:
    """The filtered rows of a PNG, inflated as far as they are asked for."""

    def __init__(self, data: bytes) -> None:
        self._chunks = _pixel_chunks(data)
        self._inflate = zlib.decompressobj()

    def take(self, size: int) -> bytes:
        """The next `size` bytes. Raises NotComparable where there are fewer."""
        parts = []
        while size:
            source = self._inflate.unconsumed_tail or next(self._chunks, b"")
            part = self._inflate.decompress(source, size)
            if not part and not source:
                raise NotComparable("the picture is cut off")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _pixel_chunks(data: bytes) -> Iterator[bytes]:
    position = len(_SIGNATURE)
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        if kind == b"IDAT":
            yield data[position + 8 : position + 8 + length]
        position += 12 + length
