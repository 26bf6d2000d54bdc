from __future__ import annotations

import asyncio
import base64
import io
import time

import pytest
from PIL import Image

from agent_server.actions import Click
from agent_server.adapters import PromptSet, adapter_named
from agent_server.backend import ChatBackend
from agent_server.errors import BackendRejected, InvalidRequest, MissingScreenshots, UnknownName
from agent_server.geometry import Point, Size
from agent_server.images import CheckedImage, Encoding, check_image
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, HistoryTurn, Sampling
from agent_server.scripted import ScriptedReply

VENUS = "<think>Tap it.</think><action>Click(box=({x}, {y}))</action><conclusion>Tapped.</conclusion>"
TARS = "Thought: Tap it.\nAction: click(point='<point>{x} {y}</point>')"


def observe(data: bytes, **rest: object) -> Observation:
    image = check_image(data)
    return Observation(goal="Open Wi-Fi", image=image.data, size=image.size, **rest)


def decide(
    url: str, adapter: str, *observations: Observation, model: str = "the-7B", **settings: object
) -> list[ActResponse]:
    """Answers to observations, one after the other, from one policy."""

    async def main() -> list[ActResponse]:
        backend = ChatBackend([url], "m")
        policy = ModelPolicy(model, adapter_named(adapter), backend, PromptSet.load(), **settings)
        try:
            return [await policy.act(observation) for observation in observations]
        finally:
            await policy.aclose()

    return asyncio.run(main())


def test_relative_coordinates_the_bytes_go_through_untouched(scripted, screenshot):
    url, model = scripted(VENUS.format(x=300, y=400), model="m", root="ckpt-7")
    answer = decide(url, "ui-venus-1.5", observe(screenshot))[0]
    assert model.requests[0].images() == [("image/png", screenshot)]
    assert answer.action == Click(point=Point(324, 960))
    assert (answer.thought, answer.summary) == ("Tap it.", "Tapped.")
    assert answer.raw == VENUS.format(x=300, y=400)
    assert (answer.model, answer.adapter, answer.weights) == ("the-7B", "ui-venus-1.5", "ckpt-7")
    assert answer.prompt_digest == PromptSet.load().digest("ui-venus-1.5")
    assert (answer.finish_reason, answer.parse_error, answer.extra_actions) == ("stop", None, 0)
    assert answer.usage.prompt_tokens == 1200
    assert answer.samples == []
    assert set(answer.timing_ms) == {"image", "prompt", "backend", "parse", "total"}
    assert answer.timing_ms["total"] >= sum(answer.timing_ms.values()) / 2 - 0.1


