"""Grounding: where on the screenshot is the element that these words describe?

A family that can tell is a `Grounder`: an adapter with one prompt more, whose replies name a place. What a reply says
is read here for all families alike: the family's own call where there is one, else any coordinate outside of thinking,
else the words with which models say that there is no such element. A refusal is an answer; only what is neither is a
parse error.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from agent_server.adapters.adapter import LONGEST_REPLY, MORE, Adapter, Constraint, ModelFrame
from agent_server.adapters.arguments import Arguments
from agent_server.adapters.coordinates import numbers_of, point_of
from agent_server.adapters.pattern import either, integers, literal
from agent_server.adapters.phone_verbs import TOUCHES, VERBS
from agent_server.adapters.places import Found, find_place
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart
from agent_server.adapters.reply import Reply, Unreadable, well_formed
from agent_server.adapters.thoughts import thinking, without_thinking
from agent_server.geometry import Box, CoordinateMap, OutOfRange, Point, Size
from agent_server.prompts import PromptSet
from agent_server.schemas import ParseError

_SLOT = re.compile(r"\$([xy])")
_ANSWER = re.compile(r"<answer>", re.IGNORECASE)
_FLAG = re.compile(
    r"\b(?:(?:present|visible|found|exists)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:false|no)"
    r"|(?:bbox_2d|bbox|box|point_2d|point|coordinates?)[\"']?\s{0,3}[:=]\s{0,3}(?:null|none))\b",
    re.IGNORECASE,
)
"""A field that says that there is nothing."""
_EMPTY = re.compile(
    r"\b(?:bbox_2d|bbox|bboxes|box|boxes|point_2d|points?|coordinates?|positions?|locations?)[\"']?\s{0,3}[:=]\s{0,3}"
    r"(?:[\[({][\s\[\](){}]{0,20}[\])}]|\"\"|'')",
    re.IGNORECASE,
)
"""A field for a place with none in it."""
_NO_PLACE = re.compile(r"(?<![\d.])-1(?:\.0{1,9})?\s{0,3}[,，\s]\s{0,3}-1(?:\.0{1,9})?(?![\d.]?\d)")
"""The coordinates with which families refuse."""
_NOTHING = re.compile(
    r"(?:\s|```(?:json)?|</?(?:answer|action|tool_call)>|<\|\w{1,20}\|>|[.\"'`*])*+(?:\[\s{0,20}\]|null|none|n/a|\{\s{0,20}\})"
    r"(?:\s|```|</?(?:answer|action|tool_call)>|<\|\w{1,20}\|>|[.\"'`*])*+",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"\b(?:not|isn['’]t|aren['’]t|no longer|nowhere)\s(?:\w{1,12}\s){0,3}"
    r"(?:present|visible|shown|displayed|found|available|there|exist|appear|on (?:the|this) (?:screen|page)|"
    r"in (?:the|this) (?:screenshot|image|picture))\b"
    r"|\b(?:cannot|can['’]t|can not|could not|couldn['’]t|do not|don['’]t|did not|unable to|failed to)\s(?:\w{1,12}\s)?"
    r"(?:see|find|locate|identify)\b(?!\s(?:the|any|an?|your)\s(?:image|screenshot|picture)\b)"
    r"|\b(?:does not|doesn['’]t|do not) (?:exist|appear)\b"
    r"|\bthere (?:is|are) no\b|\bthere isn['’]t\b|\bno (?:such|matching) \w"
    r"|没有找到|未找到|没找到|找不到|看不到|不存在|无法(?:找到|定位)|没有(?:这个|该|此|对应|匹配|符合)|(?:屏幕|界面|截图|页面)[上中里]?没有"
    r"|不在(?:屏幕|界面|截图|页面|当前)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Place:
    """Where an element is, in device pixels of the screenshot."""

    point: Point
    """Where to touch it; of a box, the centre."""
    box: Box | None = None
    """Its extent, from models that give one; at least one pixel each way."""


@dataclass(frozen=True)
class Grounding:
    """One reading of one reply: a place, the model's word that there is none, or a parse error."""

    place: Place | None
    parse_error: ParseError | None = None
    thought: str | None = None
    extra_places: int = 0
    """How many further places the reply names; the first is taken."""

    @property
    def present(self) -> bool | None:
        """Whether the model sees the element; None where its reply cannot be read."""
        return None if self.parse_error else self.place is not None


