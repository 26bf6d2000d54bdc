"""From the bytes of `POST /judge` to a case: JSON with base64, or multipart with the frames as files.

The multipart form has a part `request` (the same JSON without the images) and file parts `frame[i]`, where i is the
index of the step that saw the screen, counting from 0; the number of steps stands for the screen after the last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from agent_server.errors import InvalidRequest
from agent_server.images import CheckedImage, ImageLimits
from agent_server.judge import Case
from agent_server.multipart import Part
from agent_server.request_form import read_form, read_image
from agent_server.schemas import JudgeRequest

_FRAME_PART = re.compile(r"frame\[(0|[1-9]\d{0,5})\]", re.ASCII)


def read_case(content_type: str, body: bytes, limits: ImageLimits) -> Case:
    """Check one request and take it apart. Raises InvalidRequest and pydantic.ValidationError."""
    request, files = read_form(content_type, body, JudgeRequest)
    return case_of(request, files, limits)


def case_of(request: JudgeRequest, parts: Mapping[str, Part], limits: ImageLimits) -> Case:
    return Case(
        goal=request.goal,
        steps=tuple(request.steps),
        frames=_frames(request, parts, limits),
        choose_frames=request.select == "auto",
        answer=request.answer,
        criteria=request.criteria,
        threshold=request.threshold,
        sampling=request.sampling,
        session=request.session,
        model=request.model,
    )


def _frames(request: JudgeRequest, parts: Mapping[str, Part], limits: ImageLimits) -> dict[int, CheckedImage]:
    files = {_index(name): part for name, part in parts.items()}
    frames = {}
    for index in sorted({*request.frames, *files}):
        if request.steps and index > len(request.steps):
            raise InvalidRequest(f"frame[{index}] belongs to no step: there are {len(request.steps)}")
        image = read_image(f"frame[{index}]", request.frames.get(index), files.get(index), limits)
        assert image is not None, "every index came from one of the two"
        frames[index] = image
    return frames


def _index(name: str) -> int:
    match = _FRAME_PART.fullmatch(name)
    if match is None:
        raise InvalidRequest(f"there is no part {name!r}; parts are request and frame[i]")
    return int(match.group(1))