@pytest.mark.parametrize(
    ("model", "size"),
    [("UI-Venus-Navi-7B", Size(644, 1428)), ("UI-Venus-Navi-72B", Size(1092, 2408))],
)
def test_absolute_coordinates_count_the_pixels_of_the_image_that_was_sent(model, size, scripted, screenshot):
    url, backend = scripted(VENUS.format(x=size.width // 2, y=size.height // 4), model="m")
    answer = decide(url, "ui-venus-1.0", observe(screenshot), model=model)[0]
    ((media_type, data),) = backend.requests[0].images()
    assert media_type == "image/jpeg"
    assert Image.open(io.BytesIO(data)).size == size
    assert answer.action == Click(point=Point(540, 600))


def test_an_image_of_the_right_size_is_not_touched(scripted, encode, draw):
    data = encode(draw(28 * 23, 28 * 52), "PNG")
    url, backend = scripted(VENUS.format(x=10, y=10), model="m")
    decide(url, "ui-venus-1.0", observe(data))
    assert backend.requests[0].images() == [("image/png", data)]


def test_a_rotated_image_is_turned_upright_even_for_relative_coordinates(scripted, encode, draw):
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encode(draw(400, 200), "JPEG", exif=exif)
    url, backend = scripted(VENUS.format(x=500, y=500), model="m")
    answer = decide(url, "ui-venus-1.5", observe(data))[0]
    ((_, sent),) = backend.requests[0].images()
    assert Image.open(io.BytesIO(sent)).size == (200, 400)
    assert answer.action == Click(point=Point(100, 200))


def test_png_to_the_model_when_asked(scripted, screenshot):
    url, backend = scripted(VENUS.format(x=1, y=1), model="m")
    decide(url, "ui-venus-1.0", observe(screenshot), encoding=Encoding("png"))
    ((media_type, data),) = backend.requests[0].images()
    assert media_type == "image/png"
    assert data.startswith(b"\x89PNG")


def test_the_goal_reaches_the_model(scripted, screenshot):
    url, backend = scripted(VENUS.format(x=1, y=1), model="m")
    decide(url, "ui-venus-1.5", observe(screenshot))
    assert "Open Wi-Fi" in backend.requests[0].text()
    assert backend.requests[0].body["model"] == "m"


def test_sampling_defaults_are_the_adapters_and_a_request_overrides_them(scripted, screenshot):
    url, backend = scripted(VENUS.format(x=1, y=1), model="m")
    plain = observe(screenshot)
    asked = observe(screenshot, sampling=Sampling(temperature=0.7, seed=3, max_tokens=99, n=2))
    decide(url, "ui-venus-1.0", plain, asked)
    first, second = (request.body for request in backend.requests)
    assert (first["temperature"], first["repetition_penalty"], first["max_tokens"]) == (0, 1.05, 2048)
    assert "seed" not in first
    assert (second["temperature"], second["repetition_penalty"], second["max_tokens"]) == (0.7, 1.05, 99)
    assert (second["seed"], second["n"]) == (3, 2)


def test_several_samples_and_tokens(scripted, screenshot):
    url, _ = scripted(VENUS.format(x=300, y=400), model="m")
    request = observe(screenshot, sampling=Sampling(n=3, temperature=1.0), return_tokens=True)
    answer = decide(url, "ui-venus-1.5", request)[0]
    assert len(answer.samples) == 3
    assert answer.action == answer.samples[0].action == Click(point=Point(324, 960))
    assert answer.tokens == answer.samples[0].tokens
    assert answer.tokens.response_ids == [7, 8, 9]
    assert answer.tokens.prompt_ids == [1, 2, 3, 4]
    assert answer.tokens.logprobs == [-0.5, -0.25, 0.0]


def test_tokens_come_with_the_patches_of_every_image_in_the_order_of_the_prompt(scripted, encode, draw):
    shots = [encode(draw(280, 560 + 280 * i), "PNG") for i in range(3)]
    url, _ = scripted(TARS.format(x=140, y=280), model="m")
    turns, _ = history(2, shots[0])
    seen = tuple(map(check_image, shots[:2]))
    request = observe(shots[2], history=turns, history_images=seen, return_tokens=True)
    (answer,) = decide(url, "ui-tars-1.5", request, logprobs_mode="processed")
    assert answer.tokens.image_grid == [(1, 40, 20), (1, 60, 20), (1, 80, 20)]
    assert answer.tokens.logprobs_mode == "processed"


@pytest.mark.parametrize(
    ("adapter", "grids"),
    [
        ("ui-venus-1.0", [(1, 102, 46)]),  # 644x1428 in patches of 14
        ("qwen3-vl", [(1, 150, 68)]),  # 1088x2400 in patches of 16: the bytes that came, resized by the model server
        ("ui-tars-1.0", None),
    ],
)
def test_patches_are_told_where_the_processor_is_known(adapter, grids, scripted, screenshot):
    url, _ = scripted(VENUS.format(x=1, y=1), model="m")
    (answer,) = decide(url, adapter, observe(screenshot, return_tokens=True))
    assert answer.tokens.image_grid == grids
    assert answer.tokens.logprobs_mode is None
    (answer,) = decide(url, adapter, observe(screenshot))
    assert answer.tokens is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [("I would rather not.", "malformed"), ("", "malformed"), (VENUS.format(x=5000, y=3), "out_of_range")],
)
def test_text_without_an_action_is_behaviour(text, kind, scripted, screenshot):
    url, _ = scripted(text, model="m")
    answer = decide(url, "ui-venus-1.5", observe(screenshot))[0]
    assert answer.action is None
    assert answer.parse_error.kind == kind
    assert answer.raw == text


def test_reasoning_from_the_server_stands_in_for_a_thought(scripted, screenshot):
    reply = ScriptedReply("<action>Click(box=(300, 400))</action>", reasoning="It is there.", finish_reason="length")
    url, _ = scripted(reply, model="m")
    answer = decide(url, "ui-venus-1.5", observe(screenshot))[0]
    assert (answer.thought, answer.finish_reason) == ("It is there.", "length")


def history(count: int, shot: bytes) -> tuple[tuple[HistoryTurn, ...], tuple[CheckedImage | None, ...]]:
    turns = [HistoryTurn(step=i, action=Click(point=Point(i, i)), raw=TARS.format(x=i, y=i)) for i in range(count)]
    return tuple(turns), tuple(check_image(shot) for _ in range(count))


def test_earlier_screenshots_go_to_models_that_look_back(scripted, encode, draw):
    shots = [encode(draw(280, 560 + 28 * i), "PNG") for i in range(3)]
    url, backend = scripted(TARS.format(x=140, y=280), model="m")
    turns, _ = history(2, shots[0])
    images = (check_image(shots[0]), check_image(shots[1]))
    decide(url, "ui-tars-1.5", observe(shots[2], history=turns, history_images=images))
    assert [data for _, data in backend.requests[0].images()] == shots
    assert TARS.format(x=1, y=1) in backend.requests[0].text()


def test_turns_without_a_picture_are_told_in_words(scripted, encode, draw):
    shot = encode(draw(280, 560), "PNG")
    url, backend = scripted(TARS.format(x=140, y=280), model="m")
    turns, _ = history(2, shot)
    decide(url, "ui-tars-1.5", observe(shot, history=turns, history_images=(None, check_image(shot))))
    decide(url, "ui-tars-1.5", observe(shot, history=turns))
    assert [len(request.images()) for request in backend.requests] == [2, 1]


def test_a_screenshot_is_resized_once_for_all_the_steps_that_send_it(scripted, screenshot):
    url, backend = scripted(TARS.format(x=140, y=280), model="m")
    turns, images = history(2, screenshot)
    first, second = decide(
        url,
        "ui-tars-1.5",
        observe(screenshot),
        observe(screenshot, history=turns, history_images=images),
    )
    sent = [image for request in backend.requests for image in request.images()]
    assert len(sent) == 4
    assert len(set(sent)) == 1
    assert second.timing_ms["image"] < first.timing_ms["image"] / 3


def test_a_picture_that_is_named_but_not_held(scripted, encode, draw):
    shot = encode(draw(280, 560), "PNG")
    url, backend = scripted(TARS.format(x=140, y=280), model="m")
    turns, images = history(6, shot)
    named = tuple(turn.model_copy(update={"screenshot_sha256": "0" * 64}) for turn in turns)
    held = (None, None, *images[2:])
    decide(url, "ui-tars-1.5", observe(shot, history=named, history_images=held, missing=frozenset({0, 1})))
    assert len(backend.requests[0].images()) == 5
    with pytest.raises(MissingScreenshots) as caught:
        decide(url, "ui-tars-1.5", observe(shot, history=named, history_images=held[:3], missing=frozenset({3, 4, 5})))
    assert caught.value.positions == (3, 4, 5)
    assert len(backend.requests) == 1


def test_the_prompt_does_not_depend_on_which_hidden_pictures_are_held(scripted, encode, draw):
    """A step without its raw text is told anew, in the coordinates of its own picture."""
    wide, shot = encode(draw(560, 280), "PNG"), encode(draw(280, 560), "PNG")
    url, backend = scripted(TARS.format(x=140, y=280), model="m")
    turns = [HistoryTurn(step=n, action=Click(point=Point(200, 100)), screenshot_sha256="0" * 64) for n in range(5)]
    seen = tuple(check_image(data) for data in (wide, shot, shot, shot, wide))
    for held, missing in ((seen, frozenset()), ((None, *seen[1:]), frozenset({0}))):
        decide(url, "ui-tars-1.5", observe(shot, history=tuple(turns), history_images=held, missing=missing))
    first, second = (request.body["messages"] for request in backend.requests)
    assert first == second
    assert "<point>200 100</point>" in first[-2]["content"], "a turn that is shown is told in its own coordinates"


def test_the_loop_is_free_while_images_are_resized(scripted, encode, draw):
    """Something that runs on the event loop all the time never waits for a whole resize."""
    url, _ = scripted(VENUS.format(x=1, y=1), model="m")
    observation = observe(encode(draw(3000, 6000), "PNG", compress_level=1))

    async def main() -> tuple[float, float]:
        policy = ModelPolicy("7B", adapter_named("ui-venus-1.0"), ChatBackend([url], "m"), PromptSet.load())
        deciding = asyncio.create_task(policy.act(observation))
        last, longest = time.perf_counter(), 0.0
        while not deciding.done():
            await asyncio.sleep(0)
            now = time.perf_counter()
            last, longest = now, max(longest, now - last)
        await policy.aclose()
        return longest * 1000, (await deciding).timing_ms["image"]

    longest, image = asyncio.run(main())
    assert longest < image / 2


def test_a_model_that_is_not_served(scripted, screenshot):
    url, backend = scripted(model="m")
    with pytest.raises(UnknownName, match="unknown model 'other'; known: the-7B"):
        decide(url, "ui-venus-1.5", observe(screenshot, model="other"))
    assert backend.requests == []
    assert decide(url, "ui-venus-1.5", observe(screenshot, model="the-7B"))


def test_a_shape_that_no_processor_takes(scripted, encode, draw):
    url, _ = scripted(model="m")
    thread = encode(Image.new("RGB", (2, 1000)), "PNG")
    with pytest.raises(InvalidRequest, match="200 times"):
        decide(url, "ui-venus-1.0", observe(thread))


def test_what_the_backend_refuses(scripted, screenshot):
    url, _ = scripted(ScriptedReply(status=400, body=b"maximum context length is 10"), model="m")
    with pytest.raises(BackendRejected, match="maximum context length"):
        decide(url, "ui-venus-1.5", observe(screenshot))


def test_the_card_says_what_a_run_must_know(scripted):
    url, _ = scripted(model="m", root="ckpt")

    async def main():
        backend = ChatBackend([url], "m")
        prompts = PromptSet.load()
        told = {"constrained": True, "logprobs_mode": "raw"}
        policy = ModelPolicy("UI-Venus-1.5-8B", adapter_named("ui-venus-1.5"), backend, prompts, **told)
        before = policy.cards()
        await policy.ready()
        after = policy.cards()
        await policy.aclose()
        return before, after

    (before,), (after,) = asyncio.run(main())
    assert (before.id, before.adapter, before.weights) == ("UI-Venus-1.5-8B", "ui-venus-1.5", None)
    assert after.weights == "ckpt"
    assert after.sampling["temperature"] == 0
    assert after.sampling["constrained"] is True
    assert (after.images, after.logprobs_mode) == (1, "raw")
    assert after.prompt_digest == PromptSet.load().digest("ui-venus-1.5")


def test_scripted_requests_can_be_looked_into(scripted, screenshot):
    """The fake's own eyes: what `images` returns is what went over the wire."""
    url, backend = scripted(VENUS.format(x=1, y=1), model="m")
    decide(url, "ui-venus-1.5", observe(screenshot))
    part = next(p for p in backend.requests[0].body["messages"][-1]["content"] if p["type"] == "image_url")
    assert part["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(screenshot).decode()
