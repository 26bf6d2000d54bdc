"""The report of a run: one HTML page that works offline, and tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agent_server.geometry import Size
from emulator_farm.drawing import caption
from emulator_farm.errors import CallerError
from emulator_farm.pages import milliseconds, picture_uri, render, write_page
from emulator_farm.rates import Rate
from emulator_farm.report_data import UNJUDGED, Played, Report, collect
from emulator_farm.store import Store
from emulator_farm.viewer import write_viewer

REPORT = "report.html"
PAGES = "pages"
"""Folder beside the report in which episode pages are looked for."""
_THUMB = Size(220, 440)
_TONES = {"accepted": "good", "cut": "warn", "rejected": "bad", UNJUDGED: "plain"}
_BARS = 20


@dataclass(frozen=True)
class Bar:
    """One bar of the histogram of steps: counts and ids by status, for episodes of `low` to `high` steps."""

    low: int
    high: int
    ids: Mapping[str, tuple[str, ...]]

    @property
    def total(self) -> int:
        return sum(map(len, self.ids.values()))


@dataclass(frozen=True)
class Sample:
    """The last frame of an episode, to show what the run was about."""

    id: str
    picture: str | None
    goal: str
    decision: str
    reason: str
    caption: str


def write_report(
    store: Store, path: Path | None = None, *, controls: Sequence[Store] = (), samples: int = 8, pages: int = 0
) -> Report:
    """Write a run's report, by default to `report.html` in its folder, and return what it says.

    `controls` are runs of control policies. `samples` episodes are shown by a frame; for the first `pages` of them an
    episode page is written as well. Raises CallerError where there is no place to write to, StoreError for a damaged
    record.
    """
    target = path or _default_path(store)
    report = collect(store, controls)
    chosen = _chosen(report, samples)
    for id_ in chosen[:pages]:
        found = report.verdicts.get(id_)
        write_viewer(store.read(id_), target.parent / PAGES / f"{id_}.html", [found] if found else [])
    shown = [_sample(store, report, id_) for id_ in chosen]
    write_page(report_page(report, shown, links=_links(target)), target)
    return report


def report_page(report: Report, samples: Sequence[Sample] = (), links: Mapping[str, str] | None = None) -> str:
    """The report as HTML; `links` maps episode ids to the addresses of their pages."""
    bars = histogram(report.episodes)
    return render(
        "report",
        report=report,
        title=f"Run {report.run.get('run', report.uri)}",
        facts=_facts(report),
        funnel=_funnel(report),
        bars=bars,
        totals={control.name: control.rate for control in report.controls},
        tallest=max((bar.total for bar in bars), default=1),
        samples=samples,
        links=links or {},
        tones=_TONES,
        made_at=datetime.now(UTC),
    )


def terminal_report(report: Report) -> RenderableType:
    """The report as tables for a terminal."""
    parts: list[RenderableType] = [_summary(report), _task_table(report)]
    if report.reasons:
        parts.append(_count_table("Not accepted", "reason", {name: len(ids) for name, ids in report.reasons.items()}))
    if report.stages:
        parts.append(_stage_table(report))
    if report.causes:
        causes = {name: len(attempts) for name, attempts in report.causes.items()}
        parts.append(_count_table("Attempts without an episode", "cause", causes))
    missing = len(report.holes) + report.unnamed_holes
    if missing:
        named = ", ".join(report.holes[:5]) + (", …" if missing > min(len(report.holes), 5) else "")
        parts.append(Text(f"{missing} holes: {named}", style="red"))
    return Group(*parts)


def histogram(episodes: Sequence[Played]) -> list[Bar]:
    """Steps per episode in at most twenty bars."""
    if not episodes:
        return []
    most = max(one.steps for one in episodes)
    width = max(1, -(-(most + 1) // _BARS))
    bars = []
    for low in range(0 if any(one.steps == 0 for one in episodes) else 1, most + 1, width):
        inside = [one for one in episodes if low <= one.steps < low + width]
        ids = {
            status: tuple(one.id for one in inside if one.status == status)
            for status in ("success", "failure", "truncated")
        }
        bars.append(Bar(low, low + width - 1, ids))
    return bars


def _default_path(store: Store) -> Path:
    if "://" in store.uri:
        raise CallerError(f"{store.uri} is no local folder; say where the report shall be written to")
    return Path(store.uri) / REPORT


def _links(target: Path) -> dict[str, str]:
    return {page.stem: f"{PAGES}/{page.name}" for page in sorted((target.parent / PAGES).glob("*.html"))}


def _facts(report: Report) -> list[tuple[str, str]]:
    identity = report.run.get("identity") or {}
    first = report.episodes[0] if report.episodes else None
    limits = {name: value for name, value in (identity.get("limits") or {}).items() if value is not None}
    facts = [
        ("Model", identity.get("model") or (first and first.model)),
        ("Adapter", identity.get("adapter") or (first and first.adapter)),
        ("Weights", identity.get("weights") or (first and first.weights)),
        ("Prompt", _prompt(identity.get("prompt_digest") or (first and first.prompt_digest), report)),
        ("Sampling", _pairs(identity.get("sampling") or {})),
        ("Limits", _pairs(limits)),
        ("Tasks from", report.run.get("source")),
        ("Seed", identity.get("seed")),
        ("Samples a task", identity.get("samples")),
        ("Record", report.uri),
        ("First episode", _first_start(report.episodes)),
    ]
    return [(name, str(value)) for name, value in facts if value not in (None, "")]


def _prompt(digest: object, report: Report) -> str:
    """The digest and whose prompt it is; scores with the shipped one must not be taken for the vendor's."""
    origin = report.run.get("prompt_origin")
    if not digest or not origin:
        return str(digest or "")
    return f"{digest}, shipped: not the vendor's" if origin == "shipped" else f"{digest}, {origin}"


