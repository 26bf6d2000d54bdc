"""One Parquet data set in the record's own schema, which `datasets.load_dataset(folder)` opens with images.

Shards hold whole episodes and are about 256 MB, the size that hubs and loaders are made for. Rows are copied as they
were recorded; of a cut episode only the first steps are there, so none of its rows has `is_last`.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from emulator_farm.learning.export.card import data_card
from emulator_farm.learning.export.folder import new_folder
from emulator_farm.learning.export.selection import ExportSummary, select, write_manifest
from emulator_farm.parquet import WRITER_OPTIONS
from emulator_farm.store import Store
from emulator_farm.table import SCHEMA

SHARD_BYTES = 256 * 2**20
_GROUP_BYTES = 32 * 2**20
"""Rows that are read together, at most a quarter of a shard; a loader holds one group in memory."""

_FRONT_MATTER = """\
---
task_categories:
- image-text-to-text
tags:
- android
- gui-agent
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
---
"""
_ABOUT = """\
One row is one frame: what the phone showed, what the policy decided on it, and what came of that. Rows of an episode
stand together, in order. Of a cut episode only the first steps are here, so none of its rows has `is_last`.

```python
import datasets

rows = datasets.load_dataset("PATH/TO/THIS/FOLDER", split="train")
rows[0]["screenshot"]  # a PIL image
```
"""


def export_parquet(store: Store, out: Path, *, shard_bytes: int = SHARD_BYTES) -> ExportSummary:
    """Write the kept episodes of a run to `out`, a folder that must not exist or be empty.

    Raises CallerError for an `out` that cannot be used or where nothing is kept, StoreError for a damaged record.
    """
    selection = select(store)
    with new_folder(out) as folder:
        shards = _Shards(folder / "data", shard_bytes)
        for one in selection.chosen:
            table = store.table(one.id).select(SCHEMA.names).cast(SCHEMA)
            shards.add(table if one.steps is None else table.slice(0, one.steps))
        names = shards.close()
        summary = ExportSummary(
            out=out,
            format="parquet",
            episodes=len(selection.chosen),
            cut=sum(one.steps is not None for one in selection.chosen),
            rows=shards.rows,
            left_out=selection.left_out,
        )
        write_manifest(folder, store, selection, summary, shards=names)
        card = _FRONT_MATTER + data_card(summary, store) + _ABOUT
        (folder / "README.md").write_text(card, "utf-8")
    return summary


class _Shards:
    """Numbered Parquet files of about `limit` bytes, filled one after the other."""

    def __init__(self, folder: Path, limit: int) -> None:
        folder.mkdir()
        self.rows = 0
        self._folder = folder
        self._limit = limit
        self._files: list[Path] = []
        self._writer: pq.ParquetWriter | None = None
        self._group: list[pa.Table] = []
        self._size = 0
        """Bytes in the shard that is being filled, with those that wait in the group."""

    def add(self, table: pa.Table) -> None:
        """Append an episode; it is never split between shards."""
        if self._size and self._size + table.nbytes > self._limit:
            self._end_shard()
        self._group.append(table)
        self._size += table.nbytes
        self.rows += table.num_rows
        if sum(one.nbytes for one in self._group) >= min(_GROUP_BYTES, self._limit // 4):
            self._end_group()

    def close(self) -> list[str]:
        """Finish, and name the shards by their number; returns their names relative to the data set."""
        self._end_shard()
        names = [f"train-{number:05}-of-{len(self._files):05}.parquet" for number in range(len(self._files))]
        for file, name in zip(self._files, names, strict=True):
            file.rename(self._folder / name)
        return [f"{self._folder.name}/{name}" for name in names]

    def _end_group(self) -> None:
        if self._writer is None:
            self._files.append(self._folder / f"{len(self._files)}.unnamed")
            self._writer = pq.ParquetWriter(self._files[-1], SCHEMA, **WRITER_OPTIONS)
        group = pa.concat_tables(self._group)
        self._writer.write_table(group, row_group_size=group.num_rows)
        self._group = []

    def _end_shard(self) -> None:
        if self._group:
            self._end_group()
        if self._writer is not None:
            self._writer.close()
        self._writer, self._size = None, 0
