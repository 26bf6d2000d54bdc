"""A model that says where elements are: what it is sent, what is made of its replies, and how samples vote."""

from __future__ import annotations

import asyncio
import io
import json

import pytest
from PIL import Image

from agent_server.adapters import ADAPTERS, PromptSet, adapter_named
from agent_server.backend import ChatBackend
from agent_server.errors import BackendReply, InvalidRequest, UnknownName
from agent_server.geometry import Box, Point, Size
from agent_server.ground import GroundingModel, GroundQuestion, agree, consensus, grounder_of, grounding_families
from agent_server.images import check_image
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import GroundResponse, GroundSample, ParseError, Sampling
from agent_server.scripted import ScriptedReply

SCREEN = Size(1000, 1000)
ABSENT = GroundSample(present=False)
UNREADABLE = GroundSample(present=None, parse_error=ParseError(kind="malformed", message="x"))


def at(x: int, y: int, box: tuple[int, int, int, int] | None = None) -> GroundSample:
    return GroundSample(present=True, point=Point(x, y), box=None if box is None else Box(*box))


def ask(
    url: str, adapter: str, screenshot: bytes, *, prompts: PromptSet | None = None, **fields: object
) -> GroundResponse:
    settings = {name: fields.pop(name) for name in ("model", "constrained", "language") if name in fields}

    async def main() -> GroundResponse:
        grounder = adapter_named(adapter)
        backend = ChatBackend([url], "m")
        model = GroundingModel(
            str(settings.pop("model", "the-7B")),
            grounder,
            backend,
            prompts or PromptSet.load(),
            PreparedImages(),
            **settings,
        )
        try:
            return await model.ground(GroundQuestion("the bell icon", check_image(screenshot), **fields))
        finally:
            await model.aclose()
            await model.aclose()

    return asyncio.run(main())


def several(*texts: str) -> ScriptedReply:
    choices = [{"index": i, "message": {"content": text}, "finish_reason": "stop"} for i, text in enumerate(texts)]
    return ScriptedReply(body=json.dumps({"choices": choices, "usage": {"prompt_tokens": 9}}).encode())


def test_a_place_in_pixels_of_the_screenshot(scripted, screenshot):
    url, model = scripted('[{"bbox_2d": [400, 400, 600, 600]}]', model="m", root="ckpt-7")
    answer = ask(url, "qwen3-vl", screenshot)
    (request,) = model.requests
    assert request.images() == [("image/png", screenshot)]
    assert "the bell icon" in request.text()
    assert (request.body["temperature"], request.body["max_tokens"]) == (0, 2048)
    assert (answer.present, answer.point, answer.box) == (True, Point(540, 1200), Box(432, 960, 648, 1440))
    assert (answer.model, answer.adapter, answer.weights) == ("the-7B", "qwen3-vl", "ckpt-7")
    assert answer.prompt_digest == PromptSet.load().digest("qwen3-vl.ground") != PromptSet.load().digest("qwen3-vl")
    assert (answer.agreement, answer.samples, answer.finish_reason) == (None, [], "stop")
    assert answer.usage.prompt_tokens == 1200
    assert set(answer.timing_ms) == {"image", "prompt", "backend", "parse", "total"}


def test_absolute_coordinates_count_the_pixels_of_the_image_that_was_sent(scripted, screenshot):
    url, model = scripted("Action: click(point='<point>546 1204</point>')", model="m")
    answer = ask(url, "ui-tars-1.5", screenshot)
    ((media_type, data),) = model.requests[0].images()
    assert media_type == "image/jpeg"
    assert Image.open(io.BytesIO(data)).size == (1092, 2408)
    assert answer.point == Point(540, 1200)


def test_a_refusal_and_nonsense_are_told_apart(scripted, screenshot):
    url, _ = scripted("[-1,-1]", model="m")
    answer = ask(url, "ui-venus-ground-1.5", screenshot)
    assert (answer.present, answer.point, answer.parse_error) == (False, None, None)
    url, _ = scripted("Sure!", model="m")
    answer = ask(url, "ui-venus-ground-1.5", screenshot)
    assert (answer.present, answer.point, answer.parse_error.kind, answer.raw) == (None, None, "malformed", "Sure!")


