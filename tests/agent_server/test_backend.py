from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from agent_server.backend import BackendTimeouts, ChatBackend, base_url
from agent_server.chat_request import ChatRequest
from agent_server.completion import Completion
from agent_server.errors import BackendError, BackendRejected, BackendReply, BackendUnavailable
from agent_server.scripted import ScriptedReply

QUICK = BackendTimeouts(connect_s=1, total_s=5, probe_s=2, cool_down_s=60)
HELLO = ChatRequest([{"role": "user", "content": "hello"}])

SERVER = """
import sys, uvicorn
from agent_server.scripted import ScriptedModel, ScriptedReply
name = sys.argv[2]
delay = float(sys.argv[3])
model = ScriptedModel(lambda body: ScriptedReply(name, delay_s=delay), model="m")
uvicorn.run(model, port=int(sys.argv[1]), log_level="critical")
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@contextmanager
def process(name: str, port: int, delay: float = 0) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A real model server in a process of its own, to be killed."""
    child = subprocess.Popen([sys.executable, "-c", SERVER, str(port), name, str(delay)])
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "the server did not start"
                time.sleep(0.02)
        yield f"http://127.0.0.1:{port}", child
    finally:
        child.kill()
        child.wait(10)


def ask(urls: list[str], *requests: ChatRequest, **settings: object) -> list[Completion]:
    """The completions of requests that are made one after the other by one backend."""

    async def main() -> list[Completion]:
        backend = ChatBackend(urls, "m", **{"timeouts": QUICK, **settings})
        try:
            return [await backend.complete(request) for request in requests]
        finally:
            await backend.aclose()

    return asyncio.run(main())


def probe(*urls: str, timeouts: BackendTimeouts = QUICK) -> str | None:
    """The weights that are known once the backend is ready."""

    async def main() -> str | None:
        backend = ChatBackend(urls, "m", timeouts=timeouts)
        try:
            await backend.ready()
            return backend.weights
        finally:
            await backend.aclose()

    return asyncio.run(main())


def texts(completions: list[Completion]) -> list[str]:
    return [completion.choices[0].text for completion in completions]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://h:1", "http://h:1/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("http://h:1/v1", "http://h:1/v1"),
        ("https://h/api/v1/", "https://h/api/v1"),
    ],
)
def test_base_urls(written, meant):
    assert base_url(written) == meant
    assert ChatBackend([written, meant], "m").urls == (meant,)


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://x", "http://", "x", "http://[::1"])
def test_what_is_no_url(url):
    with pytest.raises(ValueError):
        ChatBackend([url], "m")


def test_at_least_one_url():
    with pytest.raises(ValueError, match="at least one"):
        ChatBackend([], "m")


def test_what_the_model_server_is_sent(scripted):
    url, model = scripted("hi", model="m")
    request = ChatRequest(
        HELLO.messages, {"temperature": 0, "top_k": -1, "seed": None, "n": 2}, session="s", return_tokens=True
    )
    completion = ask([url], request, token="secret")[0]
    sent = model.requests[0]
    assert sent.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": False,
        "temperature": 0,
        "top_k": -1,
        "n": 2,
        "logprobs": True,
        "return_token_ids": True,
    }
    assert sent.headers["authorization"] == "Bearer secret"
    assert sent.headers["content-type"] == "application/json"
    assert [choice.tokens.response_ids for choice in completion.choices] == [[7, 8, 9], [7, 8, 9]]
    assert completion.usage.cached_tokens == 1024


def test_without_a_token_none_is_sent(scripted):
    url, model = scripted(model="m")
    ask([url], HELLO)
    assert "authorization" not in model.requests[0].headers
    assert "logprobs" not in model.requests[0].body


def test_one_connection_for_many_requests(scripted):
    url, model = scripted(model="m")
    ask([url], *[HELLO] * 20)
    assert len(model.requests) == 20
    assert len(model.connections) == 1


def test_a_session_stays_with_one_backend_and_sessions_spread(scripted):
    started = [scripted(name, model="m") for name in "abc"]
    urls = [url for url, _ in started]
    sessions = [f"episode-{number}" for number in range(60)]
    requests = [ChatRequest(HELLO.messages, session=session) for session in sessions]
    first = texts(ask(urls, *requests))
    # Another process with the URLs in another order agrees.
    assert texts(ask(urls[::-1], *requests)) == first
    assert set(Counter(first).values()) <= set(range(8, 40))
    assert len(set(first)) == 3


