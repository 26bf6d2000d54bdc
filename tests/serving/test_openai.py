"""A forced, strict tool call and a JSON schema, as the real engine holds a model of random weights to them."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace

import httpx
import pytest
from PIL import Image

from agent_server.actions import action_points
from agent_server.adapters import PromptSet, adapter_named
from agent_server.backend import ChatBackend
from agent_server.completion import Choice
from agent_server.geometry import Size
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Observation
from agent_server.schemas import Sampling

SCREEN = Size(280, 560)
WARM = Sampling(temperature=1.0, max_tokens=400, seed=1, n=4)


@pytest.fixture
def replies(served):
    """What the engine answers to the very request of a policy, but that the end of a text is made likely in it."""
    picture = io.BytesIO()
    Image.linear_gradient("L").resize(SCREEN).convert("RGB").save(picture, "PNG")
    observation = Observation("Open Wi-Fi", picture.getvalue(), SCREEN, sampling=WARM)
    quote = {"model": served.name, "prompt": '"', "add_special_tokens": False}
    (token,) = httpx.post(f"{served.url}/tokenize", json=quote, timeout=60).json()["tokens"]

    async def ask(adapter: str) -> tuple[Choice, ...]:
        policy = ModelPolicy(
            served.name, adapter_named(adapter), ChatBackend([served.url], served.name), PromptSet.load()
        )
        try:
            request = await policy.request(observation)
            extras = {**request.extras, "logit_bias": {str(token): 12}}
            return (await policy.backend.complete(replace(request, extras=extras))).choices
        finally:
            await policy.aclose()

    return lambda adapter: asyncio.run(ask(adapter))


@pytest.mark.parametrize("adapter", ["openai", "openai-json"])
def test_replies_are_actions_on_the_screen(replies, adapter):
    family = adapter_named(adapter)
    map = family.frame(SCREEN).map
    whole = [choice for choice in replies(adapter) if choice.finish_reason != "length"]
    assert whole
    for choice in whole:
        parsed = family.parse(choice.text, map)
        assert parsed.parse_error is None
        assert parsed.extra_actions == 0
        assert all(point.inside(SCREEN) for point in action_points(parsed.action))
        if adapter == "openai":
            call = json.loads(choice.text.strip().removeprefix("<tool_call>").removesuffix("</tool_call>"))
            assert call["arguments"].keys() >= {"thought"}
        else:
            assert json.loads(choice.text).keys() == {"thought", "action"}
