"""Pictures in files, decoded to the size they are shown at; what was decoded is shared by all phones of a process."""

import io

from PIL import Image, UnidentifiedImageError

from .fonts import MaskCache

MAX_PIXELS = 40_000_000
_DECODED = MaskCache(2_000_000)
_BROKEN = (120, 124, 128)


def picture_size(data: bytes) -> tuple[int, int]:
    """Width and height of a picture, pixels, without decoding it; (0, 0) where the bytes are none."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, ValueError):
        return 0, 0


def photo(data: bytes, width: int, height: int, cover: bool) -> Image.Image:
    """The picture as RGB: as large as fits into `width` x `height` pixels, or cut to fill them where `cover`.

    A grey area stands for a file that holds no picture.
    """
    size = (max(1, width), max(1, height))
    return _DECODED.get(("photo", hash(data), len(data), size, cover), lambda: _decode(data, size, cover))


def _decode(data: bytes, size: tuple[int, int], cover: bool) -> Image.Image:
    width, height = picture_size(data)
    if not 0 < width * height <= MAX_PIXELS:
        return Image.new("RGB", size, _BROKEN)
    choose = max if cover else min
    scale = choose(size[0] / width, size[1] / height)
    inner = (max(1, round(width * scale)), max(1, round(height * scale)))
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.draft("RGB", inner)
            small = image.convert("RGB").resize(inner, reducing_gap=2.0)
    except (OSError, ValueError, SyntaxError):
        return Image.new("RGB", size, _BROKEN)
    if not cover:
        return small
    left, top = (inner[0] - size[0]) // 2, (inner[1] - size[1]) // 2
    return small.crop((left, top, left + size[0], top + size[1]))