def test_without_a_session_requests_go_round(scripted):
    urls = [scripted(name, model="m")[0] for name in "abc"]
    assert sorted(Counter(texts(ask(urls, *[HELLO] * 9))).items()) == [("a", 3), ("b", 3), ("c", 3)]


def test_without_a_session_the_least_busy_is_asked(scripted):
    slow, slow_model = scripted(ScriptedReply("slow", delay_s=1.0), model="m")
    fast, _ = scripted("fast", model="m")

    async def main() -> list[str]:
        backend = ChatBackend([slow, fast], "m", timeouts=QUICK)
        waiting = asyncio.create_task(backend.complete(HELLO))
        async with asyncio.timeout(5):
            while not slow_model.requests:
                await asyncio.sleep(0.01)
        others = [(await backend.complete(HELLO)).choices[0].text for _ in range(4)]
        await waiting
        await backend.aclose()
        return others

    assert asyncio.run(main()) == ["fast"] * 4


def test_a_refused_connection_is_no_failure_while_another_backend_lives(scripted):
    live, model = scripted("live", model="m")
    dead = f"http://127.0.0.1:{free_port()}"
    requests = [ChatRequest(HELLO.messages, session=f"s{number}") for number in range(12)]
    assert texts(ask([dead, live], *requests)) == ["live"] * 12
    assert len(model.requests) == 12


def test_a_killed_backend_hands_its_sessions_over_and_gets_them_back():
    """kill -9 in the middle of generating: the request goes to the other; the session returns when the server does."""
    one, two = free_port(), free_port()
    with process("one", one, 0.5) as (url_one, child_one), process("two", two, 0.5) as (url_two, child_two):
        children = {"one": child_one, "two": child_two}

        async def main() -> None:
            timeouts = BackendTimeouts(connect_s=1, total_s=20, cool_down_s=0.5)
            backend = ChatBackend([url_one, url_two], "m", timeouts=timeouts)
            request = ChatRequest(HELLO.messages, session="the session")
            home = (await backend.complete(request)).choices[0].text
            pending = asyncio.create_task(backend.complete(request))
            await asyncio.sleep(0.2)
            children[home].kill()
            away = (await pending).choices[0].text
            assert {home, away} == {"one", "two"}
            assert (await backend.complete(request)).choices[0].text == away
            with process(home, one if home == "one" else two):
                async with asyncio.timeout(20):
                    while (await backend.complete(request)).choices[0].text != home:
                        await asyncio.sleep(0.05)
            await backend.aclose()

        asyncio.run(main())


def test_all_dead():
    dead = [f"http://127.0.0.1:{free_port()}" for _ in range(2)]
    with pytest.raises(BackendUnavailable, match="no backend can be reached for 'm'") as caught:
        ask(dead, HELLO)
    assert all(url in str(caught.value) for url in dead)
    assert caught.value.status == 503


def test_a_backend_that_is_down_is_tried_last_and_is_not_given_up(scripted):
    """Its cool-down has not passed, but nobody else is left."""
    url, model = scripted("up", model="m")
    dead = f"http://127.0.0.1:{free_port()}"

    async def main() -> str:
        backend = ChatBackend([dead], "m", timeouts=QUICK)
        with pytest.raises(BackendUnavailable):
            await backend.complete(HELLO)
        await backend.aclose()
        revived = ChatBackend([dead, url], "m", timeouts=QUICK)
        first = await revived.complete(HELLO)
        await revived.aclose()
        return first.choices[0].text

    assert asyncio.run(main()) == "up"
    assert len(model.requests) == 1


def test_a_slow_backend_is_an_error_and_the_request_is_not_sent_elsewhere(scripted):
    started = [scripted(ScriptedReply(name, delay_s=3), model="m") for name in "ab"]
    timeouts = BackendTimeouts(total_s=0.3)
    start = time.monotonic()
    with pytest.raises(BackendUnavailable, match=r"longer than 0\.3 s"):
        ask([url for url, _ in started], HELLO, timeouts=timeouts)
    assert time.monotonic() - start < 2
    assert sum(len(model.requests) for _, model in started) == 1


def test_an_answer_that_breaks_off_is_an_error_and_the_request_is_not_sent_elsewhere(scripted):
    started = [scripted(ScriptedReply(name, cut_after=20), model="m") for name in "ab"]
    with pytest.raises(BackendReply, match="broke off"):
        ask([url for url, _ in started], HELLO)
    assert sum(len(model.requests) for _, model in started) == 1


