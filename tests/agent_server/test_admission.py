"""Overload is refused at once, and answers belong to whoever asked."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from agent_server.actions import Type
from agent_server.app import create_app
from agent_server.client import PolicyClient
from agent_server.config import PolicyConfig, ServerConfig
from agent_server.errors import PolicyUnavailable
from agent_server.loader import load_policy
from agent_server.openapi import PIXEL
from agent_server.scripted import ScriptedReply

PNG = base64.b64decode(PIXEL)


def goal_in(body: dict) -> str:
    text = json.dumps(body["messages"])
    return text[text.index("goal<") + 5 : text.index(">goal")]


@pytest.fixture
def model_behind(serve_app, scripted):
    """A server whose model types back the goal that it was asked about, after a delay."""

    def start(delay_s: float, **settings: object) -> tuple[str, object]:
        def echo(body: dict) -> ScriptedReply:
            return ScriptedReply(f"<action>Type(content='{goal_in(body)}')</action>", delay_s=delay_s)

        backend, model = scripted(echo, model="UI-Venus-1.5-8B")
        policy = load_policy(PolicyConfig(model="UI-Venus-1.5-8B", backends=(backend,)))
        return serve_app(create_app(policy, ServerConfig(**settings))), model

    return start


async def ask(client: httpx.AsyncClient, url: str, number: int) -> tuple[int, str, str | None]:
    body = {"goal": f"goal<{number}>goal", "screenshot": PIXEL}
    answer = await client.post(url + "/act", json=body)
    said = answer.json()
    text = said["action"]["text"] if answer.status_code == 200 else said["detail"]
    return answer.status_code, text, answer.headers.get("retry-after")


def ask_all(url: str, count: int) -> list[tuple[int, str, str | None]]:
    async def run() -> list[tuple[int, str, str | None]]:
        limits = httpx.Limits(max_connections=count)
        async with httpx.AsyncClient(timeout=60, limits=limits) as client:
            return await asyncio.gather(*(ask(client, url, number) for number in range(count)))

    return asyncio.run(run())


def test_every_reply_belongs_to_its_request(model_behind):
    url, model = model_behind(0.2)
    answers = ask_all(url, 120)
    assert [(status, text) for status, text, _ in answers] == [(200, str(number)) for number in range(120)]
    assert len(model.requests) == 120


def test_overload_is_refused_with_a_time_to_come_again(model_behind):
    url, model = model_behind(1.0, max_in_flight=8)
    answers = ask_all(url, 40)
    assert Counter(status for status, _, _ in answers) == {200: 8, 429: 32}
    refused = [answer for answer in answers if answer[0] == 429]
    assert {wait for _, _, wait in refused} == {"1"}
    assert refused[0][1] == "8 requests are being answered, which is the limit; come again in 1 s"
    assert len(model.requests) == 8
    assert httpx.get(url + "/healthz").status_code == 200
    later = ask_all(url, 8)
    assert {status for status, _, _ in later} == {200}


def test_the_time_to_come_again_follows_the_pace(model_behind):
    url, _ = model_behind(2.0, max_in_flight=2)
    ask_all(url, 2)
    answers = ask_all(url, 4)
    waits = {int(wait) for status, _, wait in answers if status == 429}
    assert waits
    assert all(1 <= wait <= 5 for wait in waits)


def test_our_client_comes_again_and_gets_its_own_answer(model_behind):
    url, model = model_behind(0.5, max_in_flight=1)

    def decide(number: int) -> str:
        with PolicyClient(url, timeout_s=60) as client:
            action = client.act(f"goal<{number}>goal", PNG).action
            assert isinstance(action, Type)
            return action.text

    with ThreadPoolExecutor(4) as callers:
        assert list(callers.map(decide, range(4))) == ["0", "1", "2", "3"]
    assert len(model.requests) == 4


def test_our_client_gives_up_in_time(model_behind):
    url, _ = model_behind(20.0, max_in_flight=1)
    with ThreadPoolExecutor(1) as other, PolicyClient(url, timeout_s=3) as client:
        first = other.submit(httpx.post, url + "/act", json={"goal": "goal<1>goal", "screenshot": PIXEL}, timeout=5)
        deadline = time.monotonic() + 10
        while "in_flight 2.0" not in httpx.get(url + "/metrics").text and time.monotonic() < deadline:
            time.sleep(0.02)
        with pytest.raises(PolicyUnavailable, match=r"answered 429: 1 requests are being answered.*within 3 s"):
            client.act("goal<2>goal", PNG)
        with pytest.raises(httpx.ReadTimeout):
            first.result()


def test_a_caller_that_hangs_up_frees_its_place_and_the_model(model_behind):
    url, model = model_behind(30.0, max_in_flight=1)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(url + "/act", json={"goal": "goal<1>goal", "screenshot": PIXEL}, timeout=0.5)

    async def freed() -> str:
        async with asyncio.timeout(10), httpx.AsyncClient() as client:
            while True:
                metrics = (await client.get(url + "/metrics")).text
                if 'requests_total{route="/act",status="499"} 1.0' in metrics:
                    return metrics
                await asyncio.sleep(0.05)

    assert "agent_server_in_flight 1.0" in asyncio.run(freed())  # the question for the metrics itself
    assert len(model.requests) == 1
    assert model.hung_up == 1
