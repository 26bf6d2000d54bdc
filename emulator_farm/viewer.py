"""One episode as one page: every step with its frame, the action drawn on it, what the model wrote, and timings."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_server.actions import action_to_json
from agent_server.geometry import Size
from emulator_farm.drawing import Arrow, Ring, caption, shapes
from emulator_farm.episode import Episode, Step, Timing, Verdict
from emulator_farm.pages import picture_uri, render, write_page
from emulator_farm.report_data import STAGES

_FRAME = Size(540, 1080)
"""Frames are scaled down to fit into this."""


@dataclass(frozen=True)
class _StepView:
    """What the template shows of one step."""

    number: int
    step: Step
    picture: str | None
    caption: str
    kind: str
    action_json: str | None
    rings: list[Ring]
    arrows: list[Arrow]
    stages: list[tuple[str, float]]
    kept: bool
    """Whether the step belongs to the valid prefix."""


def write_viewer(episode: Episode, path: Path, verdicts: Sequence[Verdict] = ()) -> Path:
    """Write the page of an episode; `verdicts` are shown with it, strongest first. Raises CallerError."""
    return write_page(viewer_page(episode, verdicts), path)


def viewer_page(episode: Episode, verdicts: Sequence[Verdict] = ()) -> str:
    """The page of an episode as HTML."""
    kept = verdicts[0].valid_steps if verdicts and verdicts[0].decision == "cut" else len(episode.moves)
    views = [_view(number, step, number < kept or step.decision is None) for number, step in enumerate(episode.steps)]
    return render(
        "viewer",
        episode=episode,
        header=episode.header,
        facts=_facts(episode),
        verdicts=verdicts,
        views=views,
        total_ms=sum(length for view in views for _, length in view.stages),
        stage_names=STAGES,
        longest_ms=max((sum(length for _, length in view.stages) for view in views), default=0.0),
    )


def _view(number: int, step: Step, kept: bool) -> _StepView:
    decision = step.decision
    action = decision.action if decision else None
    drawn = shapes(action, step.screen.size) if action else []
    return _StepView(
        number=number,
        step=step,
        picture=picture_uri(step.screen.image, _FRAME),
        caption=caption(action) if action else "unreadable reply" if decision else "closing frame",
        kind=action.type if action else "unreadable" if decision else "closing",
        action_json=action_to_json(action) if action else None,
        rings=[shape for shape in drawn if isinstance(shape, Ring)],
        arrows=[shape for shape in drawn if isinstance(shape, Arrow)],
        stages=_stages(step.timing),
        kept=kept,
    )


def _stages(timing: Timing) -> list[tuple[str, float]]:
    lengths = dataclasses.asdict(timing)
    return [(stage, lengths[f"{stage}_ms"]) for stage in STAGES if lengths[f"{stage}_ms"] is not None]


def _facts(episode: Episode) -> list[tuple[str, Any]]:
    header = episode.header
    facts: list[tuple[str, Any]] = [
        ("Episode", episode.id),
        ("Task", f"{header.task}, seed {header.seed}, sample {header.sample}, round {header.round}"),
        ("Model", header.model),
        ("Adapter", header.adapter),
        ("Weights", ", ".join(episode.weights)),
        ("Prompt", header.prompt_digest),
        ("Sampling", json.dumps(header.sampling) if header.sampling else None),
        ("Device", f"{header.device} {header.incarnation}".strip()),
        ("Run", header.run),
        ("Attempt", header.attempt),
        ("Tags", ", ".join(header.tags)),
        ("Started", episode.steps[0].started_at.strftime("%Y-%m-%d %H:%M:%S UTC") if episode.steps else None),
    ]
    return [(name, value) for name, value in facts if value not in (None, "")]
