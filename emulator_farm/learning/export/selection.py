"""Which episodes a data set holds, and how much of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import agent_server
from emulator_farm.episode import Verdict
from emulator_farm.errors import CallerError
from emulator_farm.store import Store
from emulator_farm.verdicts import standing

EXPORT = "export.json"


@dataclass(frozen=True)
class Chosen:
    """One episode that is exported: whole, or its first `steps` steps."""

    id: str
    verdict: Verdict

    @property
    def steps(self) -> int | None:
        return self.verdict.valid_steps if self.verdict.decision == "cut" else None


@dataclass(frozen=True)
class Selection:
    """What is exported of a run, and what is left out."""

    chosen: tuple[Chosen, ...]
    left_out: Mapping[str, int]
    """Number of episodes by why they are not exported."""


@dataclass(frozen=True)
class ExportSummary:
    """What an export wrote."""

    out: Path
    format: str
    episodes: int
    cut: int
    """How many of the episodes are prefixes."""
    rows: int
    left_out: Mapping[str, int]
    """Episodes that were not exported, by reason."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Steps that were not exported, by reason."""
    notes: tuple[str, ...] = ()
    """What a user of the data set should know."""


def select(store: Store) -> Selection:
    """Accepted episodes and the valid prefixes of cut ones, by the verdict that stands.

    Raises CallerError where there is nothing to export, saying why.
    """
    ids = sorted(store.episode_ids())
    verdicts = {id_: standing(found) for id_, found in store.verdicts().items()}
    chosen: list[Chosen] = []
    left_out: Counter[str] = Counter()
    for id_ in ids:
        verdict = verdicts.get(id_)
        if verdict is None:
            left_out["no verdict"] += 1
        elif verdict.decision == "rejected" or (verdict.decision == "cut" and verdict.valid_steps == 0):
            left_out[verdict.reason or f"rejected by {verdict.source}"] += 1
        else:
            chosen.append(Chosen(id_, verdict))
    if not chosen:
        raise CallerError(f"there is nothing to export in {store.uri}: {_why(len(ids), left_out)}")
    return Selection(tuple(chosen), dict(left_out))


def write_manifest(folder: Path, store: Store, selection: Selection, summary: ExportSummary, **more: Any) -> None:
    """Write `export.json`: where every row comes from and by whose verdict."""
    episodes = [
        {
            "episode_id": one.id,
            "decision": one.verdict.decision,
            "valid_steps": one.verdict.valid_steps,
            "source": one.verdict.source,
            "settings_digest": one.verdict.settings_digest,
        }
        for one in selection.chosen
    ]
    manifest = {
        **{name: value for name, value in asdict(summary).items() if name != "out"},
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": agent_server.__version__,
        "record": store.uri,
        "run": store.run(),
        **more,
        "chosen": episodes,
    }
    (folder / EXPORT).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _why(total: int, left_out: Mapping[str, int]) -> str:
    if not total:
        return "it holds no episodes"
    if left_out.get("no verdict") == total:
        return f"none of its {total} episodes has a verdict; run `emulator-farm filter` first"
    return f"of {total} episodes, " + ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
