"""What the verdicts on an episode add up to, and how a batch of them lies on disk.

The latest verdict per episode, source and reviewer counts. Of those, a person's beats a checker's, that beats a
judge's, and that beats the rules'. A verdict that names an earlier one in `retracts` cancels it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC

import pyarrow as pa
import pyarrow.parquet as pq

from emulator_farm.episode import Verdict

PRECEDENCE = ("human", "checker", "judge", "rules")
"""Sources from the strongest to the weakest; unknown ones are weaker than all of these."""

VERDICT_SCHEMA = pa.schema(
    [
        ("episode_id", pa.string()),
        ("source", pa.string()),
        ("version", pa.string()),
        ("settings_digest", pa.string()),
        ("decision", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("reasons", pa.list_(pa.string())),
        ("valid_steps", pa.int32()),
        ("who", pa.string()),
        ("retracts", pa.string()),
        ("at", pa.timestamp("us", tz="UTC")),
    ]
)


@dataclass(frozen=True)
class Filed:
    """A verdict and the name (a ULID) of the file that it is in."""

    name: str
    verdict: Verdict


def encode_verdicts(verdicts: Sequence[Verdict]) -> bytes:
    """A batch of verdicts as Parquet."""
    rows = [verdict.model_dump() for verdict in verdicts]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=VERDICT_SCHEMA), sink, compression="zstd")
    return sink.getvalue()


def decode_verdicts(data: bytes) -> list[Verdict]:
    """Read back what `encode_verdicts` wrote. Raises pyarrow.ArrowException or pydantic.ValidationError."""
    return [Verdict.model_validate(row) for row in pq.read_table(io.BytesIO(data)).to_pylist()]


def current(filed: Iterable[Filed]) -> dict[str, list[Verdict]]:
    """Per episode, the verdicts that count: the latest of each source and reviewer, strongest source first."""
    entries = sorted(filed, key=lambda one: (one.verdict.at.astimezone(UTC), one.name))
    retracted = {(one.verdict.episode_id, one.verdict.retracts) for one in entries if one.verdict.retracts}
    latest: dict[tuple[str, str, str], Verdict] = {}
    for one in entries:
        if (one.verdict.episode_id, one.name) not in retracted:
            latest[one.verdict.episode_id, one.verdict.source, one.verdict.who] = one.verdict
    episodes: dict[str, list[Verdict]] = {}
    for (episode_id, _, _), verdict in latest.items():
        episodes.setdefault(episode_id, []).append(verdict)
    for verdicts in episodes.values():
        verdicts.sort(key=lambda verdict: verdict.at.astimezone(UTC), reverse=True)
        verdicts.sort(key=lambda verdict: strength(verdict.source))
    return episodes


def strength(source: str) -> int:
    """0 for the strongest source."""
    return PRECEDENCE.index(source) if source in PRECEDENCE else len(PRECEDENCE)


def standing(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict that decides: the latest of the strongest source; None where there is none."""
    return verdicts[0] if verdicts else None
