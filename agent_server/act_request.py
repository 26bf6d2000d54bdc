"""From the bytes of `POST /act` to an observation: JSON with base64, or multipart with the images as files.

The multipart form has a part `request` (the same JSON without the images), a file part `screenshot`, and for turns
that bring their picture file parts `history[i].screenshot`, i counting from 0. Every image is checked before anyone
decodes it. Turns that name their picture by its digest get it from what earlier requests brought.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping

from agent_server.errors import InvalidImage, InvalidRequest
from agent_server.images import MEDIA_TYPES, CheckedImage, ImageLimits, check_image
from agent_server.multipart import Part, read_parts
from agent_server.policy import Observation
from agent_server.schemas import ActRequest
from agent_server.screenshot_store import ScreenshotStore

REQUEST_PART = "request"
SCREENSHOT_PART = "screenshot"
_HISTORY_PART = re.compile(r"history\[(0|[1-9]\d{0,5})\]\.screenshot", re.ASCII)
_DATA_URL = re.compile(r"data:([\w/+.-]*);base64,", re.ASCII)


def read_observation(
    content_type: str, body: bytes, limits: ImageLimits, store: ScreenshotStore | None = None
) -> Observation:
    """Check one request and take it apart.

    Its images go into `store`, from which it is also completed; without one no picture is known by its digest. Raises
    InvalidRequest and pydantic.ValidationError, both for the caller to fix.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/json":
        return observation_of(ActRequest.model_validate_json(body), {}, limits, store)
    if media_type == "multipart/form-data":
        parts = read_parts(content_type, body)
        return observation_of(_request_part(parts), parts, limits, store)
    stated = f"the content type is {media_type!r}" if media_type else "there is no content type"
    raise InvalidRequest(f"{stated}; send application/json or multipart/form-data", status=415)


def _request_part(parts: Mapping[str, Part]) -> ActRequest:
    part = parts.get(REQUEST_PART)
    if part is None:
        found = ", ".join(sorted(parts)[:10]) or "none"
        raise InvalidRequest(f"the part {REQUEST_PART!r} with the request's JSON is missing; the parts are: {found}")
    return ActRequest.model_validate_json(part.data)


def observation_of(
    request: ActRequest, parts: Mapping[str, Part], limits: ImageLimits, store: ScreenshotStore | None = None
) -> Observation:
    store = store or ScreenshotStore(0)
    files = _history_files(request, parts)
    screenshot = _image(SCREENSHOT_PART, request.screenshot, parts.get(SCREENSHOT_PART), limits)
    if screenshot is None:
        raise InvalidImage("screenshot is missing: send base64 in the JSON, or a file part called 'screenshot'")
    brought = [
        _image(f"history[{index}].screenshot", turn.screenshot, files.get(index), limits)
        for index, turn in enumerate(request.history)
    ]
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


def _history_files(request: ActRequest, parts: Mapping[str, Part]) -> dict[int, Part]:
    files = {}
    for name, part in parts.items():
        if name in (REQUEST_PART, SCREENSHOT_PART):
            continue
        match = _HISTORY_PART.fullmatch(name)
        if match is None:
            raise InvalidRequest(f"there is no part {name!r}; parts are request, screenshot and history[i].screenshot")
        index = int(match.group(1))
        if index >= len(request.history):
            raise InvalidRequest(f"the part {name!r} belongs to no turn: the history has {len(request.history)}")
        files[index] = part
    return files


def _image(name: str, text: str | None, part: Part | None, limits: ImageLimits) -> CheckedImage | None:
    if text is not None and part is not None:
        raise InvalidImage(f"{name} came twice, in the JSON and as a file part; send it once")
    try:
        if part is not None:
            return check_image(part.data, limits, declared=part.media_type)
        return None if text is None else _from_text(text, limits)
    except InvalidImage as error:
        raise InvalidImage(f"{name}: {error}", status=error.status) from error


def _from_text(text: str, limits: ImageLimits) -> CheckedImage:
    declared = ""
    if text.startswith("data:"):
        match = _DATA_URL.match(text)
        if match is None or match.group(1) not in MEDIA_TYPES:
            raise InvalidImage(f"this data URL holds no base64 image: {text[:40]!r}")
        declared, text = match.group(1), text[match.end() :]
    elif text.startswith(("http://", "https://", "file://")):
        raise InvalidImage("images are never fetched from a URL; send the bytes as base64 or as a file part")
    return check_image(_unbase64(text), limits, declared=declared)


def _unbase64(text: str) -> bytes:
    try:
        written = text.encode("ascii")  # decoding takes twice as long from a str
        try:
            return binascii.a2b_base64(written, strict_mode=True)
        except binascii.Error:
            # What `base64 FILE` prints is wrapped into lines.
            return binascii.a2b_base64(b"".join(written.split()), strict_mode=True)
    except ValueError as error:
        raise InvalidImage(f"this is not base64: {error}") from error
