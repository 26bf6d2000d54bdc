"""The part of a data set's README that all formats share."""

from __future__ import annotations

from emulator_farm.learning.export.selection import EXPORT, ExportSummary
from emulator_farm.store import Store


def data_card(summary: ExportSummary, store: Store) -> str:
    """Title and counts as Markdown."""
    run = store.run() or {}
    cut = f", {summary.cut} of them cut to their valid prefix" if summary.cut else ""
    lines = [
        f"# Android rollouts, run {run.get('run', 'unnamed')}",
        "",
        f"{summary.rows} rows from {summary.episodes} episodes{cut}. `{EXPORT}` names each with the verdict on it.",
        "",
    ]
    lines += _table("Episodes left out", summary.left_out)
    lines += _table("Steps left out", summary.skipped)
    lines += [f"- {note}" for note in summary.notes]
    return "\n".join([*lines, "", ""])


def _table(title: str, counts: object) -> list[str]:
    if not isinstance(counts, dict) or not counts:
        return []
    rows = [f"| {reason.replace('|', '/')} | {count} |" for reason, count in sorted(counts.items())]
    return [f"| {title} | |", "|---|---|", *rows, ""]