@dataclass(frozen=True)
class Grounder(Adapter):
    """An adapter whose family can also say where an element is. Subclasses add `render_place` and a template."""

    held_place: ClassVar[str] = ""
    """How a reply that is held to the grammar names a place, with $x and $y in it; empty: it cannot be held."""

    @property
    def ground_template(self) -> str:
        """The name of the prompt template; see `agent_server.prompts` for what it may use."""
        return f"{self.name}.ground"

    def ground_frame(self, size: Size, model: str = "") -> ModelFrame:
        """Like `frame`, for families that ground in another space than they act in."""
        return self.frame(size, model)

    def ground_text(self, prompt: PromptInput, templates: PromptSet) -> str:
        """The filled template; `prompt.goal` is the description of the element."""
        width, height = self.ground_frame(prompt.size, prompt.model).map.extent
        return templates.render(
            self.ground_template,
            element=prompt.goal,
            language=prompt.language,
            width=round(width),
            height=round(height),
        )

    def ground_messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        """The chat that asks where the element is; `prompt.goal` describes it, and there are no turns."""
        return [Message("user", (TextPart(self.ground_text(prompt, templates)), ImagePart(CURRENT)))]

    def ground_constraint(self, map: CoordinateMap) -> Constraint | None:
        """What a reply about a screenshot may be, for structured output: a place on it, or the refusal. None where the
        family has not said how it names a place."""
        if not self.held_place:
            return None
        extents = dict(zip("xy", map.extent, strict=True))
        parts = [
            integers(0, round(extents[part])) if index % 2 else literal(part)
            for index, part in enumerate(_SLOT.split(self.held_place))
        ]
        return Constraint("regex", either(["".join(parts), literal(self.render_place(None, map))]))

    def ground(self, text: str, map: CoordinateMap) -> Grounding:
        """Read what a model wrote about where an element is; `map` is that of `ground_frame`. Never raises."""
        if len(text) > LONGEST_REPLY:
            long = f"the reply has {len(text)} characters; at most {LONGEST_REPLY} are read"
            return Grounding(None, ParseError(kind="malformed", message=long))
        text = well_formed(text)
        reply = self.split(text)
        thought = thinking(text) or (reply.thought if reply.calls else "") or None
        try:
            found = self._found(text, reply)
            place = None if found is None else _place(found, map)
        except Unreadable as refusal:
            return Grounding(None, ParseError(kind=refusal.kind, message=str(refusal)), thought)
        except OutOfRange as refusal:
            return Grounding(None, ParseError(kind="out_of_range", message=str(refusal)), thought)
        return Grounding(place, None, thought, found.more if found else 0)

    def ground_cut(self, text: str, map: CoordinateMap) -> Grounding:
        """`ground` for a reply that ended because its tokens were used up; see `parse_cut`."""
        read = self.ground(text, map)
        if read.place is None or self.ground(text + MORE, map).place == read.place:
            return read
        cut = "the reply was cut off inside its place; allow it more tokens (max_tokens)"
        return Grounding(None, ParseError(kind="malformed", message=cut), read.thought)

    @abstractmethod
    def render_place(self, place: Place | None, map: CoordinateMap, thought: str | None = None) -> str:
        """The reply with which this model would name the place; None is its refusal.

        Families that write points drop the box; those that write boxes raise Inexpressible for a place without one.
        """

    def _found(self, text: str, reply: Reply) -> Found | None:
        """The coordinate of a reply, None for a refusal. Raises Unreadable where it is neither."""
        said = without_thinking(text)
        if _FLAG.search(said):
            return None
        found = _called(reply) or _in_answer(text) or find_place(text)
        denied = _WORDS.search(said) is not None
        if found is None:
            if denied or _NOTHING.fullmatch(said) or _EMPTY.search(said):
                return None
            raise Unreadable("the reply names no place, and does not say that there is none")
        refused = all(number == -1 for number in found.numbers)
        placeholder = _NO_PLACE.search(said) or all(number in (0, -1) for number in found.numbers)
        return None if refused or (denied and placeholder) else found


def _called(reply: Reply) -> Found | None:
    """The coordinate of the reply's first call, None where it has none. Raises Unreadable for what is no pointing."""
    if not reply.calls:
        return None
    arguments = Arguments(reply.calls[0], _ANYWHERE)
    if arguments.verb in VERBS - TOUCHES:
        raise Unreadable(f"{arguments.written} says what to do, not where the element is", "unsupported")
    value = arguments.place()
    if value is None or (isinstance(value, str) and not any(map(str.isdigit, value))):
        return None
    return Found(numbers_of(value), reply.calls[0].source, len(reply.calls) - 1)


def _in_answer(text: str) -> Found | None:
    """The coordinate behind the last <answer>: what stands before it is deliberation."""
    heads = list(_ANSWER.finditer(text))
    return find_place(text[heads[-1].end() :]) if heads else None


def _place(found: Found, map: CoordinateMap) -> Place:
    point = point_of(found.numbers, map, found.written)
    if len(found.numbers) == 2:
        return Place(point)
    left, top, right, bottom = found.numbers
    return Place(point, map.box_to_device(left, top, right, bottom))


_ANYWHERE = CoordinateMap(Size(1, 1), (1, 1))
"""`Arguments.place` takes coordinates as they are written, so any map does."""
