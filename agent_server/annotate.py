"""An action drawn on the screenshot it was chosen for, so that a person sees at a glance where it goes."""

from __future__ import annotations

import io
import math

from PIL import Image, ImageDraw, ImageFont

from agent_server.actions import Action, Click, DoubleClick, Drag, LongPress, Scroll, action_points
from agent_server.geometry import Point, Size
from agent_server.images import CheckedImage, decoded
from agent_server.resample import flattened

_COLOUR = (230, 30, 80)
_HALO = (255, 255, 255)
_REACH = 0.25
"""Length of the arrow of a scroll that says no distance, as a share of the screen."""


def annotated(image: CheckedImage, action: Action | None, caption: str = "") -> bytes:
    """A PNG of the screenshot with the action's points, its path and a line of text, or `caption` for no action."""
    picture = flattened(decoded(image)).copy()
    pen = _Pen(picture)
    match action:
        case Click(point=point):
            pen.ring(point, 1.0)
        case DoubleClick(point=point):
            pen.ring(point, 1.0)
            pen.ring(point, 1.6)
        case LongPress(point=point):
            pen.ring(point, 1.0)
            pen.dot(point)
        case Drag(start=start, end=end):
            pen.ring(start, 0.7)
            pen.arrow(start, end)
        case Scroll():
            start, end = finger_path(action, image.size)
            pen.dot(start)
            pen.arrow(start, end)
        case _:
            pass
    pen.label(caption if action is None else describe(action))
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue()


def describe(action: Action) -> str:
    """One line about an action: its kind, what it carries, its points."""
    values = action.model_dump(exclude_none=True, exclude={"type", "point", "start", "end"})
    told = " ".join(str(value) for value in values.values() if value != "")
    points = " ".join(f"({point.x}, {point.y})" for point in action_points(action))
    return " ".join(part for part in (action.type, told, points) if part)


def finger_path(action: Scroll, size: Size) -> tuple[Point, Point]:
    """Where the finger goes down and lifts, in device pixels; invented where the action leaves it open."""
    start = action.start or Point(size.width // 2, size.height // 2)
    if action.end is not None:
        return start, action.end
    dx, dy = {"up": (0, 1), "down": (0, -1), "left": (1, 0), "right": (-1, 0)}[action.direction]
    end = Point(start.x + round(dx * size.width * _REACH), start.y + round(dy * size.height * _REACH))
    return start, end.clamped(size)


class _Pen:
    """Draws in one colour on a light halo, at a size that suits the picture."""

    def __init__(self, picture: Image.Image) -> None:
        self._draw = ImageDraw.Draw(picture)
        self._size = Size(*picture.size)
        self._unit = max(min(picture.size) / 25, 3.0)
        self._width = max(round(self._unit / 6), 1)

    def ring(self, at: Point, scale: float) -> None:
        for colour, width in ((_HALO, self._width * 2), (_COLOUR, self._width)):
            self._draw.ellipse(self._around(at, self._unit * scale), outline=colour, width=width)

    def dot(self, at: Point) -> None:
        self._draw.ellipse(self._around(at, self._unit / 2), fill=_COLOUR, outline=_HALO)

    def arrow(self, start: Point, end: Point) -> None:
        angle = math.atan2(end.y - start.y, end.x - start.x)
        wings = [
            (end.x - self._unit * math.cos(angle + turn), end.y - self._unit * math.sin(angle + turn))
            for turn in (-0.5, 0.5)
        ]
        for colour, width in ((_HALO, self._width * 3), (_COLOUR, self._width)):
            self._draw.line([start, end], fill=colour, width=width)
        self._draw.polygon([tuple(end), *wings], fill=_COLOUR, outline=_HALO)

    def label(self, text: str) -> None:
        if not text:
            return
        line = " ".join(text.split())[:200]
        font = ImageFont.load_default(max(self._unit * 0.8, 8))
        _, _, right, bottom = self._draw.textbbox((self._width, self._width), line, font=font)
        self._draw.rectangle((0, 0, right + self._width, bottom + self._width), fill=_COLOUR)
        self._draw.text((self._width, self._width), line, fill=_HALO, font=font)

    def _around(self, at: Point, radius: float) -> tuple[float, float, float, float]:
        return at.x - radius, at.y - radius, at.x + radius, at.y + radius
