"""Selectors: what a client sends, and the two searches that the server has for them.

The newer search (`By`) takes a selector without index, instance, child or sibling: the first match from the root,
case-sensitive. Everything else goes to the older one (`UiSelector`), which ignores case in "contains" and "starts
with", counts instances over the whole search, and goes on elsewhere when the inner part of a chain has no match.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import BadParameters, JavaError
from .nodes import Node

INDEX, INSTANCE = 0x800000, 0x1000000
FIELDS = {
    "text": (0x1, "text", "is", "TEXT"),
    "textContains": (0x2, "text", "contains", "CONTAINS_TEXT"),
    "textMatches": (0x4, "text", "matches", "TEXT_REGEX"),
    "textStartsWith": (0x8, "text", "starts", "START_TEXT"),
    "className": (0x10, "class", "is", "CLASS"),
    "classNameMatches": (0x20, "class", "matches", "CLASS_REGEX"),
    "description": (0x40, "content-desc", "is", "DESCRIPTION"),
    "descriptionContains": (0x80, "content-desc", "contains", "CONTAINS_DESCRIPTION"),
    "descriptionMatches": (0x100, "content-desc", "matches", "DESCRIPTION_REGEX"),
    "descriptionStartsWith": (0x200, "content-desc", "starts", "START_DESCRIPTION"),
    "checkable": (0x400, "checkable", "flag", "CHECKABLE"),
    "checked": (0x800, "checked", "flag", "CHECKED"),
    "clickable": (0x1000, "clickable", "flag", "CLICKABLE"),
    "longClickable": (0x2000, "long-clickable", "flag", "LONG_CLICKABLE"),
    "scrollable": (0x4000, "scrollable", "flag", "SCROLLABLE"),
    "enabled": (0x8000, "enabled", "flag", "ENABLED"),
    "focusable": (0x10000, "focusable", "flag", "FOCUSABLE"),
    "focused": (0x20000, "focused", "flag", "FOCUSED"),
    "selected": (0x40000, "selected", "flag", "SELECTED"),
    "packageName": (0x80000, "package", "is", "PACKAGE NAME"),
    "packageNameMatches": (0x100000, "package", "matches", "PACKAGE_NAME_REGEX"),
    "resourceId": (0x200000, "resource-id", "is", "RESOURCE_ID"),
    "resourceIdMatches": (0x400000, "resource-id", "matches", "RESOURCE_ID_REGEX"),
}
Test = Callable[[Node, bool], bool]


@dataclass(frozen=True)
class Step:
    """What one view must be. `relation` to the match before it: "" for the first, child (at any depth) or sibling."""

    relation: str
    tests: tuple[Test, ...]
    index: int | None
    instance: int | None
    words: str

    def fits(self, node: Node, ignore_case: bool) -> bool:
        """Whether the view has all the properties, its index among them."""
        return self.index in (None, node.place) and all(test(node, ignore_case) for test in self.tests)


@dataclass(frozen=True)
class Selector:
    """A chain of steps; it selects the view that the last one matches."""

    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, value: object) -> "Selector":
        """Read the JSON of a client; only fields whose bit is in `mask` count. Raises BadParameters, JavaError."""
        return cls(_steps("", value))

    @property
    def simple(self) -> bool:
        """Whether the newer search takes it."""
        return len(self.steps) == 1 and self.steps[0].index is None and self.steps[0].instance is None

    def then(self, relation: str, other: "Selector") -> "Selector":
        """This chain with another one appended."""
        first, *rest = other.steps
        return Selector((*self.steps, Step(relation, first.tests, first.index, first.instance, first.words), *rest))

    def nth(self, instance: int) -> "Selector":
        """The same with another instance of the last step."""
        *before, last = self.steps
        return Selector((*before, Step(last.relation, last.tests, last.index, instance, last.words)))

    def __str__(self) -> str:
        text = ""
        for step in reversed(self.steps):
            parts = [part for part in (step.words, text) if part]
            if step.instance is not None:
                parts.insert(0, f"INSTANCE={step.instance}")
            if step.index is not None:
                parts.insert(0, f"INDEX={step.index}")
            text = f"UiSelector[{', '.join(parts)}]"
            if step.relation:
                text = f"{'CHILD' if step.relation == 'child' else 'PARENT'}={text}"
        return text


def _steps(relation: str, value: object) -> tuple[Step, ...]:
    if not isinstance(value, dict) or not isinstance(mask := value.get("mask"), int):
        raise BadParameters
    tests: list[Test] = []
    words: list[str] = []
    for name, (bit, attribute, kind, word) in FIELDS.items():
        if mask & bit:
            tests.append(_test(attribute, kind, value.get(name)))
            words.append(f"{word}={str(value.get(name)).lower() if kind == 'flag' else value.get(name)}")
    numbers = [value.get(name, 0) if mask & bit else None for name, bit in (("index", INDEX), ("instance", INSTANCE))]
    if not all(number is None or isinstance(number, int) for number in numbers):
        raise BadParameters
    steps = [Step(relation, tuple(tests), numbers[0], numbers[1], ", ".join(words))]
    relations, selectors = value.get("childOrSibling") or [], value.get("childOrSiblingSelector") or []
    for name, inner in zip(relations, selectors, strict=False):
        steps += _steps("sibling" if name == "sibling" else "child", inner)
    return tuple(steps)


def _test(attribute: str, kind: str, wanted: Any) -> Test:
    if kind == "flag":
        spelled = "true" if wanted else "false"
        return lambda node, ignore_case: node[attribute] == spelled
    text = "" if wanted is None else str(wanted)
    match kind:
        case "is":
            return lambda node, ignore_case: node[attribute] == text
        case "contains":
            return lambda node, ignore_case: _fold(text, ignore_case) in _fold(node[attribute], ignore_case)
        case "starts":
            return lambda node, ignore_case: _fold(node[attribute], ignore_case).startswith(_fold(text, ignore_case))
        case _:
            try:
                pattern = re.compile(text, re.DOTALL)
            except re.error as error:
                raise JavaError("java.util.regex.PatternSyntaxException", f"{error} near index 0\n{text}") from None
            return lambda node, ignore_case: pattern.fullmatch(node[attribute]) is not None


def _fold(text: str, ignore_case: bool) -> str:
    return text.lower() if ignore_case else text


def find(root: Node, selector: Selector) -> Node | None:
    """The view by the search that the selector needs; None where there is none."""
    if selector.simple:
        return next((node for node in root.walk() if selector.steps[0].fits(node, False)), None)
    return compound_find(root, selector)


def compound_find(root: Node, selector: Selector) -> Node | None:
    """The view by the older search."""
    return _Search(selector.steps).run(root, 0)


@dataclass
class _Search:
    """One run of the older search; how many matches of each step it has passed over is kept while it backtracks."""

    steps: tuple[Step, ...]
    passed: dict[int, int] = field(default_factory=dict)

    def run(self, node: Node, number: int) -> Node | None:
        if self._matches(node, number):
            number += 1
            if number == len(self.steps):
                return node
            if self.steps[number].relation == "sibling":
                if node.parent is None:
                    return None
                node = node.parent
        for child in node.children:
            found = self.run(child, number)
            if found is not None:
                return found
        return None

    def _matches(self, node: Node, number: int) -> bool:
        step = self.steps[number]
        if not step.fits(node, True):
            return False
        wanted, passed = step.instance or 0, self.passed.get(number, 0)
        if wanted > passed:
            self.passed[number] = passed + 1
            return False
        return wanted == passed
