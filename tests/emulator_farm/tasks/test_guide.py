"""docs/tasks.md says what the code does: its examples load, and every field, step, check and parameter is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from emulator_farm.tasks.conditions import CHECK_KINDS, Value
from emulator_farm.tasks.params import PARAM_KINDS
from emulator_farm.tasks.reading import FIELDS
from emulator_farm.tasks.spec import TaskSpec
from emulator_farm.tasks.steps import STEP_KINDS
from emulator_farm.tasks.text import Noun

GUIDE = (Path(__file__).parents[3] / "docs" / "tasks.md").read_text()
Load = Callable[..., list[TaskSpec]]


def blocks(language: str) -> list[str]:
    return [dedent(block) for block in re.findall(rf"^ *```{language}\n(.*?)^ *```$", GUIDE, re.MULTILINE | re.DOTALL)]


@pytest.mark.parametrize("block", blocks("yaml"))
def test_each_example_loads(load: Load, block: str) -> None:
    (task,) = load(block)
    assert task.instance(1).goal


def test_the_complete_example_is_one_that_doing_nothing_fails(load: Load) -> None:
    (task,) = load(next(block for block in blocks("yaml") if block.startswith("tasks:")))
    instance = task.instance(1)
    assert [step.kind for step in instance.setup] == ["stop_app", "delete_rows", "add_contact"]
    assert instance.check is not None
    assert instance.goal.startswith("Add a contact named ")


def test_the_example_of_goals_alone_loads(load: Load) -> None:
    assert [task.question for task in load(blocks("json")[0], "goals.jsonl")] == [False, True]


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_of_a_task_is_named(field: str) -> None:
    assert f"| `{field}` |" in GUIDE


@pytest.mark.parametrize(("kind", "model"), [*STEP_KINDS.items(), *CHECK_KINDS.items(), *PARAM_KINDS.items()])
def test_each_kind_is_named_with_its_fields(kind: str, model: type[Noun]) -> None:
    row = [line for line in GUIDE.splitlines() if line.startswith(f"| `{kind}` |")][-1]
    structural = {"kind", "unlike"} | ({"checks", "check"} if kind in ("all", "any", "not") else set())
    missing = [name for name in model.model_fields if name not in structural and f"`{name}`" not in row]
    assert missing == []


def test_what_stands_outside_the_tables_is_named_too() -> None:
    assert "`unlike`" in GUIDE
    assert all(f"{{{name}: " in GUIDE for name in Value.model_fields)
