"""A run's identity and its episodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_server.schemas import ModelCard, Sampling
from emulator_farm.errors import RunMismatch
from emulator_farm.plan import Identity, Manifest, Planned, identify, plan
from emulator_farm.rollout import Limits
from emulator_farm.tasks.spec import TaskSpec, load_tasks

CARD = ModelCard(id="m", adapter="a", weights="w", prompt_digest="p", sampling={"temperature": 0.0, "top_p": 1.0})


@pytest.fixture
def tasks(tmp_path: Path) -> list[TaskSpec]:
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps({"name": name, "goal": name}) + "\n" for name in ("one", "two")))
    return load_tasks(str(file))


def identity(tasks: list[TaskSpec], **changes: Any) -> Identity:
    options: dict[str, Any] = {"samples": 2, "seed": 0, "card": CARD, "sampling": Sampling(), "limits": Limits()}
    return identify(tasks, **options | changes)


def test_ids_are_deterministic_and_samples_are_spread_out(tasks: list[TaskSpec]) -> None:
    planned = plan(tasks, samples=2, seed=7)
    assert [one.episode_id for one in planned] == ["one-7-r0k0", "two-7-r0k0", "one-7-r0k1", "two-7-r0k1"]
    assert planned == plan(tasks, samples=2, seed=7)
    assert {one.task.group_id for one in planned} == {"one-7", "two-7"}


def test_a_planned_episode_survives_the_queue(tasks: list[TaskSpec]) -> None:
    for spec in (*tasks, *load_tasks("phone")):
        (one,) = plan([spec], samples=1, seed=3)
        assert Planned.model_validate(json.loads(one.model_dump_json())) == one


def test_what_makes_another_run(tasks: list[TaskSpec]) -> None:
    base = identity(tasks)
    assert base.run == identity(tasks).run
    others = {
        "samples": identity(tasks, samples=3),
        "seed": identity(tasks, seed=1),
        "model": identity(tasks, card=CARD.model_copy(update={"id": "other"})),
        "weights": identity(tasks, card=CARD.model_copy(update={"weights": "other"})),
        "prompt_digest": identity(tasks, card=CARD.model_copy(update={"prompt_digest": "other"})),
        "sampling.temperature": identity(tasks, sampling=Sampling(temperature=0.5)),
        "sampling.top_k": identity(tasks, sampling=Sampling(top_k=20)),
        "sampling.repetition_penalty": identity(tasks, sampling=Sampling(repetition_penalty=1.1)),
        "sampling.constrained": identity(tasks, sampling=Sampling(constrained=True)),
        "limits.max_steps": identity(tasks, limits=Limits(max_steps=3)),
        "limits.frames": identity(tasks, limits=Limits(frames="jpeg95")),
        "tasks.two": identity(tasks[:1]),
    }
    for name, other in others.items():
        assert list(base.differences(other)) == [name]
        assert other.run != base.run


def test_a_run_of_pngs_is_the_run_that_it_was_before_there_was_a_choice(tasks: list[TaskSpec]) -> None:
    assert "frames" not in identity(tasks, limits=Limits(frames="png")).limits


def test_a_default_of_the_server_said_aloud_is_the_same_run(tasks: list[TaskSpec]) -> None:
    assert identity(tasks, sampling=Sampling(temperature=0.0)) == identity(tasks)


def test_the_manifest_refuses_with_the_difference(tasks: list[TaskSpec]) -> None:
    planned = plan(tasks, samples=2, seed=0)
    manifest = Manifest.new(identity(tasks), version="0", source="t.jsonl", planned=planned)
    assert Manifest.model_validate(json.loads(manifest.model_dump_json())) == manifest
    assert manifest.episodes == 4
    manifest.require(identity(tasks), "there")
    with pytest.raises(RunMismatch, match="there holds another run: samples: was 2, is 5"):
        manifest.require(identity(tasks, samples=5), "there")


def test_whose_prompt_it_was_is_noted_beside_the_identity(tasks: list[TaskSpec]) -> None:
    planned = plan(tasks, samples=1, seed=0)
    noted = Manifest.new(identity(tasks), version="0", source="t", planned=planned, prompt_origin="vendor: some 1.2")
    assert json.loads(noted.model_dump_json())["prompt_origin"] == "vendor: some 1.2"
    assert noted.run == Manifest.new(identity(tasks), version="0", source="t", planned=planned).run


def test_the_suites_questions_are_named() -> None:
    specs = load_tasks("phone")
    manifest = Manifest.new(identity(specs), version="0", source="phone", planned=plan(specs, samples=1, seed=0))
    assert manifest.questions == sorted(spec.name for spec in specs if spec.question)
    assert len(manifest.questions) >= 2


def test_many_other_tasks_are_counted() -> None:
    found = RunMismatch("there", {f"tasks.t{n}": ("a", "b") for n in range(7)})
    assert str(found) == "there holds another run: other tasks: t0, t1, t2, t3, t4 and 2 more"
