"""Pictures at the size they are shown at."""

import io

import pytest
from PIL import Image

from emulator_farm.virtual.photos import photo, picture_size


def encoded(size: tuple[int, int], form: str = "PNG") -> bytes:
    """Left half red, right half blue."""
    image = Image.new("RGB", size, (255, 0, 0))
    image.paste((0, 0, 255), (size[0] // 2, 0, *size))
    out = io.BytesIO()
    image.save(out, form)
    return out.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_whole_picture_fits(form: str) -> None:
    data = encoded((400, 200), form)
    assert picture_size(data) == (400, 200)
    shown = photo(data, 100, 100, cover=False)
    assert (shown.mode, shown.size) == ("RGB", (100, 50))
    assert shown.getpixel((10, 25))[0] > 240
    assert shown.getpixel((90, 25))[2] > 240


def test_a_cut_picture_fills_its_place() -> None:
    shown = photo(encoded((400, 200)), 100, 100, cover=True)
    assert shown.size == (100, 100)
    assert shown.getpixel((10, 50)) == (255, 0, 0)
    assert shown.getpixel((90, 50)) == (0, 0, 255)


@pytest.mark.parametrize("data", [b"", b"nonsense", encoded((400, 200))[:60], encoded((300, 300), "JPEG")[:700]])
def test_what_is_no_picture_is_grey(data: bytes) -> None:
    shown = photo(data, 40, 30, cover=True)
    assert shown.size == (40, 30)
    assert len(set(shown.getpixel((20, 15)))) <= 3
    assert photo(b"nonsense", 0, 0, cover=False).size == (1, 1)
