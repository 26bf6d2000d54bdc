"""What the farm adds to a step and between two episodes, at the latencies of a real emulator and a real model.

    python benchmarks/farm_overhead.py [--phones 4] [--episodes 8]

A whole harvest (queue, workers, claims, recording) over virtual phones whose screenshots take 0.5 s and inputs 0.2 s,
with a policy server that takes 1.5 s for a decision. Read from the record alone:

- *step*: from the start of a step to the start of the next one; overhead is what is left without the latencies;
- *gap*: from the end of an episode's last step to the start of the first step of the next one on the same phone, as a
  part of that phone's time. Task setup (the way home, the keyboard) is in it, with its own input latency.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import tempfile
import time
from collections import defaultdict
from datetime import timedelta
from pathlib import Path

from policy_process import policy_process

from emulator_farm.campaign import Campaign
from emulator_farm.config import HarvestConfig
from emulator_farm.episode import Episode
from emulator_farm.phones import start_virtual

CAPTURE_S, INPUT_S, MODEL_S = 0.5, 0.2, 1.5
STEPS = 15


def record(phones: int, episodes: int) -> list[Episode]:
    """Play `episodes` episodes on each of `phones` phones."""
    options = [f"--capture-s={CAPTURE_S}", f"--input-s={INPUT_S}"]
    hosts = start_virtual(phones, options)
    try:
        with tempfile.TemporaryDirectory() as folder, policy_process("slow_policy.py", str(MODEL_S), str(STEPS)) as url:
            tasks = Path(folder) / "tasks.jsonl"
            tasks.write_text(json.dumps({"name": "bench", "goal": "Open and close an app", "max_steps": STEPS}) + "\n")
            serials = ",".join(serial for host in hosts for serial in host.serials)
            config = HarvestConfig(
                tasks=str(tasks), out=f"{folder}/run", policy=url, devices=f"adb:{serials}", samples=phones * episodes
            )
            campaign = Campaign(config)
            outcome = campaign.run(lambda _progress: None)
            if not outcome.complete:
                raise SystemExit(f"the harvest did not end well: {outcome}")
            return list(campaign.store.episodes())
    finally:
        for host in hosts:
            host.stop()


def step_seconds(episodes: list[Episode]) -> list[float]:
    """Of every step but the last of each episode, which performs nothing."""
    return [
        (later.started_at - earlier.started_at).total_seconds()
        for episode in episodes
        for earlier, later in zip(episode.steps, episode.steps[1:], strict=False)
    ]


def gaps(episodes: list[Episode]) -> tuple[list[float], float]:
    """Seconds between episodes, and their part of the phones' time from first to last step."""
    by_phone: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        by_phone[episode.header.device].append(episode)
    found, total = [], 0.0
    for played in by_phone.values():
        played.sort(key=lambda episode: episode.steps[0].started_at)
        found += [
            (later.steps[0].started_at - _end(earlier)).total_seconds() for earlier, later in itertools.pairwise(played)
        ]
        total += (_end(played[-1]) - played[0].steps[0].started_at).total_seconds()
    return found, sum(found) / total


def _end(episode: Episode):  # type: ignore[no-untyped-def]
    step = episode.steps[-1]
    stages = (step.timing.settle_ms, step.timing.capture_ms, step.timing.decide_ms, step.timing.act_ms)
    return step.started_at + timedelta(milliseconds=sum(stage or 0.0 for stage in stages))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=int, default=4)
    parser.add_argument("--episodes", type=int, default=4, help="per phone")
    options = parser.parse_args()
    began = time.monotonic()
    episodes = record(options.phones, options.episodes)
    floor = CAPTURE_S + INPUT_S + MODEL_S
    steps = step_seconds(episodes)
    between, part = gaps(episodes)
    median = statistics.median(steps)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"{options.phones} phones, {len(episodes)} episodes of {STEPS} steps, {time.monotonic() - began:.0f} s\n")
    print("| what | median | p90 | part |")
    print("| --- | --- | --- | --- |")
    over, part_of_step = [length - floor for length in steps], (median - floor) / median
    rows = [("step", steps, ""), ("our overhead", over, f"{part_of_step:.1%} of a step")]
    rows.append(("gap between episodes", between, f"{part:.1%} of a phone's time"))
    for what, values, share in rows:
        print(f"| {what} | {statistics.median(values):.3f} s | {_p90(values):.3f} s | {share} |")
    print(f"\nThe latencies of a step are {floor:.1f} s: {CAPTURE_S} capture, {INPUT_S} input, {MODEL_S} model.")


def _p90(values: list[float]) -> float:
    return statistics.quantiles(values, n=10)[-1]


if __name__ == "__main__":
    main()
