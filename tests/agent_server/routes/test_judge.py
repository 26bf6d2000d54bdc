"""`POST /judge` over real sockets."""

from __future__ import annotations

import base64
import json

import httpx
import pytest

from agent_server.adapters import PromptSet
from agent_server.app import create_app
from agent_server.backend import ChatBackend
from agent_server.baselines import NullPolicy
from agent_server.judge import Judge
from agent_server.openapi import JUDGE_EXAMPLE, PIXEL
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import JudgeResponse

PNG = base64.b64decode(PIXEL)


@pytest.fixture
def model(scripted):
    return scripted('{"reason": "开关已打开", "score": 9}', model="m")


@pytest.fixture
def url(serve_app, model) -> str:
    backend = ChatBackend([model[0]], "m")
    judge = Judge("judge-72B", backend, PromptSet.load(), PreparedImages(), most_frames=2)
    return serve_app(create_app(NullPolicy(), judge=judge))


def post(url: str, **fields: object) -> httpx.Response:
    return httpx.post(url + "/judge", json={"goal": "x", "frames": {"0": PIXEL}, **fields}, timeout=30)


def parts(request: dict[str, object], *indices: int) -> dict[str, tuple]:
    files = {f"frame[{index}]": ("f.png", PNG, "image/png") for index in indices}
    return {"request": (None, json.dumps(request), "application/json"), **files}


def is_problem(response: httpx.Response, status: int, words: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert words in response.json()["detail"], response.json()["detail"]


def test_json_and_the_documented_example(url, model):
    response = httpx.post(url + "/judge", json=JUDGE_EXAMPLE, timeout=30)
    assert response.status_code == 200
    verdict = JudgeResponse.model_validate_json(response.content)
    assert response.json().keys() == JudgeResponse.model_fields.keys()
    assert (verdict.score, verdict.success, verdict.reason, len(verdict.votes)) == (0.9, True, "开关已打开", 3)
    assert verdict.frames == [0, 2]
    text = model[1].requests[0].text()
    assert "Turned the switch" in text
    assert "The switch beside Wi-Fi is on." in text


def test_multipart(url, model):
    request = {"goal": "打开无线网", "steps": [{"summary": "a"}, {"summary": "b"}], "select": "auto", "answer": "好"}
    response = httpx.post(url + "/judge", files=parts(request, 0, 1, 2), timeout=30)
    assert response.json()["frames"] == [0, 2]
    assert "打开无线网" in model[1].requests[0].text()
    assert len(model[1].requests[0].images()) == 2


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"goal": " "}, 422, "blank"),
        ({"frames": {}}, 422, "there is no frame"),
        ({"frames": {"-1": PIXEL}}, 422, "frames"),
        ({"frames": {"first": PIXEL}}, 422, "frames"),
        ({"frames": {"0": "AAAA"}}, 415, "frame[0]"),
        ({"frames": {"0": PIXEL, "1": PIXEL, "2": PIXEL}}, 422, "3 frames came, and judge-72B is shown at most 2"),
        ({"frames": {"2": PIXEL}, "steps": [{}]}, 422, "frame[2] belongs to no step: there are 1"),
        ({"select": "some"}, 422, "select"),
        ({"threshold": 2}, 422, "threshold"),
        ({"steps": [{"screenshot": PIXEL}]}, 422, "steps.0.screenshot"),
        ({"steps": [{"action": {"type": "fly"}}]}, 422, "steps.0.action"),
        ({"model": "other"}, 404, "known: judge-72B"),
        ({"sampling": {"n": 2, "temperature": 0}}, 422, "temperature 0"),
    ],
)
def test_what_is_refused(url, model, fields, status, words):
    is_problem(post(url, **fields), status, words)
    assert model[1].requests == []


def test_parts_that_do_not_belong(url):
    is_problem(httpx.post(url + "/judge", files={**parts({"goal": "x"}), "frame": ("f", PNG)}), 422, "no part 'frame'")
    doubled = parts({"goal": "x", "frames": {"0": PIXEL}}, 0)
    is_problem(httpx.post(url + "/judge", files=doubled, timeout=30), 422, "frame[0] came twice")


def test_a_server_without_a_judge_says_what_would_be_needed(serve_app):
    is_problem(post(serve_app(create_app(NullPolicy()))), 404, "--judge-model")


def test_votes_are_counted(url):
    post(url)
    post(url, sampling={"n": 2})
    post(url, threshold=1.0)
    metrics = httpx.get(url + "/metrics", timeout=30).text
    assert 'agent_server_votes_total{outcome="success"} 3.0' in metrics
    assert 'agent_server_votes_total{outcome="failure"} 1.0' in metrics


def test_a_backend_that_is_gone(serve_app):
    backend = ChatBackend(["http://127.0.0.1:9"], "m")
    judge = Judge("judge-72B", backend, PromptSet.load(), PreparedImages(), most_frames=2)
    url = serve_app(create_app(NullPolicy(), judge=judge))
    is_problem(post(url), 503, "127.0.0.1:9")
    assert 'backend_errors_total{kind="BackendUnavailable"} 1.0' in httpx.get(url + "/metrics", timeout=30).text
