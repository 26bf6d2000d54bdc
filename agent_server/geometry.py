"""Sizes, points and the one place where coordinates change space.

Two spaces exist. *Device* space is integer pixels of the screenshot that was sent, origin top left,
x in [0, width-1], y in [0, height-1]. *Model* space is whatever a model family writes: pixels of the image after the
processor's resize, or a fraction of the screen scaled to 1000, 999 or 1. Everything here is a pure function.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

MAX_ASPECT_RATIO = 200
"""Qwen's image processors refuse images longer than this many times their width."""


class GeometryError(ValueError):
    """A size that no model accepts."""


class OutOfRange(ValueError):
    """A model wrote coordinates outside its own space."""


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    @property
    def pixels(self) -> int:
        return self.width * self.height

    @classmethod
    def parse(cls, text: str) -> Size:
        """Read "1080x2400". Raises GeometryError."""
        sides = re.fullmatch(r"\s*(\d{1,9})\s*x\s*(\d{1,9})\s*", text, re.IGNORECASE)
        if sides is None:
            raise GeometryError(f"{text[:40]!r} is not a size; write WIDTHxHEIGHT, for instance 1080x2400")
        size = cls(int(sides[1]), int(sides[2]))
        if size.width < 1 or size.height < 1:
            raise GeometryError(f"{text!r} is not a size: both sides must be at least 1 pixel")
        return size


class Point(NamedTuple):
    """A position in integer device pixels; JSON is `[x, y]`."""

    x: int
    y: int

    def clamped(self, size: Size) -> Point:
        """The nearest point that lies on a screen of `size`."""
        return Point(min(max(self.x, 0), size.width - 1), min(max(self.y, 0), size.height - 1))

    def inside(self, size: Size) -> bool:
        return 0 <= self.x < size.width and 0 <= self.y < size.height


class Box(NamedTuple):
    """A rectangle in device pixels: left and top included, right and bottom excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        """0 for the empty and the inside-out boxes that real UI dumps contain."""
        return max(self.width, 0) * max(self.height, 0)

    @property
    def centre(self) -> Point:
        return Point((self.left + self.right) // 2, (self.top + self.bottom) // 2)

    def contains(self, point: Point) -> bool:
        return self.left <= point.x < self.right and self.top <= point.y < self.bottom


def smart_resize(size: Size, *, factor: int, min_pixels: int, max_pixels: int) -> Size:
    """The size to which a Qwen-VL processor brings an image of `size`.

    Each side becomes a multiple of `factor` (28 for Qwen2-VL and Qwen2.5-VL, 32 for Qwen3-VL); the area is brought
    between `min_pixels` and `max_pixels` with the aspect ratio kept as well as the grid allows. Sides are rounded
    half to even, as the processors do. The area can still exceed `max_pixels` where one side is held at `factor`.

    Raises GeometryError for an empty image or an aspect ratio above 200.
    """
    width, height = size
    if width < 1 or height < 1:
        raise GeometryError(f"an image of {size} has no pixels")
    if max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise GeometryError(f"an image of {size} is more than {MAX_ASPECT_RATIO} times as long as wide; crop it")
    new_width = max(factor, round(width / factor) * factor)
    new_height = max(factor, round(height / factor) * factor)
    if new_width * new_height > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        new_width = max(factor, math.floor(width / shrink / factor) * factor)
        new_height = max(factor, math.floor(height / shrink / factor) * factor)
    elif new_width * new_height < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        new_width = math.ceil(width * grow / factor) * factor
        new_height = math.ceil(height * grow / factor) * factor
    return Size(new_width, new_height)


def fit_longest_side(size: Size, longest: int) -> Size | None:
    """The size of an image of `size` whose longer side is brought down to `longest`; None where it is no longer.

    The aspect ratio is kept; the shorter side is rounded down, to at least one pixel.
    """
    width, height = size
    if max(width, height) <= longest:
        return None
    if height >= width:
        return Size(max(1, width * longest // height), longest)
    return Size(longest, max(1, height * longest // width))


def fit_area(size: Size, most: int) -> Size | None:
    """The size of an image of `size` brought down to at most `most` pixels; None where it has no more.

    The aspect ratio is kept as well as whole pixels allow; both sides are at least one pixel.
    """
    if size.pixels <= most:
        return None
    shrink = math.sqrt(most / size.pixels)
    return Size(max(1, math.floor(size.width * shrink)), max(1, math.floor(size.height * shrink)))


@dataclass(frozen=True)
class CoordinateMap:
    """Model space <-> device pixels for one screenshot.

    `extent` is the length of each axis in model units: the resized image for absolute coordinates, (1000, 1000),
    (999, 999) or (1, 1) for relative ones. `integral` says whether the model writes whole numbers.
    """

    device: Size
    extent: tuple[float, float]
    integral: bool = True

    @classmethod
    def absolute(cls, device: Size, resized: Size) -> CoordinateMap:
        """Pixels of the resized image."""
        return cls(device, (resized.width, resized.height))

    @classmethod
    def relative(cls, device: Size, divisor: float) -> CoordinateMap:
        """Fractions of the screen times `divisor`; a divisor of 1 means real numbers from 0 to 1."""
        return cls(device, (divisor, divisor), integral=divisor > 1)

    def to_device(self, x: float, y: float) -> Point:
        """The pixel nearest to a position in model space; the far edge maps to the last pixel.

        Raises OutOfRange for numbers outside [0, extent]: a model that writes those uses another space than declared.
        """
        if not (0 <= x <= self.extent[0] and 0 <= y <= self.extent[1]):
            limit = f"[0, {self.extent[0]:g}] x [0, {self.extent[1]:g}]"
            raise OutOfRange(f"the point ({x:g}, {y:g}) lies outside the model's space {limit}")
        return Point(
            round(x * self.device.width / self.extent[0]), round(y * self.device.height / self.extent[1])
        ).clamped(self.device)

    def to_model(self, point: Point) -> tuple[float, float]:
        """The position in model space, within half a unit of the true one; the point is clamped to the screen."""
        inside = point.clamped(self.device)
        return self._in_model(inside.x, inside.y)

    def box_to_device(self, left: float, top: float, right: float, bottom: float) -> Box:
        """The pixels of a rectangle in model space, at least one each way; its corners may come in any order.

        Raises OutOfRange like `to_device`.
        """
        self.to_device(left, top)
        self.to_device(right, bottom)
        first, last = sorted(round(x * self.device.width / self.extent[0]) for x in (left, right))
        upper, lower = sorted(round(y * self.device.height / self.extent[1]) for y in (top, bottom))
        first, upper = Point(first, upper).clamped(self.device)
        return Box(first, upper, max(last, first + 1), max(lower, upper + 1))

    def box_to_model(self, box: Box) -> tuple[float, float, float, float]:
        """The edges in model space, each within half a unit of the true one."""
        return *self._in_model(box.left, box.top), *self._in_model(box.right, box.bottom)

    def _in_model(self, x: float, y: float) -> tuple[float, float]:
        across, down = x * self.extent[0] / self.device.width, y * self.extent[1] / self.device.height
        return (round(across), round(down)) if self.integral else (round(across, 4), round(down, 4))
