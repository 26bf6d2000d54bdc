"""What a report says of a run, as values: every number comes with the ids of the episodes behind it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from emulator_farm.episode import Attempt, Verdict
from emulator_farm.rates import Rate, percentile
from emulator_farm.store import Store
from emulator_farm.verdicts import standing

STAGES = ("capture", "settle", "decide", "act")
"""The stages of a step, in the order in which they happen."""
_COLUMNS = (
    "task", "status", "end", "reward", "clean", "progress", "model", "adapter", "weights", "prompt_digest",
    "started_at", "action", "parse_error", *(f"t_{stage}_ms" for stage in STAGES),
)  # fmt: skip
_LAST = ("task", "status", "end", "reward", "clean", "progress", "model", "adapter")
"""Columns that are the same on every row, or count on the last one."""
UNJUDGED = "unjudged"


@dataclass(frozen=True)
class Played:
    """One episode, without its pictures and texts."""

    id: str
    task: str
    status: str
    end: str
    reward: float | None
    clean: bool | None
    progress: float | None
    steps: int
    model: str
    adapter: str
    weights: str | None
    prompt_digest: str | None
    started_at: datetime
    timings: Mapping[str, tuple[float | None, ...]] = field(repr=False)
    """Milliseconds of each stage, one per frame."""

    @property
    def checked(self) -> bool:
        """Whether a check decided; what an agent says of itself is no success."""
        return self.reward is not None

    @property
    def passed(self) -> bool:
        return self.checked and self.status == "success"


@dataclass(frozen=True)
class Stage:
    """How long one stage of a step takes, in milliseconds."""

    name: str
    count: int
    median: float
    p90: float
    slowest: str
    """Id of the episode with the slowest step."""
    slowest_step: int
    longest: float


@dataclass(frozen=True)
class TaskRow:
    """One task: how often it was done, and how often the controls did it."""

    task: str
    rate: Rate
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    mean_steps: float
    clean: Rate
    """Of the episodes of which it is known, those that changed nothing beside what the task declares."""
    progress: float | None
    """Mean of the episodes of a task with milestones."""
    controls: Mapping[str, Rate]


@dataclass(frozen=True)
class Control:
    """A run of a policy that is not meant to be good."""

    name: str
    uri: str
    rate: Rate


@dataclass(frozen=True)
class Report:
    """A run, counted."""

    uri: str
    run: Mapping[str, Any]
    planned: int
    planned_ids: tuple[str, ...]
    """Empty where the run's manifest does not tell them."""
    attempted: tuple[str, ...]
    episodes: tuple[Played, ...]
    decisions: Mapping[str, tuple[str, ...]]
    """Ids by accepted, cut, rejected, unjudged."""
    reasons: Mapping[str, tuple[str, ...]]
    """Ids of what is not accepted by the first reason."""
    tasks: tuple[TaskRow, ...]
    controls: tuple[Control, ...]
    stages: tuple[Stage, ...]
    causes: Mapping[str, tuple[Attempt, ...]]
    """Attempts that gave no episode, by cause."""
    holes: tuple[str, ...]
    """Planned, but without an episode."""
    verdicts: Mapping[str, Verdict] = field(repr=False)

    @property
    def rate(self) -> Rate:
        return _rate(self.episodes)

    @property
    def clean(self) -> Rate:
        return _clean(self.episodes)

    @property
    def unnamed_holes(self) -> int:
        """Episodes that are missing, but whose ids nothing tells."""
        return max(self.planned - len(self.episodes) - len(self.holes), 0)


def collect(store: Store, controls: Sequence[Store] = ()) -> Report:
    """Count a run, and beside it the runs of control policies on the same tasks. Raises StoreError."""
    episodes = tuple(played(store))
    done = {one.id for one in episodes}
    manifest = store.run() or {}
    planned_ids = planned(manifest)
    attempts = store.attempts()
    verdicts = {id_: found for id_, all_ in store.verdicts().items() if (found := standing(all_)) and id_ in done}
    attempted = sorted(done | {attempt.episode_id for attempt in attempts})
    others = [(control, tuple(played(control))) for control in controls]
    names = _names([one for _, one in others])
    return Report(
        uri=store.uri,
        run=manifest,
        planned=int(manifest.get("episodes") or len(planned_ids) or len(attempted)),
        planned_ids=planned_ids,
        attempted=tuple(attempted),
        episodes=episodes,
        decisions=_decisions(episodes, verdicts),
        reasons=_reasons(verdicts),
        tasks=_tasks(episodes, dict(zip(names, (one for _, one in others), strict=True))),
        controls=tuple(
            Control(name, control.uri, _rate(found)) for name, (control, found) in zip(names, others, strict=True)
        ),
        stages=tuple(_stages(episodes)),
        causes=_causes(attempts),
        holes=tuple(sorted((set(planned_ids) or set(attempted)) - done)),
        verdicts=verdicts,
    )


