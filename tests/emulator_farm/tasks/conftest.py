"""Task files written by tests, and one virtual phone over a real adb server for all of them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import cast

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.errors import TaskFileError
from emulator_farm.tasks.checks import Evidence
from emulator_farm.tasks.spec import TaskSpec, load_tasks
from emulator_farm.virtual.host import PhoneHost

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


@pytest.fixture(scope="session")
def adb_server() -> Iterator[AdbServer]:
    """A real adb server of these tests' own."""
    with AdbServer.launch() as server:
        yield server


@pytest.fixture(scope="session")
def device(adb_server: AdbServer) -> Iterator[Device]:
    """A virtual phone, fit for episodes. Tests share it, so each sets up what it needs."""
    with PhoneHost(1) as host:
        adb_server.connect(host.addresses[0])
        with Device(host.addresses[0], adb_server) as device:
            device.prepare()
            yield device
        adb_server.disconnect(host.addresses[0])


def _module(name: str) -> ModuleType:
    """A module beside this file; test folders are no packages."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def experts() -> dict[str, Callable[..., None]]:
    """Who can do each task of the suite."""
    found = _module("experts").EXPERTS
    for name in ("experts_apps", "experts_chinese"):
        _module(name)
    return cast("dict[str, Callable[..., None]]", found)


@pytest.fixture(scope="session")
def near_misses(experts: dict[str, Callable[..., None]]) -> dict[str, dict[str, object]]:
    """How to decide wrongly, by task."""
    return cast("dict[str, dict[str, object]]", _module("experts_apps").NEAR_MISSES)


@pytest.fixture
def play(device: Device, experts: dict[str, Callable[..., None]]) -> Callable[..., tuple[int, Evidence]]:
    """Let the expert of a task play a goal; gives the number of steps and what was said."""

    def play(task: str, goal: str, **decided: object) -> tuple[int, Evidence]:
        person = _module("person").Person(device)
        experts[task](person, goal, **decided)
        return person.steps, person.evidence

    return play
