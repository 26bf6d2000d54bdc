"""What the explorer knows of the episode so far: folded from the turns that come back with each request.

The server keeps nothing. Each of the explorer's replies carries a `Mark` in its raw text; a turn without one (cut, or
written by another policy) counts as a step of which only the action is known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, ValidationError

from agent_server.actions import Action, OpenApp, Press, Scroll
from agent_server.baselines.reply import step_of
from agent_server.baselines.screen import Screen
from agent_server.schemas import HistoryTurn


class Mark(BaseModel):
    """What one turn leaves for the turns after it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    place: str = ""
    """`Screen.place` of the screen that was decided on."""
    digest: str = ""
    """`Screen.digest` of it."""
    home: bool = False
    """Whether it was a launcher."""
    did: str = ""
    """`Element.key` of what was touched."""
    label: str = ""
    """Its title."""
    part: int = 0
    """The part of the goal that was worked on."""
    done: list[int] = []
    """All parts known to be done by then."""
    flags: list[str] = []
    """Milestones of that part reached by this action, such as "confirmed"."""
    seen: dict[str, float] = {}
    """Promising things on that screen that were not touched: key to score."""


class _Raw(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    mark: Mark


@dataclass
class Memory:
    """The fold. Keys of elements are `Element.key`, places `Screen.place`."""

    step: int = 0
    """Position of the coming step in the episode."""
    last: Mark | None = None
    last_action: Action | None = None
    unchanged: bool = False
    """The last action of ours changed nothing on the screen."""
    touches: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often an element was touched at a place; a touch without effect counts twice."""
    scrolls: Counter[str] = field(default_factory=Counter)
    searched: set[str] = field(default_factory=set)
    """Places whose end has been seen once."""
    ended: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Directions in which a place scrolls no further."""
    seen: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    done: set[int] = field(default_factory=set)
    flags: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    places: Counter[str] = field(default_factory=Counter)
    """How often each place was looked at."""
    app: str = ""
    """The name by which the app in front was opened; empty when unknown or at home."""
    tried_apps: set[str] = field(default_factory=set)
    depth: int = 0
    """Screens between here and where this app was entered, as far as known."""
    blind: int = 0
    """How many things were tried that nothing spoke for."""
    idle: int = 0
    """Turns in a row, up to now, that only waited or had no action."""

    def has(self, part: int, flag: str) -> bool:
        return self.flags[part][flag] > 0 if part in self.flags else False

    def count(self, part: int, flag: str) -> int:
        return self.flags[part][flag] if part in self.flags else 0


def recall(history: tuple[HistoryTurn, ...], screen: Screen | None) -> Memory:
    """Fold a history, oldest first; `screen` is what followed its last turn."""
    memory = Memory(step=step_of(history))
    marks = [_mark(turn) for turn in history]
    for index, (turn, mark) in enumerate(zip(history, marks, strict=True)):
        following = marks[index + 1] if index + 1 < len(marks) else None
        if index + 1 == len(marks) and screen is not None:
            following = Mark(place=screen.place, digest=screen.digest, home=screen.home)
        _fold(memory, turn, mark, following)
    return memory


def _mark(turn: HistoryTurn) -> Mark | None:
    if not turn.raw or not turn.raw.startswith("{"):
        return None
    try:
        return _Raw.model_validate_json(turn.raw).mark
    except ValidationError:
        return None


def _fold(memory: Memory, turn: HistoryTurn, mark: Mark | None, following: Mark | None) -> None:
    memory.last, memory.last_action = mark, turn.action
    memory.idle = memory.idle + 1 if turn.action is None or turn.action.type == "wait" else 0
    known = mark is not None and mark.digest != "" and following is not None and following.digest != ""
    memory.unchanged = bool(known and mark and following and mark.digest == following.digest)
    if mark is None:
        return
    memory.places[mark.place] += 1
    memory.done.update(mark.done)
    memory.flags[mark.part].update(mark.flags)
    memory.blind += "blind" in mark.flags
    memory.seen[mark.place].update(mark.seen)
    if mark.did:
        memory.touches[mark.place, mark.did] += 2 if memory.unchanged else 1
    _fold_way(memory, turn.action, mark, following)


def _fold_way(memory: Memory, action: Action | None, mark: Mark, following: Mark | None) -> None:
    """Keep track of where we are: the app, how deep, and what has been scrolled through."""
    moved = following is not None and following.place != mark.place
    match action:
        case Scroll():
            memory.scrolls[mark.place] += 1
            if memory.unchanged:
                memory.ended[mark.place].add(action.direction)
                if action.direction == "down":
                    memory.searched.add(mark.place)
            else:
                memory.ended[mark.place].discard({"up": "down", "down": "up"}.get(action.direction, ""))
        case OpenApp():
            memory.tried_apps.add(action.app)
            memory.app, memory.depth = ("" if memory.unchanged else action.app), 0
        case Press(key="home"):
            memory.app, memory.depth = "", 0
        case Press(key="back"):
            memory.depth = max(0, memory.depth - 1)
        case _ if mark.did and mark.home:
            memory.tried_apps.add(mark.label)
            memory.app, memory.depth = mark.label, 0
        case _ if moved:
            memory.depth += 1
    if following is not None and following.home:
        memory.app, memory.depth = "", 0
