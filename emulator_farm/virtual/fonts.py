"""Fonts and glyph masks, shared by every phone of a process.

Text is drawn with Pillow's basic layout and no kerning, so a line's width is the sum of its advances and a picture is
the same on every machine. Chinese is drawn with Noto Sans SC, Arabic with Noto Sans Arabic, its letters joined and
ordered by `bidi`; characters that no font has are drawn as a "missing glyph" box. Masks are kept in one cache bounded
in bytes.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from .bidi import levels, mirrored, runs_left, shape, visual_order

ASSETS = Path(__file__).parent / "assets"
Weight = Literal["regular", "medium", "bold"]
LINE_HEIGHT = 1.172
"""Height of a line relative to the text size, from Roboto's own ascent and descent."""
ASCENT = 0.928
_ICON_OVERSAMPLING = 4
_GROWTH = ((12.0, 1.0), (14.0, 0.86), (18.0, 0.67), (24.0, 0.5), (30.0, 0.27), (100.0, 0.0))
"""Text size in sp and how much of the font scale it takes; in between it is interpolated."""
FIRST_FOREIGN = "\u0600"
WIDE = (("\u2e80", "\u9fff"), ("\uf900", "\ufaff"), ("\uff01", "\uffee"))
OTHERS = (
    ("noto_sans_sc.otf", WIDE),
    ("noto_sans_arabic.ttf", (("\u0600", "\u06ff"), ("\ufb50", "\ufdff"), ("\ufe70", "\ufefc"))),
)
_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFE0E, 0xFE0F, 0xAD, *range(0x202A, 0x202F)))


