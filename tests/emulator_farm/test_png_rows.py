from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from emulator_farm.png_rows import NotComparable, same_rows


def picture(mode: str = "RGB", size: tuple[int, int] = (90, 200), seed: int = 1) -> Image.Image:
    """Noise, so that the encoder uses every filter; transparent pictures are opaque."""
    noise = random.Random(seed)
    image = Image.new(mode, size)
    pen = ImageDraw.Draw(image)
    for _ in range(60):
        x, y = noise.randrange(size[0]), noise.randrange(size[1])
        colour = tuple(noise.randrange(256) for _ in range(3))
        pen.rectangle((x, y, x + 30, y + 30), fill=sum(colour) // 3 if mode in ("L", "P", "1") else colour)
    return image


def png(image: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", **options)
    return buffer.getvalue()


def marked(image: Image.Image, row: int) -> Image.Image:
    """The same picture with one pixel of one row changed."""
    other = image.copy()
    pixel = other.getpixel((40, row))
    changed = pixel ^ 1 if isinstance(pixel, int) else (pixel[0] ^ 1, *pixel[1:])
    other.putpixel((40, row), changed)
    return other


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
@pytest.mark.parametrize("row", [0, 19, 20, 21, 150, 199])
def test_only_changes_from_the_line_down_count(mode: str, row: int) -> None:
    image = picture(mode)
    assert same_rows(png(image), png(marked(image, row)), 20) is (row < 20)
    assert same_rows(png(image), png(image), 20) is True


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), row=st.integers(0, 99), top=st.integers(0, 120), level=st.integers(0, 9))
def test_a_change_is_found_wherever_the_line_is(seed: int, row: int, top: int, level: int) -> None:
    image = picture(size=(60, 100), seed=seed)
    same = same_rows(png(image, compress_level=level), png(marked(image, row), compress_level=level), top)
    assert same is (row < top)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (png(picture()), png(picture("RGBA"))),
        (png(picture()), png(picture(size=(90, 201)))),
        (png(picture().convert("P")), png(picture().convert("P"))),
        (b"", b""),
        (b"\xff\xd8\xff", b"\xff\xd8\xff"),
        (b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n"),
        (png(picture())[:400], png(picture())[:400]),
        (png(picture()).replace(b"IDAT", b"iDAT"), png(picture()).replace(b"IDAT", b"iDAT")),
    ],
)
def test_what_cannot_be_told(first: bytes, second: bytes) -> None:
    with pytest.raises(NotComparable):
        same_rows(first, second, 20)


def test_damaged_pixels_cannot_be_told() -> None:
    whole = png(picture())
    spot = whole.index(b"IDAT") + 4
    damaged = whole[:spot] + b"\x00" * 40 + whole[spot + 40 :]
    with pytest.raises(NotComparable):
        same_rows(whole, damaged, 0)


def test_real_screens(pytestconfig: pytest.Config) -> None:
    paths = sorted((Path(pytestconfig.rootpath) / "tests" / "corpus" / "screenshots").glob("*.png"))
    assert paths
    for path in paths[:4]:
        image = Image.open(path).convert("RGBA")
        top = image.height // 25
        before = png(image, compress_level=1)
        assert same_rows(before, png(marked(image, 5), compress_level=1), top) is True
        assert same_rows(before, png(marked(image, image.height - 5), compress_level=1), top) is False
