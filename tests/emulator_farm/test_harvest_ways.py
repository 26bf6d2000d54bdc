"""Harvests on phones with a controller: it is used, and where it dies or lies in the middle, no frame is wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from agent_server.actions import OpenApp, Press, Wait
from emulator_farm.campaign import Campaign
from emulator_farm.config import HarvestConfig
from emulator_farm.progress import Outcome, Progress, reached
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

REPLIES = [
    Press(key="home"),
    OpenApp(app="com.android.settings"),
    Press(key="back"),
    OpenApp(app="com.android.deskclock"),
    Wait(seconds=0.1),
    Press(key="home"),
]
TASKS = 2


@pytest.fixture
def host() -> Iterator[PhoneHost]:
    """Two emulators whose adb is slow, so that gRPC wins, and whose minute does not pass."""
    phones = [Phone(f"small-{index}", 360, 800, 140) for index in range(2)]
    for phone in phones:
        phone.latency.capture_s = phone.latency.input_s = 0.03
        phone.clock.hold()
    with PhoneHost(phones, emulator=True) as host:
        yield host


def play(
    folder: Path,
    policy: str,
    host: PhoneHost,
    watcher: Callable[[Progress], None] = lambda _: None,
    samples: int = 2,
) -> tuple[Campaign, Outcome]:
    tasks = folder / "tasks.jsonl"
    tasks.write_text("".join(json.dumps({"name": f"goal_{n}", "goal": f"Do thing {n}"}) + "\n" for n in range(TASKS)))
    options = {"tasks": str(tasks), "out": str(folder / "run"), "samples": samples, "policy": policy}
    options["devices"] = "adb:" + ",".join(host.addresses)
    campaign = Campaign(HarvestConfig.model_validate(options))
    return campaign, campaign.run(watcher)


def shown(campaign: Campaign) -> list[set[bytes]]:
    """The pictures of each step, over all episodes."""
    steps: list[set[bytes]] = [set() for _ in range(len(REPLIES) + 1)]
    for episode in campaign.store.episodes():
        assert len(episode.steps) == len(REPLIES) + 1
        for step in episode.steps:
            with Image.open(io.BytesIO(step.screen.image)) as image:
                steps[step.index].add(image.convert("RGB").tobytes())
    return steps


def assert_right(campaign: Campaign, outcome: Outcome) -> None:
    assert outcome.complete, (outcome.fault, outcome.progress)
    assert campaign.store.episode_ids() == {one.episode_id for one in campaign.planned}
    steps = shown(campaign)
    assert [len(pictures) for pictures in steps[1:]] == [1] * len(REPLIES), "every episode saw the same"
    assert len(set.union(*steps[1:])) == 3, "home, settings and clock"


def test_a_harvest_uses_the_best_ways(tmp_path: Path, serve_policy: Any, script: Any, host: PhoneHost) -> None:
    campaign, outcome = play(tmp_path, serve_policy(script(REPLIES)), host, samples=1)
    assert_right(campaign, outcome)
    (way,) = outcome.progress.ways
    assert way.startswith("frames by grpc")
    assert way.endswith("gestures by grpc, trees by uiautomator")
    assert reached(outcome.progress) == f"2 phones: {way}"
    assert all(way in attempt.detail for attempt in campaign.store.attempts())
    commands = [step.effect.command for episode in campaign.store.episodes() for step in episode.moves if step.effect]
    assert any(command and command.startswith("grpc key") for command in commands)
    assert not any(command and command.startswith("input") for command in commands)


@pytest.mark.parametrize("fault", ["unavailable", "stale"])
def test_a_controller_that_fails_in_the_middle_is_used_no_longer(
    tmp_path: Path, serve_policy: Any, script: Any, host: PhoneHost, fault: str
) -> None:
    def break_it(progress: Progress) -> None:
        if progress.steps > len(REPLIES):
            for phone in host.phones:
                phone.faults.grpc = fault

    campaign, outcome = play(tmp_path, serve_policy(script(REPLIES)), host, break_it)
    assert_right(campaign, outcome)
    assert outcome.progress.ways == {"frames by screencap -p, gestures by input, trees by uiautomator": 2}
    commands = [step.effect.command for episode in campaign.store.episodes() for step in episode.moves if step.effect]
    assert any(command and command.startswith("grpc key") for command in commands), "it was used before"
    assert any(command and command.startswith("input") for command in commands), "and then it was not"


def test_a_u2_server_that_is_killed_in_the_middle_is_used_no_longer(
    tmp_path: Path, serve_policy: Any, script: Any
) -> None:
    phone = Phone("small", 360, 800, 140)
    phone.latency.dump_s, phone.latency.capture_s = 1.0, 0.05
    phone.clock.hold()

    def kill(progress: Progress) -> None:
        if progress.steps > len(REPLIES) + 1:
            phone.faults.u2, phone.latency.dump_s = "killed", 0.0

    with PhoneHost([phone]) as host:
        campaign, outcome = play(tmp_path, serve_policy(script(REPLIES)), host, kill, samples=1)
    assert_right(campaign, outcome)
    first, second = sorted(campaign.store.attempts(), key=lambda attempt: attempt.started_at)
    assert "trees by u2" in first.detail
    assert "trees by uiautomator" in second.detail
    for episode in campaign.store.episodes():
        assert all(step.screen.ui_tree and not step.screen.flags for step in episode.steps[1:])