@pytest.mark.parametrize(
    ("status", "kind", "seen_as"),
    [
        (400, BackendRejected, 422),
        (413, BackendRejected, 422),
        (401, BackendReply, 502),
        (404, BackendReply, 502),
        (500, BackendReply, 502),
        (302, BackendReply, 502),
        (429, BackendUnavailable, 503),
        (503, BackendUnavailable, 503),
    ],
)
def test_statuses(status, kind, seen_as, scripted):
    body = b'{"message": "the prompt is too long"}'
    url, model = scripted(ScriptedReply(status=status, body=body), model="m")
    with pytest.raises(BackendError, match=f"{status}: .*the prompt is too long") as caught:
        ask([url], HELLO)
    assert type(caught.value) is kind
    assert caught.value.status == seen_as
    assert url in str(caught.value)
    assert len(model.requests) == 1


def test_an_error_without_a_body(scripted):
    url, _ = scripted(ScriptedReply(status=500, body=b""), model="m")
    with pytest.raises(BackendReply, match="answered 500: nothing more"):
        ask([url], HELLO)


def test_html_in_place_of_a_completion(scripted):
    url, _ = scripted(ScriptedReply(body=b"<html>gateway</html>", content_type="text/html"), model="m")
    with pytest.raises(BackendReply, match="not JSON: <html>gateway"):
        ask([url], HELLO)


def test_fewer_samples_than_were_asked_for(scripted):
    choice = {"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}
    url, _ = scripted(ScriptedReply(body=json.dumps({"choices": [choice]}).encode()), model="m")
    assert len(ask([url], HELLO)[0].choices) == 1
    with pytest.raises(BackendReply, match="answered with 1 choices where 3 were asked for"):
        ask([url], replace(HELLO, sampling={"n": 3}))


def test_weights_are_what_the_server_says(scripted):
    url, _ = scripted(model="m", root="/ckpt/step-500")
    assert ask([url], HELLO)[0].weights == "/ckpt/step-500"
    bare, _ = scripted(model="m")
    assert ask([bare], HELLO)[0].weights is None


def test_ready_asks_every_backend_and_one_is_enough(scripted):
    url, model = scripted(model="m", root="r")
    other, _ = scripted(model="another")
    dead = f"http://127.0.0.1:{free_port()}"

    assert probe(dead, other, url) == "r"
    assert model.requests == []
    with pytest.raises(BackendUnavailable, match="does not serve 'm'; it serves another") as caught:
        probe(other, dead)
    assert f"{dead}/v1: no connection" in str(caught.value)


def test_a_server_whose_list_of_models_cannot_be_read(serve_app):
    async def nonsense(scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"[]"})

    with pytest.raises(BackendUnavailable, match="is not a list of models"):
        probe(serve_app(nonsense))


async def silent(scope, receive, send):
    if scope["type"] == "http":
        await asyncio.sleep(2)


def test_a_server_that_is_silent_about_its_models_is_not_ready(serve_app):
    with pytest.raises(BackendUnavailable, match=r"gave no answer in 0\.2 s"):
        probe(serve_app(silent), timeouts=BackendTimeouts(probe_s=0.2))


def test_readiness_does_not_wait_for_a_silent_server_beside_a_ready_one(serve_app, scripted):
    url, _ = scripted(model="m", root="r")
    start = time.monotonic()
    assert probe(serve_app(silent), url, timeouts=BackendTimeouts(probe_s=20)) == "r"
    assert time.monotonic() - start < 10


def test_concurrent_requests_each_have_a_connection_and_keep_it(scripted):
    url, model = scripted(ScriptedReply("x", delay_s=0.05), model="m")

    async def main() -> None:
        backend = ChatBackend([url], "m", timeouts=QUICK)
        for _ in range(3):
            await asyncio.gather(*(backend.complete(HELLO) for _ in range(8)))
        await backend.aclose()

    asyncio.run(main())
    assert len(model.requests) == 24
    assert len(model.connections) <= 9


def test_the_session_is_told_to_routers_and_cannot_write_fields(scripted):
    url, model = scripted("x", model="m")

    async def main() -> None:
        backend = ChatBackend([url], "m")
        for session in (None, "run-1/k0", "a\r\nX-Evil: 1\u00e9"):
            await backend.complete(ChatRequest(HELLO.messages, session=session))
        await backend.aclose()

    asyncio.run(main())
    assert [request.headers.get("x-session-id") for request in model.requests] == [
        None,
        "run-1%2Fk0",
        "a%0D%0AX-Evil%3A%201%C3%A9",
    ]
    assert all("x-evil" not in request.headers for request in model.requests)
