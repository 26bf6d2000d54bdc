"""What a turn of the explorer leaves for the turns after it: the `mark` beside the action in its raw text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agent_server.actions import Action, Direction, Scroll
from agent_server.baselines.elements import Element, Text
from agent_server.baselines.screen import Screen
from agent_server.geometry import Box
from agent_server.schemas import HistoryTurn

_Thing = TypeVar("_Thing", Element, Text, Element | Text)
_ANCHORS = 6
_FULL = 0.6
"""A scroll that moves things by less than this share of the finger's way has reached the end."""
_GAP = 0.06
"""So has a list that leaves this share of its region empty."""


class Mark(BaseModel):
    """The screen that was decided on and what was done to it; everything else follows from the turns in order."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    place: str = ""
    """`Screen.place`."""
    digest: str = ""
    """`Screen.digest`."""
    home: bool = False
    """Whether it was a launcher."""
    end: Direction | None = None
    """The direction in which it was seen to scroll no further."""
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
    anchors: dict[str, int] = {}
    """Before a scroll: where some elements of the region stood, key to top."""


class _Raw(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    mark: Mark


def mark_of(turn: HistoryTurn) -> Mark | None:
    """The mark of a turn; None for a turn that is not the explorer's."""
    if not turn.raw or not turn.raw.startswith("{"):
        return None
    try:
        return _Raw.model_validate_json(turn.raw).mark
    except ValidationError:
        return None


def anchors(screen: Screen) -> dict[str, int]:
    """The lowest elements of the region that scrolls."""
    region = screen.scrollable()
    if region is None:
        return {}
    inside = [element for element in _listed(screen.elements, region) if element.box.top > region.top]
    return {element.key: element.box.top for element in inside[-_ANCHORS:]}


def end_of(screen: Screen, last: Mark | None, action: Action | None) -> Direction | None:
    """The direction in which a screen is seen to scroll no further, by an empty end or by how little it moved."""
    region = screen.scrollable()
    if region is None:
        return None
    shown: tuple[Element | Text, ...] = (*screen.elements, *screen.texts)
    lowest = max((thing.box.bottom for thing in _listed(shown, region)), default=0)
    if lowest and region.bottom - lowest > _GAP * region.height:
        return "down"
    if last is None or not isinstance(action, Scroll) or action.start is None or action.end is None:
        return None
    now = {element.key: element.box.top for element in screen.elements}
    moves = [abs(top - now[key]) for key, top in last.anchors.items() if key in now]
    if moves and max(moves) < _FULL * abs(action.end.y - action.start.y):
        return action.direction
    return None


def _listed(things: Sequence[_Thing], region: Box) -> list[_Thing]:
    """What stands inside a region and does not fill it."""
    return [thing for thing in things if region.contains(thing.box.centre) and thing.box != region]
