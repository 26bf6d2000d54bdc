"""What is different between two states, and which of it a task has declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emulator_farm.devices.device import Device
from emulator_farm.errors import InvalidTask
from emulator_farm.tasks.changes import difference, undeclared
from emulator_farm.tasks.checks import CheckResult, Evidence, conclude, state_before
from emulator_farm.tasks.setup import prepare
from emulator_farm.tasks.spec import TaskInstance, TaskSpec

BEFORE: dict[str, Any] = {
    "clock": {"now": "1"},
    "content": {"people": {"raw": {"1": {"name": "Kim", "starred": 0}, "2": {"name": "Ada", "starred": 0}}}},
    "files": {"/sdcard/a.txt": "one", "/sdcard/Notes": "folder"},
    "screen": {"foreground": "x/.Y"},
    "settings": {"global": {"wifi_on": "1"}},
}
AFTER: dict[str, Any] = {
    "clock": {"now": "2"},
    "content": {"people": {"raw": {"1": {"name": "Kim", "starred": 1}, "3": {"name": "Bo", "starred": 0}}}},
    "files": {"/sdcard/a.txt": "two", "/sdcard/Notes": "folder", "/sdcard/Notes/b.txt": "new"},
    "screen": {"foreground": "z/.Y"},
    "settings": {"global": {"wifi_on": "0"}},
}
ALL = [
    "~content/people/raw/1/starred: 0 to 1",
    "-content/people/raw/2: {'name': 'Ada', 'starred': 0}",
    "+content/people/raw/3: {'name': 'Bo', 'starred': 0}",
    "+files/sdcard/Notes/b.txt: 'new'",
    "~files/sdcard/a.txt: 'one' to 'two'",
    "~settings/global/wifi_on: '1' to '0'",
]


def left(*patterns: str) -> list[str]:
    return [str(change) for change in undeclared(difference(BEFORE, AFTER), patterns)]


def test_changes_are_told_by_path_and_what_passes_with_time_is_none() -> None:
    assert left() == ALL
    assert difference(AFTER, AFTER) == []


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("settings/global/wifi_on", [5]),
        ("settings", [5]),
        ("settings/global/wifi", []),
        ("settings/*/wifi_on", [5]),
        ("settings/global/wifi_*", [5]),
        ("content/people/**", [0, 1, 2]),
        ("+content/people/**", [2]),
        ("-content/**", [1]),
        ("~content/**", [0]),
        ("content/**/[name=Kim]", [0]),
        ("content/people/raw/[name=Ada]", [1]),
        ("content/people/raw/[name=Bo]/starred", []),
        ("content/**/starred", [0]),
        ("files/sdcard/Notes/b.txt", [3]),
        ("files/sdcard/*.txt", [4]),
        ("files/sdcard/**", [3, 4]),
        ("+files", [3]),
    ],
)
def test_a_pattern_covers(pattern: str, covered: list[int]) -> None:
    assert left(pattern) == [change for index, change in enumerate(ALL) if index not in covered]


def test_what_the_device_layer_does_itself_is_nobodys_change() -> None:
    before = {"settings": {"secure": {"default_input_method": "a"}}, "files": {}}
    after = {"settings": {"secure": {"default_input_method": "b"}}, "files": {"/data/local/tmp/x": "1"}}
    assert undeclared(difference(before, after), ()) == []


TASK = """
    - name: wifi_off
      goal: Turn off {what}
      params: {what: [Wi-Fi]}
      setup:
        - put_setting: {namespace: global, key: wifi_on, value: 1}
        - delete_file: /sdcard/odd.txt
      check:
        all:
          - setting: {namespace: global, key: wifi_on, equals: 0}
          - setting: {namespace: global, key: bluetooth_on, equals: 0}
      milestones:
        - setting: {namespace: global, key: wifi_on, equals: 0}
      changes: [settings/global/wifi_on, settings/global/bluetooth_on]
"""
NOTHING = Evidence(answer=None, ended="finished")


def concluded(task: TaskInstance, device: Device, *commands: str) -> CheckResult:
    """What is said of an episode that runs these commands."""
    prepare(task, device)
    device.settings_put("global", "bluetooth_on", "1")
    before = state_before(task, device)
    for command in commands:
        device.shell(command)
    result = conclude(task, device, NOTHING, before)
    assert result is not None
    return result


def test_a_verdict_says_goal_and_clean_and_progress_apart(device: Device, load: Callable[..., list[TaskSpec]]) -> None:
    task = load(TASK)[0].instance(0)
    idle = concluded(task, device)
    assert (idle.passed, idle.clean, idle.undeclared, idle.progress) == (False, True, (), 0.0)
    half = concluded(task, device, "svc wifi disable", "echo -n x > /sdcard/odd.txt")
    assert (half.passed, half.clean, half.progress) == (False, False, 0.5)
    assert half.undeclared == ("+files/sdcard/odd.txt: 'x'",)
    done = concluded(task, device, "svc wifi disable", "svc bluetooth disable")
    assert (done.passed, done.clean, done.undeclared, done.progress) == (True, True, (), 1.0)


def test_without_a_declaration_nothing_is_said(device: Device, load: Callable[..., list[TaskSpec]]) -> None:
    text = TASK[: TASK.index("      milestones")]
    result = concluded(load(text)[0].instance(0), device, "svc wifi disable")
    assert (result.clean, result.undeclared, result.progress) == (None, (), None)


def test_mistakes_in_a_file_are_named(problems: Callable[..., list[str]], load: Callable[..., list[TaskSpec]]) -> None:
    assert problems(TASK.replace("[settings/global/wifi_on,", "[setings/global/wifi_on,")) == [
        "tasks.yaml:13: wifi_off.changes[0]: 'setings/global/wifi_on' must begin with one of content, device, files, "
        "packages, props, settings, after + - or ~ if any"
    ]
    assert problems(TASK.replace("changes: [", "changes: x #")) == [
        "tasks.yaml:13: wifi_off.changes: is 'x', must be a list"
    ]
    assert problems(TASK.replace("      milestones:\n        -", "      milestones:\n          ")) == [
        "tasks.yaml:11: wifi_off.milestones: must be a list of checks, each after a dash"
    ]
    (unchecked,) = problems(TASK[: TASK.index("      check")] + TASK[TASK.index("      milestones") :])
    assert "lead to a check, and there is none" in unchecked


def test_a_pattern_may_hold_parameters(load: Callable[..., list[TaskSpec]]) -> None:
    text = TASK.replace("settings/global/bluetooth_on]", "'files/sdcard/{what}.txt']")
    assert load(text)[0].instance(0).changes == ("settings/global/wifi_on", "files/sdcard/Wi-Fi.txt")
    with pytest.raises(InvalidTask, match="must begin with one of"):
        load(text)[0].model_copy(update={"changes": ("x/y",)}).instance(0)


def test_the_digest_of_a_task_without_them_is_what_it_was(load: Callable[..., list[TaskSpec]]) -> None:
    plain = load("- {name: a, goal: b}")[0]
    assert plain.digest == "692d0a580fe2710e789d32cc6c01df4d98959d59f5cf41cc24709817d4fd7d99"
    assert plain.model_copy(update={"changes": ()}).digest != plain.digest
    assert plain.model_copy(update={"reset": "apps"}).digest != plain.digest
