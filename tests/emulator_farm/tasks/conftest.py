"""Task files written by tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from emulator_farm.errors import TaskFileError
from emulator_farm.tasks.spec import TaskSpec, load_tasks

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a task file, dedented; gives its path."""

    def write(text: str, name: str = "tasks.yaml") -> Path:
        path = tmp_path / name
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.fixture
def load(write: Write) -> Callable[..., list[TaskSpec]]:
    """The tasks of a file with this text."""
    return lambda text, name="tasks.yaml": load_tasks(write(text, name))


@pytest.fixture
def problems(write: Write) -> Callable[..., list[str]]:
    """What is wrong with a file with this text: each problem without the folder, in order."""

    def problems(text: str, name: str = "tasks.yaml") -> list[str]:
        path = write(text, name)
        with pytest.raises(TaskFileError) as caught:
            load_tasks(path)
        return [line.removeprefix(f"{path.parent}/") for line in str(caught.value).splitlines()]

    return problems
