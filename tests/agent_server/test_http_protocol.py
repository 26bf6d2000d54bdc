"""What comes before a body is bounded, and a body that never ends is given up."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from agent_server.app import create_app
from agent_server.baselines import NullPolicy
from agent_server.config import ServerConfig
from agent_server.http_protocol import LimitedHttpProtocol
from agent_server.openapi import PIXEL


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    app = create_app(NullPolicy(), ServerConfig(body_timeout_s=0.5))
    server = uvicorn.Server(uvicorn.Config(app, http=LimitedHttpProtocol, log_level="critical", ws="none"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield listener.getsockname()
    server.should_exit = True
    thread.join(10)
    listener.close()


def exchange(address: tuple[str, int], *pieces: bytes) -> bytes:
    """What the server says until it hangs up."""
    answer = b""
    with socket.create_connection(address, timeout=20) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
            while chunk := connection.recv(65536):
                answer += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
    return answer


@pytest.mark.parametrize("header", [b"X-Long: %s\r\n" % (b"a" * 70_000), b"X-A: b\r\n" * 12_000])
def test_too_many_headers(address, header):
    answer = exchange(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + header)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert json.loads(body)["status"] == 431


def test_headers_within_the_limit_again_and_again(address):
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\n" % (b"a" * 40_000)
    answer = exchange(address, (request + b"\r\n") * 3, request + b"Connection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 OK") == 4


def test_a_long_body_is_no_header(address):
    body = json.dumps({"goal": "x" * 19_000, "screenshot": PIXEL + "\n" * 100_000}).encode()
    head = b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    answer = exchange(address, head + b"Content-Length: %d\r\n\r\n" % len(body), body[:90_000], body[90_000:])
    assert answer.startswith(b"HTTP/1.1 200 OK")


def test_a_body_that_never_ends_is_given_up(address):
    image = base64.b64decode(PIXEL)
    head = b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    answer = exchange(address, head + b"Content-Length: 5000\r\n\r\n" + image)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not come to its end within 0.5 s" in answer
