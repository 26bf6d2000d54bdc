"""Every family held to its grammar by the real engine: a model of random weights gives an action on the screen.

Those whose requests hold them by themselves (`Adapter.held`) are in test_openai.py, places in test_ground_judge.py.
"""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

from agent_server.actions import action_points
from agent_server.adapters import ADAPTERS, adapter_named
from agent_server.client import PolicyClient
from agent_server.geometry import Size
from agent_server.processor import fitted
from agent_server.schemas import ActResponse, Sampling

SCREEN = Size(280, 560)
FAMILIES = [name for name, adapter in ADAPTERS.items() if not adapter.held]
ENOUGH = 800
"""Tokens in which the longest reply ends: two thoughts and a text, of random words."""


@pytest.fixture(scope="module")
def screenshot() -> bytes:
    picture = io.BytesIO()
    Image.linear_gradient("L").resize(SCREEN).convert("RGB").save(picture, "PNG")
    return picture.getvalue()


def ask(url: str, screenshot: bytes, temperature: float = 1.0, **sampling: object) -> ActResponse:
    asked = Sampling(temperature=temperature, max_tokens=ENOUGH, **sampling)
    with PolicyClient(url) as client:
        return client.act("Turn on Wi-Fi", screenshot, sampling=asked)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_weights_give_an_action(served, policy_before, screenshot, family):
    url = policy_before(served, family)
    adapter = fitted(adapter_named(family), str(served.checkpoint))
    held = adapter.constraint(adapter.frame(SCREEN).map).value
    replies = [ask(url, screenshot, seed=seed, constrained=True) for seed in (1, 2, 3)]
    for reply in replies:
        assert reply.parse_error is None, reply.raw
        assert reply.finish_reason == "stop"
        assert reply.extra_actions == 0
        assert all(point.inside(SCREEN) for point in action_points(reply.action))
        assert re.fullmatch(held, reply.raw) or family == "ui-tars-1.0"  # its box tokens are special, so not returned
    assert len({reply.raw for reply in replies}) > 1


def test_a_server_can_hold_every_reply_and_a_request_can_let_go(served, policy_before, screenshot):
    url = policy_before(served, "ui-venus-1.5", constrained=True)
    assert ask(url, screenshot, seed=4).action is not None
    assert ask(url, screenshot, seed=4, constrained=False).parse_error.kind == "malformed"


@pytest.mark.parametrize("family", ["gelab-zero", "gui-owl-1.0"])
def test_greedy_replies_end_too(served, policy_before, screenshot, family):
    """Random weights whose likeliest token is always taken write the same one until there is no more room for it."""
    reply = ask(policy_before(served, family, constrained=True), screenshot, temperature=0.0)
    assert reply.finish_reason == "stop"
    assert reply.parse_error is None
