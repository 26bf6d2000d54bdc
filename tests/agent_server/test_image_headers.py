from __future__ import annotations

import struct
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from agent_server.errors import InvalidImage
from agent_server.geometry import Size
from agent_server.image_headers import MAX_SEGMENTS, Header, read_header

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int = 4, height: int = 3, *extra: bytes, colour: int = 2, depth: int = 8) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return SIGNATURE + header + b"".join(extra) + chunk(b"IDAT", b"pixels") + chunk(b"IEND")


def exif(orientation: int, order: str = "<") -> bytes:
    mark = b"II*\0" if order == "<" else b"MM\0*"
    other = struct.pack(order + "HHIHH", 0x0110, 3, 1, 9, 0)
    entry = struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)
    return mark + struct.pack(order + "IH", 8, 2) + other + entry


def webp_chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def webp(*chunks: bytes) -> bytes:
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def vp8x(flags: int, width: int, height: int) -> bytes:
    data = bytes([flags, 0, 0, 0]) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp_chunk(b"VP8X", data)


def vp8l(width: int, height: int) -> bytes:
    return webp_chunk(b"VP8L", b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + b"rest")


def refused(data: bytes, status: int, words: str, *, checksums: bool = False) -> None:
    with pytest.raises(InvalidImage, match=words) as caught:
        read_header(data, checksums=checksums)
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("kind", "options", "expected"),
    [
        ("PNG", {}, "png"),
        ("JPEG", {}, "jpeg"),
        ("JPEG", {"progressive": True}, "jpeg"),
        ("WEBP", {"lossless": True}, "webp"),
        ("WEBP", {"quality": 80}, "webp"),
        ("WEBP", {"lossless": True, "exif": b"Exif\0\0" + exif(1)}, "webp"),
    ],
)
def test_real_files(kind, options, expected, encode, draw):
    data = encode(draw(123, 45), kind, **options)
    assert read_header(data, checksums=True) == Header(expected, Size(123, 45))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_png_mode(mode, encode):
    assert read_header(encode(Image.new(mode, (5, 7)), "PNG"), checksums=True).size == (5, 7)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_orientation(kind, order, encode, draw):
    data = encode(draw(40, 20), kind, exif=b"Exif\0\0" + exif(6, order))
    assert read_header(data) == Header(kind.lower(), Size(40, 20), 6)


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"II*\0",
        b"XX*\0" + bytes(8),
        b"II*\0" + struct.pack("<I", 1_000_000),
        b"II*\0" + struct.pack("<IH", 8, 500) + b"\x12\x01",
        exif(0),
        exif(9),
        exif(6)[:-6],
        exif(6).replace(b"\x12\x01\x03\x00", b"\x12\x01\x04\x00"),
    ],
)
def test_nonsense_in_exif_means_upright(block):
    assert read_header(png(4, 3, chunk(b"eXIf", block))).orientation == 1


def test_a_claim_of_60000x60000_costs_nothing():
    start = time.perf_counter()
    assert read_header(png(60_000, 60_000)).size == (60_000, 60_000)
    assert time.perf_counter() - start < 0.01


def test_empty():
    refused(b"", 422, "empty")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"hello, this is a text file", "it starts with b'hello, this '"),
        (b"GIF89a" + bytes(20), "this is a GIF"),
        (b"BM" + bytes(20), "this is a BMP"),
        (b"%PDF-1.7", "this is a PDF"),
        (b"  <!doctype html>", "this is markup"),
        (b'{"image": 1}', "this is JSON"),
        (b"\0\0\0\x18ftypheic" + bytes(20), "HEIF"),
        (b"[Warning] Multiple displays\n" + png(), "28 other bytes in front of the PNG.*Warning"),
        (b"RIFF\0\0\0\0WAVE", "it starts with"),
    ],
)
def test_other_things(data, words):
    refused(data, 415, words)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (png()[:20], "header is incomplete"),
        (png()[:-12], "IEND chunk is missing"),
        (png()[:-14], "chunk b'IDAT' needs"),
        (SIGNATURE + chunk(b"IDAT", bytes(30)), "starts with chunk b'IDAT'"),
        (png(colour=1), "colour type 1 with 8 bits"),
        (png(colour=3, depth=16), "colour type 3 with 16 bits"),
        (png(0, 5), "claims 0x5"),
        (png(2**31, 5), "claims 2147483648x5"),
        (png()[:33] + chunk(b"IEND"), "no IDAT"),
        (png(4, 3, *[chunk(b"tEXt")] * MAX_SEGMENTS), "more than 20000 chunks"),
    ],
)
def test_damaged_png(data, words):
    refused(data, 422, words)


