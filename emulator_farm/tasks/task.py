"""A task as written, and a task as played.

A `TaskSpec` is a template: its texts may hold parameters, so its steps and its check stay plain data until a seed says
what the parameters are. `instance(seed)` fills them in and gives a `TaskInstance`, which is complete, typed, and what
travels through the queue.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from agent_server.schemas import GOAL_LIMIT
from emulator_farm.devices.reset_policy import Needs
from emulator_farm.errors import InvalidTask
from emulator_farm.tasks.changes import Pattern
from emulator_farm.tasks.conditions import Check
from emulator_farm.tasks.params import NoValue, draw_values
from emulator_farm.tasks.steps import Step
from emulator_farm.tasks.template import Value, fill, fill_text
from emulator_farm.tasks.text import matching

DEFAULT_MAX_STEPS = 30
MAX_SEED = 2**63 - 1

_LATER: dict[str, JsonValue] = {"milestones": [], "changes": None, "reset": None}
"""Fields that tasks once did not have: left out of a digest where they hold nothing, so that it is what it was."""

TaskName = Annotated[str, matching(r"[a-z0-9_]{1,100}", "a task name (a-z, 0-9 and _, at most 100)")]
Tag = Annotated[str, matching(r"[a-z0-9_.:-]{1,100}", "a tag (a-z, 0-9 and _ . : -)")]
MaxSteps = Annotated[int, Field(ge=1, le=10_000)]


def _said(goal: str) -> str:
    if not goal.strip():
        raise ValueError("is empty; say what the agent shall do")
    return goal


class TaskInstance(BaseModel):
    """One concrete task: what to ask for, how to set the phone up, how to tell whether it was done."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    task: TaskName
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    goal: Annotated[str, Field(min_length=1, max_length=GOAL_LIMIT)]
    app: str | None = None
    """Package or name of the app that the task is about."""
    setup: tuple[Step, ...] = ()
    teardown: tuple[Step, ...] = ()
    check: Check | None = None
    """None: the task has no reward."""
    milestones: tuple[Check, ...] = ()
    """What holds on the way to the goal, in order."""
    changes: tuple[Pattern, ...] | None = None
    """What may be different on the phone afterwards; None: nothing is said of that."""
    reset: Needs | None = None
    """How clean a phone it needs where that is left to the task; None: as the run does with all."""
    max_steps: MaxSteps = DEFAULT_MAX_STEPS
    tags: tuple[Tag, ...] = ()
    question: bool = False
    """The goal asks for an answer."""
    infeasible: bool = False
    """The goal cannot be reached; saying so is what passes."""

    @property
    def group_id(self) -> str:
        """What all samples of this instance share."""
        return f"{self.task}-{self.seed}"


class TaskSpec(BaseModel):
    """One task of a file. `params`, `setup`, `teardown`, `check` are templates: tagged data with placeholders."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: TaskName
    goal: Annotated[str, Field(max_length=GOAL_LIMIT), AfterValidator(_said)]
    app: str | None = None
    params: dict[str, JsonValue] = {}
    setup: Annotated[tuple[JsonValue, ...], Field(strict=False)] = ()
    teardown: Annotated[tuple[JsonValue, ...], Field(strict=False)] = ()
    check: JsonValue = None
    milestones: Annotated[tuple[JsonValue, ...], Field(strict=False)] = ()
    changes: Annotated[tuple[str, ...], Field(strict=False)] | None = None
    reset: Needs | None = None
    max_steps: MaxSteps = DEFAULT_MAX_STEPS
    tags: Annotated[tuple[Tag, ...], Field(strict=False)] = ()
    question: bool = False
    infeasible: bool = False
    file: str = Field(default="", exclude=True)
    """Where the task was read from; not part of what the task is."""
    line: int = Field(default=1, exclude=True)

    @property
    def digest(self) -> str:
        """SHA-256 over everything that the task means; the same wherever it was read from."""
        data = self.model_dump(mode="json")
        data = {name: value for name, value in data.items() if name not in _LATER or value != _LATER[name]}
        return hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def values(self, seed: int) -> dict[str, Value]:
        """The parameters of the instance with this seed. Raises InvalidTask where there are none."""
        try:
            return draw_values(self.params, self.name, seed)
        except (NoValue, ValidationError) as error:
            raise self._invalid(seed, "params", error) from None

    def instance(self, seed: int) -> TaskInstance:
        """The task with parameters drawn from `seed`; the same seed always gives the same instance.

        Raises InvalidTask where the drawn parameters make no valid task.
        """
        values = self.values(seed)
        try:
            return TaskInstance.model_validate(self.fill(values) | {"seed": seed})
        except ValidationError as error:
            raise self._invalid(seed, "instance", error) from None

    def fill(self, values: Mapping[str, Value]) -> dict[str, JsonValue]:
        """The instance's data, but for its seed, with these parameters."""
        return {
            "task": self.name,
            "goal": fill_text(self.goal, values),
            "app": None if self.app is None else fill_text(self.app, values),
            "setup": [fill(step, values) for step in self.setup],
            "teardown": [fill(step, values) for step in self.teardown],
            "check": fill(self.check, values),
            "milestones": [fill(check, values) for check in self.milestones],
            "changes": None if self.changes is None else [fill_text(pattern, values) for pattern in self.changes],
            "reset": self.reset,
            "max_steps": self.max_steps,
            "tags": list(self.tags),
            "question": self.question,
            "infeasible": self.infeasible,
        }

    def _invalid(self, seed: int, field: str, error: ValueError) -> InvalidTask:
        what = "; ".join(problem["msg"] for problem in error.errors()) if isinstance(error, ValidationError) else error
        return InvalidTask(f"with seed {seed}: {what}", file=self.file, line=self.line, field=f"{self.name}.{field}")
