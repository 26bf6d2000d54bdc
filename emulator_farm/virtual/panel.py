"""What the glass of a phone shows and feels: the panel in its natural orientation, whatever Android makes of it.

The emulator's own doors (gRPC, console) work on the panel: touches are pixels of the panel upright, and pictures are
the panel's, turned as Android is turned. `wm size` and rotation lie between the panel and what `input` means.
"""

from PIL import Image, ImageOps

from .phone import Phone


def shown(phone: Phone) -> Image.Image:
    """The panel's picture, RGB, turned with Android; a smaller logical display is letterboxed. Do not modify it."""
    frame = phone.frame()
    size = turned((phone.physical_width, phone.physical_height), phone.rotation)
    return frame if frame.size == size else ImageOps.pad(frame, size, Image.Resampling.BILINEAR)


def turned(size: tuple[int, int], rotation: int) -> tuple[int, int]:
    """Width and height with the sides swapped for odd quarter turns."""
    return (size[1], size[0]) if rotation % 2 else size


def logical(phone: Phone, x: int, y: int) -> tuple[int, int]:
    """A point of the upright panel as a point of the display that Android shows."""
    width, height = phone.physical_width, phone.physical_height
    match phone.rotation:
        case 1:
            x, y = y, width - 1 - x
        case 2:
            x, y = width - 1 - x, height - 1 - y
        case 3:
            x, y = height - 1 - y, x
    panel = turned((width, height), phone.rotation)
    screen = phone.screen_size
    if screen == panel:
        return x, y
    scale = min(panel[0] / screen[0], panel[1] / screen[1])
    left, top = (panel[0] - screen[0] * scale) / 2, (panel[1] - screen[1] * scale) / 2
    return round((x - left) / scale), round((y - top) / scale)
