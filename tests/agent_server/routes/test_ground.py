"""`POST /ground` over real sockets."""

from __future__ import annotations

import base64
import json

import httpx
import pytest

from agent_server.adapters import PromptSet, adapter_named
from agent_server.app import create_app
from agent_server.backend import ChatBackend
from agent_server.baselines import NullPolicy
from agent_server.config import ServerConfig
from agent_server.ground import GroundingModel
from agent_server.openapi import GROUND_EXAMPLE, PIXEL
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import GroundResponse


@pytest.fixture
def model(scripted):
    return scripted('[{"bbox_2d": [400, 400, 600, 600]}]', model="m")


@pytest.fixture
def url(serve_app, model) -> str:
    grounding = GroundingModel(
        "the-7B", adapter_named("qwen3-vl"), ChatBackend([model[0]], "m"), PromptSet.load(), PreparedImages()
    )
    return serve_app(create_app(NullPolicy(), ServerConfig(max_image_bytes=600_000), grounding=grounding))


def post(url: str, **fields: object) -> httpx.Response:
    return httpx.post(url + "/ground", json={"element": "the bell", "screenshot": PIXEL, **fields}, timeout=30)


def is_problem(response: httpx.Response, status: int, words: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert words in response.json()["detail"], response.json()["detail"]


def test_json_and_the_documented_example(url, model):
    response = httpx.post(url + "/ground", json=GROUND_EXAMPLE, timeout=30)
    assert response.status_code == 200
    answer = GroundResponse.model_validate_json(response.content)
    assert response.json().keys() == GroundResponse.model_fields.keys()
    assert (answer.point, answer.box) == ((0, 0), (0, 0, 1, 1))
    assert (answer.agreement, len(answer.samples)) == (1.0, 3)
    assert "the switch beside Wi-Fi" in model[1].requests[0].text()


def test_multipart(url, model, screenshot):
    request = json.dumps({"element": "铃铛", "sampling": {"temperature": 0.5}})
    files = {"request": (None, request, "application/json"), "screenshot": ("s.png", screenshot, "image/png")}
    answer = httpx.post(url + "/ground", files=files, timeout=30).json()
    assert (answer["point"], answer["box"], answer["present"]) == ([540, 1200], [432, 960, 648, 1440], True)
    assert model[1].requests[0].images() == [("image/png", screenshot)]
    assert "铃铛" in model[1].requests[0].text()


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"element": " "}, 422, "blank"),
        ({"element": None}, 422, "element"),
        ({"screenshot": None}, 422, "screenshot is missing"),
        ({"screenshot": "AAAA"}, 415, "screenshot"),
        ({"screenshot": "https://x/y.png"}, 422, "never fetched"),
        ({"screenshot": base64.b64encode(b"\x89PNG" + bytes(700_000)).decode()}, 413, "at most 600000"),
        ({"goal": "x"}, 422, "goal"),
        ({"model": "other"}, 404, "known: the-7B"),
        ({"sampling": {"constrained": True, "n": 0}}, 422, "sampling.n"),
    ],
)
def test_what_is_refused(url, model, fields, status, words):
    is_problem(post(url, **fields), status, words)
    assert model[1].requests == []


def test_parts_that_do_not_belong(url):
    files = {
        "request": (None, '{"element": "x"}', "application/json"),
        "history[0].screenshot": ("s", base64.b64decode(PIXEL), "image/png"),
    }
    is_problem(httpx.post(url + "/ground", files=files, timeout=30), 422, "parts are request and screenshot")


def test_a_server_without_a_model_that_grounds_says_what_would_be_needed(serve_app):
    url = serve_app(create_app(NullPolicy()))
    is_problem(post(url), 404, "--ground-model, one of: ")
    assert "ui-tars-1.5" in post(url).json()["detail"]


def test_the_token_is_asked_for(serve_app, tmp_path):
    (tmp_path / "tokens").write_text("secret\n")
    url = serve_app(create_app(NullPolicy(), ServerConfig(token_file=tmp_path / "tokens")))
    is_problem(post(url), 401, "token")


def test_outcomes_are_counted(url):
    post(url)
    post(url, sampling={"n": 2, "temperature": 1.0})
    post(url, screenshot=None)
    metrics = httpx.get(url + "/metrics", timeout=30).text
    assert 'agent_server_groundings_total{outcome="place"} 3.0' in metrics
    assert 'agent_server_tokens_total{kind="prompt"} 2400.0' in metrics
    assert 'agent_server_requests_total{route="/ground",status="200"} 2.0' in metrics


def test_a_backend_that_is_gone(serve_app):
    grounding = GroundingModel(
        "the-7B",
        adapter_named("qwen3-vl"),
        ChatBackend(["http://127.0.0.1:9"], "m"),
        PromptSet.load(),
        PreparedImages(),
    )
    url = serve_app(create_app(NullPolicy(), grounding=grounding))
    is_problem(post(url), 503, "127.0.0.1:9")
    assert 'backend_errors_total{kind="BackendUnavailable"} 1.0' in httpx.get(url + "/metrics", timeout=30).text
