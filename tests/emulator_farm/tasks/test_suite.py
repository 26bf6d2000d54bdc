"""The built-in suite: each task is passed by an expert within its steps, and failed by doing nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from emulator_farm.devices.device import Device
from emulator_farm.tasks.checks import Evidence, conclude, evaluate, state_before
from emulator_farm.tasks.setup import prepare, tear_down
from emulator_farm.tasks.spec import TaskSpec, load_tasks

TASKS = {task.name: task for task in load_tasks("phone")}
SEEDS = (1, 2)
NEAR_MISSES = (
    "sms_send", "sms_owed_total", "note_pickup_code", "call_missed_count", "sms_missed_caller", "event_from_message",
    "file_move", "file_delete_largest", "shop_cheapest", "shop_order", "web_fact", "web_bookmark_warmer",
    "contact_or_note", "camera_photos", "zh_door_code",
)  # fmt: skip
NULL = Evidence(answer=None, ended="finished")
tasks = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
seeds = pytest.mark.parametrize("seed", SEEDS)


@tasks
@seeds
def test_an_expert_passes_and_doing_nothing_fails(
    device: Device, task: TaskSpec, seed: int, play: Callable[..., tuple[int, Evidence]]
) -> None:
    instance = task.instance(seed)
    assert instance.check is not None
    prepare(instance, device)
    state = state_before(instance, device)
    before = conclude(instance, device, NULL, state)
    assert before is not None
    assert not before.passed, before.reason
    assert before.clean, before.undeclared
    steps, evidence = play(task.name, instance.goal)
    result = conclude(instance, device, evidence, state)
    assert result is not None
    assert result.passed, result.reason
    assert result.clean, result.undeclared
    assert 2 * steps <= instance.max_steps
    prepare(instance, device)
    after = evaluate(instance.check, device, NULL)
    assert not after.passed, f"setup does not undo what an episode did: {after.reason}"
    tear_down(instance, device)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_the_nearest_wrong_thing_fails(
    device: Device,
    name: str,
    play: Callable[..., tuple[int, Evidence]],
    near_misses: dict[str, dict[str, object]],
) -> None:
    instance = TASKS[name].instance(SEEDS[0])
    assert instance.check is not None
    prepare(instance, device)
    _, evidence = play(name, instance.goal, **near_misses[name])
    result = evaluate(instance.check, device, evidence)
    assert not result.passed, result.reason
    tear_down(instance, device)


def test_every_near_miss_is_tried(near_misses: dict[str, dict[str, object]]) -> None:
    assert sorted(near_misses) == sorted(NEAR_MISSES)


def test_every_task_has_an_expert(experts: dict[str, object]) -> None:
    assert sorted(experts) == sorted(TASKS)


def test_the_suite_is_as_promised() -> None:
    tagged = {
        tag: [task for task in TASKS.values() if tag in task.tags] for task in TASKS.values() for tag in task.tags
    }
    assert len(TASKS) >= 40
    assert all(len({"easy", "medium", "hard"} & set(task.tags)) == 1 for task in TASKS.values())
    assert min(len(tagged[level]) for level in ("easy", "medium", "hard")) >= 10
    assert len([task for task in TASKS.values() if task.question]) >= 6
    assert len([task for task in TASKS.values() if task.infeasible]) >= 4
    assert len([task for task in tagged["chinese"] if re.search("[一-鿿]", task.goal)]) >= 4
    assert min(len(tagged[way]) for way in ("memory", "counting", "comparing", "scroll")) >= 2
    assert len(tagged["conditional"]) >= 1
    assert len([task for task in TASKS.values() if task.params]) >= 30
    assert all(task.changes is not None for task in TASKS.values())
    apps = {"settings", "contacts", "notes", "clock", "messages", "phone", "calendar", "files", "shop", "browser"}
    assert {*apps, "camera", "shade"} <= set(tagged)
