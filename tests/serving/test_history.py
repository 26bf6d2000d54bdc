"""A model that looks back at four screenshots, on the real engine: what it sees, and what goes over the wire for it."""

from __future__ import annotations

import io
import json

import pytest
from PIL import Image

from agent_server.client import PolicyClient
from agent_server.schemas import ActResponse, HistoryTurn, Sampling

COLOURS = ("maroon", "olive", "teal", "navy", "purple", "gray", "orange")
COLD = Sampling(temperature=0.0, max_tokens=4)


@pytest.fixture(scope="module")
def shots() -> list[bytes]:
    """Screens of different colour and size."""
    pictures = []
    for number, colour in enumerate(COLOURS):
        picture = io.BytesIO()
        Image.new("RGB", (280, 420 + 28 * number), colour).save(picture, "PNG")
        pictures.append(picture.getvalue())
    return pictures


def step(client: PolicyClient, shots: list[bytes], index: int) -> ActResponse:
    """A decision at a step of an episode that saw `shots`, with the four screenshots before it."""
    return client.act(
        "Open Wi-Fi",
        shots[index],
        [HistoryTurn(step=n, raw=f"Thought: step {n}\nAction: wait()") for n in range(index)],
        session="e1",
        sampling=COLD,
        return_tokens=True,
        history_screenshots={n: shots[n] for n in range(max(0, index - 4), index)},
    )


def test_the_last_five_screens_are_seen_in_their_order(served, policy_before, shots):
    with PolicyClient(policy_before(served)) as client:
        answers = [step(client, shots, index) for index in range(len(shots))]
    rows = [[grid[1] for grid in answer.tokens.image_grid] for answer in answers]
    heights = [(420 + 28 * number) // 14 for number in range(len(shots))]
    assert rows == [heights[max(0, index - 4) : index + 1] for index in range(len(shots))]
    for answer in answers:
        patches = sum(rows * columns for _, rows, columns in answer.tokens.image_grid)
        others = [token for token in answer.tokens.prompt_ids if token != _placeholder(served)]
        assert len(answer.tokens.prompt_ids) - len(others) == patches // 4, "as many as the engine put there"
        assert answer.usage.prompt_tokens == len(answer.tokens.prompt_ids)


def test_a_server_that_does_not_hold_them_decides_the_same(served, policy_before, shots):
    """A session that moves to another policy server: a 409, one full upload, and the very same prompt."""
    first, second = policy_before(served), policy_before(served)
    with PolicyClient(first) as client:
        for index in range(4):
            step(client, shots, index)
        here = step(client, shots, 4)
        client.url = second
        there = step(client, shots, 4)
        after = step(client, shots, 5)
    assert there.tokens.prompt_ids == here.tokens.prompt_ids
    assert there.raw == here.raw
    assert len(after.tokens.image_grid) == 5


def test_what_was_seen_before_is_found_in_the_prefix_cache(served, policy_before, shots):
    """The prompt of the same step again begins like the one before, images included."""
    with PolicyClient(policy_before(served)) as client:
        before = _hits(served)
        one, again = step(client, shots, 6), step(client, shots, 6)
    assert one.tokens.prompt_ids == again.tokens.prompt_ids
    assert _hits(served) - before >= len(again.tokens.prompt_ids) // 128 * 128 - 128


def _hits(served) -> float:
    """Prompt tokens that the engine found in its cache, ever."""
    lines = served.get("/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("vllm:prefix_cache_hits_total"))


def _placeholder(served) -> int:
    """The id that stands for a part of an image."""
    return json.loads((served.checkpoint / "config.json").read_text())["image_token_id"]
