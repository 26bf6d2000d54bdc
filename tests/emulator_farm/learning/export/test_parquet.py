from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
from PIL import Image

from emulator_farm.episode import Episode
from emulator_farm.errors import CallerError, StoreError
from emulator_farm.filters import RuleSettings, filter_run
from emulator_farm.learning.export import export_parquet
from emulator_farm.learning.export.folder import new_folder
from emulator_farm.store import Store
from emulator_farm.table import SCHEMA

Make = Callable[..., Episode]


def test_datasets_opens_the_folder_with_images(run: Store, tmp_path: Path) -> None:
    summary = export_parquet(run, tmp_path / "out")
    assert (summary.episodes, summary.cut, summary.rows) == (3, 1, 13)
    assert summary.left_out == {"checker_failed": 1}
    rows = datasets.load_dataset(str(tmp_path / "out"), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(rows) == 13
    assert list(rows.features) == SCHEMA.names
    assert isinstance(rows.features["screenshot"], datasets.Image)
    assert isinstance(rows[0]["screenshot"], Image.Image)
    assert rows[0]["screenshot"].size == (360, 800)
    assert rows["episode_id"] == ["loop-7-r0k0"] * 4 + ["note-7-r0k0"] * 5 + ["wifi_on-7-r0k0"] * 4
    assert rows["is_last"] == [False] * 4 + [False] * 4 + [True] + [False] * 3 + [True]


def test_it_can_be_streamed(run: Store, tmp_path: Path) -> None:
    export_parquet(run, tmp_path / "out")
    stream = datasets.load_dataset(str(tmp_path / "out"), split="train", streaming=True)
    first = next(iter(stream))
    assert first["screenshot"].size == (360, 800)
    assert first["goal"] == "Turn on Wi-Fi"


def test_rows_are_those_of_the_record(run: Store, tmp_path: Path) -> None:
    export_parquet(run, tmp_path / "out")
    (shard,) = (tmp_path / "out" / "data").iterdir()
    assert shard.name == "train-00000-of-00001.parquet"
    table = pq.read_table(shard)
    assert table.schema.equals(SCHEMA)
    assert table.schema.metadata == SCHEMA.metadata
    assert table.slice(4, 5).equals(run.table("note-7-r0k0"))
    assert table.slice(0, 4).equals(run.table("loop-7-r0k0").slice(0, 4))


def test_shards_hold_whole_episodes(run: Store, tmp_path: Path) -> None:
    size = run.table("wifi_on-7-r0k0").nbytes
    export_parquet(run, tmp_path / "out", shard_bytes=int(size * 1.5))
    names = sorted(path.name for path in (tmp_path / "out" / "data").iterdir())
    assert names == [f"train-{number:05}-of-00003.parquet" for number in range(3)]
    ids = [set(pq.read_table(tmp_path / "out" / "data" / name)["episode_id"].to_pylist()) for name in names]
    assert ids == [{"loop-7-r0k0"}, {"note-7-r0k0"}, {"wifi_on-7-r0k0"}]
    rows = datasets.load_dataset(str(tmp_path / "out"), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(rows) == 13


def test_a_shard_holds_several_row_groups(run: Store, tmp_path: Path) -> None:
    export_parquet(run, tmp_path / "out", shard_bytes=run.table("wifi_on-7-r0k0").nbytes * 4)
    (shard,) = (tmp_path / "out" / "data").iterdir()
    with pq.ParquetFile(shard) as file:
        sizes = [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]
    assert len(sizes) > 1
    assert sum(sizes) == 13


def test_the_manifest_says_where_rows_come_from(run: Store, tmp_path: Path) -> None:
    export_parquet(run, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "export.json").read_text())
    assert manifest["record"] == run.uri
    assert manifest["run"] == {"run": "abc123"}
    assert manifest["shards"] == ["data/train-00000-of-00001.parquet"]
    assert manifest["left_out"] == {"checker_failed": 1}
    assert [(one["episode_id"], one["decision"], one["valid_steps"]) for one in manifest["chosen"]] == [
        ("loop-7-r0k0", "cut", 4),
        ("note-7-r0k0", "accepted", 4),
        ("wifi_on-7-r0k0", "accepted", 4),
    ]
    card = (tmp_path / "out" / "README.md").read_text()
    assert "13 rows from 3 episodes, 1 of them cut to their valid prefix." in card
    assert "| checker_failed | 1 |" in card


def test_the_latest_filter_decides(run: Store, tmp_path: Path) -> None:
    filter_run(run, RuleSettings(cut="never"))
    assert export_parquet(run, tmp_path / "out").episodes == 2


def test_a_folder_with_content_is_refused_and_left_alone(run: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("x")
    with pytest.raises(CallerError, match="out is not empty; name a new folder"):
        export_parquet(run, out)
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]
    with pytest.raises(CallerError, match="is a file"):
        export_parquet(run, out / "thesis.tex")
    with pytest.raises(CallerError, match="cannot be made"):
        export_parquet(run, out / "thesis.tex" / "sub")


def test_an_empty_folder_and_missing_parents_are_fine(run: Store, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert export_parquet(run, tmp_path / "empty").rows == 13
    assert export_parquet(run, tmp_path / "a" / "b").rows == 13
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "empty", "run"]


def test_a_failed_export_leaves_nothing(run: Store, tmp_path: Path) -> None:
    Path(run.path("note-7-r0k0")).write_bytes(b"rubbish")
    with pytest.raises(StoreError, match=r"note-7-r0k0\.parquet is damaged"):
        export_parquet(run, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_folder_that_fills_up_meanwhile_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(CallerError, match="out cannot be put in place"), new_folder(out) as folder:  # noqa: PT012
        (folder / "mine").write_text("")
        out.mkdir()
        (out / "theirs").write_text("")
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "theirs"]


def test_nothing_to_export_is_said_with_its_reason(tmp_path: Path, make_episode: Make) -> None:
    store = Store(tmp_path / "run")
    with pytest.raises(CallerError, match=r"nothing to export in .*: it holds no episodes"):
        export_parquet(store, tmp_path / "out")
    store.publish(make_episode(reward=0.0))
    with pytest.raises(CallerError, match="none of its 1 episodes has a verdict; run `emulator-farm filter` first"):
        export_parquet(store, tmp_path / "out")
    filter_run(store, RuleSettings())
    store.publish(make_episode("new-1-r0k0"))
    with pytest.raises(CallerError, match="of 2 episodes, 1 checker_failed, 1 no verdict"):
        export_parquet(store, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_object_store_is_read_as_well(tmp_path: Path, make_episode: Make) -> None:
    store = Store("memory://export-of-an-object-store")
    store.publish(make_episode())
    filter_run(store, RuleSettings())
    assert export_parquet(store, tmp_path / "out").rows == 4


def test_a_person_can_overrule_the_rules(run: Store, tmp_path: Path, make_episode: Make, page: Any) -> None:
    (rules,) = run.verdicts()["wifi_on-7-r0k1"]
    human = rules.model_copy(update={"source": "human", "who": "ann", "decision": "accepted", "reason": ""})
    run.write_verdicts("human", [human])
    assert export_parquet(run, tmp_path / "out").episodes == 4
