from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.errors import InvalidRequest
from agent_server.multipart import Part, read_parts

TYPE = "multipart/form-data; boundary=B"


def body(*parts: tuple[str, bytes], end: bytes = b"--B--\r\n") -> bytes:
    written = b"".join(b"--B\r\n" + headers.encode() + b"\r\n\r\n" + data + b"\r\n" for headers, data in parts)
    return written + end


def named(name: str, rest: str = "") -> str:
    return f'Content-Disposition: form-data; name="{name}"{rest}'


def test_fields_and_files():
    content = body(
        (named("request") + "\r\nContent-Type: application/json", b'{"a": 1}'),
        (named("shot", '; filename="a.png"') + "\r\ncontent-type: image/png", b"\x89PNG\r\n\r\n--A\r"),
        (named("empty"), b""),
    )
    assert read_parts(TYPE, content) == {
        "request": Part("request", "application/json", b'{"a": 1}'),
        "shot": Part("shot", "image/png", b"\x89PNG\r\n\r\n--A\r"),
        "empty": Part("empty", "", b""),
    }


def test_preamble_epilogue_padding_and_quoted_boundary():
    content = b"preamble\r\n--B \t\r\n" + named("a").encode() + b"\r\n\r\nx\r\n--B--\r\nepilogue"
    assert read_parts('multipart/form-data; charset=utf-8; boundary="B"', content)["a"].data == b"x"


def test_no_parts():
    assert read_parts(TYPE, b"--B--") == {}


def test_names_beyond_ascii_and_headers_that_mean_nothing():
    content = body(("Content-Disposition: form-data; name=plain\r\nX-Other: 1\r\nnonsense", b"x"))
    assert read_parts(TYPE, content)["plain"].data == b"x"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "does not occur"),
        (b"--C--", "does not occur"),
        (b"--Bx\r\n", "something else than a line end"),
        (b"--B", "something else than a line end"),
        (b"--B\r\nContent-Disposition: form-data", "headers of a part do not end"),
        (b"--B\r\n" + named("a", "x" * 9000).encode() + b"\r\n\r\nx\r\n--B--", "headers of a part do not end"),
        (body((named("a"), b"x"), end=b""), "cut off"),
        (body((named("a"), b"x"))[:-8], "something else|cut off"),
        (body(("Content-Type: text/plain", b"x")), "no name"),
        (body(("Content-Disposition: attachment; name=a", b"x")), "no name"),
        (body((named("a"), b"x"), (named("a"), b"y")), "two parts called 'a'"),
        (body(*[(named(f"n{i}"), b"") for i in range(5)]), "more than 4 parts"),
    ],
)
def test_what_cannot_be_read(content, words):
    with pytest.raises(InvalidRequest, match=words) as caught:
        read_parts(TYPE, content, max_parts=4)
    assert caught.value.status == 422


@pytest.mark.parametrize("content_type", ["multipart/form-data", f"multipart/form-data; boundary={'x' * 300}"])
def test_no_usable_boundary(content_type):
    with pytest.raises(InvalidRequest, match="boundary") as caught:
        read_parts(content_type, b"")
    assert caught.value.status == 415


@given(st.dictionaries(st.from_regex(r"[a-z0-9\[\].]{1,20}", fullmatch=True), st.binary(max_size=200), min_size=1))
def test_what_httpx_writes_is_read_back(files):
    request = httpx.Request("POST", "http://x", files={name: ("f", data) for name, data in files.items()})
    read = read_parts(request.headers["content-type"], request.read())
    assert {name: part.data for name, part in read.items()} == files


@given(st.binary(max_size=200))
def test_never_anything_but_parts_or_a_refusal(content):
    for start in (b"", b"--B\r\n", b"--B\r\n" + named("a").encode() + b"\r\n\r\n"):
        try:
            parts = read_parts(TYPE, start + content)
        except InvalidRequest:
            continue
        assert all(isinstance(part, Part) for part in parts.values())
