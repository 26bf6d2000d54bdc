from __future__ import annotations

import io
import struct
import time
import tracemalloc
import zlib

import pytest
from PIL import Image, ImageChops

from agent_server.errors import InvalidImage
from agent_server.geometry import Size
from agent_server.images import (
    Encoding,
    ImageLimits,
    check_image,
    decoded,
    encode,
    known_image,
    needs_decoding,
    prepared,
)


def open_rgb(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def worst(one: Image.Image, other: Image.Image) -> int:
    """The largest difference of any channel of any pixel."""
    extrema = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getextrema()
    return max(high for _, high in extrema)


def bomb(width: int, height: int) -> bytes:
    """A valid PNG of black pixels whose header is the only big thing about it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(width // 8 + 1)) for _ in range(200)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_what_is_known_about_a_checked_image(screenshot):
    image = check_image(screenshot)
    assert (image.format, image.size, image.orientation, image.media_type) == ("png", (1080, 2400), 1, "image/png")
    assert image.data is screenshot
    assert not image.needs_rotation
    assert known_image(screenshot) == image


def test_a_bomb_costs_neither_time_nor_memory():
    data = bomb(60_000, 60_000)
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(InvalidImage, match="60000x60000 = 3600000000 pixels; at most 40000000") as caught:
        check_image(data)
    elapsed = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.status == 413
    assert elapsed < 0.05
    assert peak < 1_000_000


def test_too_many_bytes():
    with pytest.raises(InvalidImage, match="has 50000000 bytes; at most 16777216") as caught:
        check_image(bytes(50_000_000))
    assert caught.value.status == 413


def test_limits_are_the_callers(screenshot):
    check_image(screenshot, ImageLimits(len(screenshot), 1080 * 2400))
    with pytest.raises(InvalidImage, match="bytes"):
        check_image(screenshot, ImageLimits(max_bytes=len(screenshot) - 1))
    with pytest.raises(InvalidImage, match="pixels"):
        check_image(screenshot, ImageLimits(max_pixels=1080 * 2400 - 1))


@pytest.mark.parametrize("declared", ["", "image/png", "IMAGE/PNG; name=x", "application/octet-stream"])
def test_declared_rightly_or_not_at_all(declared, screenshot):
    assert check_image(screenshot, declared=declared).format == "png"


@pytest.mark.parametrize(
    ("declared", "words"),
    [("image/jpeg", "declared as image/jpeg but is image/png"), ("text/plain", "'text/plain' is not an image type")],
)
def test_mislabelled(declared, words, screenshot):
    with pytest.raises(InvalidImage, match=words) as caught:
        check_image(screenshot, declared=declared)
    assert caught.value.status == 415


def test_the_jpg_that_people_write_is_jpeg(encode, draw):
    assert check_image(encode(draw(30, 20), "JPEG"), declared="image/jpg").format == "jpeg"


def test_bytes_that_need_no_change_pass_through(screenshot):
    image = check_image(screenshot)
    for resized in (None, image.size):
        assert not needs_decoding(image, resized)
        sent = prepared(image, resized)
        assert sent.data is screenshot
        assert sent.media_type == "image/png"


@pytest.mark.parametrize("size", [Size(644, 1456), Size(1092, 2408), Size(1, 1)])
def test_resized_to_the_very_size_and_close_to_the_picture(size, screenshot):
    sent = prepared(check_image(screenshot), size)
    assert sent.media_type == "image/jpeg"
    seen = open_rgb(sent.data)
    assert seen.size == size
    exact = open_rgb(screenshot).resize(size, Image.Resampling.BICUBIC)
    mean = sum(i * n for i, n in enumerate(ImageChops.difference(seen, exact).convert("L").histogram()))
    assert mean / size.pixels < 1.5


def test_lossless_when_asked(screenshot):
    sent = prepared(check_image(screenshot), Size(644, 1456), Encoding("png"))
    assert sent.media_type == "image/png"
    exact = open_rgb(screenshot).resize((644, 1456), Image.Resampling.BICUBIC)
    assert worst(open_rgb(sent.data), exact) <= 1


def test_colour_edges_survive_the_jpeg():
    """Red on blue, one pixel wide: what chroma subsampling would smear."""
    picture = Image.new("RGB", (64, 64), (0, 0, 255))
    for x in range(0, 64, 2):
        picture.paste((255, 0, 0), (x, 0, x + 1, 64))
    sent = encode(picture)
    assert worst(open_rgb(sent.data), picture) < 40


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_rotation_by_exif(orientation, kind, encode):
    stored = Image.new("RGB", (64, 32), "white")
    stored.paste((255, 0, 0), (0, 0, 16, 16))
    stored.paste((0, 0, 255), (48, 16, 64, 32))
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if kind == "WEBP" else {"quality": 95, "subsampling": 0} if kind == "JPEG" else {}
    data = encode(stored, kind, exif=exif, **options)
    image = check_image(data)
    assert image.size == ((64, 32) if orientation < 5 else (32, 64))
    sent = prepared(image, None, Encoding("png"))
    assert (sent.data is data) == (orientation == 1)
    seen = open_rgb(sent.data)
    assert seen.size == image.size
    width, height = seen.size
    corners = {1: 0, 2: 1, 3: 3, 4: 2, 5: 0, 6: 1, 7: 3, 8: 2}  # where the stored top left corner is seen
    points = [(4, 4), (width - 5, 4), (4, height - 5), (width - 5, height - 5)]
    red, blue = seen.getpixel(points[corners[orientation]]), seen.getpixel(points[3 - corners[orientation]])
    assert red[0] > 230
    assert red[2] < 30
    assert blue[2] > 230
    assert blue[0] < 30
    assert read_exif_orientation(sent.data) in (None, 1)


def read_exif_orientation(data: bytes) -> int | None:
    return Image.open(io.BytesIO(data)).getexif().get(0x0112)


def test_rotated_and_resized_at_once(encode, draw):
    exif = Image.Exif()
    exif[0x0112] = 6
    image = check_image(encode(draw(400, 200), "JPEG", quality=95, exif=exif))
    assert image.size == (200, 400)
    seen = open_rgb(prepared(image, Size(56, 112)).data)
    upright = draw(400, 200).transpose(Image.Transpose.ROTATE_270).resize((56, 112), Image.Resampling.BICUBIC)
    assert seen.size == (56, 112)
    assert worst(seen.resize((7, 14)), upright.resize((7, 14))) < 25


def test_a_big_jpeg_is_scaled_while_it_is_decoded(encode, draw):
    image = check_image(encode(draw(2000, 1000), "JPEG", quality=95))
    assert decoded(image, Size(600, 300)).size == (1000, 500)
    assert decoded(image, Size(700, 350)).size == (2000, 1000)
    seen = open_rgb(prepared(image, Size(560, 280), Encoding("png")).data)
    exact = open_rgb(image.data).resize((560, 280), Image.Resampling.BICUBIC)
    assert seen.size == (560, 280)
    assert worst(seen.resize((56, 28)), exact.resize((56, 28))) < 8


def test_pixels_that_are_damaged_behind_a_sound_frame(encode, draw):
    whole = encode(draw(60, 60), "PNG")

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    broken = whole[:33] + chunk(b"IDAT", b"these are no pixels") + chunk(b"IEND", b"")
    image = check_image(broken)
    with pytest.raises(InvalidImage, match="PNG cannot be decoded") as caught:
        prepared(image, Size(28, 28))
    assert caught.value.status == 422


def test_transparent_pixels_lie_on_white(encode):
    picture = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    seen = open_rgb(prepared(check_image(encode(picture, "PNG")), Size(28, 28)).data)
    assert min(seen.getpixel((14, 14))) > 250


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "CMYK"])
def test_every_mode_can_be_shown_to_a_model(mode, encode):
    picture = Image.new(mode, (40, 40))
    data = encode(picture, "JPEG" if mode == "CMYK" else "PNG")
    assert open_rgb(prepared(check_image(data), Size(28, 56)).data).size == (28, 56)