def _first_start(episodes: Sequence[Played]) -> str:
    return f"{min(one.started_at for one in episodes):%Y-%m-%d %H:%M:%S} UTC" if episodes else ""


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _funnel(report: Report) -> list[tuple[str, int, Sequence[str], str]]:
    """(name, count, ids, tone) from what was planned to what is kept."""
    episodes = [one.id for one in report.episodes]
    rows: list[tuple[str, int, Sequence[str], str]] = [
        ("planned", report.planned, report.planned_ids, "plain"),
        ("attempted", len(report.attempted), report.attempted, "plain"),
        ("episodes", len(episodes), episodes, "plain"),
    ]
    rows += [(name, len(ids), ids, _TONES[name]) for name, ids in report.decisions.items() if ids or name != UNJUDGED]
    return rows


def _chosen(report: Report, count: int) -> list[str]:
    """Ids to show: kept and rejected ones in turn, other tasks and reasons first."""
    kinds: list[Iterator[str]] = [iter(_varied(report, name)) for name in ("accepted", "rejected", "cut", UNJUDGED)]
    chosen: list[str] = []
    while kinds and len(chosen) < count:
        kind = kinds.pop(0)
        id_ = next(kind, None)
        if id_ is not None:
            chosen.append(id_)
            kinds.append(kind)
    return chosen


def _varied(report: Report, decision: str) -> list[str]:
    """The ids of a decision so that those of a task or reason not yet seen come first."""
    tasks = {one.id: one.task for one in report.episodes}
    seen: set[tuple[str, str]] = set()
    first: list[str] = []
    rest: list[str] = []
    for id_ in report.decisions[decision]:
        kind = (tasks[id_], report.verdicts[id_].reason if id_ in report.verdicts else "")
        (rest if kind in seen else first).append(id_)
        seen.add(kind)
    return first + rest


def _sample(store: Store, report: Report, id_: str) -> Sample:
    episode = store.read(id_)
    moves = episode.moves
    action = moves[-1].decision.action if moves and moves[-1].decision else None
    verdict = report.verdicts.get(id_)
    return Sample(
        id=id_,
        picture=picture_uri(episode.steps[-1].screen.image, _THUMB, quality=70) if episode.steps else None,
        goal=episode.header.goal,
        decision=verdict.decision if verdict else UNJUDGED,
        reason=verdict.reason if verdict else "",
        caption=caption(action) if action else "unreadable reply",
    )


def _summary(report: Report) -> Table:
    table = Table(title=f"Run {report.run.get('run', '')}".strip(), show_header=False, box=None, title_justify="left")
    table.add_column(style="dim")
    table.add_column()
    decisions = [f"{len(ids)} {name}" for name, ids in report.decisions.items() if ids]
    table.add_row("episodes", f"{len(report.episodes)} of {report.planned} planned")
    table.add_row("success", f"{report.rate}  ({report.rate.successes} of {report.rate.trials})")
    if report.clean.trials:
        table.add_row("clean", f"{report.clean.successes} of {report.clean.trials} changed nothing undeclared")
    unchecked = len(report.episodes) - report.rate.trials
    if unchecked:
        table.add_row("without check", f"{unchecked} episodes, no part of the success rate")
    for control in report.controls:
        table.add_row(f"control {control.name}", str(control.rate))
    table.add_row("filter", ", ".join(decisions) or "not run")
    return table


def _task_table(report: Report) -> Table:
    table = Table(title="Success by task, 95 % Wilson interval", title_justify="left")
    table.add_column("task")
    table.add_column("success", justify="right")
    table.add_column("n", justify="right")
    table.add_column("steps", justify="right")
    for name in ("clean", "progress") if report.clean.trials else ():
        table.add_column(name, justify="right")
    for control in report.controls:
        table.add_column(Text(control.name), justify="right")
    for row in report.tasks:
        others = [_short(row.controls[control.name]) for control in report.controls]
        extent = [_short(row.clean), _percent(row.progress)] if report.clean.trials else []
        table.add_row(Text(row.task), str(row.rate), str(row.rate.trials), f"{row.mean_steps:.1f}", *extent, *others)
    return table


def _short(rate: Rate) -> str:
    return _percent(rate.share)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _count_table(title: str, what: str, counts: Mapping[str, int]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(what)
    table.add_column("count", justify="right")
    for name, count in counts.items():
        table.add_row(Text(name), str(count))
    return table


def _stage_table(report: Report) -> Table:
    table = Table(title="Time by stage of a step", title_justify="left")
    for name in ("stage", "median", "p90", "longest"):
        table.add_column(name, justify="left" if name == "stage" else "right")
    for stage in report.stages:
        table.add_row(stage.name, *(milliseconds(value) for value in (stage.median, stage.p90, stage.longest)))
    return table
