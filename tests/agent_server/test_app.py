"""The HTTP interface over real sockets: every answer, and every way to ask for something impossible."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import socket
import struct
import time
import zlib

import httpx
import pytest

from agent_server.actions import Click
from agent_server.app import create_app
from agent_server.config import ServerConfig
from agent_server.errors import (
    BackendRejected,
    BackendReply,
    BackendUnavailable,
    InvalidRequest,
    MissingScreenshots,
    UnknownName,
)
from agent_server.geometry import Point
from agent_server.openapi import EXAMPLE, PIXEL
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, ModelCard, ParseError, Sample, Usage

PNG = base64.b64decode(PIXEL)
DECISION = ActResponse(
    action=Click(point=Point(3, 4)),
    raw="Click(box=(3, 4))",
    model="m",
    adapter="a",
    usage=Usage(prompt_tokens=10, completion_tokens=5, cached_tokens=8),
    timing_ms={"backend": 12.0, "total": 15.0},
)

web = httpx.Client(timeout=60)


@pytest.fixture(scope="module", autouse=True)
def _close():
    yield
    web.close()


class Fixed:
    """A policy that always says the same, or fails the same way, and notes what it saw."""

    def __init__(self, says: ActResponse | Exception = DECISION, ready: Exception | None = None) -> None:
        self.says, self.not_ready = says, ready
        self.seen: list[Observation] = []
        self.closed = False

    def cards(self) -> list[ModelCard]:
        return [ModelCard(id="m", adapter="a", weights="w", prompt_digest="d", sampling={"temperature": 0})]

    async def act(self, observation: Observation) -> ActResponse:
        self.seen.append(observation)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says

    async def ready(self) -> None:
        if self.not_ready:
            raise self.not_ready

    async def aclose(self) -> None:
        self.closed = True


@pytest.fixture
def policy() -> Fixed:
    return Fixed()


@pytest.fixture
def url(serve_app, policy) -> str:
    return serve_app(create_app(policy))


def is_problem(response: httpx.Response, status: int, words: str = "") -> dict:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["title"]
    assert words in body["detail"], body["detail"]
    assert "Traceback" not in response.text
    assert ".py" not in response.text
    return body


def act(url: str, **fields: object) -> httpx.Response:
    return web.post(url + "/act", json={"goal": "g", "screenshot": PIXEL, **fields})


def parts(request: object = None, **files: tuple) -> list[tuple]:
    written = [("request", (None, json.dumps(request or {"goal": "g"}), "application/json"))]
    return written + list(files.items())


def test_json(url, policy):
    response = web.post(url + "/act", json=EXAMPLE)
    assert response.status_code == 200
    assert ActResponse.model_validate_json(response.content) == DECISION
    (seen,) = policy.seen
    assert (seen.goal, seen.image, seen.size, seen.session) == ("Turn on Wi-Fi", PNG, (1, 1), "wifi_on-7-r0k0")
    assert seen.history[0].action.app == "Settings"
    assert seen.history_images == (None,)
    assert (seen.sampling.temperature, seen.sampling.seed, seen.sampling.n) == (0.7, 42, 1)


def test_every_field_of_a_response_is_there(url):
    assert act(url).json().keys() == ActResponse.model_fields.keys()


def test_multipart(url, policy, screenshot):
    request = {"goal": "g", "ui_tree": "<hierarchy/>", "app": "com.x", "history": [{"step": 1}, {"step": 2}]}
    files = {
        "screenshot": ("s.png", screenshot, "image/png"),
        "history[1].screenshot": ("h.png", PNG, "application/octet-stream"),
    }
    assert web.post(url + "/act", files=parts(request, **files)).status_code == 200
    (seen,) = policy.seen
    assert (seen.image, seen.size) == (screenshot, (1080, 2400))
    assert (seen.ui_tree, seen.app) == ("<hierarchy/>", "com.x")
    assert [image and image.data for image in seen.history_images] == [None, PNG]


def test_multipart_with_the_image_in_the_json(url, policy):
    response = web.post(url + "/act", files=parts({"goal": "g", "screenshot": PIXEL}))
    assert response.status_code == 200
    assert policy.seen[0].image == PNG


@pytest.mark.parametrize("text", ["data:image/png;base64," + PIXEL, PIXEL[:40] + "\n" + PIXEL[40:] + "\n"])
def test_base64_as_people_write_it(url, policy, text):
    assert act(url, screenshot=text).status_code == 200
    assert policy.seen[0].image == PNG


class LooksBack(Fixed):
    """As `Fixed`, for a model that is shown three images."""

    def cards(self) -> list[ModelCard]:
        return [card.model_copy(update={"images": 3}) for card in super().cards()]


def named(*digests: str) -> list[dict[str, object]]:
    return [{"step": step, "screenshot_sha256": digest} for step, digest in enumerate(digests)]


SHA = hashlib.sha256(PNG).hexdigest()


def test_a_screenshot_that_came_before_is_known_by_its_digest(serve_app, screenshot):
    policy = LooksBack()
    url = serve_app(create_app(policy))
    act(url)
    files = {"screenshot": ("s.png", screenshot, "image/png"), "history[0].screenshot": ("h.png", PNG, "image/png")}
    sha = hashlib.sha256(screenshot).hexdigest()
    web.post(url + "/act", files=parts({"goal": "g", "history": [{"step": 0}]}, **files))
    act(url, history=named(SHA, sha, "0" * 64))
    seen = policy.seen[-1]
    assert [image and image.data for image in seen.history_images] == [PNG, screenshot, None]
    assert [image.size for image in seen.history_images[:2]] == [(1, 1), (1080, 2400)]
    assert seen.missing == {2}


def test_an_image_that_comes_beside_its_digest_counts(serve_app):
    policy = LooksBack()
    url = serve_app(create_app(policy))
    assert act(url, history=[{"screenshot": PIXEL, "screenshot_sha256": SHA}]).status_code == 200
    assert policy.seen[-1].history_images[0].data == PNG
    assert policy.seen[-1].missing == frozenset()


def test_an_image_that_is_not_the_one_its_digest_names(serve_app, screenshot):
    policy = LooksBack()
    url = serve_app(create_app(policy))
    answer = act(url, history=[{}, {"screenshot": PIXEL, "screenshot_sha256": "0" * 64}])
    is_problem(answer, 422, f"history[1].screenshot_sha256 is {'0' * 64}")
    assert SHA in answer.json()["detail"]
    turns = [{"screenshot_sha256": SHA}]
    request = (None, json.dumps({"goal": "g", "history": turns}), "application/json")
    files = {"request": request, "screenshot": screenshot, "history[0].screenshot": screenshot}
    is_problem(httpx.post(f"{url}/act", files=files), 422, f"history[0].screenshot_sha256 is {SHA}")
    assert policy.seen == []


def test_a_policy_that_sees_only_the_current_screenshot_keeps_none(url, policy):
    act(url)
    assert act(url, history=named(SHA)).status_code == 200
    assert policy.seen[-1].missing == {0}


def test_screenshots_that_are_missing(serve_app):
    url = serve_app(create_app(LooksBack(MissingScreenshots([0, 2]))))
    problem = is_problem(act(url, history=named(*[SHA] * 3)), 409, "history[0], history[2]")
    assert problem["type"] == "urn:agent-server:missing-screenshots"
    assert [entry["loc"] for entry in problem["errors"]] == [
        ["history", 0, "screenshot_sha256"],
        ["history", 2, "screenshot_sha256"],
    ]


def test_history_screenshots_in_json(url, policy):
    assert act(url, history=[{"screenshot": PIXEL}, {}]).status_code == 200
    assert [image and image.size for image in policy.seen[0].history_images] == [(1, 1), None]


def test_a_body_of_many_megabytes_is_read(url, policy, encode, draw):
    """Above the size that is read on the event loop."""
    big = encode(draw(1080, 1200), "PNG", compress_level=0)
    assert len(big) > 2**21
    assert act(url, screenshot=base64.b64encode(big).decode()).status_code == 200
    assert policy.seen[0].image == big


def test_text_that_gives_no_action_is_an_answer(serve_app):
    error = ParseError(kind="malformed", message="no action")
    policy = Fixed(DECISION.model_copy(update={"action": None, "parse_error": error, "raw": "hm"}))
    response = act(serve_app(create_app(policy)))
    assert response.status_code == 200
    assert response.json()["action"] is None
    assert response.json()["parse_error"] == {"kind": "malformed", "message": "no action"}


# --- what callers get wrong


def test_no_goal(url):
    body = is_problem(web.post(url + "/act", json={"screenshot": PIXEL}), 422, "goal: missing; send it")
    assert body["errors"] == [{"loc": ["goal"], "msg": "missing; send it"}]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"goal": ""}, "goal: must be a text of at least 1 characters"),
        ({"goal": "  "}, "the goal is blank"),
        ({"goal": 7}, "goal: must be a text, got 7"),
        ({"goal": "x" * 20_001}, "goal: must be a text of at most 20000 characters"),
        ({"screenshot": None}, "screenshot is missing"),
        ({"screenshot": "%%%"}, "screenshot: this is not base64"),
        ({"screenshot": "abc"}, "screenshot: this is not base64"),
        ({"screenshot": "żółw"}, "screenshot: this is not base64"),
        ({"screenshot": "http://host/a.png"}, "never fetched from a URL"),
        ({"screenshot": "data:image/png;base64,%%"}, "this is not base64"),
        ({"screenshot": "data:text/html,hello"}, "holds no base64 image"),
        ({"screenshot": ""}, "screenshot: the image is empty"),
        ({"history": [{"step": 2}, {"step": 1}]}, "out of order: step 1 follows step 2"),
        ({"history": [{"step": 2}, {"step": 2}]}, "out of order"),
        ({"history": [{"step": -1}]}, "history.0.step"),
        ({"history": [{"action": {"type": "fly"}}]}, "history.0.action: must have as type one of 'click', "),
        ({"history": [{"screenshot": "%"}]}, "history[0].screenshot: this is not base64"),
        ({"history": [{}] * 1001}, "history: must be at most 1000 items"),
        ({"sampling": {"temperature": -1}}, "sampling.temperature"),
        ({"sampling": {"n": 0}}, "sampling.n"),
        ({"sampling": {"top_p": 0}}, "sampling.top_p"),
        ({"sampling": {"seed": 2**63}}, "sampling.seed"),
        ({"sampling": {"beam": 4}}, "sampling.beam: not a field"),
        ({"screenshots": []}, "screenshots: not a field"),
    ],
)
def test_requests_that_make_no_sense(url, policy, fields, words):
    is_problem(act(url, **fields), 422, words)
    assert policy.seen == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none(url, number):
    body = '{"goal":"g","screenshot":"%s","sampling":{"temperature":%s}}' % (PIXEL, number)  # noqa: UP031
    response = web.post(url + "/act", content=body, headers={"content-type": "application/json"})
    is_problem(response, 422, "sampling.temperature")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "Invalid JSON"),
        (b"{", "Invalid JSON"),
        (b"[" * 200_000, "recursion limit"),
        (b'{"goal":' * 100_000, "recursion limit"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"null", "object"),
        (b"[1]", "object"),
    ],
)
def test_json_that_is_none(url, body, words):
    response = web.post(url + "/act", content=body, headers={"content-type": "application/json; charset=utf-8"})
    is_problem(response, 422, words)


def test_a_history_that_nests_without_end(url):
    nested: object = "x"
    for _ in range(150):
        nested = {"action": nested}
    is_problem(act(url, history=[nested]), 422, "history.0.action")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "image/png", ""])
def test_other_content_types(url, content_type):
    response = web.post(url + "/act", content=b"x", headers={"content-type": content_type})
    is_problem(response, 415, "send application/json or multipart/form-data")


def test_a_compressed_body(url):
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    is_problem(web.post(url + "/act", content=b"x", headers=headers), 415, "'gzip'")


@pytest.mark.parametrize(
    ("files", "status", "words"),
    [
        ({}, 422, "screenshot is missing"),
        ({"screenshot": ("s", b"", "image/png")}, 422, "screenshot: the image is empty"),
        ({"screenshot": ("s.png", b"this is text", "image/png")}, 415, "screenshot: this is not a PNG"),
        ({"screenshot": ("s.png", PNG, "image/jpeg")}, 415, "declared as image/jpeg but is image/png"),
        ({"screenshot": ("s.png", PNG, "text/html")}, 415, "not an image type"),
        ({"screenshot": ("s.png", PNG[:-5], "image/png")}, 422, "cut off"),
        ({"picture": ("s.png", PNG, "image/png")}, 422, "no part 'picture'"),
        ({"history[0].screenshot": ("s.png", PNG, "image/png")}, 422, "belongs to no turn: the history has 0"),
        ({"history[x].screenshot": ("s.png", PNG, "image/png")}, 422, "no part 'history[x].screenshot'"),
    ],
)
def test_multipart_that_makes_no_sense(url, files, status, words):
    is_problem(web.post(url + "/act", files=parts(**files)), status, words)


def test_an_image_that_came_twice(url):
    files = parts({"goal": "g", "screenshot": PIXEL}, screenshot=("s.png", PNG, "image/png"))
    is_problem(web.post(url + "/act", files=files), 422, "screenshot came twice")


def test_multipart_without_its_request(url):
    files = {"screenshot": ("s.png", PNG, "image/png")}
    is_problem(web.post(url + "/act", files=files), 422, "part 'request' with the request's JSON is missing")


def test_multipart_that_is_cut_off(url):
    request = httpx.Request("POST", url + "/act", files=parts(screenshot=("s.png", PNG, "image/png")))
    body, headers = request.read()[:-30], {"content-type": request.headers["content-type"]}
    is_problem(web.post(url + "/act", content=body, headers=headers), 422, "cut off")


def test_a_50_mb_image(url, policy):
    files = parts(screenshot=("s.png", bytes(50_000_000), "image/png"))
    is_problem(web.post(url + "/act", files=files, timeout=60), 413, "at most 33554432 are allowed")
    is_problem(act(url, screenshot="A" * 50_000_000), 413, "at most")
    assert act(url).status_code == 200, "the server is well afterwards"
    assert len(policy.seen) == 1


def test_a_body_that_grows_too_long_while_it_streams(url):
    def endless():
        for _ in range(600):
            yield b" " * 65536

    headers = {"content-type": "application/json"}
    response = web.post(url + "/act", content=endless(), headers=headers, timeout=60)
    is_problem(response, 413, "the body has more than 33554432 bytes")


def test_a_caller_that_hangs_up_in_the_middle_of_its_request(url):
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
    deadline = time.monotonic() + 10
    while 'requests_total{route="/act",status="400"} 1.0' not in web.get(url + "/metrics").text:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_image_over_its_own_limit(serve_app):
    url = serve_app(create_app(Fixed(), ServerConfig(max_image_bytes=50)))
    is_problem(act(url), 413, "screenshot: the image has")


def test_a_header_of_60000_by_60000(url):
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 6, 0, 0, 0))
    data = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"x") + chunk(b"IEND", b"")
    response = web.post(url + "/act", files=parts(screenshot=("s.png", data, "image/png")))
    is_problem(response, 413, "60000x60000 = 3600000000 pixels")


def test_other_paths_and_methods(url):
    is_problem(web.get(url + "/nope"), 404, "there is no /nope here")
    is_problem(web.post(url + "/act/"), 404)
    is_problem(web.get(url + "/act"), 405, "GET is not allowed on /act; use POST")
    is_problem(web.delete(url + "/v1/models"), 405)


# --- what the policy cannot do


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (UnknownName("model", "x", ["m"]), 404, "unknown model 'x'; known: m"),
        (InvalidRequest("too narrow"), 422, "too narrow"),
        (BackendUnavailable("nobody at http://b"), 503, "nobody at http://b"),
        (BackendReply("it said <html>"), 502, "it said <html>"),
        (BackendRejected("prompt too long"), 422, "prompt too long"),
        (ZeroDivisionError("secret /etc/path.py"), 500, "the server failed (ZeroDivisionError)"),
    ],
)
def test_failures_of_the_policy(serve_app, error, status, words):
    url = serve_app(create_app(Fixed(error)))
    body = is_problem(act(url), status, words)
    assert "secret" not in json.dumps(body)


def test_readiness(serve_app):
    ready = serve_app(create_app(Fixed()))
    assert web.get(ready + "/readyz").json() == {"status": "ready"}
    waiting = serve_app(create_app(Fixed(ready=BackendUnavailable("no backend is ready: refused"))))
    is_problem(web.get(waiting + "/readyz"), 503, "no backend is ready: refused")
    assert web.get(waiting + "/healthz").json() == {"status": "ok"}


def test_models(url):
    listed = web.get(url + "/v1/models").json()
    assert listed["object"] == "list"
    card = {
        "id": "m", "adapter": "a", "weights": "w", "prompt_digest": "d", "prompt_origin": None, "images": 1,
        "verified": None, "logprobs_mode": None, "sampling": {"temperature": 0},
    }  # fmt: skip
    assert listed["data"] == [{"object": "model", "owned_by": "android-rollout-farm", **card}]


def test_the_policy_is_closed_with_the_app(policy):
    async def run() -> None:
        app = create_app(policy)
        async with app.router.lifespan_context(app):
            assert not policy.closed

    asyncio.run(run())
    assert policy.closed


def test_metrics(serve_app):
    sampled = DECISION.model_copy(
        update={
            "samples": [
                Sample(action=DECISION.action),
                Sample(action=None, parse_error=ParseError(kind="out_of_range", message="m")),
            ]
        }
    )
    policy = Fixed(sampled)
    url = serve_app(create_app(policy))
    act(url)
    act(url, goal="")
    web.get(url + "/somewhere")
    policy.says = BackendUnavailable("gone")
    act(url)
    response = web.get(url + "/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = response.text.splitlines()
    for line in (
        'agent_server_requests_total{route="/act",status="200"} 1.0',
        'agent_server_requests_total{route="/act",status="422"} 1.0',
        'agent_server_requests_total{route="/act",status="503"} 1.0',
        'agent_server_requests_total{route="other",status="404"} 1.0',
        'agent_server_request_seconds_count{route="/act"} 3.0',
        'agent_server_stage_seconds_sum{stage="backend"} 0.012',
        'agent_server_decisions_total{action="click"} 1.0',
        'agent_server_parse_errors_total{kind="out_of_range"} 1.0',
        'agent_server_tokens_total{kind="cached"} 8.0',
        'agent_server_backend_errors_total{kind="BackendUnavailable"} 1.0',
        "agent_server_in_flight 1.0",
    ):
        assert line in lines, response.text


def test_two_apps_count_apart(serve_app):
    one, two = serve_app(create_app(Fixed())), serve_app(create_app(Fixed()))
    act(one)
    assert 'requests_total{route="/act"' in web.get(one + "/metrics").text
    assert 'requests_total{route="/act"' not in web.get(two + "/metrics").text


def test_the_openapi_document_describes_act_and_its_example_works(url):
    document = web.get(url + "/openapi.json").json()
    operation = document["paths"]["/act"]["post"]
    content = operation["requestBody"]["content"]
    assert content.keys() == {"application/json", "multipart/form-data"}
    (example,) = content["application/json"]["examples"].values()
    assert web.post(url + "/act", json=example["value"]).status_code == 200
    schemas = document["components"]["schemas"]
    assert {"ActRequest", "ActResponse", "Problem", "HistoryTurn", "Sampling", "Click"} <= schemas.keys()
    assert {"401", "404", "413", "415", "422", "500", "502", "503"} <= operation["responses"].keys()
    for reference in [part for part in json.dumps(document).split('"') if part.startswith("#/components/schemas/")]:
        assert reference.rpartition("/")[2] in schemas
    assert web.get(url + "/docs").status_code == 200
