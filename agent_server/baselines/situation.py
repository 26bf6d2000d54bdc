"""What a rule is given and what it may say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from agent_server.actions import Action, Click, LongPress
from agent_server.baselines.elements import Element
from agent_server.baselines.goal import Part
from agent_server.baselines.memory import Memory
from agent_server.baselines.screen import Screen
from agent_server.baselines.values import Value
from agent_server.baselines.words import Weights, coverage, says, words


@dataclass(frozen=True)
class Move:
    """Act. `did` and `label` name what is touched; `flags` are milestones of this part, remembered."""

    action: Action
    thought: str
    summary: str
    did: str = ""
    label: str = ""
    flags: tuple[str, ...] = ()
    ends: bool = False
    """The part is done with this action."""


@dataclass(frozen=True)
class Done:
    """This part of the goal is done: the screen shows it."""

    reason: str


@dataclass(frozen=True)
class Stuck:
    """This part cannot be done: everything that looked promising has been tried."""

    reason: str


MET = 0.3
"""What a term still weighs once the heading says it, and a tab once it is selected."""

Outcome: TypeAlias = Move | Done | Stuck
Rule: TypeAlias = "Callable[[Situation], Move | Done | Stuck | None]"
"""Says what to do, or None where it has nothing to say."""


@dataclass(frozen=True)
class Situation:
    """One part of the goal on one screen, with what is remembered."""

    part: Part
    index: int
    screen: Screen
    memory: Memory
    noise: Callable[[str], float] = field(default=lambda _: 0.0)
    """A small amount added to the score of an element, by its key: nothing unless a temperature is asked for."""

    def has(self, flag: str) -> bool:
        return self.memory.has(self.index, flag)

    def count(self, flag: str) -> int:
        return self.memory.count(self.index, flag)

    def touched(self, element: Element) -> int:
        """How often this was touched here before; without effect counts twice."""
        return self.memory.touches[self.memory.here, element.key]

    @cached_property
    def context(self) -> frozenset[str]:
        """Stems that tell where we are: heading, app, selected tabs, and what was touched last."""
        said = [self.screen.title, self.memory.app, self.memory.last.label if self.memory.last else ""]
        said += [entry.label for entry in self.memory.trail[-2:]]
        said += [element.title for element in self.screen.elements if element.node.selected]
        said += [text.label for text in self.screen.texts if text.selected]
        return frozenset(stem for label in said for stem in words(label))

    def related(self, *silent: str) -> bool:
        """Whether this screen is about the part: half of its terms, `silent` ones aside, tell where we are."""
        terms = [term for term in self.part.terms if term not in silent]
        return not terms or coverage(terms, self.context) >= 0.5

    @cached_property
    def scores(self) -> dict[int, float]:
        """How promising each element is, by its id(); filled as they are asked for."""
        return {}

    @cached_property
    def weights(self) -> Weights:
        """What each stem of the goal is worth here."""
        part = self.part
        weights = {term: (MET if term in self.context else 1.0) for term in part.terms}
        for _, value in self.outstanding:
            weights |= {stem: max(weights.get(stem, 0.0), 0.8) for stem in value.key}
        for target in part.targets:
            weights |= {stem: max(weights.get(stem, 0.0), 0.4) for stem in words(target)}
        if part.app and self.screen.home:
            weights |= {stem: 0.6 for stem in words(part.app.name)}
        return tuple(weights.items())

    @cached_property
    def at_target(self) -> bool:
        """Whether what is in front is the thing that the goal names: by its heading, a field, or the way here."""
        said = [self.screen.title, *(entry.label for entry in self.memory.trail)]
        said += [field.held for field in self.screen.fields]
        return any(says(label, target) for target in self.part.targets for label in said)

    @cached_property
    def outstanding(self) -> tuple[tuple[int, Value], ...]:
        """Values that have not been entered yet, with their positions."""
        return tuple((at, value) for at, value in enumerate(self.part.values) if not self.has(entered(at)))


def entered(at: int) -> str:
    """The flag of the value at a position."""
    return f"entered:{at}"


def touch(situation: Situation, element: Element, why: str, *flags: str, ends: bool = False) -> Move:
    """Tap an element."""
    name = element.title or element.node.class_name.rsplit(".", 1)[-1]
    point = situation.screen.point(element)
    return Move(
        Click(point=point),
        f'{why} I tap "{short(name)}".',
        f'Tapped "{short(name)}".',
        element.key,
        element.title[:80],
        flags,
        ends,
    )


def hold(situation: Situation, element: Element, why: str, *flags: str) -> Move:
    """Press and hold an element."""
    name = short(element.title)
    action = LongPress(point=situation.screen.point(element))
    return Move(action, f'{why} I hold "{name}".', f'Held "{name}".', element.key, element.title[:80], flags)


def short(text: str, limit: int = 60) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
