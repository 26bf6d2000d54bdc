"""Commands on a record: `filter`, `export`, `report`, `show`."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from emulator_farm.errors import CallerError

if TYPE_CHECKING:
    from emulator_farm.rule_settings import RuleSettings
    from emulator_farm.store import Store

_PAGES = 4
"""So many episodes of a harvest get a page beside the report, to look at first."""
Record = Annotated[str, typer.Argument(help="Folder or fsspec URI of a harvest's record.")]
Controls = Annotated[
    list[str] | None, typer.Option("--control", help="Record of a null or random run to compare with; repeatable.")
]


class Format(StrEnum):
    """What `export` writes."""

    parquet = "parquet"
    llamafactory = "llamafactory"


def register(app: typer.Typer) -> None:
    app.command(name="filter")(filter_record)
    for command in (export, report, show):
        app.command()(command)


def filter_record(
    record: Record,
    rules: Annotated[Path | None, typer.Option(help="YAML file with the settings of the rules.")] = None,
) -> None:
    """Judge every episode by the rules and keep the verdicts; no episode is touched. Can be run again."""
    from emulator_farm.filters import filter_run

    store = open_record(record)
    verdicts = filter_run(store, load_rules(rules))
    counts = Counter(verdict.decision for verdict in verdicts)
    reasons = Counter(verdict.reason for verdict in verdicts if verdict.reason)
    print(
        f"{len(verdicts)} episodes: " + ", ".join(f"{count} {decision}" for decision, count in sorted(counts.items()))
    )
    for reason, count in reasons.most_common():
        print(f"  {count:6} {reason}")


def report(
    record: Record,
    out: Annotated[Path | None, typer.Option(help="HTML file; report.html in the record without it.")] = None,
    control: Controls = None,
) -> None:
    """Write the report and print its tables."""
    from emulator_farm.report import REPORT, terminal_report, write_report

    store = open_record(record)
    found = write_report(store, out, controls=[open_record(other) for other in control or []])
    Console().print(terminal_report(found))
    print(f"report: {out or Path(store.uri) / REPORT}")


def show(
    episode: Annotated[
        list[str], typer.Argument(help="An episode's file, DIR/episodes/ID.parquet; or a record's DIR and an ID.")
    ],
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
) -> None:
    """Write a page with every step of an episode."""
    from emulator_farm.viewer import write_viewer

    record, episode_id = _named(episode)
    store = open_record(record)
    print(write_viewer(store.read(episode_id), out, store.verdicts().get(episode_id, [])))


def _named(words: list[str]) -> tuple[str, str]:
    """The record and the id that `show` was given."""
    match words:
        case [record, episode_id]:
            return record, episode_id
        case [path]:
            folder, _, name = path.rpartition("/")
            record, _, kind = folder.rpartition("/")
            if kind == "episodes" and name.endswith(".parquet"):
                return record or ".", name.removesuffix(".parquet")
    asked = " ".join(words)
    raise CallerError(f"{asked!r} names no episode; write DIR/episodes/ID.parquet, or DIR and ID")


def export(
    record: Record,
    out: Annotated[Path, typer.Option(help="Folder to write; must not exist or be empty.")],
    format: Annotated[Format, typer.Option(help="Which trainer's format.")] = Format.parquet,
    adapter: Annotated[
        str | None,
        typer.Option(help="llamafactory: in this model family's grammar; the episodes' own without it."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="llamafactory: the model, where a family's pixel limits depend on it.")
    ] = None,
    prompts: Annotated[Path | None, typer.Option(help="llamafactory: folder with prompt templates.")] = None,
) -> None:
    """Write accepted episodes, and the good part of cut ones, as a trainer loads them."""
    from emulator_farm.learning.export.llamafactory import export_llamafactory
    from emulator_farm.learning.export.parquet import export_parquet

    given = [f"--{name}" for name, value in (("adapter", adapter), ("model", model), ("prompts", prompts)) if value]
    if given and format is not Format.llamafactory:
        raise CallerError(f"{', '.join(given)}: only --format llamafactory writes prompts and replies")
    store = open_record(record)
    match format:
        case Format.parquet:
            summary = export_parquet(store, out)
        case Format.llamafactory:
            summary = export_llamafactory(store, out, adapter=adapter, model=model, prompts=prompts)
    print(f"{summary.episodes} episodes ({summary.cut} of them cut), {summary.rows} rows in {summary.out}")
    for what, counts in (("episodes left out", summary.left_out), ("steps skipped", summary.skipped)):
        if counts:
            print(f"{what}: " + ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items())))
    for note in summary.notes:
        print(f"note: {note}")


def filter_and_report(store: Store, settings: RuleSettings, *, renew: bool) -> None:
    """What follows a harvest: verdicts, the report's page and its tables.

    Without `renew`, where nothing new was played, a page that is there stays as it is, with the controls it may have.
    """
    from emulator_farm.filters import filter_run
    from emulator_farm.report import REPORT, terminal_report, write_report
    from emulator_farm.report_data import collect

    filter_run(store, settings)
    if "://" in store.uri:
        Console().print(terminal_report(collect(store)))
    else:
        page = Path(store.uri) / REPORT
        found = write_report(store, pages=_PAGES) if renew or not page.exists() else collect(store)
        Console().print(terminal_report(found))
        print(f"report: {page}")


def load_rules(path: Path | None) -> RuleSettings:
    """The settings of a file, or the defaults. Raises CallerError."""
    from emulator_farm.rule_settings import RuleSettings

    return RuleSettings() if path is None else RuleSettings.load(path)


def open_record(uri: str) -> Store:
    """The store at `uri`. Raises CallerError where it holds no run."""
    from emulator_farm.store import Store

    store = Store(uri)
    if store.run() is None:
        raise CallerError(f"{store.uri} holds no run: there is no run.json; give the --out of a harvest")
    return store
