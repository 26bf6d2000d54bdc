"""Whose fault was it? A harvest in bad weather, beside the same harvest in calm weather.

    python benchmarks/storm.py [--samples 7] [--phones 8] [--seed 1] [--gap 120] [--tasks NAME,NAME] [--json FILE]

Both are whole harvests (embedded Valkey, RQ workers, an adb server) of the suite `phone` with policies that depend on
nothing but the episode and the UI tree. The phones of the second go through a seeded plan of every fault that a phone
can have; the harvest knows nothing of the plan, and what came when is looked at only when it is over.

The calm run says how each episode ends. Held against it, an attempt of the storm is

- *right* where it was put down to the infrastructure while a fault was there, or delivered the calm outcome;
- *blamed on the agent* where it delivered another outcome than the calm run;
- a *false alarm* where it was put down to the infrastructure though nothing had happened to its phone.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from policy_process import policy_process

from emulator_farm.campaign import Campaign
from emulator_farm.config import HarvestConfig
from emulator_farm.episode import Attempt, Episode
from emulator_farm.progress import Outcome
from emulator_farm.tasks import spec

HERE = Path(__file__).parent
PROCESSES = 2
STATES = frozenset(("window", "display", "ime", "clock", "disk", "boot", "link", "bandwidth", "offline_after"))
"""Faults that are there as long as they are armed; the others act when they fire."""


@dataclass(frozen=True)
class Happening:
    """A fault that was there, on the phone at `serial`, in seconds since the epoch."""

    serial: str
    name: str
    began: float
    ended: float


@dataclass(frozen=True)
class Run:
    """What one harvest left."""

    outcome: Outcome
    seconds: float
    episodes: dict[str, Episode]
    attempts: list[Attempt]
    happenings: list[Happening]
    armed: Counter[str]


@dataclass
class Row:
    """What became of the attempts that one kind of fault was in."""

    came: int = 0
    survived: int = 0
    infrastructure: int = 0
    blamed: int = 0
    false_alarms: int = 0


@dataclass
class Verdict:
    """The storm against the calm."""

    rows: dict[str, Row] = field(default_factory=lambda: defaultdict(Row))
    episodes: int = 0
    delivered: int = 0
    equal: int = 0
    lost: list[str] = field(default_factory=list)
    true_alarms: int = 0
    false_alarms: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return _share(self.true_alarms, len(self.false_alarms))

    @property
    def recall(self) -> float:
        return _share(self.true_alarms, len(self.missed))


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else 1.0


def judge(calm: Run, storm: Run) -> Verdict:
    """Hold every attempt and every episode of the storm against what happened to the phones and against the calm."""
    verdict = Verdict(episodes=len(calm.episodes), delivered=len(storm.episodes))
    for name, count in storm.armed.items():
        verdict.rows[name].came = count
    free: dict[str, float] = {}
    for attempt in sorted(storm.attempts, key=lambda one: one.ended_at):
        serial, began, ended = attempt.device or "", attempt.started_at.timestamp(), attempt.ended_at.timestamp()
        began = max(began, free.get(serial, began))
        free[serial] = ended
        here = (one for one in storm.happenings if not serial or one.serial == serial)
        names = sorted({one.name for one in here if one.began <= ended and one.ended >= began})
        _count(verdict, attempt, names, calm.episodes[attempt.episode_id], storm.episodes.get(attempt.episode_id))
    verdict.equal = sum(ending(one) == ending(calm.episodes[name]) for name, one in storm.episodes.items())
    verdict.lost = sorted(calm.episodes.keys() - storm.episodes.keys())
    return verdict


def _count(verdict: Verdict, attempt: Attempt, names: list[str], calm: Episode, storm: Episode | None) -> None:
    story = (
        f"{attempt.episode_id} #{attempt.number} on {attempt.device}: {attempt.cause} {attempt.detail[:160]!r} {names}"
    )
    rows = [verdict.rows[name] for name in names or ["none"]]
    if attempt.result != "published":
        for row in rows:
            row.infrastructure += bool(names)
            row.false_alarms += not names
        verdict.true_alarms += bool(names)
        verdict.false_alarms += [] if names else [story]
        return
    right = storm is None or ending(storm) == ending(calm)
    for row in rows:
        row.survived += right
        row.blamed += not right
    if storm is not None and not right:
        verdict.missed.append(
            f"{story}: calm {ending(calm)} {calm.reason[:120]!r}, storm {ending(storm)} {storm.reason[:120]!r}"
        )


def ending(episode: Episode) -> tuple[str, str, float | None]:
    """What must not depend on the weather."""
    return episode.status, episode.end, episode.reward


def play(folder: Path, options: argparse.Namespace, gap: float) -> Run:
    """One harvest on new phones."""
    folder.mkdir(parents=True)
    tasks = folder / "tasks.yaml"
    tasks.write_text(suite(options.tasks))
    began = time.monotonic()
    with policy_process("storm_policy.py") as url, phones(folder, options, gap) as serials:
        config = HarvestConfig(
            tasks=str(tasks) if options.tasks else "phone",
            out=str(folder / "run"),
            policy=url,
            devices=f"adb:{','.join(serials)}",
            samples=options.samples,
            seed=options.seed,
        )
        campaign = Campaign(config)
        outcome = campaign.run(lambda _progress: None)
    happenings, armed = read_log(folder, serials)
    episodes = {episode.id: episode for episode in campaign.store.episodes()}
    return Run(outcome, time.monotonic() - began, episodes, campaign.store.attempts(), happenings, armed)


def read_log(folder: Path, serials: list[str]) -> tuple[list[Happening], Counter[str]]:
    """What the phones wrote down."""
    armed: Counter[str] = Counter()
    found: list[Happening] = []
    since: dict[tuple[str, str], tuple[str, float]] = {}
    lines = [json.loads(line) for path in sorted(folder.glob("weather-*.jsonl")) for line in path.open()]
    for line in sorted(lines, key=lambda line: line["at"]):
        serial, name, at = serials[line["phone"]], f"{line['kind']} {line['value']}", line["at"]
        key = (serial, line["kind"])
        if line["event"] == "armed" and key not in since:
            armed[name] += 1
            since[key] = (name, at)
        elif line["event"] == "fired":
            found.append(Happening(serial, name, at, at))
        elif line["event"] == "off" and key in since:
            name, began = since.pop(key)
            if line["kind"] in STATES:
                found.append(Happening(serial, name, began, at))
    found += [
        Happening(*key[:1], name, began, float("inf")) for key, (name, began) in since.items() if key[1] in STATES
    ]
    return found, armed


def suite(names: str) -> str:
    """A task file of some of the tasks of the suite `phone`."""
    text = (Path(spec.__file__).parent / "suites" / "phone.yaml").read_text()
    content = yaml.safe_load(text)
    if names:
        content["tasks"] = [task for task in content["tasks"] if task["name"] in names.split(",")]
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False)


@contextmanager
def phones(folder: Path, options: argparse.Namespace, gap: float) -> Iterator[list[str]]:
    """The phones in processes of their own; their addresses."""
    shares = [len(range(index, options.phones, PROCESSES)) for index in range(PROCESSES)]
    hosts = []
    try:
        for index, count in enumerate(shares):
            log = folder / f"weather-{index}.jsonl"
            words = [str(word) for word in (count, sum(shares[:index]), options.seed, gap, log)]
            command = [sys.executable, str(HERE / "storm_phones.py"), *words]
            hosts.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        yield [_line(host) for host, count in zip(hosts, shares, strict=True) for _ in range(count)]
    finally:
        for host in hosts:
            host.communicate()


def _line(host: subprocess.Popen[str]) -> str:
    assert host.stdout is not None
    address = host.stdout.readline().strip()
    if not address:
        raise SystemExit("the phones did not start")
    return address


def table(verdict: Verdict) -> Iterable[str]:
    yield "| fault | came | attempts that survived it | infrastructure | blamed on the agent | false alarms |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for name, row in sorted(verdict.rows.items(), key=lambda item: (item[0] == "none", item[0])):
        yield f"| {name} | {row.came} | {row.survived} | {row.infrastructure} | {row.blamed} | {row.false_alarms} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=7, help="of each task: by baseline, chance, nobody, and again")
    parser.add_argument("--phones", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gap", type=float, default=120.0, help="ADB commands between two faults, on average")
    parser.add_argument("--tasks", default="", help="only these, by name")
    parser.add_argument("--out", type=Path, help="folder to keep both records in")
    parser.add_argument("--json", type=Path, help="file to write the verdict to")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or Path(scratch)
        calm = play(folder / "calm", options, 0)
        storm = play(folder / "storm", options, options.gap)
    verdict = judge(calm, storm)
    causes = Counter(f"{one.result} {one.cause}" for one in storm.attempts if one.result != "published")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"calm {calm.seconds:.0f} s, storm {storm.seconds:.0f} s, {options.phones} phones, seed {options.seed}")
    statuses = Counter(one.status for one in calm.episodes.values())
    print(f"calm: {dict(statuses)}, {len(calm.attempts)} attempts; storm: {len(storm.attempts)} attempts\n")
    print("\n".join(table(verdict)))
    print(f"\ncauses: {dict(causes.most_common())}")
    print(
        f"episodes {verdict.episodes}, delivered {verdict.delivered}, as in the calm {verdict.equal}, "
        f"lost {len(verdict.lost)} ({len(verdict.lost) / max(1, verdict.episodes):.1%}); "
        f"precision {verdict.precision:.3f}, recall {verdict.recall:.3f}"
    )
    for title, stories in (("false alarm", verdict.false_alarms), ("missed", verdict.missed), ("lost", verdict.lost)):
        for story in stories:
            print(f"{title}: {story}")
    if options.json:
        facts = {
            name: getattr(verdict, name)
            for name in ("episodes", "delivered", "equal", "lost", "false_alarms", "missed")
        }
        rows = {name: vars(row) for name, row in verdict.rows.items()}
        options.json.write_text(
            json.dumps(facts | {"precision": verdict.precision, "recall": verdict.recall, "rows": rows})
        )


if __name__ == "__main__":
    main()