class MaskCache:
    """Least-recently-used grey masks, at most `limit` bytes of pixels."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._masks: OrderedDict[Hashable, Image.Image] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Image.Image]) -> Image.Image:
        """The mask for `key`, made now if it is not held."""
        with self._lock:
            mask = self._masks.get(key)
            if mask is not None:
                self._masks.move_to_end(key)
                return mask
        mask = make()
        with self._lock:
            if key not in self._masks:
                self._masks[key] = mask
                self._bytes += mask.width * mask.height
            while self._bytes > self._limit and len(self._masks) > 1:
                _, old = self._masks.popitem(last=False)
                self._bytes -= old.width * old.height
        return mask

    @property
    def size_bytes(self) -> int:
        """Pixels now held, one byte each."""
        return self._bytes


MASKS = MaskCache(8 * 1024 * 1024)


class Typeface:
    """One weight at one pixel size."""

    def __init__(self, weight: Weight, size: int) -> None:
        self.weight = weight
        self.size = size
        self.line_height = round(size * LINE_HEIGHT)
        self.ascent = round(size * ASCENT)
        self._font = _open(f"roboto_{weight}.ttf", size)
        self._advances: dict[str, float] = {}

    def advance(self, char: str) -> float:
        """Width of one character, pixels."""
        width = self._advances.get(char)
        if width is None:
            shown = visible(char)
            width = self._advances[char] = self._font_of(shown[0]).getlength(shown) if shown else 0.0
        return width

    def advances(self, text: str) -> list[float]:
        """Width of each character as it stands in this text, pixels."""
        return list(map(self.advance, shape(text) if runs_left(text) else text))

    def width(self, text: str) -> float:
        """Width of one line, pixels."""
        return sum(map(self.advance, shape(text) if runs_left(text) else text))

    def spans(self, text: str) -> list[tuple[float, float]]:
        """Left and right end of each character of one line, pixels from the line's left end."""
        steps = self.advances(text)
        order = visual_order(levels(text)) if runs_left(text) else range(len(text))
        spans = [(0.0, 0.0)] * len(text)
        left = 0.0
        for index in order:
            spans[index] = (left, left + steps[index])
            left += steps[index]
        return spans

    def caret(self, text: str, index: int) -> float:
        """Where the caret stands before the character at `index`, or at the end; pixels from the line's left end."""
        if not runs_left(text):
            return self.width(text[:index])
        near = min(index, len(text) - 1)
        left, right = self.spans(text)[near]
        return right if (levels(text)[near] % 2 == 1) == (near == index) else left

    def mask(self, text: str) -> Image.Image:
        """Coverage of one line; its origin is the left end of the line's top, one pixel of bleed on the left."""
        return MASKS.get((self.weight, self.size, text), lambda: self._draw(text))

    def _draw(self, text: str) -> Image.Image:
        image = Image.new("L", (max(1, round(self.width(text)) + 2 + self.size // 8), self.line_height + 2))
        pen = ImageDraw.Draw(image)
        left = 1.0
        for font, shown in self._pieces(text):
            pen.text((left, self.ascent), shown, fill=255, font=font, anchor="ls")
            left += sum(map(self.advance, shown))
        return image

    def _pieces(self, text: str) -> list[tuple[ImageFont.FreeTypeFont, str]]:
        """What is drawn from left to right, by font."""
        if runs_left(text):
            of_levels = levels(text)
            shaped = shape(text)
            text = "".join(mirrored(shaped[i]) if of_levels[i] % 2 else shaped[i] for i in visual_order(of_levels))
        shown = visible(text)
        if shown.isascii():
            return [(self._font, shown)] if shown else []
        return [(font, "".join(chars)) for font, chars in groupby(shown, self._font_of)]

    def _font_of(self, char: str) -> ImageFont.FreeTypeFont:
        return _fallback(char, self.size) or self._font


def _open(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(ASSETS / name, size, layout_engine=ImageFont.Layout.BASIC)


def _fallback(char: str, size: int) -> ImageFont.FreeTypeFont | None:
    """The font for a character outside Roboto's scripts, None for one of them."""
    if char < FIRST_FOREIGN:
        return None
    return next((_other_font(name, size) for name, ranges in OTHERS if any(a <= char <= b for a, b in ranges)), None)


@lru_cache(maxsize=64)
def _other_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return _open(name, size)


def is_wide(char: str) -> bool:
    """Whether it is one of the Chinese or Japanese characters between which a line may be broken."""
    return any(first <= char <= last for first, last in WIDE)


def scaled(size: float, font_scale: float) -> float:
    """Factor for a text of `size` sp: large text grows less than small text, as since Android 14."""
    for (low, full), (high, less) in pairwise(_GROWTH):
        if size <= high:
            share = full + (less - full) * max(0.0, (size - low) / (high - low))
            return 1 + (font_scale - 1) * share
    return 1.0


def visible(text: str) -> str:
    """One line without characters that have no shape of their own; tabs become spaces."""
    return text.translate(_INVISIBLE).replace("\t", "    ").replace("\n", " ").replace("\r", "")


@lru_cache(maxsize=256)
def typeface(weight: Weight, size: int) -> Typeface:
    """The shared face of this weight at `size` pixels."""
    return Typeface(weight, size)


@lru_cache(maxsize=1)
def icon_points() -> dict[str, str]:
    """Icon names that can be drawn, with their characters."""
    lines = (ASSETS / "symbols.txt").read_text(encoding="ascii").splitlines()
    return {name: chr(int(point, 16)) for name, point in (line.split() for line in lines)}


@lru_cache(maxsize=64)
def _icon_font(filled: bool, size: int) -> ImageFont.FreeTypeFont:
    name = "filled" if filled else "outlined"
    return ImageFont.truetype(ASSETS / f"symbols_{name}.ttf", size, layout_engine=ImageFont.Layout.BASIC)


def icon_mask(name: str, size: int, filled: bool = False, mirrored: bool = False) -> Image.Image:
    """Coverage of an icon, `size` pixels square. Raises KeyError for a name that is not in the subset."""
    char = icon_points()[name]
    return MASKS.get(("icon", name, size, filled, mirrored), lambda: _draw_icon(char, size, filled, mirrored))


def _draw_icon(char: str, size: int, filled: bool, mirrored: bool) -> Image.Image:
    # Drawn large and averaged down: the auto-hinter would otherwise bend strokes of an unhinted icon font.
    big = size * _ICON_OVERSAMPLING
    image = Image.new("L", (big, big))
    ImageDraw.Draw(image).text((0, big), char, fill=255, font=_icon_font(filled, big), anchor="ls")
    small = image.reduce(_ICON_OVERSAMPLING)
    return small.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mirrored else small


def corner_mask(radius: int) -> Image.Image:
    """Coverage of a quarter disc, the top left one, `radius` pixels square."""
    return MASKS.get(("corner", radius), lambda: _draw_corner(radius))


def _draw_corner(radius: int) -> Image.Image:
    factor = 8
    image = Image.new("L", (radius * factor, radius * factor))
    ImageDraw.Draw(image).ellipse((0, 0, 2 * radius * factor - 1, 2 * radius * factor - 1), fill=255)
    return image.reduce(factor)
