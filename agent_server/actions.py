"""The action space: what a policy may ask of a phone.

A tagged union, closed: every consumer matches on it exhaustively. Points are integer pixels of the screenshot that was
sent (`agent_server.geometry`). JSON carries the tag in `type`, points as `[x, y]`; `docs/actions.md` lists all of it.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from agent_server.geometry import Point

Direction = Literal["up", "down", "left", "right"]
Key = Literal[
    "back", "home", "recents", "enter", "menu", "delete", "tab", "escape", "power", "volume_up", "volume_down"
]


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Click(_Action):
    """Tap once."""

    type: Literal["click"] = "click"
    point: Point


class DoubleClick(_Action):
    """Tap twice within the double-tap time."""

    type: Literal["double_click"] = "double_click"
    point: Point


class LongPress(_Action):
    """Press and hold."""

    type: Literal["long_press"] = "long_press"
    point: Point
    duration_ms: int | None = Field(default=None, ge=1, le=60_000)
    """How long to hold; None leaves it to the device layer."""


class Drag(_Action):
    """Press, hold until the item is picked up, move, let go."""

    type: Literal["drag"] = "drag"
    start: Point
    end: Point


class Scroll(_Action):
    """Move the view. The finger moves the other way."""

    type: Literal["scroll"] = "scroll"
    direction: Direction
    """Where the view goes: "down" shows what is below, the finger moves up."""
    start: Point | None = None
    """Where the finger goes down; None means the middle of the screen."""
    end: Point | None = None
    """Where the finger lifts; None leaves the distance to the device layer. Only with `start`."""

    @field_validator("end")
    @classmethod
    def _end_needs_start(cls, end: Point | None, info: object) -> Point | None:
        if end is not None and getattr(info, "data", {}).get("start") is None:
            raise ValueError("a scroll with an end needs a start")
        return end


class Type(_Action):
    """Enter text into the focused field. A final newline presses Enter; others are part of the text."""

    type: Literal["type"] = "type"
    text: str


class Press(_Action):
    """Press a hardware or navigation key."""

    type: Literal["press"] = "press"
    key: Key


class OpenApp(_Action):
    """Bring an app to the front by its visible name or package."""

    type: Literal["open_app"] = "open_app"
    app: str = Field(min_length=1)


class Wait(_Action):
    """Do nothing for a while."""

    type: Literal["wait"] = "wait"
    seconds: float = Field(default=1.0, ge=0, le=600)


class Answer(_Action):
    """Give the answer to the question that the goal asks. Does not touch the phone."""

    type: Literal["answer"] = "answer"
    text: str


class CallUser(_Action):
    """Ask the user for help or a decision. Does not touch the phone."""

    type: Literal["call_user"] = "call_user"
    text: str = ""


class Finished(_Action):
    """End the episode. Does not touch the phone."""

    type: Literal["finished"] = "finished"
    status: Literal["success", "infeasible"] = "success"
    text: str = ""


Action = Annotated[
    Click | DoubleClick | LongPress | Drag | Scroll | Type | Press | OpenApp | Wait | Answer | CallUser | Finished,
    Field(discriminator="type"),
]

ACTION_TYPES: dict[str, type[_Action]] = {
    model.model_fields["type"].default: model for model in get_args(get_args(Action)[0])
}
"""Every member of the union by its tag."""

_adapter: TypeAdapter[Action] = TypeAdapter(Action)


def action_from_json(text: str | bytes) -> Action:
    """Read one action. Raises pydantic.ValidationError."""
    return _adapter.validate_json(text)


def action_to_json(action: Action) -> str:
    """Compact JSON: the tag and every field that is not null."""
    return action.model_dump_json(exclude_none=True)


def action_points(action: Action) -> tuple[Point, ...]:
    """The points that an action touches, in order; empty for actions without."""
    match action:
        case Click() | DoubleClick() | LongPress():
            return (action.point,)
        case Drag():
            return (action.start, action.end)
        case Scroll():
            return tuple(point for point in (action.start, action.end) if point is not None)
        case Type() | Press() | OpenApp() | Wait() | Answer() | CallUser() | Finished():
            return ()


def finger_to_view(start: Point, end: Point) -> Direction:
    """The scroll direction of a finger that moves from `start` to `end`: the opposite, along its longer axis."""
    dx, dy = end.x - start.x, end.y - start.y
    if abs(dx) > abs(dy):
        return "left" if dx > 0 else "right"
    return "up" if dy > 0 else "down"
