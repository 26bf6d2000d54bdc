from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from emulator_farm.episode import Attempt, Episode, Verdict
from emulator_farm.errors import AlreadyPublished, CallerError, StoreError
from emulator_farm.store import Store

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(tmp_path / "run" if request.param == "local" else f"memory://{uuid.uuid4().hex}")


def attempt(number: int, episode_id: str = "a-1-r0k0", **fields: object) -> Attempt:
    base = {"run": "r", "worker": "w", "started_at": NOW, "ended_at": NOW, "result": "published"}
    return Attempt.model_validate({**base, "episode_id": episode_id, "number": number, **fields})


def verdict(source: str = "rules", episode_id: str = "a-1-r0k0", **fields: object) -> Verdict:
    base = {"version": "1", "settings_digest": "d", "decision": "accepted", "valid_steps": 3, "at": NOW}
    return Verdict.model_validate({**base, "source": source, "episode_id": episode_id, **fields})


def test_an_episode_reads_back_as_it_was_published(store: Store, make_episode: Callable[..., Episode]) -> None:
    episode = make_episode()
    assert not store.has(episode.id)
    store.publish(episode)
    assert store.has(episode.id)
    assert store.episode_ids() == {episode.id}
    assert store.read(episode.id) == episode
    assert list(store.episodes()) == [episode]
    assert store.path(episode.id).endswith(f"episodes/{episode.id}.parquet")


def test_the_first_episode_of_an_id_stays(store: Store, make_episode: Callable[..., Episode]) -> None:
    store.publish(make_episode(reason="first"))
    with pytest.raises(AlreadyPublished, match="episode wifi_on-7-r0k0 exists already"):
        store.publish(make_episode(reason="second"))
    assert store.read("wifi_on-7-r0k0").reason == "first"


def test_columns_can_be_read_without_the_screenshots(store: Store, make_episode: Callable[..., Episode]) -> None:
    store.publish(make_episode())
    table = store.table("wifi_on-7-r0k0", ["step", "t_decide_ms"])
    assert table.to_pydict() == {"step": [0, 1, 2, 3], "t_decide_ms": [300.0] * 4}


def test_a_missing_episode_names_some_that_exist(store: Store, make_episode: Callable[..., Episode]) -> None:
    with pytest.raises(CallerError, match=r"no episode 'x-1-r0k0' in .*, which holds no episodes"):
        store.read("x-1-r0k0")
    store.publish(make_episode())
    with pytest.raises(CallerError, match="it holds 1, for instance wifi_on-7-r0k0"):
        store.read("x-1-r0k0")


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a/b", ".hidden", "a\n", "x" * 201, "ä"])
def test_ids_that_are_no_file_names_are_refused(store: Store, name: str) -> None:
    for call in (store.read, store.has, store.attempts, store.next_attempt):
        with pytest.raises(CallerError, match="is no id"):
            call(name)


def test_a_damaged_episode_is_told_by_name(tmp_path: Path, make_episode: Callable[..., Episode]) -> None:
    store = Store(tmp_path)
    store.publish(make_episode())
    whole = Path(store.path("wifi_on-7-r0k0"))
    (whole.parent / "cut-1-r0k0.parquet").write_bytes(whole.read_bytes()[:5000])
    (whole.parent / "text-1-r0k0.parquet").write_text("hello")
    body = bytearray(whole.read_bytes())
    body[100:3000] = bytes(2900)
    (whole.parent / "body-1-r0k0.parquet").write_bytes(body)
    for name in ("cut-1-r0k0", "text-1-r0k0", "body-1-r0k0"):
        with pytest.raises(StoreError, match=f"{name}.parquet is damaged"):
            store.read(name)


def test_columns_that_are_not_there_are_damage(tmp_path: Path) -> None:
    folder = tmp_path / "episodes"
    folder.mkdir()
    pq.write_table(pa.table({"x": [1]}), folder / "a-1-r0k0.parquet")
    with pytest.raises(StoreError, match=r"a-1-r0k0\.parquet is damaged: it has no column task"):
        Store(tmp_path).table("a-1-r0k0", ["task"])


def test_an_episode_of_another_schema_is_damaged_not_misread(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "episodes").mkdir()
    pq.write_table(pa.table({"schema_version": [99]}), tmp_path / "episodes" / "a-1-r0k0.parquet")
    pq.write_table(pa.table({"step": [0]}), tmp_path / "episodes" / "b-1-r0k0.parquet")
    with pytest.raises(StoreError, match="schema version"):
        Store(tmp_path).read("a-1-r0k0")
    with pytest.raises(StoreError, match="damaged"):
        Store(tmp_path).read("b-1-r0k0")


