"""What became different on a phone, and what of it a task has declared.

The state of a phone is nested data; a change has a path in it, `settings/global/wifi_on`. A task declares changes by
patterns of such paths:

- a path covers itself and everything below it;
- `*` stands for any part of one step of the path, `**` for any number of steps;
- `[column=text]` stands for a row whose column holds this text, before or after;
- a sign in front narrows it down: `+` added, `-` removed, `~` changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, JsonValue

from emulator_farm.devices.snapshots import State
from emulator_farm.tasks.text import Text

LASTING = ("content", "device", "files", "packages", "props", "settings")
"""Sections of the state that last; the others pass with time and with every look at the screen."""
OURS = ("settings/secure/default_input_method", "settings/secure/enabled_input_methods", "files/data/local/tmp/**")
"""What the device layer itself may change on the way: its keyboard, its scratch files."""
_SIGNS: dict[str, Kind] = {"+": "added", "-": "removed", "~": "changed"}
_STEP = re.compile(r"\[[^\]]*\]|[^/]+")
_SHOWN = 60

Kind = Literal["added", "removed", "changed"]


@dataclass(frozen=True)
class Node:
    """One step of a path: its name, and what is there before and after (None where nothing is)."""

    name: str
    before: JsonValue
    after: JsonValue


@dataclass(frozen=True)
class Change:
    """One difference of two states, at the highest place that was added or removed, or the very value that changed."""

    kind: Kind
    nodes: tuple[Node, ...]

    @property
    def path(self) -> str:
        return "/".join(node.name for node in self.nodes)

    def __str__(self) -> str:
        last = self.nodes[-1]
        match self.kind:
            case "added":
                return f"+{self.path}: {_short(last.after)}"
            case "removed":
                return f"-{self.path}: {_short(last.before)}"
            case "changed":
                return f"~{self.path}: {_short(last.before)} to {_short(last.after)}"


def _checked(pattern: str) -> str:
    first = pattern[1:] if pattern[:1] in _SIGNS else pattern
    section = first.partition("/")[0]
    if section not in LASTING:
        raise ValueError(f"{pattern!r} must begin with one of {', '.join(LASTING)}, after + - or ~ if any")
    return pattern


Pattern = Annotated[Text, AfterValidator(_checked)]
"""One declared change."""


def difference(before: State, after: State) -> list[Change]:
    """What is different in the lasting sections, by path."""
    found: list[Change] = []
    for section in LASTING:
        found += _compare((Node(section, before.get(section), after.get(section)),))
    return found


def undeclared(changes: Iterable[Change], patterns: Sequence[str]) -> list[Change]:
    """The changes that no pattern covers, and that the device layer did not make."""
    return [change for change in changes if not any(covers(pattern, change) for pattern in (*patterns, *OURS))]


def covers(pattern: str, change: Change) -> bool:
    """Whether a pattern declares a change."""
    if pattern[0] in _SIGNS:
        if change.kind != _SIGNS[pattern[0]]:
            return False
        pattern = pattern[1:]
    return _fits(_STEP.findall(pattern), change.nodes)


def _fits(steps: Sequence[str], nodes: Sequence[Node]) -> bool:
    if not steps:
        return True
    if steps[0] == "**":
        return any(_fits(steps[1:], nodes[start:]) for start in range(len(nodes) + 1))
    return bool(nodes) and _is(steps[0], nodes[0]) and _fits(steps[1:], nodes[1:])


def _is(step: str, node: Node) -> bool:
    if step.startswith("[") and "=" in step:
        column, _, text = step[1:-1].partition("=")
        rows = (row for row in (node.before, node.after) if isinstance(row, dict))
        return any(column in row and str(row[column]) == text for row in rows)
    return step == node.name or (
        "*" in step and re.fullmatch(".*".join(map(re.escape, step.split("*"))), node.name) is not None
    )


def _compare(nodes: tuple[Node, ...]) -> Iterator[Change]:
    before, after = nodes[-1].before, nodes[-1].after
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            *folders, name = key.strip("/").split("/")
            above = (Node(folder, None, None) for folder in folders)
            yield from _compare((*nodes, *above, Node(name, before.get(key), after.get(key))))
    else:
        yield Change("added" if before is None else "removed" if after is None else "changed", nodes)


def _short(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
