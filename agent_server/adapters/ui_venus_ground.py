"""UI-Venus-Ground 1.0 and the grounding prompt of UI-Venus 1.5 (inclusionAI): a place in brackets and nothing else.

1.0 writes a box, `[x1,y1,x2,y2]`, in pixels of the resized image. 1.5 writes a point, `[x,y]`, that counts to 1000, and
`[-1,-1]` where it does not see the element; its checkpoints are those that navigate, asked in another way. Asked for an
action they can only click, and the goal is the description of what to click on.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass

from agent_server.actions import Action, Click
from agent_server.adapters.adapter import Absolute, Constraint, Declaration, Relative
from agent_server.adapters.coordinates import numbers_of, point_of
from agent_server.adapters.grounding import Grounder, Place
from agent_server.adapters.pattern import Form, calls
from agent_server.adapters.places import find_place
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart
from agent_server.adapters.reply import Call, Reply, Unreadable
from agent_server.adapters.thoughts import thinking
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_PAIR = r"\[\s{0,3}([0-9]{1,6}(?:\.[0-9]{0,6})?)\s{0,3}[,，]\s{0,3}([0-9]{1,6}(?:\.[0-9]{0,6})?)\s{0,3}\]"
_TWO_CORNERS = re.compile(rf"\s*{_PAIR}\s{{0,9}}[,，]?\s{{0,9}}{_PAIR}\s*")
_ONLY_CLICK = (
    "double_click", "long_press", "drag", "scroll", "type", "press", "open_app", "wait", "answer", "call_user",
    "finished",
)  # fmt: skip


@dataclass(frozen=True)
class UiVenusGround(Grounder):
    """What both versions share."""

    def split(self, text: str) -> Reply:
        """One call a place. The two corners of a box may stand in brackets of their own."""
        found = find_place(_joined(text))
        if found is None:
            return Reply(thinking(text), problem="the reply names no place")
        first = Call("place", {}, [list(found.numbers)], found.written)
        return Reply(thinking(text), calls=(first, *[Call("place")] * found.more))

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        call = reply.calls[0]
        numbers = numbers_of(call.positional[0])
        if all(number == -1 for number in numbers):
            raise Unreadable(f"the element is not present: the model refuses with {call.source}", "unsupported")
        return Click(point=point_of(numbers, map, call.source))

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """The grammar has no place for thought and summary: both are dropped."""
        if isinstance(action, Click):
            return self._written(action.point, map)
        raise Inexpressible(f"{self.name} has no words for {action!r}")

    def constraint(self, map: CoordinateMap) -> Constraint:
        return Constraint("regex", calls((Form("", self.held_place),), map))

    @abstractmethod
    def _written(self, point: Point, map: CoordinateMap) -> str:
        """A point in the model's notation."""

    @property
    def ground_template(self) -> str:
        """One template for both questions."""
        return self.name

    def ground_messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        return self.messages(prompt, templates)

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        return [Message("user", (ImagePart(CURRENT), TextPart(self.filled(self.name, prompt, templates))))]


UI_VENUS_GROUND_1_0 = Declaration(
    name="ui-venus-ground-1.0",
    description="UI-Venus-Ground 1.0, 7B and 72B (Qwen2.5-VL): finds elements",
    model_patterns=(r"ui[-_]?venus[-_]?(?:1[._]0[-_]?)?ground(?!.*1[._]5)",),
    space=Absolute(factor=28, min_pixels=2_000_000, max_pixels=4_800_000),
    space_by_model=((r"72b", Absolute(factor=28, min_pixels=3_110_400, max_pixels=48_000_000)),),
    images=1,
    history="text",
    history_detail="nothing",
    history_limit=0,
    message_order="user: image, text",
    sampling={"temperature": 0.0, "max_tokens": 128},
    scroll=None,
    ends=(),
    answer_in=None,
    inexpressible=_ONLY_CLICK,
)


@dataclass(frozen=True)
class UiVenusGround10(UiVenusGround):
    """UI-Venus-Ground 1.0."""

    declaration: Declaration = UI_VENUS_GROUND_1_0
    held_place = "[$x,$y,$x,$y]"

    def _written(self, point: Point, map: CoordinateMap) -> str:
        x, y = map.to_model(point)
        return _brackets(x, y, x, y)

    def render_place(self, place: Place | None, map: CoordinateMap, thought: str | None = None) -> str:
        """The thought is dropped. The model was not trained to refuse; a refusal is written like that of 1.5."""
        if place is None:
            return _brackets(-1, -1, -1, -1)
        if place.box is None:
            raise Inexpressible(f"{self.name} writes boxes, and {place!r} has none")
        return _brackets(*map.box_to_model(place.box))


UI_VENUS_GROUND_1_5 = Declaration(
    name="ui-venus-ground-1.5",
    description="UI-Venus 1.5, 2B, 8B and 30B-A3B (Qwen3-VL), with the prompt that finds elements",
    model_patterns=(r"ui[-_]?venus[-_]?(?:ground.*1[._]5|1[._]5.*ground)",),
    space=Relative(1000),
    images=1,
    history="text",
    history_detail="nothing",
    history_limit=0,
    message_order="user: image, text",
    sampling={"temperature": 0.0, "max_tokens": 128},
    scroll=None,
    ends=(),
    answer_in=None,
    inexpressible=_ONLY_CLICK,
)


@dataclass(frozen=True)
class UiVenusGround15(UiVenusGround):
    """The grounding prompt of UI-Venus 1.5."""

    declaration: Declaration = UI_VENUS_GROUND_1_5
    held_place = "[$x,$y]"

    def _written(self, point: Point, map: CoordinateMap) -> str:
        return _brackets(*map.to_model(point))

    def render_place(self, place: Place | None, map: CoordinateMap, thought: str | None = None) -> str:
        """The thought and the box are dropped."""
        return _brackets(-1, -1) if place is None else self._written(place.point, map)


def _brackets(*numbers: float) -> str:
    return f"[{','.join(str(round(number)) for number in numbers)}]"


def _joined(text: str) -> str:
    """The reply, with the corners of one box in one pair of brackets.

    Two pairs of which the second lies below and to the right are corners; any others are two places.
    """
    corners = _TWO_CORNERS.fullmatch(text)
    if corners is None:
        return text
    left, top, right, bottom = map(float, corners.groups())
    return f"[{','.join(corners.groups())}]" if left < right and top < bottom else text
