"""From the bytes of `POST /ground` to a question: JSON with base64, or multipart with the file part `screenshot`."""

from __future__ import annotations

from collections.abc import Mapping

from agent_server.errors import InvalidRequest
from agent_server.ground import GroundQuestion
from agent_server.images import ImageLimits
from agent_server.multipart import Part
from agent_server.request_form import SCREENSHOT_PART, read_form, read_screenshot
from agent_server.schemas import GroundRequest


def read_ground_question(content_type: str, body: bytes, limits: ImageLimits) -> GroundQuestion:
    """Check one request and take it apart. Raises InvalidRequest and pydantic.ValidationError."""
    request, files = read_form(content_type, body, GroundRequest)
    return ground_question_of(request, files, limits)


def ground_question_of(request: GroundRequest, parts: Mapping[str, Part], limits: ImageLimits) -> GroundQuestion:
    for name in parts:
        if name != SCREENSHOT_PART:
            raise InvalidRequest(f"there is no part {name!r}; parts are request and screenshot")
    return GroundQuestion(
        element=request.element,
        image=read_screenshot(request.screenshot, parts, limits),
        sampling=request.sampling,
        session=request.session,
        model=request.model,
    )
