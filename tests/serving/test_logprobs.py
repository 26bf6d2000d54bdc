"""The log-probabilities of a record are those of the checkpoint, as transformers computes them.

vLLM is not asked to check itself: ids come from the response or the record, pixels from the screenshot by way of
`agent_server.images.prepared`, and the checkpoint's own processor and weights do the rest.
"""

from __future__ import annotations

import io
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from agent_server.adapters import adapter_named
from agent_server.client import PolicyClient
from agent_server.images import check_image, prepared
from agent_server.processor import fitted
from agent_server.schemas import ActResponse, HistoryTurn, Sampling, Tokens
from emulator_farm.campaign import Campaign
from emulator_farm.config import HarvestConfig
from emulator_farm.store import Store

RATIO = 1.05
"""How far apart two probabilities of a token may be."""
CLOSE = Sampling(temperature=0.7, top_p=0.8, top_k=1000, repetition_penalty=1.3, max_tokens=24, seed=5)
"""Sampling of which every part moves the probabilities of a model that says nearly anything."""


def screen(number: int) -> bytes:
    """A screenshot of its own for every number: blocks of colour."""
    dice = random.Random(number)
    picture = Image.new("RGB", (360, 640), "black")
    pen = ImageDraw.Draw(picture)
    for _ in range(40):
        left, top = dice.randrange(300), dice.randrange(600)
        pen.rectangle((left, top, left + 120, top + 90), fill=tuple(dice.randbytes(3)))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def sent(shots: Sequence[bytes], checkpoint: Path, folder: Path) -> list[str]:
    """Files with the images that a model of the UI-TARS 1.5 family is sent for these screenshots."""
    family = fitted(adapter_named("ui-tars-1.5"), str(checkpoint))
    files = []
    for number, shot in enumerate(shots):
        image = check_image(shot)
        file = folder / f"sent-{number}"
        file.write_bytes(prepared(image, family.frame(image.size).resized).data)
        files.append(str(file))
    return files


def blanked(file: str) -> str:
    """A file beside it with a white image of its size."""
    with Image.open(file) as picture:
        Image.new("RGB", picture.size, "white").save(f"{file}.blank.png")
    return f"{file}.blank.png"


def case(tokens: Tokens, images: Sequence[str], processed: Sampling | None = None) -> dict[str, object]:
    """A question for `forward`."""
    shaping = processed and processed.model_dump(include={"temperature", "top_p", "top_k", "repetition_penalty"})
    return {
        "prompt_ids": tokens.prompt_ids,
        "response_ids": tokens.response_ids,
        "images": list(images),
        "processed": shaping,
    }


def apart(tokens: Tokens, answer: dict[str, list]) -> float:
    """The largest ratio of two probabilities of one token: recorded, and computed."""
    assert tokens.response_ids
    pairs = zip(tokens.logprobs, answer["logprobs"], strict=True)
    return math.exp(max(abs(recorded - computed) for recorded, computed in pairs))


def told(answer: ActResponse, mode: str) -> list[Tokens]:
    """The tokens of every sample, each with an id and a log-probability for every token."""
    found = [sample.tokens for sample in answer.samples or [answer]]
    assert {tokens.logprobs_mode for tokens in found} == {mode}
    assert all(len(tokens.response_ids) == len(tokens.logprobs) for tokens in found)
    return found


def image_runs(checkpoint: Path, prompt_ids: Sequence[int]) -> list[int]:
    """Lengths of the runs of image placeholders in a prompt."""
    placeholder = json.loads((checkpoint / "config.json").read_text())["image_token_id"]
    marks = "".join("i" if token == placeholder else " " for token in prompt_ids)
    return [len(run) for run in marks.split()]


def test_raw_ones_know_nothing_of_the_sampling(served, policy_before, forward, tmp_path) -> None:
    url = policy_before(served, logprobs_mode="raw")
    sampling = CLOSE.model_copy(update={"n": 2})
    with PolicyClient(url) as client:
        answer = client.act("Open Wi-Fi", screen(1), sampling=sampling, return_tokens=True)
    first, second = told(answer, "raw")
    assert first.response_ids != second.response_ids
    assert first.prompt_ids == second.prompt_ids
    images = sent([screen(1)], served.checkpoint, tmp_path)
    asked = [case(first, images), case(second, images), case(first, [blanked(images[0])]), case(first, images, CLOSE)]
    *right, blind, processed = forward(served.checkpoint, *asked)
    ratios = [apart(tokens, one) for tokens, one in zip((first, second), right, strict=True)]
    print(f"largest ratio of probabilities: {max(ratios):.6f}")
    assert max(ratios) < RATIO
    assert apart(first, blind) > RATIO, "the image counts"
    assert apart(first, processed) > RATIO, "and the sampling does not"
    assert right[0]["image_grid"] == [list(one) for one in first.image_grid]


