"""A harvest of built-in tasks with a vLLM that `agent-server serve` started: every record carries tokens."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from agent_server.adapters import adapter_named
from agent_server.images import check_image, prepared
from agent_server.processor import fitted
from emulator_farm.episode import Episode
from emulator_farm.store import Store
from emulator_farm.tether import spawn

SUITE = Path(__file__).parents[2] / "emulator_farm" / "tasks" / "suites" / "phone.yaml"
TASKS, STEPS = 3, 3
START_S = 600.0
HARVEST_S = 900.0
FAMILY = "ui-tars-1.5"


@pytest.fixture(scope="module")
def folder(checkpoint) -> Path:
    return checkpoint()


@pytest.fixture(scope="module")
def policy(model_server, vllm, vllm_env, folder, tmp_path_factory) -> Iterator[str]:
    """`agent-server serve` on the checkpoint, its replies held to the grammar."""
    model_server.stop()
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [
        sys.executable,
        "-m",
        "agent_server",
        "serve",
        "--port",
        "0",
        "--model",
        str(folder),
        "--adapter",
        FAMILY,
    ]
    command += ["--constrained", "--vllm", str(vllm), "--", "--enforce-eager"]
    with log.open("wb") as out:
        process = spawn(command, env=vllm_env, stdout=out, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + START_S
        while not (found := re.search(r"^listening on (\S+)", log.read_text(errors="replace"), re.MULTILINE)):
            said = log.read_text(errors="replace")[-6000:]
            assert process.poll() is None, said
            assert time.monotonic() < deadline, said
            threading.Event().wait(0.25)
        yield found[1]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0, log.read_text(errors="replace")[-6000:]


@pytest.fixture(scope="module")
def episodes(policy, tmp_path_factory) -> list[Episode]:
    """What the command leaves of the suite's first tasks."""
    place = tmp_path_factory.mktemp("harvest")
    tasks = place / "phone.yaml"
    tasks.write_text(yaml.safe_dump({"tasks": yaml.safe_load(SUITE.read_text())["tasks"][:TASKS]}))
    command = [sys.executable, "-m", "emulator_farm", "harvest", str(tasks), "--out", str(place / "run")]
    command += ["--policy", policy, "--devices", "virtual:2", "--tokens", "--temperature", "1"]
    command += ["--max-steps", str(STEPS), "--max-tokens", "200"]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=HARVEST_S)
    assert done.returncode == 0, done.stderr[-4000:]
    return list(Store(place / "run").episodes())


def test_every_step_carries_ids_and_logprobs(episodes, folder) -> None:
    assert len(episodes) == TASKS
    moves = [step for episode in episodes for step in episode.moves]
    assert len(moves) >= TASKS
    placeholder = json.loads((folder / "config.json").read_text())["image_token_id"]
    for step in moves:
        tokens = step.decision.tokens
        assert len(tokens.response_ids) == len(tokens.logprobs) > 0
        assert max(tokens.logprobs) <= 0
        assert tokens.logprobs_mode == "raw"
        assert len(tokens.image_grid) == min(step.index + 1, 5)
        patches = sum(rows * columns for _, rows, columns in tokens.image_grid)
        assert tokens.prompt_ids.count(placeholder) == patches // 4
        assert step.decision.cached_tokens is not None
        assert step.decision.weights == str(folder)


def test_the_record_says_how_was_sampled(episodes) -> None:
    for episode in episodes:
        sampling = episode.header.sampling
        assert (sampling["temperature"], sampling["max_tokens"], sampling["constrained"]) == (1.0, 200, True)
        assert sampling["top_p"] == adapter_named(FAMILY).declaration.sampling["top_p"]


def test_constrained_replies_are_actions(episodes) -> None:
    """But for those that were cut off in the middle."""
    decisions = [step.decision for episode in episodes for step in episode.moves]
    assert any(decision.action is not None for decision in decisions)
    assert all(decision.action is not None or decision.finish_reason == "length" for decision in decisions)


def test_log_probabilities_of_constrained_replies_are_of_what_the_grammar_admits(
    episodes, folder, forward, tmp_path
) -> None:
    """So they are above the model's own, which share their sum with all that the grammar forbids."""
    step = next(step for episode in episodes for step in episode.moves if step.index == 0)
    image = check_image(step.screen.image)
    family = fitted(adapter_named(FAMILY), str(folder))
    (tmp_path / "sent").write_bytes(prepared(image, family.frame(image.size).resized).data)
    tokens = step.decision.tokens
    case = {"prompt_ids": tokens.prompt_ids, "response_ids": tokens.response_ids, "images": [str(tmp_path / "sent")]}
    (answer,) = forward(folder, case)
    above = [recorded - own for recorded, own in zip(tokens.logprobs, answer["logprobs"], strict=True)]
    assert min(above) > -0.05
    assert max(above) > 1
