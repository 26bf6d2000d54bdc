"""What the client asks beside actions: where elements are, and how well episodes were done."""

from __future__ import annotations

import base64

import pytest

from agent_server.adapters import PromptSet, adapter_named
from agent_server.app import create_app
from agent_server.backend import ChatBackend
from agent_server.baselines import NullPolicy
from agent_server.client import PolicyClient
from agent_server.errors import PolicyRejected, PolicyUnavailable
from agent_server.ground import GroundingModel
from agent_server.judge import Judge
from agent_server.openapi import PIXEL
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import JudgeRequest, JudgeStep, Sampling

PNG = base64.b64decode(PIXEL)


@pytest.fixture
def server(serve_app, scripted):
    """The URL of a policy server, and the model behind it."""
    url, model = scripted('{"bbox_2d": [0, 0, 10, 10], "reason": "x", "score": 10}', model="m")
    grounding = GroundingModel(
        "G", adapter_named("qwen3-vl"), ChatBackend([url], "m"), PromptSet.load(), PreparedImages()
    )
    judge = Judge("J", ChatBackend([url], "m"), PromptSet.load(), PreparedImages(), most_frames=2)
    return serve_app(create_app(NullPolicy(), grounding=grounding, judge=judge)), model


def test_ground(server, screenshot):
    url, model = server
    with PolicyClient(url) as client:
        found = client.ground("the bell", screenshot, model="G", session="s/1", sampling=Sampling(n=2, temperature=1))
        assert (found.present, found.point, found.box) == (True, (5, 12), (0, 0, 11, 24))
        assert (found.model, len(found.samples)) == ("G", 2)
        with pytest.raises(PolicyRejected, match="blank"):
            client.ground(" ", screenshot)
        with pytest.raises(PolicyRejected, match="known: G"):
            client.ground("x", screenshot, model="other")
    assert model.requests[0].images() == [("image/png", screenshot)]


def test_judge(server):
    url, model = server
    request = JudgeRequest(goal="Do it", steps=[JudgeStep(summary="Did it")], frames={0: PIXEL}, session="s")
    with PolicyClient(url) as client:
        verdict = client.judge(request, {0: PNG, 1: PNG})
        assert (verdict.score, verdict.frames, verdict.model) == (1.0, [0, 1], "J")
        with pytest.raises(PolicyRejected, match="there is no frame") as caught:
            client.judge(request, {})
    assert caught.value.status == 422
    assert "Did it" in model.requests[0].text()


def test_a_server_that_is_gone():
    with PolicyClient("http://127.0.0.1:9") as client, pytest.raises(PolicyUnavailable, match=r"127\.0\.0\.1:9"):
        client.ground("x", PNG)