def test_of_several_images_each_is_the_one_that_was_sent(served, policy_before, forward, tmp_path) -> None:
    url = policy_before(served, logprobs_mode="raw")
    shots = [screen(number) for number in range(3)]
    turns = [HistoryTurn(step=number, raw=f"Thought: {number}\nAction: wait()") for number in range(2)]
    sampling = Sampling(temperature=1.0, max_tokens=16, seed=1)
    with PolicyClient(url) as client:
        answer = client.act(
            "Open Wi-Fi",
            shots[2],
            turns,
            sampling=sampling,
            return_tokens=True,
            history_screenshots=dict(enumerate(shots[:2])),
        )
    (tokens,) = told(answer, "raw")
    images = sent(shots, served.checkpoint, tmp_path)
    blank = blanked(images[0])
    without = [[blank if number == hidden else image for number, image in enumerate(images)] for hidden in range(3)]
    right, *others = forward(served.checkpoint, *(case(tokens, shown) for shown in (images, *without)))
    assert apart(tokens, right) < RATIO
    assert all(apart(tokens, other) > RATIO for other in others), "each of them counts"
    assert right["image_grid"] == [list(one) for one in tokens.image_grid]
    merged = [rows * columns // 4 for _, rows, columns in tokens.image_grid]
    assert image_runs(served.checkpoint, tokens.prompt_ids) == merged


def test_an_episode_is_enough(served, policy_before, forward, tmp_path) -> None:
    """Harvested on a virtual phone; then only the episode's file and the checkpoint are looked at."""
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"name": "look", "goal": "Open the settings"}\n')
    config = HarvestConfig.model_validate(
        {
            "tasks": str(tasks),
            "out": str(tmp_path / "run"),
            "policy": policy_before(served, logprobs_mode="raw"),
            "devices": "virtual:1",
            "tokens": True,
            "sampling": {"temperature": 1.0, "max_tokens": 12},
            "limits": {"max_steps": 3},
        }
    )
    assert Campaign(config).run(lambda _: None).complete
    (episode,) = Store(tmp_path / "run").episodes()
    assert len(episode.moves) == 3
    screens = [step.screen.image for step in episode.moves]
    asked = []
    for step in episode.moves:
        seen = screens[: step.index + 1][-len(step.decision.tokens.image_grid) :]
        folder = tmp_path / f"step-{step.index}"
        folder.mkdir()
        asked.append(case(step.decision.tokens, sent(seen, served.checkpoint, folder)))
    assert [len(one["images"]) for one in asked] == [1, 2, 3]
    answers = forward(served.checkpoint, *asked)
    ratios = [apart(step.decision.tokens, answer) for step, answer in zip(episode.moves, answers, strict=True)]
    print(f"largest ratio of probabilities: {max(ratios):.6f}")
    assert max(ratios) < RATIO
    assert {step.decision.tokens.logprobs_mode for step in episode.moves} == {"raw"}
    assert {step.decision.weights for step in episode.moves} == {str(served.checkpoint)}


@pytest.mark.parametrize("sampling", [CLOSE, Sampling(temperature=0.0, repetition_penalty=1.3, max_tokens=8)])
def test_processed_ones_are_of_what_was_drawn_from(
    sampling, model_server, checkpoint, policy_before, forward, tmp_path
) -> None:
    """In single precision, so that a token at the edge of the nucleus is on the same side for both."""
    served = model_server(checkpoint(dtype="float32"), "--dtype", "float32", "--logprobs-mode", "processed_logprobs")
    url = policy_before(served, logprobs_mode="processed")
    with PolicyClient(url) as client:
        answer = client.act("Open Wi-Fi", screen(2), sampling=sampling, return_tokens=True)
    (tokens,) = told(answer, "processed")
    images = sent([screen(2)], served.checkpoint, tmp_path)
    shaping = (
        sampling if sampling.temperature else Sampling(temperature=1.0, top_p=1.0, top_k=0, repetition_penalty=1.3)
    )
    processed, raw = forward(served.checkpoint, case(tokens, images, shaping), case(tokens, images))
    print(f"largest ratio of probabilities: {apart(tokens, processed):.6f}")
    assert apart(tokens, processed) < RATIO
    assert apart(tokens, raw) > RATIO
