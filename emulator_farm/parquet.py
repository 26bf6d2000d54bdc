"""How a table in the record's schema becomes Parquet, for episode files and exported shards alike.

Screenshots and UI trees are compressed already: compressing them again, building dictionaries of them or keeping their
smallest and largest value as statistics would cost time and save nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from emulator_farm.table import SCHEMA, brought_up

_COMPRESSED = frozenset({"screenshot.bytes", "ui_tree"})
_REPEATED = frozenset({
    "episode_id", "run", "group_id", "task", "goal", "app", "activity", "device", "incarnation", "model", "adapter",
    "weights", "weights_policy", "prompt_digest", "sampling", "status", "end", "reason", "outcome", "finish_reason",
    "logprobs_mode",
})  # fmt: skip
"""Text that is the same in most rows: stored once, as a dictionary."""


def _leaves(schema: pa.Schema) -> list[str]:
    """Parquet's names of the leaf columns."""
    return [name for field in schema for name in _leaves_of(field.name, field.type)]


def _leaves_of(name: str, kind: pa.DataType) -> list[str]:
    if pa.types.is_struct(kind):
        return [leaf for child in kind for leaf in _leaves_of(f"{name}.{child.name}", child.type)]
    if pa.types.is_list(kind):
        return _leaves_of(f"{name}.list.element", kind.value_type)
    return [name]


_LEAVES = _leaves(SCHEMA)

WRITER_OPTIONS: dict[str, Any] = {
    "compression": {name: "none" if name in _COMPRESSED else "zstd" for name in _LEAVES},
    "use_dictionary": sorted(_REPEATED),
    "write_statistics": [name for name in _LEAVES if name not in _COMPRESSED],
}
"""Options of `pyarrow.parquet.ParquetWriter` for tables in `SCHEMA`."""


def encode(table: pa.Table) -> bytes:
    """A table in `SCHEMA` as the bytes of a Parquet file with one row group."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=max(table.num_rows, 1), **WRITER_OPTIONS)
    return bytes(sink.getvalue().to_pybytes())


def decode(file: BinaryIO, columns: Sequence[str] | None = None) -> pa.Table:
    """The table in a Parquet file, or only some columns of it, reading no others, as `brought_up` gives it.

    Raises pyarrow.ArrowException.
    """
    with pq.ParquetFile(file) as parquet:
        names = SCHEMA.names if columns is None else list(columns)
        return brought_up(parquet.read(columns=names), names)
