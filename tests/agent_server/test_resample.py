from __future__ import annotations

import pytest
from PIL import Image, ImageChops

from agent_server.geometry import Size
from agent_server.resample import flattened, resample, resample_pillow


def histogram(one: Image.Image, other: Image.Image) -> list[int]:
    """How often each difference occurs, over all channels."""
    bands = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).split()
    return [sum(counts) for counts in zip(*(band.histogram() for band in bands), strict=True)]


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L"])
@pytest.mark.parametrize("size", [Size(64, 145), Size(200, 100), Size(1, 1), Size(109, 240)])
def test_the_way_that_is_used_here_is_pillows_bicubic(mode, size, draw):
    picture = draw(108, 240).convert(mode)
    result = resample(picture, size)
    assert result.size == size
    assert result.mode in ("RGB", "RGBX")
    counts = histogram(Image.frombytes("RGB", size, result.convert("RGB").tobytes()), resample_pillow(picture, size))
    # Overshoot beside sharp edges is where rounding between the two passes shows most.
    assert sum(counts[3:]) <= 0.01 * sum(counts)


def test_transparent_pictures_are_put_on_white_by_both_ways():
    picture = Image.new("RGBA", (30, 30), (0, 0, 0, 0))
    picture.paste((10, 20, 30, 255), (0, 0, 15, 30))
    for way in (resample, resample_pillow):
        result = way(picture, Size(10, 10)).convert("RGB")
        assert result.getpixel((1, 5)) == (10, 20, 30)
        assert result.getpixel((8, 5)) == (255, 255, 255)


def test_a_palette_with_a_transparent_entry(encode):
    picture = Image.new("P", (10, 10), 0)
    picture.putpalette([255, 0, 0, 0, 255, 0])
    picture.info["transparency"] = 0
    assert flattened(picture).getpixel((5, 5)) == (255, 255, 255)
