"""The two forms of a request with images: JSON with base64, or multipart: a part `request`, and the images as files."""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from typing import TypeVar

from agent_server.errors import InvalidImage, InvalidRequest
from agent_server.images import MEDIA_TYPES, CheckedImage, ImageLimits, check_image
from agent_server.multipart import Part, read_parts
from agent_server.schemas import Wire

REQUEST_PART = "request"
SCREENSHOT_PART = "screenshot"
_DATA_URL = re.compile(r"data:([\w/+.-]*);base64,", re.ASCII)

_Asked = TypeVar("_Asked", bound=Wire)


def read_form(content_type: str, body: bytes, kind: type[_Asked]) -> tuple[_Asked, dict[str, Part]]:
    """What is asked, and the file parts beside it by name.

    Raises InvalidRequest (415 for another content type) and pydantic.ValidationError, both for the caller to fix.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/json":
        return kind.model_validate_json(body), {}
    if media_type == "multipart/form-data":
        parts = read_parts(content_type, body)
        part = parts.pop(REQUEST_PART, None)
        if part is None:
            found = ", ".join(sorted(parts)[:10]) or "none"
            raise InvalidRequest(
                f"the part {REQUEST_PART!r} with the request's JSON is missing; the parts are: {found}"
            )
        return kind.model_validate_json(part.data), parts
    stated = f"the content type is {media_type!r}" if media_type else "there is no content type"
    raise InvalidRequest(f"{stated}; send application/json or multipart/form-data", status=415)


def read_screenshot(text: str | None, parts: Mapping[str, Part], limits: ImageLimits) -> CheckedImage:
    """The one screenshot that a request is about. Raises InvalidImage, also where there is none."""
    screenshot = read_image(SCREENSHOT_PART, text, parts.get(SCREENSHOT_PART), limits)
    if screenshot is None:
        raise InvalidImage("screenshot is missing: send base64 in the JSON, or a file part called 'screenshot'")
    return screenshot


def read_image(name: str, text: str | None, part: Part | None, limits: ImageLimits) -> CheckedImage | None:
    """The image called `name`, from whichever of the two it came in; None from neither. Raises InvalidImage."""
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
