"""The screens that a model server is tried with."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image

from agent_server.actions import Wait
from agent_server.geometry import Size
from agent_server.images import known_image
from agent_server.policy import Observation
from agent_server.schemas import HistoryTurn, Sampling

_GOAL = "Open the settings"
_GREY = (120, 130, 140)


@dataclass(frozen=True)
class Screen:
    """One screenshot to try."""

    name: str
    size: Size
    """In pixels, as a phone would have it."""


PHONE = Screen("phone", Size(1080, 2400))
SMALLEST = Screen("smallest", Size(1, 1))
SCREENS = (
    PHONE,
    Screen("small phone", Size(720, 1280)),
    Screen("turned phone", Size(2400, 1080)),
    SMALLEST,
    Screen("huge", Size(4000, 6000)),
)


def observation(size: Size, images: int = 1) -> Observation:
    """A first step on a plain screen of `size`, or a later one whose prompt may show `images` of them; one token of
    reply. Takes a tenth of a second for the largest, so keep it off an event loop."""
    shown = known_image(_picture(size))
    return Observation(
        goal=_GOAL,
        image=shown.data,
        size=size,
        history=(HistoryTurn(thought="Nothing to do yet.", summary="Waited", action=Wait(seconds=1)),) * (images - 1),
        history_images=(shown,) * (images - 1),
        sampling=Sampling(temperature=0, max_tokens=1),
    )


@lru_cache(maxsize=32)
def _picture(size: Size) -> bytes:
    """A JPEG, because that can be read at a fraction of its size."""
    picture = io.BytesIO()
    Image.new("RGB", size, _GREY).save(picture, "JPEG")
    return picture.getvalue()


def fitting(size: Size, fits: Callable[[Size], bool]) -> Size | None:
    """The largest size of the same shape, in steps of a tenth of the area, that fits; None where not even one pixel."""
    for step in range(60):
        scale = math.sqrt(0.9**step)
        smaller = Size(max(round(size.width * scale), 1), max(round(size.height * scale), 1))
        if fits(smaller):
            return smaller
    return None
