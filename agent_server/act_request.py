"""From the bytes of `POST /act` to an observation: JSON with base64, or multipart with the images as files.

The multipart form has a part `request` (the same JSON without the images), a file part `screenshot`, and for turns
that bring their picture file parts `history[i].screenshot`, i counting from 0. Every image is checked before anyone
decodes it. Turns that name their picture by its digest get it from what earlier requests brought.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from agent_server.errors import InvalidRequest
from agent_server.images import ImageLimits
from agent_server.multipart import Part
from agent_server.policy import Observation
from agent_server.request_form import SCREENSHOT_PART, read_form, read_image, read_screenshot
from agent_server.schemas import ActRequest
from agent_server.screenshot_store import ScreenshotStore

_HISTORY_PART = re.compile(r"history\[(0|[1-9]\d{0,5})\]\.screenshot", re.ASCII)


def read_observation(
    content_type: str, body: bytes, limits: ImageLimits, store: ScreenshotStore | None = None
) -> Observation:
    """Check one request and take it apart.

    Its images go into `store`, from which it is also completed; without one no picture is known by its digest. Raises
    InvalidRequest and pydantic.ValidationError, both for the caller to fix.
    """
    request, files = read_form(content_type, body, ActRequest)
    return observation_of(request, files, limits, store)


def observation_of(
    request: ActRequest, parts: Mapping[str, Part], limits: ImageLimits, store: ScreenshotStore | None = None
) -> Observation:
    store = store or ScreenshotStore(0)
    files = _history_files(request, parts)
    screenshot = read_screenshot(request.screenshot, parts, limits)
    brought = [
        read_image(f"history[{index}].screenshot", turn.screenshot, files.get(index), limits)
        for index, turn in enumerate(request.history)
    ]
    for index, (turn, image) in enumerate(zip(request.history, brought, strict=True)):
        if turn.screenshot_sha256 is not None and image is not None:
            _check_digest(index, turn.screenshot_sha256, image.data)
    named = {
        index: turn.screenshot_sha256
        for index, turn in enumerate(request.history)
        if turn.screenshot_sha256 is not None and brought[index] is None
    }
    # What is named is looked up first, so that what is brought does not push it out.
    found = {index: store.get(digest) for index, digest in named.items()}
    for image in (*brought, screenshot):
        if image is not None:
            store.put(image)
    return Observation(
        goal=request.goal,
        image=screenshot.data,
        size=screenshot.size,
        history=tuple(request.history),
        ui_tree=request.ui_tree,
        app=request.app,
        sampling=request.sampling,
        session=request.session,
        return_tokens=request.return_tokens,
        model=request.model,
        history_images=tuple(found.get(index) or image for index, image in enumerate(brought)),
        missing=frozenset(index for index, image in found.items() if image is None),
    )


def _check_digest(index: int, stated: str, data: bytes) -> None:
    actual = hashlib.sha256(data).hexdigest()
    if actual != stated:
        raise InvalidRequest(
            f"history[{index}].screenshot_sha256 is {stated}, but the SHA-256 of the bytes in "
            f"history[{index}].screenshot is {actual}; send one of the two, or the digest of these very bytes"
        )


def _history_files(request: ActRequest, parts: Mapping[str, Part]) -> dict[int, Part]:
    files = {}
    for name, part in parts.items():
        if name == SCREENSHOT_PART:
            continue
        match = _HISTORY_PART.fullmatch(name)
        if match is None:
            raise InvalidRequest(f"there is no part {name!r}; parts are request, screenshot and history[i].screenshot")
        index = int(match.group(1))
        if index >= len(request.history):
            raise InvalidRequest(f"the part {name!r} belongs to no turn: the history has {len(request.history)}")
        files[index] = part
    return files