def test_reasoning_that_the_server_took_out_is_the_thought(scripted, screenshot):
    url, _ = scripted(ScriptedReply("[5, 5]", reasoning="Top left."), model="m")
    assert ask(url, "qwen3-vl", screenshot).thought == "Top left."


def test_sampling_session_and_another_prompt_reach_the_model(scripted, screenshot, tmp_path):
    (tmp_path / "qwen3-vl.ground.jinja").write_text("WHERE, in {{ language }}, 0-{{ width }}: {{ element }}")
    prompts = PromptSet.load(tmp_path)
    url, model = scripted("[5, 5]", model="m")
    sampling = Sampling(temperature=0.5, seed=3, max_tokens=9)
    answer = ask(url, "qwen3-vl", screenshot, prompts=prompts, sampling=sampling, session="s", language="Chinese")
    body = model.requests[0].body
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.5, 3, 9)
    assert model.requests[0].text() == "WHERE, in Chinese, 0-1000: the bell icon"
    assert answer.prompt_digest == prompts.digest("qwen3-vl.ground")


def test_samples_vote(scripted, screenshot):
    url, model = scripted(several("[900, 900]", "[500, 500]", "[505, 505]", "nonsense"), model="m")
    answer = ask(url, "qwen3-vl", screenshot, sampling=Sampling(n=4, temperature=1))
    assert model.requests[0].body["n"] == 4
    assert answer.raw == "[500, 500]"
    assert answer.agreement == 0.5
    assert [sample.raw for sample in answer.samples] == ["[900, 900]", "[500, 500]", "[505, 505]", "nonsense"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ABSENT, ABSENT, True),
        (ABSENT, at(1, 1), False),
        (UNREADABLE, UNREADABLE, False),
        (UNREADABLE, ABSENT, False),
        (at(500, 500), at(540, 460), True),
        (at(500, 500), at(541, 500), False),
        (at(500, 500), at(500, 541), False),
        (at(100, 100, (0, 0, 900, 200)), at(850, 150), True),
        (at(850, 150), at(100, 100, (0, 0, 900, 200)), True),
        (at(100, 100, (0, 0, 900, 200)), at(100, 200), False),
    ],
)
def test_when_two_samples_agree(one, other, same):
    assert agree(one, other, SCREEN) is agree(other, one, SCREEN) is same


def test_the_first_of_equals_is_chosen():
    assert consensus([at(0, 0), at(500, 500)], SCREEN) == (0, 1)
    assert consensus([UNREADABLE, ABSENT, at(5, 5), ABSENT], SCREEN) == (1, 2)
    assert consensus([UNREADABLE, UNREADABLE], SCREEN) == (0, 0)


def test_what_cannot_be_asked(scripted, screenshot, encode, draw):
    url, model = scripted("[5, 5]", model="m")
    with pytest.raises(UnknownName, match="unknown grounding model 'other'; known: the-7B"):
        asyncio.run(_with_model(url, screenshot, model="other"))
    with pytest.raises(InvalidRequest, match="200 times"):
        ask(url, "ui-tars-1.5", encode(draw(2, 500), "PNG"))
    assert model.requests == []


async def _with_model(url: str, screenshot: bytes, **fields: object) -> GroundResponse:
    model = GroundingModel(
        "the-7B", adapter_named("qwen3-vl"), ChatBackend([url], "m"), PromptSet.load(), PreparedImages()
    )
    try:
        return await model.ground(GroundQuestion("x", check_image(screenshot), **fields))
    finally:
        await model.aclose()


def test_failures_of_the_backend_are_failures(scripted, screenshot):
    url, _ = scripted(ScriptedReply(body=b"{}"), model="m")
    with pytest.raises(BackendReply, match="without choices"):
        ask(url, "qwen3-vl", screenshot)


def test_the_families_that_ground():
    assert set(grounding_families()) >= {
        "ui-tars-1.0",
        "ui-tars-1.5",
        "qwen2.5-vl",
        "qwen3-vl",
        "mai-ui",
        "ui-venus-1.5",
    }
    assert grounder_of(ADAPTERS["ui-venus-1.5"]) is ADAPTERS["ui-venus-ground-1.5"]
    assert grounder_of(ADAPTERS["qwen3-vl"]) is ADAPTERS["qwen3-vl"]
    assert grounder_of(ADAPTERS["ui-venus-1.0"]) is None
