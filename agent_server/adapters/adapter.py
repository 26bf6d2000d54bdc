"""What an adapter is: everything that the server must know about one version of one model family.

An adapter turns (goal, screenshot, history) into messages in the model's own prompt style, and the model's text into a
canonical action. It is a value: no network, no files, no state. Families live in one file each beside this one and are
listed in `agent_server.adapters`; what they share (call syntax, tool calls, tags, coordinates) are small files here.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

from agent_server.actions import Action
from agent_server.adapters.prompt import Message, PromptInput
from agent_server.adapters.reply import Reply, Unreadable, well_formed
from agent_server.geometry import CoordinateMap, OutOfRange, Size, fit_longest_side, smart_resize
from agent_server.prompts import PromptSet
from agent_server.schemas import ParseError

MORE = "777"
"""Any continuation that changes a number, a word and a text alike."""
LONGEST_REPLY = 500_000
"""In characters, what fills the longest contexts. Reading takes about a second a million, in which nobody is served."""


@dataclass(frozen=True)
class Absolute:
    """Coordinates are pixels of the image after the processor's resize (`geometry.smart_resize`)."""

    factor: int
    min_pixels: int
    max_pixels: int


@dataclass(frozen=True)
class Relative:
    """Coordinates are fractions of the screen times `divisor`."""

    divisor: float
    longest_side: int | None = None
    """In pixels, to which a larger screenshot is brought before it is sent; None sends the pixels as they are."""


Space = Absolute | Relative


@dataclass(frozen=True)
class Processor:
    """What the model server's own image processor does: resize within the limits, cut into patches, merge to tokens.

    `merge` x `merge` patches of `patch` pixels a side make one token, so sides are multiples of `factor`.
    """

    patch: int
    merge: int
    min_pixels: int
    max_pixels: int

    @property
    def factor(self) -> int:
        return self.patch * self.merge


@dataclass(frozen=True)
class Constraint:
    """Structured output: what the model can write at all when it is asked to be constrained.

    `kind` is vLLM's name of it in `structured_outputs`; `value` a regular expression or a JSON schema.
    """

    kind: Literal["regex", "json"]
    value: str | Mapping[str, object]

    def fields(self) -> dict[str, object]:
        """The field of a request that asks for it."""
        return {"structured_outputs": {self.kind: self.value}}


@dataclass(frozen=True)
class Declaration:
    """The facts of one model version, as data: what `agent-server adapters` prints."""

    name: str
    description: str
    model_patterns: tuple[str, ...]
    """Regular expressions, case ignored, searched in a model's name."""
    space: Space
    """Coordinate space where no entry of `space_by_model` applies."""
    images: int
    """How many screenshots the prompt holds at most, the current one included."""
    history: Literal["text", "turns"]
    """How earlier steps are told: as lines in the prompt, or as assistant turns."""
    history_detail: str
    """What of an earlier step is told."""
    message_order: str
    sampling: Mapping[str, float | int]
    """Defaults: any of temperature, top_p, top_k, repetition_penalty, frequency_penalty, max_tokens."""
    scroll: Literal["finger-path", "finger-direction", "view-direction"] | None
    """How the model writes a scroll: the way of the finger, the name of where it goes, or of where the view goes.
    None: it cannot scroll."""
    ends: tuple[Literal["finished", "answer", "call_user"], ...]
    """The actions after which the model expects no further step."""
    answer_in: Literal["answer", "call_user", "finished"] | None
    """Which of the model's verbs carries the answer to a question; "call_user" ones are read as canonical `answer`.
    None: it cannot give one."""
    space_by_model: tuple[tuple[str, Space], ...] = ()
    """(pattern on the model's name, space) where versions of one family differ by size; the first match counts."""
    history_limit: int | None = None
    """How many earlier steps are told at most: None for all, 0 for none."""
    inexpressible: tuple[str, ...] = ()
    """What `render` refuses, in words."""
    processor: Processor | None = None
    """The published image processor, where the space is Relative (an Absolute one says it itself); None: unknown."""

    @property
    def call_user_answers(self) -> bool:
        """Whether the call-user verb, when it has text, is an answer."""
        return self.answer_in == "call_user"


@dataclass(frozen=True)
class ModelFrame:
    """One screenshot as one model sees it."""

    resized: Size | None
    """The size to which the image must be brought before it is sent; None where the pixels are sent as they are."""
    map: CoordinateMap


@dataclass(frozen=True)
class Parsed:
    """One reading of one reply: an action or a parse error, never both, never neither."""

    action: Action | None
    thought: str | None = None
    summary: str | None = None
    parse_error: ParseError | None = None
    extra_actions: int = 0
    """How many further actions the text held."""


