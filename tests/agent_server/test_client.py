from __future__ import annotations

import os
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator

import pytest

from agent_server.actions import Click, Finished, Type
from agent_server.app import create_app
from agent_server.baselines import NullPolicy
from agent_server.client import PolicyClient
from agent_server.config import ServerConfig
from agent_server.errors import BackendUnavailable, PolicyRejected, PolicyUnavailable
from agent_server.geometry import Point
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, HistoryTurn, ModelCard, Sampling

Answer = Callable[[bytes], Iterator[bytes | float]]


class Noted(NullPolicy):
    """The null policy, with a note of what it saw."""

    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.seen: list[Observation] = []

    async def act(self, observation: Observation) -> ActResponse:
        self.seen.append(observation)
        if self.failure:
            raise self.failure
        return await super().act(observation)

    async def ready(self) -> None:
        if self.failure:
            raise self.failure


@pytest.fixture
def raw_server() -> Iterator[Callable[[Answer], str]]:
    """A server that writes exactly what it is told, once per connection: bytes, or seconds to wait."""
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []
    stop = threading.Event()

    def serve(listener: socket.socket, answer: Answer) -> None:
        while not stop.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(5)
                request = connection.recv(1 << 20)
                try:
                    for item in answer(request):
                        if isinstance(item, float):
                            stop.wait(item)
                        else:
                            connection.sendall(item)
                except OSError:
                    continue

    def start(answer: Answer) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(0.05)
        listeners.append(listener)
        thread = threading.Thread(target=serve, args=(listener, answer), daemon=True)
        thread.start()
        threads.append(thread)
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    stop.set()
    for thread in threads:
        thread.join(5)
    for listener in listeners:
        listener.close()


def test_a_decision(serve_app, screenshot):
    policy = Noted()
    turns = [
        HistoryTurn(step=0, thought="t", summary="s", action=Click(point=Point(1, 2)), raw="r"),
        HistoryTurn(step=1, action=Type(text="héllo\n")),
    ]
    sampling = Sampling(temperature=0.5, seed=9, n=2)
    with PolicyClient(serve_app(create_app(policy)) + "/") as client:
        answer = client.act(
            "Do it",
            screenshot,
            turns,
            ui_tree="<hierarchy/>",
            app="com.x/.Main",
            session="e1",
            sampling=sampling,
            return_tokens=True,
            history_screenshots={1: screenshot},
        )
    assert answer.action == Finished()
    (seen,) = policy.seen
    assert (seen.goal, seen.image, seen.size) == ("Do it", screenshot, (1080, 2400))
    assert list(seen.history) == turns
    assert [image and image.data for image in seen.history_images] == [None, screenshot]
    assert (seen.ui_tree, seen.app, seen.session) == ("<hierarchy/>", "com.x/.Main", "e1")
    assert (seen.sampling, seen.return_tokens, seen.model) == (sampling, True, None)


def test_models_and_readiness(serve_app):
    client = PolicyClient(serve_app(create_app(Noted())))
    (card,) = client.models()
    assert isinstance(card, ModelCard)
    assert card.adapter == "null"
    client.ready()
    client.close()


def test_connections_are_kept_and_a_closed_client_can_be_used_again(serve_app, screenshot):
    client = PolicyClient(serve_app(create_app(Noted())))
    for _ in range(2):
        client.act("g", screenshot)
        client.act("g", screenshot)
        client.close()


def test_the_token_is_sent(serve_app, tmp_path, screenshot):
    tokens = tmp_path / "tokens"
    tokens.write_text("open sesame\n".replace(" ", "-"))
    url = serve_app(create_app(Noted(), ServerConfig(token_file=tokens)))
    with PolicyClient(url, token="open-sesame") as client:
        assert client.act("g", screenshot).action == Finished()
    with PolicyClient(url) as client, pytest.raises(PolicyRejected, match="401: send a valid token") as caught:
        client.act("g", screenshot)
    assert caught.value.status == 401


