"""Every way in which a screenshot can be less than a screenshot."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from agent_server.geometry import Size
from emulator_farm.devices.capture import read_frame, read_raw_frame
from emulator_farm.errors import BadFrame

Corpus = Callable[[str], bytes]
WARNING = b"[Warning] Multiple displays were found, but no display id was specified!\n"


def _png(image: Image.Image, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


PICTURE = _png(Image.effect_noise((60, 40), 80).convert("RGB"))


def _refused(data: bytes) -> BadFrame:
    with pytest.raises(BadFrame) as caught:
        read_frame(data, serial="phone-1")
    assert caught.value.serial == "phone-1"
    assert caught.value.cause == f"bad_frame_{caught.value.reason}"
    return caught.value


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("settings_wifi_off_1080x2400.png", Size(1080, 2400)),
        ("home_launcher_1080x2280.png", Size(1080, 2280)),
        ("clock_timepicker_dialog_dark_1080x2280.png", Size(1080, 2280)),
        ("landscape_keyboard_2400x1080.png", Size(2400, 1080)),
        ("android2_arabic_keyboard.png", Size(480, 800)),
    ],
)
def test_real_screenshots_pass_untouched(screenshot: Corpus, name: str, size: Size) -> None:
    data = screenshot(name)
    frame = read_frame(data, serial="s")
    assert (frame.image, frame.size, frame.flags) == (data, size, ())
    assert frame.sha256 == hashlib.sha256(data).hexdigest()


def test_text_before_the_png_is_cut_and_flagged(transcript_bytes: Corpus) -> None:
    data = transcript_bytes("screencap_warning3_then_png.bin")
    frame = read_frame(data, serial="s")
    assert data.index(frame.image) == 347
    assert (frame.size, frame.flags) == (Size(1080, 2280), ("leading_text",))


def test_line_ends_turned_by_a_terminal_are_turned_back(transcript_bytes: Corpus, screenshot: Corpus) -> None:
    frame = read_frame(transcript_bytes("screencap_crlf_mangled.bin"), serial="s")
    assert frame.image == screenshot("timer_dark_1080x2340.png")
    assert (frame.size, frame.flags) == (Size(1080, 2340), ("crlf",))


def test_mangled_and_with_text_before(transcript_bytes: Corpus, screenshot: Corpus) -> None:
    mangled = WARNING.replace(b"\n", b"\r\n") + transcript_bytes("screencap_crlf_mangled.bin")
    frame = read_frame(mangled, serial="s")
    assert frame.image == screenshot("timer_dark_1080x2340.png")
    assert frame.flags == ("crlf", "leading_text")


def test_line_ends_inside_a_sound_png_are_left_alone() -> None:
    """A picture that happens to hold CR LF must not be "repaired"."""
    comment = struct.pack(">I", 8) + b"tEXt" + b"k\0a\r\nb\r\n"
    comment += struct.pack(">I", zlib.crc32(comment[4:]))
    png = PICTURE[:33] + comment + PICTURE[33:]
    assert read_frame(png, serial="s").image == png


def test_what_follows_the_end_is_cut_and_flagged() -> None:
    frame = read_frame(PICTURE + b"junk\n", serial="s")
    assert (frame.image, frame.flags) == (PICTURE, ("trailing_data",))


def test_nothing_at_all() -> None:
    assert _refused(b"").reason == "empty"


def test_words_instead_of_a_picture_are_quoted() -> None:
    error = _refused(b"Status: -1\n")
    assert error.reason == "no_png"
    assert "Status: -1" in str(error)


@given(st.integers(min_value=9, max_value=len(PICTURE) - 1))
@settings(max_examples=60, deadline=None)
def test_cut_anywhere_it_is_refused(length: int) -> None:
    assert _refused(PICTURE[:length]).reason == "truncated"


@given(st.integers(min_value=8, max_value=len(PICTURE) - 1), st.integers(min_value=1, max_value=255))
@settings(max_examples=100, deadline=None)
def test_one_wrong_byte_anywhere_is_noticed(position: int, change: int) -> None:
    broken = bytearray(PICTURE)
    broken[position] ^= change
    assert _refused(bytes(broken)).reason in ("corrupt", "truncated")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _assembled(*chunks: bytes) -> bytes:
    return PICTURE[:8] + b"".join(chunks)


HEADER = _chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (_assembled(HEADER, _chunk(b"IEND", b"")), "no image data"),
        (_assembled(_chunk(b"IDAT", b"x"), _chunk(b"IEND", b"")), "IHDR"),
        (
            _assembled(
                _chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 2, 8, 2, 0, 0, 0)),
                _chunk(b"IDAT", b""),
                _chunk(b"IEND", b""),
            ),
            "0x2",
        ),
        (_assembled(HEADER, _chunk(b"IDAT", b"not zlib"), _chunk(b"IEND", b"")), "decompress"),
        (_assembled(HEADER, _chunk(b"IDAT", zlib.compress(b"\0" * 7)), _chunk(b"IEND", b"")), "1 of 2 rows"),
    ],
)
def test_sound_chunks_of_an_unsound_picture(data: bytes, says: str) -> None:
    error = _refused(data)
    assert error.reason == "corrupt"
    assert says in str(error)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA"])
@pytest.mark.parametrize("level", [1, 6])
def test_black_is_flagged_in_every_pixel_format(mode: str, level: int) -> None:
    black = Image.new("RGB", (1080, 300)).convert(mode)
    assert read_frame(_png(black, compress_level=level), serial="s").black


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
@pytest.mark.parametrize("where", [(0, 0), (107, 59), (50, 30)])
def test_one_lit_pixel_is_not_black(mode: str, where: tuple[int, int]) -> None:
    image = Image.new("RGB", (108, 60))
    image.putpixel(where, (0, 0, 1) if mode != "L" else (3, 3, 3))
    assert not read_frame(_png(image.convert(mode)), serial="s").black


@given(st.integers(0, 4), st.booleans())
@settings(deadline=None, max_examples=20)
def test_black_is_seen_through_every_row_filter(filter_type: int, lit: bool) -> None:
    """Each filter applied by hand to black RGBA rows, and to the same with one pixel lit."""
    width, height = 5, 4
    rows = [bytearray(b"\0\0\0\xff" * width) for _ in range(height)]
    if lit:
        rows[2][4] = 9
    raw = b""
    above = bytes(4 * width)
    for row in rows:
        raw += bytes([filter_type]) + bytes(
            (row[i] - _predict(filter_type, row[i - 4] if i >= 4 else 0, above[i], above[i - 4] if i >= 4 else 0)) % 256
            for i in range(4 * width)
        )
        above = bytes(row)
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    png = _assembled(header, _chunk(b"IDAT", zlib.compress(raw)), _chunk(b"IEND", b""))
    assert Image.open(io.BytesIO(png)).convert("RGB").getbbox() == ((1, 2, 2, 3) if lit else None)
    assert read_frame(png, serial="s").black is not lit


def _predict(filter_type: int, left: int, up: int, corner: int) -> int:
    nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
    return (0, left, up, (left + up) // 2, nearest)[filter_type]


def test_a_palette_picture_is_not_judged() -> None:
    assert read_frame(_png(Image.new("P", (20, 20))), serial="s").flags == ()


def _raw(width: int, height: int, header: str = "<IIII") -> bytes:
    fields = (width, height, 1, 1)[: len(header) - 1]
    return struct.pack(header, *fields) + b"\x10\x20\x30\xff" * (width * height)


@pytest.mark.parametrize("header", ["<IIII", "<III"])
def test_raw_frames_of_old_and_new_androids(header: str) -> None:
    frame = read_raw_frame(_raw(30, 20, header), serial="s")
    assert (frame.size, frame.flags) == (Size(30, 20), ())
    image = Image.open(io.BytesIO(frame.image))
    assert (image.mode, image.size) == ("RGB", (30, 20))
    assert image.getcolors() == [(600, (0x10, 0x20, 0x30))]
    assert read_frame(frame.image, serial="s") == frame


def test_a_black_raw_frame_is_flagged() -> None:
    black = _raw(30, 20)[:16] + b"\0\0\0\xff" * 600
    assert read_raw_frame(black, serial="s").flags == ("black",)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"short", "truncated"),
        (_raw(30, 20)[:-1], "truncated"),
        (b"Error opening file: /dev/null", "corrupt"),
    ],
)
def test_raw_frames_that_are_none(data: bytes, reason: str) -> None:
    with pytest.raises(BadFrame) as caught:
        read_raw_frame(data, serial="s")
    assert caught.value.reason == reason


@pytest.mark.parametrize("header", ["<IIII", "<III"])
def test_raw_frames_as_jpeg(header: str) -> None:
    frame = read_raw_frame(_raw(30, 20, header), serial="s", frames="jpeg95")
    assert (frame.size, frame.flags, frame.encoding) == (Size(30, 20), (), "jpeg95")
    out = io.BytesIO()
    Image.new("RGB", (30, 20), (0x10, 0x20, 0x30)).save(out, "JPEG", quality=95, subsampling=0)
    assert frame.image == out.getvalue()


@pytest.mark.parametrize(("pixel", "flags"), [(b"\0\0\0\xff", ("black",)), (b"\0\0\1\xff", ()), (b"\1\0\0\0", ())])
def test_raw_frames_as_jpeg_are_black_where_every_pixel_is(pixel: bytes, flags: tuple[str, ...]) -> None:
    data = _raw(30, 20)[:16] + b"\0\0\0\xff" * 599 + pixel
    assert read_raw_frame(data, serial="s", frames="jpeg95").flags == flags
