"""Harvests on real parts, some of which are killed on the way.

Whatever dies, the same command ends with every episode there exactly once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from agent_server.actions import Press, Wait
from agent_server.errors import BackendUnavailable
from agent_server.schemas import Tokens
from emulator_farm.campaign import Campaign
from emulator_farm.config import HarvestConfig
from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.errors import CallerError, PolicyFault, QueueError, RunMismatch
from emulator_farm.processes import born
from emulator_farm.progress import Outcome, Progress
from emulator_farm.store import Store

TASKS, SAMPLES = 3, 2
EPISODES = TASKS * SAMPLES
STEP_S = 0.15
STEPS = 8
QUICK = [Press(key="home"), *[Wait(seconds=STEP_S)] * (STEPS - 1)]
"""Replies of an episode that takes a second or two."""

POLICY = """
import sys
from pathlib import Path
import uvicorn
sys.path.insert(0, sys.argv[2])
from conftest import Script
from agent_server.actions import Press, Wait
from agent_server.app import create_app
replies = [Press(key="home"), *[Wait(seconds=0.15)] * 7]
uvicorn.run(create_app(Script(replies)), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
"""


def harvest_config(tmp_path: Path, policy: str, **changes: Any) -> HarvestConfig:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("".join(json.dumps({"name": f"goal_{n}", "goal": f"Do thing {n}"}) + "\n" for n in range(TASKS)))
    options = {"tasks": str(tasks), "out": str(tmp_path / "run"), "devices": "virtual:2", "samples": SAMPLES}
    return HarvestConfig.model_validate(options | {"policy": policy} | changes)


@pytest.fixture
def policy(serve_policy: Any, script: Any) -> str:
    url: str = serve_policy(script(QUICK))
    return url


def children(pid: int) -> list[int]:
    """Every process below `pid`, parents before children."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        below = parents.get(queue.pop(0), [])
        found += below
        queue += below
    return found


def processes_of(pid: int, *words: str) -> list[int]:
    """Those below `pid` whose command line holds every word."""
    matching = []
    for child in children(pid):
        try:
            line = (Path("/proc") / str(child) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if all(word in line for word in words):
            matching.append(child)
    return matching


def lineage(pid: int) -> int:
    """How many processes of the workers' command line stand above this one and include it: 1 crew, 2 worker, 3 job."""
    depth = 0
    while pid > 1:
        try:
            if b"emulator_farm.worker" not in (Path("/proc") / str(pid) / "cmdline").read_bytes():
                return depth
            pid = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return 0
        depth += 1
    return depth


def workers(of: int | None = None) -> list[int]:
    return [pid for pid in processes_of(of or os.getpid(), "emulator_farm.worker") if lineage(pid) == 2]


def jobs(of: int | None = None) -> list[int]:
    return [pid for pid in processes_of(of or os.getpid(), "emulator_farm.worker") if lineage(pid) == 3]


class Killer:
    """A watcher that does something once, when episodes are being played and some steps have been made."""

    def __init__(self, act: Callable[[], object], after_steps: int = 3) -> None:
        self._act = act
        self._after = after_steps
        self.done = False

    def __call__(self, progress: Progress) -> None:
        if not self.done and progress.playing and progress.steps >= self._after:
            self.done = self._act() is not False


def run(config: HarvestConfig, watcher: Callable[[Progress], None] = lambda _: None) -> tuple[Campaign, Outcome]:
    campaign = Campaign(config)
    return campaign, campaign.run(watcher)


def assert_whole(campaign: Campaign, outcome: Outcome) -> None:
    assert outcome.complete, (outcome.fault, outcome.progress)
    planned = {one.episode_id for one in campaign.planned}
    assert campaign.store.episode_ids() == planned
    assert len(planned) == EPISODES
    for episode in campaign.store.episodes():
        assert len(episode.moves) == STEPS + 1
        assert episode.end == "finished"
    assert processes_of(os.getpid(), "emulator_farm") == [], "nothing is left running"


def results(store: Store) -> list[str]:
    return [attempt.result for attempt in store.attempts()]


def kill(pids: list[int], number: int = signal.SIGKILL) -> bool:
    """Signal the youngest of them: older ones may belong to fixtures of other tests."""
    if pids:
        os.kill(max(pids, key=lambda pid: int(born(pid) or 0)), number)
    return bool(pids)


def test_every_episode_once_and_only_what_is_missing(tmp_path: Path, policy: str) -> None:
    config = harvest_config(tmp_path, policy)
    campaign, outcome = run(config)
    assert_whole(campaign, outcome)
    assert outcome.progress.published == EPISODES
    assert outcome.progress.steps == EPISODES * (STEPS + 1)
    assert results(campaign.store) == ["published"] * EPISODES
    episode_id = campaign.planned[0].episode_id
    assert episode_id == "goal_0-0-r0k0"
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run/episodes").iterdir()}
    (tmp_path / f"run/episodes/{episode_id}.parquet").unlink()
    again, second = run(config)
    assert_whole(again, second)
    assert (second.progress.held, second.progress.published) == (EPISODES - 1, 1)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run/episodes").iterdir()}
    assert {name for name in before if before[name] != after[name]} == {f"{episode_id}.parquet"}
    nothing, third = run(config.model_copy(update={"devices": "adb:nowhere:1"}))
    assert third.complete, "a full run needs no phone"
    assert nothing.missing() == 0


def test_groups_and_attempts_are_in_the_record(tmp_path: Path, policy: str) -> None:
    campaign, _ = run(harvest_config(tmp_path, policy, samples=1, seed=5))
    episode = campaign.store.read("goal_1-5-r0k0")
    header = episode.header
    assert (header.group_id, header.sample, header.seed, header.attempt) == ("goal_1-5", 0, 5, 1)
    assert header.run == campaign.manifest.run
    assert header.device.startswith("127.0.0.1:")
    assert header.incarnation
    (attempt,) = campaign.store.attempts("goal_1-5-r0k0")
    assert attempt.fence is not None
    assert attempt.device == header.device


def test_tokens_of_every_step_with_the_sampling_in_effect(tmp_path: Path, serve_policy: Any, script: Any) -> None:
    told = Tokens(prompt_ids=[1, 2], response_ids=[3], logprobs=[-0.5], logprobs_mode="raw", image_grid=[(1, 2, 2)])
    policy = script([Press(key="home")], tokens=told, images=3, sampling={"temperature": 0.0, "top_p": 0.9})
    url = serve_policy(policy)
    asked = {"temperature": 0.7, "top_k": 20, "repetition_penalty": 1.1, "constrained": True}
    config = harvest_config(tmp_path, url, tokens=True, sampling=asked, samples=1)
    campaign, outcome = run(config)
    assert outcome.complete
    probe, *played = policy.seen
    assert (probe.return_tokens, probe.sampling.max_tokens, probe.sampling.constrained) == (True, 1, True)
    for episode in campaign.store.episodes():
        assert [step.decision and step.decision.tokens for step in episode.steps] == [told] * 2
        assert episode.header.sampling == {"top_p": 0.9, **asked}
    assert {(seen.return_tokens, seen.sampling.top_k, seen.sampling.max_tokens) for seen in played} == {
        (True, 20, None)
    }
    assert [len(seen.history) for seen in played].count(1) == TASKS
    assert all(image is not None for seen in played for image in seen.history_images), "as the card asks"
    again = Campaign(config.model_copy(update={"tokens": False}))
    assert again.missing() == 0, "the same run, with or without tokens"


def test_a_policy_without_tokens_is_refused_before_any_phone(tmp_path: Path, policy: str) -> None:
    words = f"--tokens: script at {policy} answers without token ids and log-probabilities"
    with pytest.raises(CallerError, match=words):
        Campaign(harvest_config(tmp_path, policy, tokens=True))
    assert not (tmp_path / "run").exists()


def test_a_policy_that_starts_is_waited_for_before_its_tokens_are_looked_at(
    tmp_path: Path, serve_policy: Any, script: Any
) -> None:
    class Starting(script):  # type: ignore[misc]
        calls = 0

        async def act(self, observation: Any) -> Any:
            self.calls += 1
            if self.calls <= 2:
                raise BackendUnavailable("the model server is starting")
            return await super().act(observation)

    told = Tokens(prompt_ids=[1], response_ids=[2], logprobs=[-0.5], logprobs_mode="raw", image_grid=[(1, 2, 2)])
    policy = Starting(tokens=told)
    url = serve_policy(policy)
    with pytest.raises(PolicyFault, match="the model server is starting"):
        Campaign(harvest_config(tmp_path, url, tokens=True, patience_s=0))
    Campaign(harvest_config(tmp_path, url, tokens=True))
    assert policy.calls == 3


@pytest.mark.parametrize(("samples", "temperature", "copies"), [(2, None, True), (2, 0.5, False), (1, None, False)])
def test_samples_at_temperature_0_are_noticed(
    tmp_path: Path, serve_policy: Any, script: Any, samples: int, temperature: float | None, copies: bool
) -> None:
    url = serve_policy(script(sampling={"temperature": 0.0}))
    asked = {} if temperature is None else {"temperature": temperature}
    assert Campaign(harvest_config(tmp_path, url, samples=samples, sampling=asked)).copies is copies


def test_another_run_is_refused_with_the_difference(tmp_path: Path, policy: str) -> None:
    Campaign(harvest_config(tmp_path, policy))
    with pytest.raises(RunMismatch) as caught:
        Campaign(harvest_config(tmp_path, policy, samples=SAMPLES + 1))
    assert caught.value.differences == {"samples": (SAMPLES, SAMPLES + 1)}
    with pytest.raises(RunMismatch, match=r"sampling\.temperature"):
        Campaign(harvest_config(tmp_path, policy, sampling={"temperature": 0.7}))
    (tmp_path / "tasks.jsonl").write_text("")
    with pytest.raises(CallerError):
        Campaign(harvest_config(tmp_path, policy, tasks=str(tmp_path / "nothing.yaml")))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"devices": "virtual:0"}, "virtual:N"),
        ({"devices": "usb"}, "virtual:N or adb:"),
        ({"devices": "adb:"}, "name the phones"),
        ({"policy": "ftp://x"}, "--policy"),
        ({"model": "gpt-9"}, "it serves script"),
        ({"redis": "nonsense://x"}, "--redis"),
        ({"policy_token_file": "/nowhere/token"}, "token file"),
    ],
)
def test_callers_errors_come_before_any_phone(tmp_path: Path, policy: str, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(CallerError, match=words):
        run(harvest_config(tmp_path, **{"policy": policy} | changes))
    assert processes_of(os.getpid(), "emulator_farm") == []


def test_nobody_answers(tmp_path: Path, policy: str) -> None:
    with pytest.raises(PolicyFault, match=r"127\.0\.0\.1:9"):
        run(harvest_config(tmp_path, "http://127.0.0.1:9"))
    with pytest.raises(QueueError, match="Redis at"):
        run(harvest_config(tmp_path, policy, redis="redis://127.0.0.1:9/0"))


def test_a_killed_job_is_played_again(tmp_path: Path, policy: str) -> None:
    killer = Killer(lambda: kill(jobs()))
    campaign, outcome = run(harvest_config(tmp_path, policy), killer)
    assert_whole(campaign, outcome)
    assert killer.done
    assert sorted(results(campaign.store)) == ["lost", *["published"] * EPISODES]
    assert outcome.progress.failures == {"claim_expired": 1}


def test_a_killed_worker_is_replaced(tmp_path: Path, policy: str) -> None:
    def act() -> bool:
        with_jobs = [pid for pid in workers() if children(pid)]
        return kill(with_jobs)

    killer = Killer(act)
    campaign, outcome = run(harvest_config(tmp_path, policy), killer)
    assert_whole(campaign, outcome)
    assert killer.done
    assert sorted(results(campaign.store)) == ["lost", *["published"] * EPISODES]


def test_a_stopped_job_loses_its_claim_and_its_phone(tmp_path: Path, policy: str) -> None:
    stopped: list[tuple[int, float]] = []

    def act() -> bool:
        found = jobs()[:1]
        stopped.extend((pid, time.monotonic()) for pid in found)
        return kill(found, signal.SIGSTOP)

    killer = Killer(act)
    campaign, outcome = run(harvest_config(tmp_path, policy), killer)
    assert_whole(campaign, outcome)
    assert sorted(results(campaign.store)) == ["lost", *["published"] * EPISODES]
    (lost,) = [attempt for attempt in campaign.store.attempts() if attempt.result == "lost"]
    replay = [attempt for attempt in campaign.store.attempts(lost.episode_id) if attempt.result == "published"]
    assert replay[0].fence is not None
    assert lost.fence is not None
    assert replay[0].fence > lost.fence
    assert not Path(f"/proc/{stopped[0][0]}").exists(), "a holder that is late is killed, not trusted to stay still"


def test_a_killed_valkey_is_filled_again(tmp_path: Path, policy: str) -> None:
    killer = Killer(lambda: kill(processes_of(os.getpid(), "valkey.sock")))
    campaign, outcome = run(harvest_config(tmp_path, policy), killer)
    assert_whole(campaign, outcome)
    assert killer.done
    assert outcome.progress.failures.get("queue", 0) >= 1


def test_a_killed_phone_host_is_replaced(tmp_path: Path, policy: str) -> None:
    killer = Killer(lambda: kill(processes_of(os.getpid(), "emulator_farm.virtual")))
    campaign, outcome = run(harvest_config(tmp_path, policy), killer)
    assert_whole(campaign, outcome)
    assert killer.done
    assert any(cause.startswith("device") for cause in outcome.progress.failures)


def test_a_killed_adb_server_is_replaced(tmp_path: Path, policy: str) -> None:
    killer = Killer(lambda: kill(processes_of(os.getpid(), "nodaemon")))
    campaign, outcome = run(harvest_config(tmp_path, policy), killer)
    assert_whole(campaign, outcome)
    assert killer.done


class PolicyProcess:
    """A policy server in a process of its own, that can be killed and come back on its port."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._argv = [sys.executable, "-c", POLICY, str(port), str(Path(__file__).parents[1])]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        from agent_server.client import PolicyClient
        from agent_server.errors import PolicyUnavailable

        self.process = subprocess.Popen(self._argv)
        deadline = time.monotonic() + 30
        with PolicyClient(self.url, timeout_s=2) as client:
            while time.monotonic() < deadline:
                try:
                    return client.ready()
                except PolicyUnavailable:
                    threading.Event().wait(0.1)
        raise TimeoutError("the policy server did not start")

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture
def policy_process() -> Iterator[PolicyProcess]:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = PolicyProcess(port)
    server.start()
    yield server
    server.kill()


def test_a_killed_policy_server_is_waited_for(tmp_path: Path, policy_process: PolicyProcess) -> None:
    revived: list[threading.Timer] = []

    def act() -> None:
        policy_process.kill()
        timer = threading.Timer(3.0, policy_process.start)
        timer.start()
        revived.append(timer)

    waits: list[str] = []
    killer = Killer(act)

    def watch(progress: Progress) -> None:
        killer(progress)
        if progress.waiting_for:
            waits.append(progress.waiting_for)

    campaign, outcome = run(harvest_config(tmp_path, policy_process.url), watch)
    revived[0].join()
    assert_whole(campaign, outcome)
    assert outcome.progress.failures["policy_unavailable"] <= 2, "each episode in flight is charged once, not for ever"
    assert waits


def test_a_policy_server_that_stays_away_ends_the_run(tmp_path: Path, policy_process: PolicyProcess) -> None:
    config = harvest_config(tmp_path, policy_process.url, patience_s=3)
    campaign, outcome = run(config, Killer(policy_process.kill))
    assert not outcome.complete
    assert "policy server" in outcome.fault
    missing = {one.episode_id for one in campaign.planned} - campaign.store.episode_ids()
    assert missing == set(outcome.progress.holes)
    policy_process.start()
    assert_whole(*run(config))


def test_what_cannot_be_played_is_a_hole_and_is_tried_again(tmp_path: Path, policy: str) -> None:
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(
        "tasks:\n"
        "  - name: fine\n    goal: Go home\n"
        "  - name: broken\n    goal: Go home\n    setup:\n      - clear_app: no.such.app\n"
    )
    config = harvest_config(tmp_path, policy, tasks=str(tasks), samples=1)
    for number in (1, 2):
        campaign, outcome = run(config)
        assert set(outcome.progress.holes) == {"broken-0-r0k0"}
        assert campaign.store.episode_ids() == {"fine-0-r0k0"}
        attempts = campaign.store.attempts("broken-0-r0k0")
        assert [attempt.result for attempt in attempts] == ["infrastructure"] * 3 * number
        assert {attempt.cause for attempt in attempts} == {"command_failed"}
        assert len({attempt.device for attempt in attempts[-3:]}) == 2, (
            "a retry goes to another phone where there is one"
        )


def farm(*words: object) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "emulator_farm", *map(str, words)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def command(config: HarvestConfig, *more: object) -> tuple[object, ...]:
    where = ("--out", config.out, "--policy", config.policy, "--devices", config.devices)
    return ("harvest", config.tasks, *where, "--samples", config.samples, *more)


def wait_for_playing(process: subprocess.Popen[str], seconds: float = 60) -> None:
    """Until jobs of that harvest are being played."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[0]
        if jobs(process.pid):
            return
        threading.Event().wait(0.05)
    raise TimeoutError("nothing is being played")


def gone(pids: list[int], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        states = [Path(f"/proc/{pid}/stat") for pid in pids]
        if not any(stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z" for stat in states):
            return True
        threading.Event().wait(0.05)
    return False


def test_a_killed_harvest_leaves_no_orphan_and_goes_on(tmp_path: Path, policy: str) -> None:
    config = harvest_config(tmp_path, policy)
    process = farm(*command(config))
    wait_for_playing(process)
    below = children(process.pid)
    assert len(below) >= 6, "adb server, Valkey, phones, workers and their jobs"
    process.kill()
    process.communicate()
    assert gone(below), "everything a command starts dies with it"
    assert_whole(*run(config))


def test_ctrl_c_stops_cleanly(tmp_path: Path, policy: str) -> None:
    config = harvest_config(tmp_path, policy)
    process = farm(*command(config))
    wait_for_playing(process)
    below = children(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all that share it
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    assert gone(below)
    store = Store(config.out)
    assert "infrastructure" not in results(store)
    finished = farm(*command(config))
    said, _ = finished.communicate(timeout=120)
    assert finished.returncode == 0, said
    assert len(store.episode_ids()) == EPISODES


def test_others_join_over_the_same_redis(tmp_path: Path, policy: str) -> None:
    with EmbeddedValkey() as server:
        config = harvest_config(tmp_path, policy, redis=server.url, devices="virtual:1", samples=4)
        Campaign(config)
        helper = farm("work", "--redis", server.url, "--out", config.out, "--devices", "virtual:1")
        try:
            campaign, outcome = run(config)
        finally:
            helper.terminate()
            said, _ = helper.communicate(timeout=30)
        assert outcome.complete, (outcome, said)
        assert helper.returncode == 0, said
        hosts = {attempt.worker.partition("/")[0] for attempt in campaign.store.attempts()}
        assert len(hosts) == 2, f"both hosts played: {hosts}; the helper said {said}"
        client = redis.Redis.from_url(server.url)
        left = [key for key in client.keys("farm:*") if not key.startswith(b"farm:fence")]
        client.close()
        assert left == [], "nothing of the run is left in Redis"


def test_a_second_harvest_is_sent_to_work(tmp_path: Path, policy: str) -> None:
    config = harvest_config(tmp_path, policy)
    process = farm(*command(config))
    wait_for_playing(process)
    with pytest.raises(CallerError, match="another harvest"):
        run(config)
    assert process.wait(120) == 0
    process.communicate()


def test_two_runs_on_one_redis_do_not_take_each_others_jobs(tmp_path: Path, policy: str) -> None:
    with EmbeddedValkey() as server:
        configs = [
            harvest_config(tmp_path, policy, redis=server.url, out=str(tmp_path / f"{n}"), seed=n) for n in (1, 2)
        ]
        other = farm(*command(configs[0]))
        try:
            campaign, outcome = run(configs[1])
        finally:
            said, _ = other.communicate(timeout=120)
    assert_whole(campaign, outcome)
    assert outcome.progress.failures == {}
    assert other.returncode == 0, said
    for config in configs:
        assert len(Store(config.out).episode_ids()) == EPISODES
        logs = "".join(log.read_text() for log in (Path(config.out) / "logs").iterdir())
        assert "leaves its jobs" not in logs


def test_an_emptied_redis_is_filled_again(tmp_path: Path, policy: str) -> None:
    with EmbeddedValkey() as server, redis.Redis.from_url(server.url) as client:
        killer = Killer(client.flushall)
        campaign, outcome = run(harvest_config(tmp_path, policy, redis=server.url), killer)
    assert_whole(campaign, outcome)
    assert killer.done


def test_a_coordinator_that_was_stopped_for_long_goes_on(tmp_path: Path, policy: str) -> None:
    with EmbeddedValkey() as server, redis.Redis.from_url(server.url) as client:
        # What is left of its lease while it is stopped: an entry of its own that has expired.
        lead = "farm:run:{}:lead:expiries"
        config = harvest_config(tmp_path, policy, redis=server.url)
        name = Campaign(config).manifest.run
        killer = Killer(lambda: client.zadd(lead.format(name), {"coordinator": 0}))
        campaign, outcome = run(config, killer)
    assert_whole(campaign, outcome)
    assert killer.done
    assert outcome.progress.failures == {}


def test_a_pause_that_nobody_explains_ends(tmp_path: Path, policy: str) -> None:
    with EmbeddedValkey() as server, redis.Redis.from_url(server.url) as client:
        config = harvest_config(tmp_path, policy, redis=server.url)
        name = Campaign(config).manifest.run
        killer = Killer(lambda: client.sadd(f"farm:run:{name}:flags", "paused"))
        campaign, outcome = run(config, killer)
    assert_whole(campaign, outcome)
    assert killer.done
    assert outcome.progress.failures == {}


def test_a_store_that_takes_nothing_any_more_ends_the_run(tmp_path: Path, policy: str) -> None:
    config = harvest_config(tmp_path, policy)
    out = Path(config.out)

    def act() -> None:
        for name in ("attempts", "episodes"):
            if (out / name).exists():
                (out / name).rename(tmp_path / name)
            (out / name).write_text("no folder")

    killer = Killer(act)
    began = time.monotonic()
    _, outcome = run(config, killer)
    assert killer.done
    assert time.monotonic() - began < 60
    assert not outcome.complete
    assert set(outcome.progress.failures) == {"store"}
    assert len(outcome.progress.holes) == EPISODES
    assert all("Not a directory" in why for why in outcome.progress.holes.values())


def wait_for_episodes(store: Store, process: subprocess.Popen[str], count: int, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while len(store.episode_ids()) < count:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, f"{len(store.episode_ids())} episodes after {seconds} s"
        threading.Event().wait(0.05)


def test_worker_policy_server_and_harvest_killed_in_one_run(tmp_path: Path, policy_process: PolicyProcess) -> None:
    samples = 4
    config = harvest_config(tmp_path, policy_process.url, samples=samples)
    store = Store(config.out)
    process = farm(*command(config))
    wait_for_playing(process)
    assert kill(workers(process.pid))
    wait_for_episodes(store, process, 2)
    policy_process.kill()
    threading.Event().wait(1.0)
    policy_process.start()
    wait_for_episodes(store, process, 4)
    below = children(process.pid)
    process.kill()
    process.communicate()
    assert gone(below)
    left = TASKS * samples - len(store.episode_ids())
    assert left > 0, "the harvest was killed in the middle"
    campaign, outcome = run(config)
    assert outcome.complete
    assert (outcome.progress.total, outcome.progress.published) == (TASKS * samples, left)
    assert store.episode_ids() == {one.episode_id for one in campaign.planned}
    published = [attempt.episode_id for attempt in store.attempts() if attempt.result == "published"]
    assert len(published) == len(set(published)), "none was published twice"