@pytest.mark.parametrize(
    ("goal", "image", "status", "words"),
    [
        ("g", b"text", 415, "screenshot: this is not a PNG"),
        ("g", b"", 422, "the image is empty"),
        ("", b"", 422, "the request cannot be sent: goal"),
        (" ", b"", 422, "the goal is blank"),
    ],
)
def test_a_request_that_makes_no_sense(goal, image, status, words, serve_app):
    policy = Noted()
    with PolicyClient(serve_app(create_app(policy))) as client, pytest.raises(PolicyRejected, match=words) as caught:
        client.act(goal, image)
    assert caught.value.status == status
    assert policy.seen == []


def test_an_unavailable_backend(serve_app, screenshot):
    policy = Noted(BackendUnavailable("no backend can be reached"))
    with PolicyClient(serve_app(create_app(policy))) as client:
        with pytest.raises(PolicyUnavailable, match="answered 503: no backend can be reached"):
            client.act("g", screenshot)
        with pytest.raises(PolicyUnavailable, match="readyz answered 503"):
            client.ready()
    assert len(policy.seen) == 1, "one call, one request"


def test_nobody_listens(screenshot):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    words = f"cannot connect to http://127.0.0.1:{port}/act: .*refused"
    with PolicyClient(f"http://127.0.0.1:{port}") as client, pytest.raises(PolicyUnavailable, match=words):
        client.act("g", screenshot)


def respond(body: bytes, status: str = "200 OK", kind: str = "application/json") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (respond(b"<html>hi</html>", kind="text/html"), PolicyUnavailable, "is not a policy server's: <html>hi"),
        (respond(b'{"action": null}'), PolicyUnavailable, "is not a policy server's.*model: Field required"),
        (respond(b""), PolicyUnavailable, "an empty body"),
        (respond(b"oops", "500 Internal Server Error"), PolicyUnavailable, "answered 500: oops"),
        (respond(b'{"detail": "busy"}', "503 X"), PolicyUnavailable, "answered 503: busy"),
        (respond(b'["busy"]', "502 X"), PolicyUnavailable, r"answered 502: \[\"busy\"\]"),
        (respond(b"", "302 Found"), PolicyUnavailable, "answered 302"),
        (respond(b"<html>nothing here", "404 Not Found"), PolicyRejected, "answered 404: <html>nothing here"),
        (respond(b"12345")[:-3], PolicyUnavailable, "broke"),
        (b"", PolicyUnavailable, "broke"),
        (b"garbage\r\n\r\n", PolicyUnavailable, "broke"),
    ],
)
def test_what_other_servers_answer(answer, error, words, raw_server):
    asked: list[bytes] = []

    def once(request: bytes) -> Iterator[bytes]:
        asked.append(request)
        yield answer

    with PolicyClient(raw_server(once), timeout_s=10) as client, pytest.raises(error, match=words):
        client.act("g", b"png")
    assert len(asked) == 1


def test_a_policy_that_says_nothing(raw_server):
    start = time.monotonic()
    words = r"no answer from http://.*/act within 0\.3 s"
    silent = PolicyClient(raw_server(lambda _: iter([5.0])), timeout_s=0.3)
    with silent as client, pytest.raises(PolicyUnavailable, match=words):
        client.act("g", b"png")
    assert time.monotonic() - start < 3


def test_a_policy_whose_answer_trickles(raw_server):
    def drops(_: bytes) -> Iterator[bytes | float]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        for _ in range(100):
            yield b" "
            yield 0.05

    start = time.monotonic()
    dripping = PolicyClient(raw_server(drops), timeout_s=0.4)
    with dripping as client, pytest.raises(PolicyUnavailable, match=r"within 0\.4 s"):
        client.act("g", b"png")
    assert time.monotonic() - start < 3


@pytest.mark.parametrize("url", ["localhost:8000", "", "ftp://x", "http://"])
def test_what_is_no_url(url):
    with pytest.raises(ValueError, match="is not the URL of a policy server"):
        PolicyClient(url)


def test_a_client_carried_into_a_fork_opens_its_own_connections(serve_app, screenshot):
    client = PolicyClient(serve_app(create_app(Noted())))
    client.act("g", screenshot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the server's threads are not used in the child
        child = os.fork()
    if child == 0:
        try:
            client.act("g", screenshot)
            os._exit(0)
        finally:
            os._exit(1)
    for _ in range(5):
        client.act("g", screenshot)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    client.close()
