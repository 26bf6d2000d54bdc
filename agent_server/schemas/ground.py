"""`POST /ground`: where is this element?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from agent_server.geometry import Box, Point
from agent_server.schemas.act import ParseError, Sampling
from agent_server.schemas.wire import GOAL_LIMIT, Answered, Wire


class GroundRequest(Wire):
    """Where on this screen is what these words describe?"""

    element: Annotated[str, Field(min_length=1, max_length=GOAL_LIMIT)]
    """A description, an instruction or a caption, in any language."""
    screenshot: str | None = None
    """Base64 of a PNG, JPEG or WebP. In a multipart request the image is a file part instead."""
    model: str | None = None
    session: Annotated[str, Field(max_length=500)] | None = None
    """Same session, same backend."""
    sampling: Sampling = Sampling()

    @field_validator("element")
    @classmethod
    def _not_blank(cls, element: str) -> str:
        if not element.strip():
            raise ValueError("the description of the element is blank")
        return element


class GroundSample(Wire):
    """One reading of one reply. Points and boxes are integer pixels of the screenshot that was sent."""

    present: bool | None
    """false: the model says that there is no such element. null: its reply is neither a place nor that."""
    point: Point | None = None
    """Where to touch it; of a box, the centre. On the screen."""
    box: Box | None = None
    """`[left, top, right, bottom]`, right and bottom excluded; null from models that give points."""
    thought: str | None = None
    raw: str = ""
    parse_error: ParseError | None = None
    extra_places: int = 0
    """How many further places the reply names."""
    finish_reason: str | None = None


class GroundResponse(GroundSample, Answered):
    """The answer. With several samples it is the one that most others agree with, the first of equals."""

    adapter: str
    agreement: float | None = None
    """Share of all samples that agree with the answer, itself included; null for a single sample."""
    samples: list[GroundSample] = Field(default_factory=list)
    """All samples when n > 1, else empty."""
