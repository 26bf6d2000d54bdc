"""Frames that can be trusted: what `screencap` wrote, checked byte by byte before anyone looks at it.

Phones answer "success" with no bytes, half a picture, a warning in front of the picture, line ends turned by a
terminal, another size, or black. Each is either repaired and flagged, or refused as BadFrame; none passes silently.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, assert_never, cast

from PIL import Image

from agent_server.geometry import Size
from emulator_farm.errors import BadFrame

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MANGLED_SIGNATURE = b"\x89PNG\r\r\n\x1a\r\n"
_CHUNK = struct.Struct(">I4s")
_HEADER = struct.Struct(">IIBBBBB")
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
_PIECE = 1 << 16
_MAX_SIDE = 32_768
_RAW_HEADER = struct.Struct("<IIII")
_JPEG_QUALITY = 95

Frames = Literal["png", "jpeg95"]
"""How frames are kept: as PNG, pixel for pixel, or as JPEG of quality 95 whose chroma has every pixel too."""


@dataclass(frozen=True)
class Frame:
    """One checked screenshot: a complete picture of `size` pixels, encoded as `encoding` says.

    `flags` says what was unusual: `leading_text` and `trailing_data` were cut away, `crlf` was undone, `black` means
    that every pixel is black.
    """

    image: bytes
    size: Size
    flags: tuple[str, ...] = ()
    encoding: Frames = "png"

    @cached_property
    def sha256(self) -> str:
        """Hex digest of the image."""
        return hashlib.sha256(self.image).hexdigest()

    @property
    def black(self) -> bool:
        return "black" in self.flags


def read_frame(data: bytes, *, serial: str) -> Frame:
    """Check what `screencap -p` wrote. Raises BadFrame with the reason.

    Checked are signature, every chunk's length and checksum up to IEND, and that there is image data; the pixels are
    looked at only as far as it takes to see one that is not black.
    """
    if not data:
        raise BadFrame("the screenshot is empty", serial=serial, reason="empty")
    start = data.find(SIGNATURE)
    mangled = data.find(_MANGLED_SIGNATURE) if start < 0 else -1
    if start < 0 and mangled < 0:
        said = " ".join(data[:200].decode(errors="replace").split())
        raise BadFrame(f"there is no PNG in the screenshot; it says: {said}", serial=serial, reason="no_png")
    flags = []
    if start < 0:
        data, start = data[mangled:].replace(b"\r\n", b"\n"), 0
        flags.append("crlf")
        if mangled:
            flags.append("leading_text")
    elif start:
        flags.append("leading_text")
    try:
        size, end, black = _walk(data, start)
    except _Broken as broken:
        raise BadFrame(f"the screenshot is {broken.reason}: {broken}", serial=serial, reason=broken.reason) from None
    if end < len(data):
        flags.append("trailing_data")
    if black:
        flags.append("black")
    png = data if start == 0 and end == len(data) else data[start:end]
    return Frame(png, size, tuple(flags))


def read_raw_frame(data: bytes, *, serial: str, frames: Frames = "png") -> Frame:
    """Check what `screencap` without `-p` wrote, and encode it here, as RGB. Raises BadFrame.

    The header is width, height and format, and a colour space since Android 9; then come RGBA rows.
    """
    size, pixels = _raw_pixels(data, serial)
    if frames == "png":
        return encode_frame(Image.frombytes("RGB", size, pixels, "raw", "RGBX"))
    # Where they are, without a copy: libjpeg reads them so. Any buffer will do, whatever the stubs say.
    picture = Image.frombuffer("RGBX", size, cast("bytes", pixels), "raw", "RGBX", 0, 1)
    flags = ("black",) if _is_raw_black(size, pixels) else ()
    return Frame(_encoded(picture, frames), size, flags, frames)


def read_raw_picture(data: bytes, *, serial: str) -> Image.Image:
    """The pixels alone of what `read_raw_frame` takes, RGB. Raises BadFrame."""
    size, pixels = _raw_pixels(data, serial)
    return Image.frombytes("RGB", size, pixels, "raw", "RGBX")


def encode_frame(image: Image.Image, frames: Frames = "png") -> Frame:
    """A frame of an RGB image."""
    flags = ("black",) if image.getbbox() is None else ()
    return Frame(_encoded(image, frames), Size(*image.size), flags, frames)


def _encoded(image: Image.Image, frames: Frames) -> bytes:
    out = io.BytesIO()
    match frames:
        case "png":
            image.save(out, "PNG", compress_level=1)
        case "jpeg95":
            image.save(out, "JPEG", quality=_JPEG_QUALITY, subsampling="4:4:4")
        case _:
            assert_never(frames)
    return out.getvalue()


def recorded_as(frame: Frame, frames: Frames, *, serial: str) -> Frame:
    """The same frame, encoded anew where it is not yet so. Raises BadFrame where its image does not decode."""
    if frame.encoding == frames:
        return frame
    try:
        with Image.open(io.BytesIO(frame.image)) as image:
            return replace(encode_frame(image.convert("RGB"), frames), flags=frame.flags)
    except (OSError, SyntaxError, ValueError) as error:
        raise BadFrame(f"the screenshot does not decode: {error}", serial=serial, reason="corrupt") from None


def _raw_pixels(data: bytes, serial: str) -> tuple[Size, memoryview]:
    if not data:
        raise BadFrame("the screenshot is empty", serial=serial, reason="empty")
    if len(data) < _RAW_HEADER.size:
        raise BadFrame(f"the screenshot has {len(data)} bytes", serial=serial, reason="truncated")
    width, height, pixel_format, _ = _RAW_HEADER.unpack_from(data)
    if pixel_format not in (1, 2) or not 0 < width <= _MAX_SIDE or not 0 < height <= _MAX_SIDE:
        said = " ".join(data[:200].decode(errors="replace").split())
        raise BadFrame(f"this is no raw screenshot; it says: {said}", serial=serial, reason="corrupt")
    expected = width * height * 4
    for header in (12, 16):
        if len(data) - header == expected:
            return Size(width, height), memoryview(data)[header:]
    raise BadFrame(f"{len(data)} bytes are not {width}x{height} pixels", serial=serial, reason="truncated")


def _is_raw_black(size: Size, pixels: memoryview) -> bool:
    """Whether every colour byte of RGBA rows is 0; an ordinary screen is recognised in its first rows."""
    stride = size.width * 4
    rows = (bytes(pixels[start : start + stride]) for start in range(0, len(pixels), stride))
    return not any(row[channel::4].strip(b"\0") for row in rows for channel in range(3))


class _Broken(Exception):
    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


@dataclass
class _Shape:
    """The fields of IHDR that say how many bytes a row has."""

    size: Size
    depth: int
    colour: int
    interlace: int

    @property
    def channels(self) -> int:
        return _CHANNELS[self.colour]

    @property
    def plain(self) -> bool:
        return self.depth == 8 and self.colour in _CHANNELS and self.interlace == 0


def _walk(data: bytes, start: int) -> tuple[Size, int, bool]:
    """Size, end of the PNG and whether it is black."""
    view = memoryview(data)
    shape: _Shape | None = None
    pixels: list[memoryview] = []
    position = start + len(SIGNATURE)
    while True:
        if position + 12 > len(data):
            raise _Broken("truncated", f"it ends after {len(data) - start} bytes without IEND")
        length, kind = _CHUNK.unpack_from(data, position)
        body, after = position + 8, position + 12 + length
        if after > len(data):
            raise _Broken("truncated", f"{after - len(data)} bytes of chunk {kind.decode('latin-1')!r} are missing")
        if zlib.crc32(view[position + 4 : body + length]) != int.from_bytes(view[after - 4 : after], "big"):
            raise _Broken("corrupt", f"chunk {kind.decode('latin-1')!r} has a wrong checksum")
        if shape is None:
            shape = _shape(kind, data[body : body + length])
        elif kind == b"IDAT":
            pixels.append(view[body : body + length])
        elif kind == b"IEND":
            break
        position = after
    if not pixels:
        raise _Broken("corrupt", "it has no image data")
    return shape.size, after, shape.plain and _is_black(shape, pixels)


def _shape(kind: bytes, body: bytes) -> _Shape:
    if kind != b"IHDR" or len(body) != _HEADER.size:
        raise _Broken("corrupt", "it does not start with IHDR")
    width, height, depth, colour, _, _, interlace = _HEADER.unpack(body)
    if not 0 < width <= _MAX_SIDE or not 0 < height <= _MAX_SIDE:
        raise _Broken("corrupt", f"{width}x{height} is not a screen size")
    return _Shape(Size(width, height), depth, colour, interlace)


def _is_black(shape: _Shape, pixels: list[memoryview]) -> bool:
    """Whether every colour byte is 0.

    Filters work on each channel by itself and map zeros to zeros both ways, so filtered rows can be judged without
    undoing the filters. An ordinary screen is recognised in its first rows.
    """
    channels = shape.channels
    colours = channels - 1 if shape.colour in (4, 6) else channels
    stride = 1 + shape.size.width * channels
    rest = b""
    rows = 0
    for piece in _inflated(pixels):
        block = rest + piece
        whole = len(block) // stride
        for row in range(whole):
            line = block[row * stride + 1 : (row + 1) * stride]
            if any(line[channel::channels].strip(b"\0") for channel in range(colours)):
                return False
        rows += whole
        rest = block[whole * stride :]
    if rows < shape.size.height:
        raise _Broken("corrupt", f"it has {rows} of {shape.size.height} rows")
    return True


def _inflated(pixels: list[memoryview]) -> Iterator[bytes]:
    """The filtered rows, in pieces, no more of them than are asked for."""
    inflate = zlib.decompressobj()
    try:
        for chunk in pixels:
            waiting: bytes | memoryview = chunk
            while waiting:
                yield inflate.decompress(waiting, _PIECE)
                waiting = inflate.unconsumed_tail
        yield inflate.flush()
    except zlib.error as error:
        raise _Broken("corrupt", f"its image data does not decompress: {error}") from None