def test_a_flipped_bit_in_a_png_is_found_by_its_checksum():
    data = bytearray(png())
    data[data.index(b"pixels")] ^= 1
    assert read_header(bytes(data)).format == "png"
    refused(bytes(data), 422, "wrong checksum of chunk b'IDAT' at byte 33", checksums=True)


def test_animations(encode, draw):
    refused(png(4, 3, chunk(b"acTL", bytes(8))), 415, "PNG is animated")
    frames = [draw(20, 20), Image.new("RGB", (20, 20))]
    apng = encode(frames[0], "PNG", save_all=True, append_images=frames[1:])
    refused(apng, 415, "PNG is animated")
    webp_frames = encode(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    refused(webp_frames, 415, "WebP is animated")
    refused(webp(webp_chunk(b"ANMF", bytes(16)), vp8l(3, 3)), 415, "WebP is animated")


def test_truncated_jpeg(encode, draw):
    data = encode(draw(200, 100), "JPEG")
    refused(data[:-2], 422, "end marker is missing")
    refused(data[: len(data) // 2], 422, "end marker is missing")
    refused(data[:100], 422, "cut off")
    refused(data[:3], 422, "pixels are missing")


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"\xff\xd8\xff\xe0\x00\x04ab\x00\x00\x00\x00", 422, "no marker at byte 8"),
        (b"\xff\xd8\xff\xe0\x00\x01abcdef", 422, "incomplete"),
        (b"\xff\xd8\xff\xda\x00\x04ab\xff\xd9\x00\x00", 422, "before its size"),
        (b"\xff\xd8\xff\xd9\x00\x04ab", 422, "no pixels"),
        (b"\xff\xd8\xff\xc3\x00\x08\x08\x00\x05\x00\x05\x03\xff\xd9", 415, "coding 0xc3"),
        (b"\xff\xd8\xff\xc0\x00\x08\x0c\x00\x05\x00\x05\x03\xff\xd9", 415, "3 components of 12 bits"),
        (b"\xff\xd8\xff\xc0\x00\x05\x08\x00\x05\xff\xd9", 422, "frame header is too short"),
        (b"\xff\xd8\xff\xc0\x00\x08\x08\x00\x00\x00\x05\x03\xff\xd9", 422, "claims 5x0"),
        (b"\xff\xd8" + b"\xff" * 100_000, 422, "no pixels"),
    ],
)
def test_damaged_jpeg(data, status, words):
    refused(data, status, words)


def test_jpeg_with_fill_bytes_and_bare_markers(encode, draw):
    data = encode(draw(30, 20), "JPEG")
    assert read_header(data[:2] + b"\xff\xff\xff\x01\xff\xd0" + data[2:]).size == (30, 20)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (webp(vp8l(5, 5))[:-3], "it says it has"),
        (webp(vp8x(0, 5, 5)), "no pixels"),
        (webp(vp8x(0, 9, 9), vp8l(5, 5)), "canvas is 9x9, its image 5x5"),
        (webp(webp_chunk(b"VP8 ", b"123456789012")), "no frame header"),
        (webp(webp_chunk(b"VP8L", b"\0" * 12)), "no frame header"),
        (b"RIFF\x14\0\0\0WEBPVP8L\xff\0\0\0" + b"\x2f" + bytes(10), "chunk b'VP8L' needs"),
    ],
)
def test_damaged_webp(data, words):
    refused(data, 422, words)


@given(st.binary(max_size=300), st.sampled_from([b"", SIGNATURE, b"\xff\xd8\xff", b"RIFF\x40\0\0\0WEBP", png()[:33]]))
def test_never_anything_but_a_header_or_a_refusal(rest, start):
    found: Header | InvalidImage
    try:
        found = read_header(start + rest, checksums=True)
    except InvalidImage as error:
        found = error
    match found:
        case InvalidImage():
            assert found.status in (415, 422)
        case Header():
            assert found.size.width >= 1
            assert 1 <= found.orientation <= 8


@given(st.data())
def test_a_file_with_any_byte_missing_at_its_end_is_refused(data):
    whole = data.draw(st.sampled_from([png(40, 30), webp(vp8l(5, 5)), webp(vp8x(0, 5, 5), vp8l(5, 5))]))
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(InvalidImage):
        read_header(whole[:cut], checksums=True)
