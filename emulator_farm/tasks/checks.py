"""Answering a task's check from the state of the phone and the words of the agent.

A check passes or it does not, and says what was expected and what was found. A phone that cannot be asked is an error,
never a "no": it says nothing about the agent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from agent_server.errors import InvalidUiTree
from agent_server.ui_tree import Node, UiTree, parse_ui_tree
from emulator_farm.devices.device import Device
from emulator_farm.devices.replies import Row
from emulator_farm.devices.snapshots import State
from emulator_farm.episode import End
from emulator_farm.errors import DeviceError
from emulator_farm.tasks.answers import ANSWER_LIMIT, folded, normal, numbers, similarity
from emulator_farm.tasks.changes import difference, undeclared
from emulator_farm.tasks.conditions import (
    LIKENESS,
    AllOf,
    Answer,
    AnyOf,
    Check,
    Content,
    File,
    Foreground,
    Infeasible,
    Not,
    Screen,
    Setting,
    Value,
    same_activity,
)
from emulator_farm.tasks.setup import selection
from emulator_farm.tasks.task import TaskInstance

__all__ = ["Check", "CheckResult", "Evidence", "conclude", "evaluate", "state_before"]

_ROUNDING = 1e-9
"""What decimal fractions may lose as floats."""


@dataclass(frozen=True)
class Evidence:
    """What the agent did that is not on the phone. `answer` is the last one it gave, `ended` what ended the episode."""

    answer: str | None
    ended: End


@dataclass(frozen=True)
class CheckResult:
    """Whether a check passed. `score` is 1 or 0; `reason` says what was expected and what was found."""

    passed: bool
    reason: str
    clean: bool | None = None
    """Whether nothing else changed than what the task declares; None where it declares nothing or the phone is mute."""
    undeclared: tuple[str, ...] = ()
    """The other changes, one a text."""
    progress: float | None = None
    """From 0 to 1, by the task's milestones; None where it has none."""

    @property
    def score(self) -> float:
        return 1.0 if self.passed else 0.0


def evaluate(check: Check, device: Device, evidence: Evidence) -> CheckResult:
    """Answer a check. Raises InfrastructureError where the phone cannot be asked."""
    return _Evaluation(device, evidence).of(check)


def conclude(task: TaskInstance, device: Device, evidence: Evidence, before: State | None) -> CheckResult | None:
    """Answer a task's check, and say what else became of the phone; None where the task has no check.

    `before` is what `state_before` gave. Raises InfrastructureError where the phone cannot be asked.
    """
    after = None if before is None else device.state()
    if task.check is None:
        return None
    result = evaluate(task.check, device, evidence)
    if task.milestones:
        result = replace(result, progress=1.0 if result.passed else _progress(task.milestones, device, evidence))
    if before is None or after is None or task.changes is None:
        return result
    others = tuple(str(change) for change in undeclared(difference(before, after), task.changes))
    return replace(result, clean=not others, undeclared=others)


def state_before(task: TaskInstance, device: Device) -> State | None:
    """The state that an episode starts from, where it will be compared and the phone can tell it."""
    return None if task.changes is None or task.check is None else device.state()


def _progress(milestones: Sequence[Check], device: Device, evidence: Evidence) -> float:
    """The share of milestones that are reached, up to the first that is not; short of 1, for the goal is the last."""
    reached = 0
    for check in milestones:
        if not evaluate(check, device, evidence).passed:
            break
        reached += 1
    return reached / (len(milestones) + 1)


