"""What the camera sees: a made-up landscape for each number, always the same one, as JPEG."""

import io
import random
from functools import lru_cache

from PIL import Image, ImageDraw

SIZE = (960, 1280)
"""Width and height of a photo, pixels."""
QUALITY = 85
_SKIES = (((96, 165, 224), (222, 236, 245)), ((236, 132, 86), (252, 214, 150)), ((38, 52, 94), (120, 110, 150)))
_LANDS = ((58, 92, 66), (86, 120, 72), (120, 104, 74), (70, 86, 104))


@lru_cache(maxsize=16)
def view(number: int, front: bool) -> bytes:
    """The view that photo `number` of a phone shows, through the back or the front lens."""
    dice = random.Random(f"{number}/{front}")
    image = _face(dice) if front else _landscape(dice)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def _sky(dice: random.Random) -> Image.Image:
    high, low = dice.choice(_SKIES)
    column = Image.new("RGB", (1, 2))
    column.putpixel((0, 0), high)
    column.putpixel((0, 1), low)
    return column.resize(SIZE, Image.Resampling.BILINEAR)


def _landscape(dice: random.Random) -> Image.Image:
    width, height = SIZE
    image = _sky(dice)
    draw = ImageDraw.Draw(image)
    x, y, r = dice.randrange(width), dice.randrange(100, 500), dice.randrange(40, 90)
    draw.ellipse((x - r, y - r, x + r, y + r), fill=(255, 244, 214))
    for layer, color in enumerate(dice.sample(_LANDS, 3)):
        base = height * (45 + 16 * layer) // 100
        ridge = [(step * width // 8, base + dice.randrange(-90, 90)) for step in range(9)]
        draw.polygon([*ridge, (width, height), (0, height)], fill=color)
    for _ in range(dice.randrange(3, 9)):
        x, y = dice.randrange(width), dice.randrange(height * 7 // 10, height)
        tall = dice.randrange(60, 180)
        draw.polygon(((x - tall // 3, y), (x + tall // 3, y), (x, y - tall)), fill=(34, 58, 44))
    return image


def _face(dice: random.Random) -> Image.Image:
    image = _sky(dice)
    draw = ImageDraw.Draw(image)
    skin = dice.choice(((241, 203, 170), (198, 143, 104), (122, 82, 58)))
    draw.rounded_rectangle((180, 900, 780, SIZE[1] + 90), 160, fill=dice.choice(_LANDS))
    draw.ellipse((270, 380, 690, 960), fill=skin)
    draw.chord((255, 340, 705, 780), 180, 360, fill=dice.choice(((40, 30, 28), (120, 84, 48), (88, 88, 92))))
    for x in (400, 560):
        draw.ellipse((x - 18, 620, x + 18, 656), fill=(30, 30, 34))
    draw.arc((400, 680, 560, 830), 20, 160, fill=(140, 60, 60), width=12)
    return image
