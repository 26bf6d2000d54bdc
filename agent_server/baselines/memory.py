"""What the explorer knows of the episode so far: folded from the turns that come back with each request.

The server keeps nothing. A turn without a `Mark` (cut, or written by another policy) counts as a step of which only the
action is known; a history that was cut short makes the explorer forget, not fail.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from agent_server.actions import Action, Direction, OpenApp, Press, Scroll
from agent_server.baselines.marks import Mark, end_of, mark_of
from agent_server.baselines.reply import step_of
from agent_server.baselines.screen import Screen
from agent_server.schemas import HistoryTurn


class Entry(NamedTuple):
    """What was touched to get one screen deeper, and whether nothing spoke for it."""

    label: str
    blind: bool


@dataclass
class Memory:
    """The fold. Keys of elements are `Element.key`, places `Screen.place`."""

    step: int = 0
    """Position of the coming step in the episode."""
    here: str = ""
    """The place in front."""
    end: Direction | None = None
    """The direction in which the screen in front was just seen to scroll no further."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Places that a scroll led to, by the place where it began: a heading that scrolls away makes no other place."""
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
    """Directions in which a place scrolls no further from where it stands now."""
    seen: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    done: set[int] = field(default_factory=set)
    flags: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    app: str = ""
    """The name by which the app in front was opened; empty when unknown or at home."""
    tried_apps: set[str] = field(default_factory=set)
    trail: list[Entry] = field(default_factory=list)
    """The way from where this app was entered to here, as far as known."""
    blind: int = 0
    """How many things were tried that nothing spoke for."""

    def resolve(self, place: str) -> str:
        """The one name of a place."""
        return self.aliases.get(place, place)

    def has(self, part: int, flag: str) -> bool:
        return self.count(part, flag) > 0

    def count(self, part: int, flag: str) -> int:
        """How often a milestone of a part was reached."""
        return self.flags[part][flag] if part in self.flags else 0

    def enter(self, app: str) -> None:
        """Start over in an app; "" is home or unknown."""
        self.app, self.trail = app, []

    def see_end(self, place: str, direction: Direction | None) -> None:
        """Remember that a place scrolls no further."""
        if direction is not None:
            self.ended[place].add(direction)
        if direction == "down":
            self.searched.add(place)


def recall(history: tuple[HistoryTurn, ...], screen: Screen) -> Memory:
    """Fold a history, oldest first; `screen` is what followed its last turn."""
    memory = Memory(step=step_of(history))
    marks: list[Mark | None] = [mark_of(turn) for turn in history]
    now = Mark(place=screen.place, digest=screen.digest, home=screen.home)
    for turn, mark, following in zip(history, marks, [*marks, now][1:], strict=True):
        _fold(memory, turn.action, mark, following)
    memory.here = memory.resolve(screen.place)
    memory.end = end_of(screen, memory.last, memory.last_action)
    memory.see_end(memory.here, memory.end)
    return memory


def _fold(memory: Memory, action: Action | None, mark: Mark | None, following: Mark | None) -> None:
    memory.last, memory.last_action, memory.unchanged = mark, action, False
    if mark is None:
        return
    if following is not None and mark.digest and mark.digest == following.digest:
        memory.unchanged = True
    place = memory.resolve(mark.place)
    memory.done.update(mark.done)
    memory.flags[mark.part].update(mark.flags)
    memory.blind += "blind" in mark.flags
    memory.seen[place].update(mark.seen)
    memory.see_end(place, mark.end)
    if mark.did:
        memory.touches[place, mark.did] += 2 if memory.unchanged else 1
    _fold_way(memory, action, mark, following)
    if following is not None and following.home:
        memory.enter("")


def _fold_way(memory: Memory, action: Action | None, mark: Mark, following: Mark | None) -> None:
    """Keep track of where we are: the app and the way into it."""
    place = memory.resolve(mark.place)
    moved = following is not None and memory.resolve(following.place) != place
    match action:
        case Scroll():
            _fold_scroll(memory, action, place)
            if moved and following is not None and following.home == mark.home:
                memory.aliases[following.place] = place
        case OpenApp():
            memory.tried_apps.add(action.app)
            memory.enter("" if memory.unchanged else action.app)
        case Press(key="home"):
            memory.enter("")
        case Press(key="back"):
            del memory.trail[-1:]
        case _ if mark.did and mark.home:
            memory.tried_apps.add(mark.label)
            memory.enter(mark.label)
        case _ if moved and mark.did:
            memory.trail.append(Entry(mark.label, "blind" in mark.flags))


def _fold_scroll(memory: Memory, action: Scroll, place: str) -> None:
    memory.scrolls[place] += 1
    if memory.unchanged:
        memory.see_end(place, action.direction)
    else:
        memory.ended[place].discard({"up": "down", "down": "up"}.get(action.direction, ""))
