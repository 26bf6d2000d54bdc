"""Both forms of a request with images."""

from __future__ import annotations

import base64

import pytest
from pydantic import ValidationError

from agent_server.errors import InvalidImage, InvalidRequest
from agent_server.images import ImageLimits
from agent_server.multipart import Part
from agent_server.openapi import PIXEL
from agent_server.request_form import read_form, read_image, read_screenshot
from agent_server.schemas import GroundRequest

PNG = base64.b64decode(PIXEL)
LIMITS = ImageLimits()
MULTIPART = (
    b'--b\r\nContent-Disposition: form-data; name="request"\r\n\r\n{"element": "x"}\r\n'
    b'--b\r\nContent-Disposition: form-data; name="screenshot"; filename="s"\r\n\r\nbytes\r\n--b--\r\n'
)


def test_json_and_multipart_give_the_same_request():
    asked, files = read_form("application/json; charset=utf-8", b'{"element": "x"}', GroundRequest)
    assert (asked, files) == (GroundRequest(element="x"), {})
    asked, files = read_form("multipart/form-data; boundary=b", MULTIPART, GroundRequest)
    assert asked == GroundRequest(element="x")
    assert files == {"screenshot": Part("screenshot", "", b"bytes")}


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("text/plain", b"", "the content type is 'text/plain'"),
        ("", b"", "there is no content type"),
        (
            "multipart/form-data; boundary=b",
            MULTIPART.replace(b'"request"', b'"question"'),
            "the parts are: question, screenshot",
        ),
    ],
)
def test_other_forms_are_refused(kind, body, words):
    with pytest.raises(InvalidRequest, match=words):
        read_form(kind, body, GroundRequest)


def test_fields_are_checked():
    with pytest.raises(ValidationError):
        read_form("application/json", b"{}", GroundRequest)


@pytest.mark.parametrize("text", [PIXEL, f"data:image/png;base64,{PIXEL}", f"{PIXEL[:40]}\n{PIXEL[40:]}"])
def test_an_image_as_text_or_as_a_part(text):
    from_text = read_screenshot(text, {}, LIMITS)
    assert from_text.data == PNG
    assert read_screenshot(None, {"screenshot": Part("screenshot", "image/png", PNG)}, LIMITS) == from_text


@pytest.mark.parametrize(
    ("text", "part", "words"),
    [
        (PIXEL, Part("x", "", PNG), "frame came twice"),
        ("data:text/html;base64,AA", None, "frame: this data URL holds no base64 image"),
        ("file:///etc/passwd", None, "never fetched"),
        ("né", None, "not base64"),
        (None, Part("x", "image/jpeg", PNG), "declared as image/jpeg"),
    ],
)
def test_what_is_no_image(text, part, words):
    with pytest.raises(InvalidImage, match=words):
        read_image("frame", text, part, LIMITS)


def test_none_where_there_is_none():
    assert read_image("frame", None, None, LIMITS) is None
    with pytest.raises(InvalidImage, match="screenshot is missing"):
        read_screenshot(None, {}, LIMITS)
