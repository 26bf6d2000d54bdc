"""A model that says where a described element is: adapter, prompt, image, backend, reader, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent_server.adapters import ADAPTERS, Adapter, Grounder, ModelFrame, PromptInput, PromptSet
from agent_server.backend import ChatBackend
from agent_server.chat import chat_messages, image_indices
from agent_server.chat_request import ChatRequest
from agent_server.completion import Choice, Completion
from agent_server.draws import drawn
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.geometry import GeometryError, Point, Size
from agent_server.images import CheckedImage
from agent_server.off_loop import CHARACTERS_READ, off_loop
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import GroundResponse, GroundSample, Sampling
from agent_server.stopwatch import Stopwatch

NEAR = 0.04
"""Points this close, as a share of the screen's width and height, are taken for the same element."""


_MANY_SAMPLES = 16
"""Comparing so many with each other takes about half a millisecond."""
_ASKED_AS = {"ui-venus-1.5": "ui-venus-ground-1.5"}
"""Families whose checkpoints also ground, but by a prompt and a grammar that are an adapter of their own."""


@dataclass(frozen=True)
class GroundQuestion:
    """One element on one screenshot, checked."""

    element: str
    image: CheckedImage
    sampling: Sampling = field(default_factory=Sampling)
    session: str | None = None
    model: str | None = None


class GroundingModel:
    """One model of a family that grounds. For use from one event loop."""

    def __init__(
        self,
        model: str,
        adapter: Grounder,
        backend: ChatBackend,
        prompts: PromptSet,
        images: PreparedImages,
        *,
        language: str = "English",
        constrained: bool = False,
    ) -> None:
        """`model` is the name that callers use and that decides size-dependent limits; backend and images may be those
        of a policy."""
        self.model = model
        self.adapter = adapter
        self._backend = backend
        self._prompts = prompts
        self._images = images
        self._language = language
        self._constrained = constrained
        self._digest = prompts.digest(adapter.ground_template)

    async def ground(self, question: GroundQuestion) -> GroundResponse:
        """Ask once. Raises InvalidRequest for a question that cannot be asked and BackendError like a policy."""
        if question.model not in (None, self.model):
            raise UnknownName("grounding model", question.model or "", [self.model])
        watch = Stopwatch()
        size = question.image.size
        frame = self._frame(size)
        prompt = PromptInput(goal=question.element, size=size, language=self._language, model=self.model)
        messages = self.adapter.ground_messages(prompt, self._prompts)
        extras = self._constraint(question.sampling, frame)
        watch.lap("prompt")
        url = await self._images.url(question.image, frame.resized)
        watch.lap("image")
        request = ChatRequest(
            messages=chat_messages(messages, dict.fromkeys(image_indices(messages), url)),
            sampling=drawn(self.adapter.declaration.sampling, question.sampling, self.adapter.name),
            session=question.session,
            extras=extras,
        )
        completion = await self._backend.complete(request)
        watch.lap("backend")
        heavy = sum(len(choice.text) for choice in completion.choices) > CHARACTERS_READ
        samples = await off_loop(heavy, self._samples, completion.choices, frame)
        chosen, agreeing = await off_loop(len(samples) > _MANY_SAMPLES, consensus, samples, size)
        watch.lap("parse")
        return self._response(samples, chosen, agreeing, completion, watch)

    async def aclose(self) -> None:
        """Release connections and threads; no call may follow. May be done twice."""
        self._images.close()
        await self._backend.aclose()

    def _frame(self, size: Size) -> ModelFrame:
        try:
            return self.adapter.ground_frame(size, self.model)
        except GeometryError as error:
            raise InvalidRequest(str(error)) from error

    def _constraint(self, sampling: Sampling, frame: ModelFrame) -> dict[str, object]:
        if not (self._constrained if sampling.constrained is None else sampling.constrained):
            return {}
        constraint = self.adapter.ground_constraint(frame.map)
        if constraint is None:
            raise InvalidRequest(f"the adapter {self.adapter.name} has no constrained grounding; ask without it")
        return constraint.fields()

    def _samples(self, choices: Sequence[Choice], frame: ModelFrame) -> list[GroundSample]:
        return [self._sample(choice, frame) for choice in choices]

    def _sample(self, choice: Choice, frame: ModelFrame) -> GroundSample:
        ground = self.adapter.ground_cut if choice.finish_reason == "length" else self.adapter.ground
        read = ground(choice.text, frame.map)
        return GroundSample(
            present=read.present,
            point=read.place.point if read.place else None,
            box=read.place.box if read.place else None,
            thought=read.thought or choice.reasoning,
            raw=choice.text,
            parse_error=read.parse_error,
            extra_places=read.extra_places,
            finish_reason=choice.finish_reason,
        )

    def _response(
        self, samples: list[GroundSample], chosen: int, agreeing: int, completion: Completion, watch: Stopwatch
    ) -> GroundResponse:
        several = len(samples) > 1
        return GroundResponse(
            **{name: getattr(samples[chosen], name) for name in GroundSample.model_fields},
            model=self.model,
            adapter=self.adapter.name,
            weights=completion.weights,
            weights_policy=completion.weights_policy,
            prompt_digest=self._digest,
            usage=completion.usage,
            timing_ms=watch.total(),
            agreement=agreeing / len(samples) if several else None,
            samples=samples if several else [],
        )


def consensus(samples: Sequence[GroundSample], size: Size) -> tuple[int, int]:
    """The index of the sample that most others agree with, the first of equals, and how many agree, it included.

    A sample that could not be read agrees with none, not even with itself.
    """
    counts = [sum(agree(one, other, size) for other in samples) for one in samples]
    most = max(counts)
    return counts.index(most), most


def agree(one: GroundSample, other: GroundSample, size: Size) -> bool:
    """Whether two samples mean the same: both none, or places of which one lies in the other's box or near to it."""
    if one.present is None or other.present is None or one.present != other.present:
        return False
    if one.point is None or other.point is None:
        return True
    return _holds(one, other.point) or _holds(other, one.point) or _near(one.point, other.point, size)


def _holds(sample: GroundSample, point: Point) -> bool:
    return sample.box is not None and sample.box.contains(point)


def _near(one: Point, other: Point, size: Size) -> bool:
    return abs(one.x - other.x) <= NEAR * size.width and abs(one.y - other.y) <= NEAR * size.height


def grounder_of(adapter: Adapter) -> Grounder | None:
    """What asks a model of this family where elements are; None where it cannot say."""
    if isinstance(adapter, Grounder):
        return adapter
    other = ADAPTERS.get(_ASKED_AS.get(adapter.name, ""))
    return other if isinstance(other, Grounder) else None


def grounding_families() -> list[str]:
    """The adapters whose models can ground, by name."""
    return [name for name, adapter in ADAPTERS.items() if grounder_of(adapter)]