@dataclass(frozen=True)
class Adapter(ABC):
    """One model version. Subclasses add `split`, `act`, `render`, `messages` and a default declaration."""

    declaration: Declaration = field()
    held: ClassVar[bool] = False
    """Whether `request_fields` by themselves hold every reply to the grammar; then there is no `constraint` to add."""

    @property
    def name(self) -> str:
        return self.declaration.name

    def matches(self, model: str) -> bool:
        """Whether a model's name says that it is of this family and version."""
        return any(re.search(pattern, model, re.IGNORECASE) for pattern in self.declaration.model_patterns)

    def space(self, model: str = "") -> Space:
        """The coordinate space of the model called `model`."""
        for pattern, space in self.declaration.space_by_model:
            if re.search(pattern, model, re.IGNORECASE):
                return space
        return self.declaration.space

    def frame(self, size: Size, model: str = "") -> ModelFrame:
        """How a screenshot of `size` device pixels is sent, and how its coordinates map.

        Raises GeometryError for an image that the model's processor refuses.
        """
        match self.space(model):
            case Absolute(factor, min_pixels, max_pixels):
                resized = smart_resize(size, factor=factor, min_pixels=min_pixels, max_pixels=max_pixels)
                return ModelFrame(resized, CoordinateMap.absolute(size, resized))
            case Relative(divisor, longest_side):
                fitted = None if longest_side is None else fit_longest_side(size, longest_side)
                return ModelFrame(fitted, CoordinateMap.relative(size, divisor))

    def with_limits(self, min_pixels: int | None = None, max_pixels: int | None = None) -> Self:
        """The same adapter with other pixel limits for every model size (a checkpoint's own processor settings, say).

        Relative spaces have no limits and stay as they are. Raises ValueError for limits that exclude each other.
        """

        def limited(space: Space) -> Space:
            if not isinstance(space, Absolute):
                return space
            low = space.min_pixels if min_pixels is None else min_pixels
            high = space.max_pixels if max_pixels is None else max_pixels
            if not 1 <= low <= high:
                raise ValueError(f"pixel limits must satisfy 1 <= min_pixels <= max_pixels, got {low} and {high}")
            return Absolute(space.factor, low, high)

        declared = self.declaration
        by_model = tuple((pattern, limited(space)) for pattern, space in declared.space_by_model)
        return replace(self, declaration=replace(declared, space=limited(declared.space), space_by_model=by_model))

    def with_history(self, limit: int | None) -> Self:
        """The same adapter telling at most `limit` earlier steps: None for all, 0 for none."""
        if limit is not None and limit < 0:
            raise ValueError(f"a history limit is at least 0, got {limit}")
        return replace(self, declaration=replace(self.declaration, history_limit=limit))

    def filled(
        self, template: str, prompt: PromptInput, templates: PromptSet, steps: Sequence[str] = (), first_step: int = 0
    ) -> str:
        """A template with everything that it may use: see `agent_server.prompts`."""
        width, height = self.frame(prompt.size, prompt.model).map.extent
        return templates.render(
            template,
            goal=prompt.goal,
            steps=list(steps),
            first_step=first_step,
            app=prompt.app,
            language=prompt.language,
            width=round(width),
            height=round(height),
        )

    def parse(self, text: str, map: CoordinateMap) -> Parsed:
        """Read what a model wrote about a screenshot. Never raises; what cannot be read becomes a parse error."""
        if len(text) > LONGEST_REPLY:
            long = f"the reply has {len(text)} characters; at most {LONGEST_REPLY} are read"
            return Parsed(None, None, None, ParseError(kind="malformed", message=long), 0)
        reply = self.split(well_formed(text))
        action: Action | None = None
        error: ParseError | None = None
        if not reply.calls:
            error = ParseError(kind="malformed", message=reply.problem)
        else:
            try:
                action = self.act(reply, map)
            except Unreadable as refusal:
                error = ParseError(kind=refusal.kind, message=str(refusal))
            except OutOfRange as refusal:
                error = ParseError(kind="out_of_range", message=str(refusal))
        extra = max(len(reply.calls) - 1, 0)
        return Parsed(action, reply.thought or None, reply.summary or None, error, extra)

    def parse_cut(self, text: str, map: CoordinateMap) -> Parsed:
        """`parse` for a reply that ended because its tokens were used up.

        What stands at its end may be half a number or half a text: an action counts only where more of the reply could
        not have made another one of it.
        """
        read = self.parse(text, map)
        if read.action is None or self.parse(text + MORE, map).action == read.action:
            return read
        cut = "the reply was cut off inside its action; allow it more tokens (max_tokens)"
        return replace(read, action=None, parse_error=ParseError(kind="malformed", message=cut))

    @abstractmethod
    def split(self, text: str) -> Reply:
        """Take a reply apart into thought, summary and calls. Never raises."""

    @abstractmethod
    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        """The canonical action of the reply's first call. Raises Unreadable or OutOfRange."""

    @abstractmethod
    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """The reply with which this model would ask for `action`. Raises Inexpressible where its grammar cannot."""

    def constraint(self, map: CoordinateMap) -> Constraint | None:
        """What this family may write about a screenshot, for structured output; None where the grammar allows none.

        Whatever it admits, `parse` reads as an action with its points on the screen.
        """
        return None

    def request_fields(self, prompt: PromptInput) -> Mapping[str, object]:
        """Fields that the request needs beside messages and sampling: tools, a tool choice, a response format."""
        return {}

    @abstractmethod
    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        """The chat that asks the model for its next action."""
