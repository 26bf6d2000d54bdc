"""A model behind an OpenAI-compatible server, as a policy: adapter, prompts, images, backend, parser, in order."""

from __future__ import annotations

import asyncio
import binascii
import os
import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from agent_server.adapters import (
    CURRENT,
    Adapter,
    ImagePart,
    Message,
    ModelFrame,
    PromptInput,
    PromptSet,
    TextPart,
    Turn,
)
from agent_server.adapters.history import shown
from agent_server.backend import ChatBackend, ChatRequest
from agent_server.completion import Choice, Completion
from agent_server.errors import InvalidRequest, MissingScreenshots, UnknownName
from agent_server.geometry import GeometryError, Size
from agent_server.image_cache import ImageCache
from agent_server.images import CheckedImage, Encoding, known_image, needs_decoding, prepared
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, ModelCard, Sample


class Stopwatch:
    """Wall time by stage, in milliseconds."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """The time since the last lap goes to `stage`."""
        now = time.perf_counter()
        self.stages[stage] = round((now - self._last) * 1000, 3)
        self._last = now

    def total(self) -> dict[str, float]:
        return {**self.stages, "total": round((time.perf_counter() - self._start) * 1000, 3)}


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
    ) -> None:
        """`model` is the name that callers use and that decides size-dependent limits; `constrained` is what applies
        where a request leaves it open."""
        self._model = model
        self._adapter = adapter
        self._backend = backend
        self._prompts = prompts
        self._digest = prompts.digest(adapter.name)
        self._encoding = encoding or Encoding()
        self._pool = ThreadPoolExecutor(image_threads or os.cpu_count() or 1, thread_name_prefix="image")
        self._cache = ImageCache(image_cache_bytes)
        self._language = language
        self._constrained = constrained

    def cards(self) -> list[ModelCard]:
        declared = self._adapter.declaration
        return [
            ModelCard(
                id=self._model,
                adapter=self._adapter.name,
                weights=self._backend.weights,
                prompt_digest=self._digest,
                images=declared.images,
                sampling=dict(declared.sampling),
            )
        ]

    async def ready(self) -> None:
        await self._backend.ready()

    async def aclose(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        await self._backend.aclose()

    async def act(self, observation: Observation) -> ActResponse:
        if observation.model not in (None, self._model):
            raise UnknownName("model", observation.model or "", [self._model])
        watch = Stopwatch()
        frame = self._frame(observation.size)
        prompt = self._prompt(observation)
        messages = self._adapter.messages(prompt, self._prompts)
        extras = {**self._adapter.request_fields(prompt), **self._constraint(observation, frame)}
        watch.lap("prompt")
        urls = await self._images(observation, _indices(messages))
        watch.lap("image")
        completion = await self._backend.complete(self._request(observation, messages, urls, extras))
        watch.lap("backend")
        samples = [self._sample(choice, frame) for choice in completion.choices]
        watch.lap("parse")
        return self._response(samples, completion, watch)

    def _frame(self, size: Size) -> ModelFrame:
        try:
            return self._adapter.frame(size, self._model)
        except GeometryError as error:
            raise InvalidRequest(str(error)) from error

    def _prompt(self, observation: Observation) -> PromptInput:
        return PromptInput(
            goal=observation.goal,
            size=observation.size,
            turns=self._turns(observation),
            app=observation.app,
            language=self._language,
            model=self._model,
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
        visible = shown(turns, self._adapter.declaration.images)
        for index, turn in enumerate(observation.history):
            image = images.get(index)
            if image is not None and (index in visible or turn.screenshot_sha256 is None):
                turns[index] = replace(turns[index], size=image.size)
        return turns

    def _constraint(self, observation: Observation, frame: ModelFrame) -> dict[str, object]:
        """The field of the request that makes the model write nothing but its grammar, where that is wanted."""
        asked = observation.sampling.constrained
        if not (self._constrained if asked is None else asked):
            return {}
        constraint = self._adapter.constraint(frame.map)
        if constraint is None:
            raise InvalidRequest(f"the adapter {self._adapter.name} has no constrained output; ask without it")
        return {"structured_outputs": {constraint.kind: constraint.value}}

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
        resized = self._frame(image.size).resized
        if not needs_decoding(image, resized):
            return _data_url(image.data, image.media_type)
        key = self._cache.key(image.data, resized)
        url = self._cache.get(key)
        if url is None:
            url = await asyncio.get_running_loop().run_in_executor(self._pool, self._prepare, image, resized)
            self._cache.put(key, url)
        return url

    def _prepare(self, image: CheckedImage, resized: Size | None) -> str:
        encoded = prepared(image, resized, self._encoding)
        return _data_url(encoded.data, encoded.media_type)

    def _request(
        self, observation: Observation, messages: Sequence[Message], urls: dict[int, str], extras: dict[str, object]
    ) -> ChatRequest:
        asked = observation.sampling.model_dump(exclude_none=True, exclude={"constrained"})
        return ChatRequest(
            messages=[{"role": message.role, "content": _content(message, urls)} for message in messages],
            sampling={**self._adapter.declaration.sampling, **asked},
            session=observation.session,
            return_tokens=observation.return_tokens,
            extras=extras,
        )

    def _sample(self, choice: Choice, frame: ModelFrame) -> Sample:
        parsed = self._adapter.parse(choice.text, frame.map)
        return Sample(
            action=parsed.action,
            thought=parsed.thought or choice.reasoning,
            summary=parsed.summary,
            raw=choice.text,
            parse_error=parsed.parse_error,
            extra_actions=parsed.extra_actions,
            finish_reason=choice.finish_reason,
            tokens=choice.tokens,
        )

    def _response(self, samples: list[Sample], completion: Completion, watch: Stopwatch) -> ActResponse:
        first = {name: getattr(samples[0], name) for name in Sample.model_fields}
        return ActResponse(
            **first,
            model=self._model,
            adapter=self._adapter.name,
            weights=completion.weights,
            prompt_digest=self._digest,
            usage=completion.usage,
            timing_ms=watch.total(),
            samples=samples if len(samples) > 1 else [],
        )


def _indices(messages: Iterable[Message]) -> dict[int, None]:
    return dict.fromkeys(part.index for message in messages for part in message.parts if isinstance(part, ImagePart))


def _data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{binascii.b2a_base64(data, newline=False).decode('ascii')}"


def _content(message: Message, urls: dict[int, str]) -> str | list[dict[str, object]]:
    """OpenAI content parts; a message of one text is a plain string, which every chat template understands."""
    match message.parts:
        case (TextPart(text),):
            return text
        case parts:
            return [_part(part, urls) for part in parts]


def _part(part: TextPart | ImagePart, urls: dict[int, str]) -> dict[str, object]:
    match part:
        case TextPart(text):
            return {"type": "text", "text": text}
        case ImagePart(index):
            return {"type": "image_url", "image_url": {"url": urls[index]}}