def test_attempts_are_numbered_from_one(store: Store) -> None:
    assert store.next_attempt("a-1-r0k0") == 1
    assert store.attempts() == []
    for number in range(1, 12):
        assert store.next_attempt("a-1-r0k0") == number
        store.write_attempt(attempt(number))
    with pytest.raises(AlreadyPublished, match="attempt 11 at a-1-r0k0"):
        store.write_attempt(attempt(11))
    other = attempt(
        1, "b-1-r0k0", result="infrastructure", cause="device_gone", detail="unplugged", device="x", fence=3
    )
    store.write_attempt(other)
    assert [one.number for one in store.attempts("a-1-r0k0")] == list(range(1, 12))
    assert store.attempts("b-1-r0k0") == [other]
    assert len(store.attempts()) == 12


def test_a_damaged_attempt_is_told_by_name(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_attempt(attempt(1))
    (tmp_path / "attempts" / "a-1-r0k0" / "2.json").write_text("{")
    with pytest.raises(StoreError, match=r"attempts/a-1-r0k0/2\.json is damaged"):
        store.attempts()


def test_the_latest_verdict_of_a_source_counts(store: Store) -> None:
    assert store.verdicts() == {}
    assert store.write_verdicts("rules", []) == []
    (first,) = store.write_verdicts("rules", [verdict(), verdict(episode_id="b-1-r0k0")])
    later = verdict(decision="rejected", reason="cycle", reasons=["cycle", "no_change"], at=NOW + timedelta(seconds=1))
    (second,) = store.write_verdicts("rules", [later])
    assert first != second
    assert store.verdicts() == {"a-1-r0k0": [later], "b-1-r0k0": [verdict(episode_id="b-1-r0k0")]}
    assert store.verdicts("judge") == {}


def test_a_person_outranks_every_machine(store: Store) -> None:
    rules, judge = verdict(at=NOW + timedelta(hours=2)), verdict("judge", at=NOW + timedelta(hours=1))
    ann, bob = (verdict("human", who=who, at=NOW + timedelta(seconds=later)) for later, who in enumerate("ab"))
    store.write_verdicts("rules", [rules])
    store.write_verdicts("judge", [judge])
    assert len(store.write_verdicts("human", [ann, bob])) == 2
    assert store.verdicts()["a-1-r0k0"] == [bob, ann, judge, rules]
    assert store.verdicts("human") == {"a-1-r0k0": [bob, ann]}


def test_a_batch_holds_one_source(store: Store) -> None:
    with pytest.raises(ValueError, match="a batch of 'rules' holds verdicts of judge"):
        store.write_verdicts("rules", [verdict(), verdict("judge")])


def test_a_damaged_batch_is_told_by_name(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (name,) = store.write_verdicts("rules", [verdict()])
    (tmp_path / "verdicts" / "rules" / "notes.txt").write_text("not a batch")
    assert len(store.verdicts()) == 1
    (tmp_path / "verdicts" / "rules" / f"{name}.parquet").write_bytes(b"PAR1")
    with pytest.raises(StoreError, match=f"{name}.parquet is damaged"):
        store.verdicts()


def test_a_run_is_created_once(store: Store) -> None:
    assert store.run() is None
    store.create_run({"run": "abc", "episodes": 4})
    assert store.run() == {"run": "abc", "episodes": 4}
    with pytest.raises(AlreadyPublished, match="the run exists already"):
        store.create_run({"run": "xyz"})
    store.claim()
    assert store.run() == {"run": "abc", "episodes": 4}


@pytest.mark.parametrize("text", ["{", "[1]", "\udcff"])
def test_a_damaged_manifest_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(StoreError, match=r"run.json is damaged"):
        Store(tmp_path).run()


def test_a_folder_with_other_things_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(CallerError, match=r"thesis\.tex"):
        Store(tmp_path).create_run({})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


_PUBLISHER = """
import sys
from dataclasses import replace
from emulator_farm.errors import AlreadyPublished
from emulator_farm.store import Store
source, target, reason = sys.argv[1:]
(episode,) = Store(source).episodes()
mine, store = replace(episode, reason=reason), Store(target)
print("ready", flush=True)
sys.stdin.readline()
try:
    store.publish(mine)
    print(reason)
except AlreadyPublished:
    print("late")
"""


def test_of_eight_workers_publishing_one_episode_one_wins(tmp_path: Path, make_episode: Callable[..., Episode]) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    Store(source).publish(make_episode())
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _PUBLISHER, str(source), str(target), f"worker {number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    outcomes = sorted(worker.communicate(timeout=60)[0].strip() for worker in workers)
    assert outcomes[:7] == ["late"] * 7
    assert Store(target).read("wifi_on-7-r0k0").reason == outcomes[7]
