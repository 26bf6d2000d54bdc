"""What the first bytes of an image say, read without decoding a pixel.

Written for hostile input: every length is checked against the bytes that are there, loops are bounded, and the cost
does not depend on the size that a header claims. The structure is walked to its end, so a file that was cut off is
refused here and not by the model server.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Literal

from agent_server.errors import InvalidImage
from agent_server.geometry import Size

ImageFormat = Literal["png", "jpeg", "webp"]

MAX_SEGMENTS = 20_000
"""PNG chunks, JPEG segments or WebP chunks in one file; real screenshots have at most a few thousand."""

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_JPEG_FRAMES = (0xC0, 0xC1, 0xC2)
_JPEG_OTHER_FRAMES = (0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF)
_JPEG_BARE = (0x01, *range(0xD0, 0xD8))
_FOREIGN = (
    (b"GIF8", "a GIF"),
    (b"BM", "a BMP"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"<", "markup"),
    (b"{", "JSON"),
)


@dataclass(frozen=True)
class Header:
    """`size` is as stored, before rotation; `orientation` is the EXIF value, 1 to 8."""

    format: ImageFormat
    size: Size
    orientation: int = 1


def read_header(data: bytes, *, checksums: bool = False) -> Header:
    """Read and check the structure of a PNG, JPEG or WebP; with `checksums`, those of every PNG chunk too.

    Raises InvalidImage: status 415 for what is not a still image of these formats, 422 for one that is damaged.
    """
    if not data:
        raise InvalidImage("the image is empty (0 bytes)")
    if data.startswith(_PNG_SIGNATURE):
        return _png(data, checksums)
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    raise InvalidImage(_foreign(data), status=415)


def _foreign(data: bytes) -> str:
    if (before := data.find(_PNG_SIGNATURE, 0, 4096)) > 0:
        return f"there are {before} other bytes in front of the PNG, {data[: min(before, 40)]!r}; send the image alone"
    start = data[:256].lstrip()
    name = next((name for magic, name in _FOREIGN if start.startswith(magic)), None)
    if data[4:8] == b"ftyp":
        name = "a HEIF, AVIF or video file"
    if name is not None:
        return f"this is {name}, not a PNG, JPEG or WebP image"
    return f"this is not a PNG, JPEG or WebP image: it starts with {data[:12]!r}"


def _cut(name: str, data: bytes, missing: str) -> InvalidImage:
    return InvalidImage(f"the {name} is cut off after {len(data)} bytes: {missing}")


def _size(name: str, width: int, height: int) -> Size:
    if width < 1 or height < 1:
        raise InvalidImage(f"the {name} claims {width}x{height} pixels")
    return Size(width, height)


def _png(data: bytes, checksums: bool) -> Header:
    view, offset, orientation, has_pixels = memoryview(data), 8, 1, False
    size = _png_size(data)
    for _ in range(MAX_SEGMENTS):
        if offset + 12 > len(data):
            raise _cut("PNG", data, "its IEND chunk is missing")
        length, kind = int.from_bytes(data[offset : offset + 4], "big"), data[offset + 4 : offset + 8]
        end = offset + 12 + length
        if end > len(data):
            raise _cut("PNG", data, f"chunk {kind!r} needs {end - len(data)} more")
        if checksums and zlib.crc32(view[offset + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise InvalidImage(f"the PNG is damaged: wrong checksum of chunk {kind!r} at byte {offset}")
        match kind:
            case b"acTL":
                raise InvalidImage("the PNG is animated; send one still frame", status=415)
            case b"eXIf":
                orientation = _orientation(data[offset + 8 : end - 4])
            case b"IDAT":
                has_pixels = has_pixels or length > 0
            case b"IEND":
                if not has_pixels:
                    raise InvalidImage("the PNG has no pixels: no IDAT chunk")
                return Header("png", size, orientation)
            case _:
                pass
        offset = end
    raise InvalidImage(f"the PNG has more than {MAX_SEGMENTS} chunks")


def _png_size(data: bytes) -> Size:
    if len(data) < 33:
        raise _cut("PNG", data, "its header is incomplete")
    length, kind, width, height, depth, colour, packing, filtering, interlace = struct.unpack(">I4sIIBBBBB", data[8:29])
    if kind != b"IHDR" or length != 13:
        raise InvalidImage(f"the PNG is damaged: it starts with chunk {kind!r} in place of IHDR")
    if depth not in _PNG_DEPTHS.get(colour, ()) or packing or filtering or interlace > 1:
        raise InvalidImage(f"the PNG is damaged: colour type {colour} with {depth} bits does not exist")
    if width > 2**31 - 1 or height > 2**31 - 1:
        raise InvalidImage(f"the PNG claims {width}x{height} pixels")
    return _size("PNG", width, height)


def _jpeg(data: bytes) -> Header:
    offset, orientation, size = 2, 1, None
    for _ in range(MAX_SEGMENTS):
        if data[offset : offset + 2] == b"\xff\xff":
            offset += 1
            continue
        if offset + 4 > len(data):
            raise _cut("JPEG", data, "its pixels are missing")
        if data[offset] != 0xFF:
            raise InvalidImage(f"the JPEG is damaged: no marker at byte {offset}")
        marker = data[offset + 1]
        if marker in _JPEG_BARE:
            offset += 2
            continue
        end = offset + 2 + int.from_bytes(data[offset + 2 : offset + 4], "big")
        if end > len(data) or end < offset + 4:
            raise _cut("JPEG", data, f"segment {marker:#04x} at byte {offset} is incomplete")
        body = data[offset + 4 : end]
        if marker in _JPEG_FRAMES:
            size = _jpeg_size(body)
        elif marker in _JPEG_OTHER_FRAMES:
            raise InvalidImage(f"the JPEG uses coding {marker:#04x}; send a baseline or progressive one", status=415)
        elif marker == 0xE1 and body.startswith(b"Exif\0\0"):
            orientation = _orientation(body[6:])
        elif marker == 0xDA:
            if size is None:
                raise InvalidImage("the JPEG is damaged: its pixels come before its size")
            if data.rfind(b"\xff\xd9", end) < 0:
                raise _cut("JPEG", data, "its end marker is missing")
            return Header("jpeg", size, orientation)
        elif marker == 0xD9:
            break
        offset = end
    raise InvalidImage("the JPEG is damaged: it has no pixels")


def _jpeg_size(body: bytes) -> Size:
    if len(body) < 6:
        raise InvalidImage("the JPEG is damaged: its frame header is too short")
    depth, height, width, components = struct.unpack(">BHHB", body[:6])
    if depth != 8 or components not in (1, 3, 4):
        raise InvalidImage(f"the JPEG has {components} components of {depth} bits; send 8-bit RGB", status=415)
    return _size("JPEG", width, height)


def _webp(data: bytes) -> Header:
    stated = int.from_bytes(data[4:8], "little") + 8
    if stated > len(data):
        raise _cut("WebP", data, f"it says it has {stated}")
    offset, orientation, canvas, stored = 12, 1, None, None
    for _ in range(MAX_SEGMENTS):
        if offset + 8 > stated:
            break
        kind, length = data[offset : offset + 4], int.from_bytes(data[offset + 4 : offset + 8], "little")
        body = data[offset + 8 : offset + 8 + length]
        if len(body) < length:
            raise _cut("WebP", data, f"chunk {kind!r} needs {length - len(body)} more")
        match kind:
            case b"VP8X" if len(body) >= 10:
                if body[0] & 2:
                    raise InvalidImage("the WebP is animated; send one still frame", status=415)
                canvas = Size(int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1)
            case b"ANIM" | b"ANMF":
                raise InvalidImage("the WebP is animated; send one still frame", status=415)
            case b"EXIF":
                orientation = _orientation(body.removeprefix(b"Exif\0\0"))
            case b"VP8 " | b"VP8L":
                stored = _webp_size(kind, body)
            case _:
                pass
        offset += 8 + length + length % 2
    if stored is None:
        raise InvalidImage("the WebP is damaged: it has no pixels")
    if canvas is not None and canvas != stored:
        raise InvalidImage(f"the WebP is damaged: its canvas is {canvas}, its image {stored}")
    return Header("webp", stored, orientation)


def _webp_size(kind: bytes, body: bytes) -> Size:
    if kind == b"VP8 " and len(body) >= 10 and body[3:6] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", body[6:10])
        return _size("WebP", width & 0x3FFF, height & 0x3FFF)
    if kind == b"VP8L" and len(body) >= 5 and body[0] == 0x2F:
        bits = int.from_bytes(body[1:5], "little")
        return _size("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    raise InvalidImage(f"the WebP is damaged: its {kind!r} chunk has no frame header")


def _orientation(exif: bytes) -> int:
    """The orientation in a TIFF block; 1 where it says nothing or nonsense, as every viewer does."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None or len(exif) < 8:
        return 1
    (start,) = struct.unpack(order + "I", exif[4:8])
    if start + 2 > len(exif):
        return 1
    (count,) = struct.unpack(order + "H", exif[start : start + 2])
    for at in range(start + 2, min(start + 2 + 12 * count, len(exif) - 11), 12):
        tag, kind, _ = struct.unpack(order + "HHI", exif[at : at + 8])
        if tag == 0x0112 and kind == 3:
            (value,) = struct.unpack(order + "H", exif[at + 8 : at + 10])
            return value if 1 <= value <= 8 else 1
    return 1
