"""A model behind an OpenAI-compatible server, as a policy: adapter, prompts, images, backend, parser, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from agent_server.adapters import (
    CURRENT,
    Adapter,
    ImagePart,
    Message,
    ModelFrame,
    PromptInput,
    PromptSet,
    Turn,
)
from agent_server.adapters.history import shown
from agent_server.backend import ChatBackend
from agent_server.chat import chat_messages, image_indices
from agent_server.chat_request import ChatRequest
from agent_server.completion import Choice, Completion
from agent_server.draws import drawn
from agent_server.errors import InvalidRequest, MissingScreenshots, UnknownName
from agent_server.geometry import GeometryError, Size
from agent_server.images import CheckedImage, Encoding, known_image
from agent_server.off_loop import CHARACTERS_READ, off_loop
from agent_server.policy import Observation
from agent_server.prepared_images import PreparedImages
from agent_server.processor import grid, processor_of
from agent_server.schemas import ActResponse, LogprobsMode, ModelCard, Sample
from agent_server.stopwatch import Stopwatch


class ModelPolicy:
    """One model, one adapter, one backend."""

    def __init__(
        self,
        model: str,
        adapter: Adapter,
        backend: ChatBackend,
        prompts: PromptSet,
        *,
        encoding: Encoding | None = None,
        image_threads: int | None = None,
        image_cache_bytes: int = 256 * 2**20,
        language: str = "English",
        constrained: bool = False,
        logprobs_mode: LogprobsMode | None = None,
    ) -> None:
        """`model` is the name that callers use and that decides size-dependent limits; `constrained` is what applies
        where a request leaves it open; `logprobs_mode` is how the backend computes them, as far as is known."""
        self.model = model
        self.adapter = adapter
        self.backend = backend
        self.prompts = prompts
        self._digest = prompts.digest(adapter.name)
        self.images = PreparedImages(encoding, image_threads, image_cache_bytes)
        self.language = language
        self.constrained = constrained
        self.logprobs_mode = logprobs_mode
        self._verified: bool | None = None

    def cards(self) -> list[ModelCard]:
        declared = self.adapter.declaration
        return [
            ModelCard(
                id=self.model,
                adapter=self.adapter.name,
                weights=self.backend.weights,
                prompt_digest=self._digest,
                prompt_origin=self.prompts.origin(self.adapter.name),
                images=declared.images,
                verified=self._verified,
                logprobs_mode=self.logprobs_mode,
                sampling={**declared.sampling, **({"constrained": True} if self.constrained else {})},
            )
        ]

    def examined(self, verified: bool, logprobs_mode: LogprobsMode | None = None) -> None:
        """Note what is known of the backend: whether it was verified, and how it computes log-probabilities."""
        self._verified = verified
        self.logprobs_mode = self.logprobs_mode or logprobs_mode

    async def ready(self) -> None:
        await self.backend.ready()

    async def aclose(self) -> None:
        self.images.close()
        await self.backend.aclose()

    async def act(self, observation: Observation) -> ActResponse:
        if observation.model not in (None, self.model):
            raise UnknownName("model", observation.model or "", [self.model])
        watch = Stopwatch()
        frame = self._frame(observation.size)
        messages, request = await self._asked(observation, frame, watch)
        completion = await self.backend.complete(request)
        watch.lap("backend")
        patches = self._grid(observation, messages) if observation.return_tokens else None
        heavy = sum(map(_extent, completion.choices)) > CHARACTERS_READ
        samples = await off_loop(heavy, self._samples, completion.choices, frame, patches)
        watch.lap("parse")
        return self._response(samples, completion, watch)

    async def request(self, observation: Observation) -> ChatRequest:
        """What `act` asks the backend about an observation, for checks that must ask the very same."""
        _, request = await self._asked(observation, self._frame(observation.size), Stopwatch())
        return request

    async def _asked(
        self, observation: Observation, frame: ModelFrame, watch: Stopwatch
    ) -> tuple[list[Message], ChatRequest]:
        """The chat, and the request that carries it, its images prepared."""
        prompt = self._prompt(observation)
        heavy = sum(len(turn.raw or turn.thought or "") for turn in prompt.turns) > CHARACTERS_READ
        messages = await off_loop(heavy, self.adapter.messages, prompt, self.prompts)
        extras = {**self.adapter.request_fields(prompt), **self._constraint(observation, frame)}
        watch.lap("prompt")
        urls = await self._images(observation, image_indices(messages))
        watch.lap("image")
        return messages, self._request(observation, messages, urls, extras)

    def _frame(self, size: Size) -> ModelFrame:
        try:
            return self.adapter.frame(size, self.model)
        except GeometryError as error:
            raise InvalidRequest(str(error)) from error

    def _prompt(self, observation: Observation) -> PromptInput:
        return PromptInput(
            goal=observation.goal,
            size=observation.size,
            turns=self._turns(observation),
            app=observation.app,
            language=self.language,
            model=self.model,
        )

    def _turns(self, observation: Observation) -> list[Turn]:
        """The earlier steps.

        A picture that is named by its digest counts only where it may be shown (and must be held): otherwise the prompt
        would depend on what the server happens to hold.
        """
        images = dict(enumerate(observation.history_images))
        turns = [
            replace(Turn.of(turn), has_screenshot=images.get(index) is not None or index in observation.missing)
            for index, turn in enumerate(observation.history)
        ]
        visible = shown(turns, self.adapter.declaration.images)
        for index, turn in enumerate(observation.history):
            image = images.get(index)
            if image is not None and (index in visible or turn.screenshot_sha256 is None):
                turns[index] = replace(turns[index], size=image.size)
        return turns

    def _constraint(self, observation: Observation, frame: ModelFrame) -> dict[str, object]:
        """The field of the request that makes the model write nothing but its grammar, where that is wanted."""
        asked = observation.sampling.constrained
        if self.adapter.held or not (self.constrained if asked is None else asked):
            return {}
        constraint = self.adapter.constraint(frame.map)
        if constraint is None:
            raise InvalidRequest(f"the adapter {self.adapter.name} has no constrained output; ask without it")
        return constraint.fields()

    async def _images(self, observation: Observation, indices: Collection[int]) -> dict[int, str]:
        """Data URLs of the images that the messages name, prepared side by side. Raises MissingScreenshots."""
        missing = sorted(observation.missing & set(indices))
        if missing:
            raise MissingScreenshots(missing)
        wanted: dict[int, CheckedImage] = {}
        for index in indices:
            image = known_image(observation.image) if index == CURRENT else observation.history_images[index]
            assert image is not None, "an adapter names only screenshots that a turn has"
            wanted[index] = image
        urls = await asyncio.gather(*map(self._image, wanted.values()))
        return dict(zip(wanted, urls, strict=True))

    async def _image(self, image: CheckedImage) -> str:
        return await self.images.url(image, self._frame(image.size).resized)

    def _request(
        self, observation: Observation, messages: Sequence[Message], urls: dict[int, str], extras: dict[str, object]
    ) -> ChatRequest:
        return ChatRequest(
            messages=chat_messages(messages, urls),
            sampling=drawn(self.adapter.declaration.sampling, observation.sampling, self.adapter.name),
            session=observation.session,
            return_tokens=observation.return_tokens,
            image_characters=sum(map(len, urls.values())),
            extras=extras,
        )

    def _grid(self, observation: Observation, messages: Sequence[Message]) -> list[tuple[int, int, int]] | None:
        """The patches of every image in the order of the prompt, where the model's processor is known."""
        processor = processor_of(self.adapter, self.model)
        if processor is None:
            return None
        grids = []
        for index in (part.index for message in messages for part in message.parts if isinstance(part, ImagePart)):
            image = observation.history_images[index] if index != CURRENT else None
            size = image.size if image is not None else observation.size
            grids.append(grid(processor, self._frame(size).resized or size))
        return grids

    def _samples(
        self, choices: Sequence[Choice], frame: ModelFrame, image_grid: list[tuple[int, int, int]] | None
    ) -> list[Sample]:
        return [self._sample(choice, frame, image_grid) for choice in choices]

    def _sample(self, choice: Choice, frame: ModelFrame, image_grid: list[tuple[int, int, int]] | None) -> Sample:
        parse = self.adapter.parse_cut if choice.finish_reason == "length" else self.adapter.parse
        parsed = parse(choice.text, frame.map)
        told = {"logprobs_mode": self.logprobs_mode, "image_grid": image_grid}
        return Sample(
            action=parsed.action,
            thought=parsed.thought or choice.reasoning,
            summary=parsed.summary,
            raw=choice.text,
            parse_error=parsed.parse_error,
            extra_actions=parsed.extra_actions,
            finish_reason=choice.finish_reason,
            tokens=choice.tokens and choice.tokens.model_copy(update=told),
        )

    def _response(self, samples: list[Sample], completion: Completion, watch: Stopwatch) -> ActResponse:
        first = {name: getattr(samples[0], name) for name in Sample.model_fields}
        return ActResponse(
            **first,
            model=self.model,
            adapter=self.adapter.name,
            weights=completion.weights,
            weights_policy=completion.weights_policy,
            prompt_digest=self._digest,
            usage=completion.usage,
            timing_ms=watch.total(),
            samples=samples if len(samples) > 1 else [],
        )


def _extent(choice: Choice) -> int:
    """How much there is to read, in characters; a token's id and log-probability are about as much work as one."""
    return len(choice.text) + len((choice.tokens and choice.tokens.response_ids) or ())