def played(store: Store) -> Iterable[Played]:
    """Every episode of a run by id, reading no pictures."""
    for episode_id in sorted(store.episode_ids()):
        rows = store.table(episode_id, _COLUMNS).to_pydict()
        if not rows["task"]:
            continue
        yield Played(
            id=episode_id,
            **{name: rows[name][-1] for name in _LAST},
            weights=", ".join(dict.fromkeys(filter(None, rows["weights"]))) or None,
            prompt_digest=rows["prompt_digest"][-1],
            started_at=rows["started_at"][0],
            steps=sum(
                action is not None or error is not None
                for action, error in zip(rows["action"], rows["parse_error"], strict=True)
            ),
            timings={stage: tuple(rows[f"t_{stage}_ms"]) for stage in STAGES},
        )


def planned(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids that the first round of a run consists of; empty where its manifest does not tell."""
    identity = manifest.get("identity")
    if not isinstance(identity, dict) or not {"tasks", "samples", "seed"} <= identity.keys():
        return ()
    seed, samples = identity["seed"], range(identity["samples"])
    return tuple(sorted(f"{task}-{seed}-r0k{sample}" for task in identity["tasks"] for sample in samples))


def _decisions(episodes: Sequence[Played], verdicts: Mapping[str, Verdict]) -> dict[str, tuple[str, ...]]:
    by_decision: dict[str, list[str]] = {"accepted": [], "cut": [], "rejected": [], UNJUDGED: []}
    for one in episodes:
        by_decision[verdicts[one.id].decision if one.id in verdicts else UNJUDGED].append(one.id)
    return {decision: tuple(ids) for decision, ids in by_decision.items()}


def _reasons(verdicts: Mapping[str, Verdict]) -> dict[str, tuple[str, ...]]:
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for id_, verdict in sorted(verdicts.items()):
        if verdict.decision != "accepted":
            by_reason[verdict.reason or verdict.source].append(id_)
    return {reason: tuple(ids) for reason, ids in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))}


def _tasks(episodes: Sequence[Played], controls: Mapping[str, Sequence[Played]]) -> tuple[TaskRow, ...]:
    by_task: defaultdict[str, list[Played]] = defaultdict(list)
    for one in episodes:
        by_task[one.task].append(one)
    return tuple(
        TaskRow(
            task=task,
            rate=_rate(found),
            passed=tuple(one.id for one in found if one.passed),
            failed=tuple(one.id for one in found if one.checked and not one.passed),
            mean_steps=sum(one.steps for one in found) / len(found),
            clean=_clean(found),
            progress=_progress(found),
            controls={name: _rate([one for one in other if one.task == task]) for name, other in controls.items()},
        )
        for task, found in sorted(by_task.items())
    )


def _rate(episodes: Sequence[Played]) -> Rate:
    """Of the episodes that a check decided."""
    return Rate(sum(one.passed for one in episodes), sum(one.checked for one in episodes))


def _clean(episodes: Sequence[Played]) -> Rate:
    """Of the episodes of which it is known."""
    known = [one.clean for one in episodes if one.clean is not None]
    return Rate(sum(known), len(known))


def _progress(episodes: Sequence[Played]) -> float | None:
    known = [one.progress for one in episodes if one.progress is not None]
    return sum(known) / len(known) if known else None


def _names(runs: Sequence[Sequence[Played]]) -> list[str]:
    """What each control run is called: its model, numbered where two have the same."""
    models = [Counter(one.model for one in run).most_common(1)[0][0] if run else "empty run" for run in runs]
    return [
        model if models.count(model) == 1 else f"{model} {models[: at + 1].count(model)}"
        for at, model in enumerate(models)
    ]


def _stages(episodes: Sequence[Played]) -> Iterable[Stage]:
    for stage in (*STAGES, "step"):
        found = [
            (length, one.id, step) for one in episodes for step, length in enumerate(_lengths(one, stage)) if length
        ]
        if found:
            lengths = [length for length, _, _ in found]
            longest, slowest, step = max(found)
            yield Stage(stage, len(found), percentile(lengths, 0.5), percentile(lengths, 0.9), slowest, step, longest)


def _lengths(one: Played, stage: str) -> Iterable[float | None]:
    """One duration a frame; `step` is all stages together, of the frames on which something was decided."""
    if stage != "step":
        return one.timings[stage]
    frames = zip(*(one.timings[name] for name in STAGES), one.timings["decide"], strict=True)
    return [None if frame[-1] is None else sum(length or 0.0 for length in frame[:-1]) for frame in frames]


def _causes(attempts: Sequence[Attempt]) -> dict[str, tuple[Attempt, ...]]:
    by_cause: defaultdict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.result != "published":
            by_cause[attempt.cause or attempt.result].append(attempt)
    return {cause: tuple(found) for cause, found in sorted(by_cause.items(), key=lambda item: (-len(item[1]), item[0]))}