class _Evaluation:
    """One look at a phone: the screen is read once for all checks of a tree."""

    def __init__(self, device: Device, evidence: Evidence) -> None:
        self._device = device
        self._evidence = evidence
        self._tree: UiTree | None = None

    def of(self, check: Check) -> CheckResult:
        match check:
            case AllOf():
                return _all([self.of(child) for child in check.checks])
            case AnyOf():
                return _any([self.of(child) for child in check.checks])
            case Not():
                inner = self.of(check.check)
                return CheckResult(not inner.passed, f"not: {inner.reason}")
            case Setting():
                return self._setting(check)
            case Content():
                return self._content(check)
            case File():
                return self._file(check)
            case Foreground():
                return self._foreground(check)
            case Screen():
                return self._screen(check)
            case Answer():
                return _answer(check, self._evidence.answer)
            case Infeasible():
                ended = self._evidence.ended
                return CheckResult(ended == "infeasible", f"expected the end to be 'infeasible', found {ended!r}")
            case _:
                assert_never(check)

    def _setting(self, check: Setting) -> CheckResult:
        value = self._device.settings_get(check.namespace, check.key)
        name = f"setting {check.namespace}/{check.key}"
        if value is None:
            return CheckResult(False, f"{name}: expected {_wish(check)}, found that it is not set")
        if check.equals is not None:
            passed = value == check.equals
        elif check.matches is not None:
            passed = re.fullmatch(check.matches, value) is not None
        else:
            number = _number(value)
            low = float("-inf") if check.at_least is None else check.at_least
            high = float("inf") if check.at_most is None else check.at_most
            passed = number is not None and low <= number <= high
        return CheckResult(passed, f"{name}: expected {_wish(check)}, found {value!r}")

    def _content(self, check: Content) -> CheckResult:
        columns = check.projection or tuple(check.has) or tuple(check.where)
        rows = self._device.content_query(check.uri, columns, selection(check.where))
        found = [row for row in rows if all(_holds(row.get(name), wanted) for name, wanted in check.has.items())]
        passed = bool(found) if check.count is None else len(found) == check.count
        wanted = "at least one row" if check.count is None else f"{check.count} rows"
        like = {name: _cell(cell) for name, cell in check.has.items()}
        where = f" where {check.where}" if check.where else ""
        with_values = f" with {like}" if like else ""
        seen = f", found {len(found)} of {len(rows)}" + ("" if passed else f": {_shown(rows)}")
        return CheckResult(passed, f"content {check.uri}{where}: expected {wanted}{with_values}{seen}")

    def _file(self, check: File) -> CheckResult:
        content = self._device.file_read(check.path)
        name = f"file {check.path}"
        if check.exists is not None:
            there = content is not None
            wanted = "to exist" if check.exists else "not to exist"
            return CheckResult(there == check.exists, f"{name}: expected {wanted}, it does{'' if there else ' not'}")
        if content is None:
            return CheckResult(False, f"{name}: does not exist")
        text = content.decode(errors="replace").replace("\r\n", "\n")
        if check.equals is not None:
            passed, wanted = text.strip() == check.equals.strip(), f"equal to {check.equals!r}"
        elif check.contains is not None:
            passed, wanted = check.contains in text, f"with {check.contains!r} in it"
        else:
            pattern = check.matches or ""
            passed, wanted = re.search(pattern, text) is not None, f"with a match of {pattern!r}"
        return CheckResult(passed, f"{name}: expected a text {wanted}, found {_cut(text)!r}")

    def _foreground(self, check: Foreground) -> CheckResult:
        component = self._device.foreground().component
        wanted = "/".join(filter(None, (check.package, check.activity)))
        if component is None:
            return CheckResult(False, f"foreground: expected {wanted}, found no app in front")
        passed = check.package in (None, component.package) and (
            check.activity is None or same_activity(check.activity, component.activity)
        )
        return CheckResult(passed, f"foreground: expected {wanted}, found {component}")

    def _screen(self, check: Screen) -> CheckResult:
        found = next((node for node in self._look() if _shows(node, check)), None)
        wish = {name: getattr(check, name) for name in ("text", "desc", "id") if getattr(check, name) is not None}
        wanted = f"expected {wish} {'on' if check.present else 'not to be on'} the screen"
        seen = f"found {found.label or found.resource_id!r}" if found else "it is not there"
        return CheckResult((found is not None) == check.present, f"screen: {wanted}, {seen}")

    def _look(self) -> UiTree:
        if self._tree is None:
            source = self._device.observe(ui_tree=True).ui_tree
            try:
                self._tree = parse_ui_tree(source or "")
            except InvalidUiTree as error:
                serial = self._device.serial
                raise DeviceError(f"no UI tree to check: {error}", serial=serial, cause="no_ui_tree") from error
        return self._tree


def _all(results: list[CheckResult]) -> CheckResult:
    failed = [result.reason for result in results if not result.passed]
    return CheckResult(not failed, "; ".join(failed or [result.reason for result in results]))


def _any(results: list[CheckResult]) -> CheckResult:
    passed = [result.reason for result in results if result.passed]
    if passed:
        return CheckResult(True, passed[0])
    return CheckResult(False, "none of: " + " | ".join(result.reason for result in results))


def _answer(check: Answer, answer: str | None) -> CheckResult:
    if answer is None:
        return CheckResult(False, "answer: none was given")
    said = f"found {_cut(answer)!r}"
    if check.exact is not None:
        return CheckResult(normal(answer) == normal(check.exact), f"answer: expected {check.exact!r}, {said}")
    if check.regex is not None:
        text = unicodedata.normalize("NFKC", answer[:ANSWER_LIMIT])
        passed = re.search(check.regex, text, re.IGNORECASE) is not None
        return CheckResult(passed, f"answer: expected a match of {check.regex!r}, {said}")
    if check.number is not None:
        found = numbers(answer)
        passed = len(found) == 1 and abs(found[0] - check.number) <= (check.tolerance or 0) + _ROUNDING
        margin = f" ± {check.tolerance:g}" if check.tolerance else ""
        return CheckResult(passed, f"answer: expected the number {check.number:g}{margin} and no other, {said}")
    alike, least = similarity(answer, check.fuzzy or ""), check.threshold or LIKENESS
    wanted = f"something {least:.0%} like {check.fuzzy!r}"
    return CheckResult(alike >= least, f"answer: expected {wanted}, {said}, which is {alike:.0%}")


def _wish(check: Setting) -> str:
    if check.equals is not None:
        return repr(check.equals)
    if check.matches is not None:
        return f"a match of {check.matches!r}"
    bounds = (("at least", check.at_least), ("at most", check.at_most))
    return " and ".join(f"{name} {bound:g}" for name, bound in bounds if bound is not None)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text.strip()) else None


def _holds(value: str | None, wanted: str | Value) -> bool:
    if value is None:
        return False
    match wanted:
        case str():
            return value == wanted
        case Value(matches=str(pattern)):
            return re.fullmatch(pattern, value) is not None
        case Value():
            return re.sub(r"\D", "", value) == re.sub(r"\D", "", wanted.digits or "")


def _cell(wanted: str | Value) -> str:
    match wanted:
        case str():
            return wanted
        case Value(matches=str(pattern)):
            return f"a match of {pattern}"
        case Value():
            return f"the digits {wanted.digits}"


def _shows(node: Node, check: Screen) -> bool:
    if not node.bounds.area:
        return False
    if check.text is not None and folded(check.text) not in folded(node.text):
        return False
    if check.desc is not None and folded(check.desc) not in folded(node.content_desc):
        return False
    return check.id is None or node.resource_id == check.id or node.resource_id.rpartition("/")[2] == check.id


def _shown(rows: list[Row], limit: int = 5) -> str:
    more = f" and {len(rows) - limit} more" if len(rows) > limit else ""
    return _cut(", ".join(str(row) for row in rows[:limit]) or "no rows") + more


def _cut(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
