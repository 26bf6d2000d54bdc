"""How many tokens a model server makes of an image, found by asking it with and without the image."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_server.chat_request import ChatRequest
from agent_server.errors import BackendRejected, BackendReply
from agent_server.geometry import Size
from agent_server.model_policy import ModelPolicy
from agent_server.processor import image_tokens, processor_of
from agent_server.verify.screens import Screen, fitting, observation

_MARGIN = 64
"""Tokens by which prompts about different screens may differ beside their images."""
_USUAL_MARKS = 2
_MOST_MARKS = 32


@dataclass(frozen=True)
class Counted:
    """One image that was sent."""

    screen: Screen
    sent: Size
    expected: int | None
    """Image tokens; None where the processor is not known."""
    accepted: bool
    longer: int | None
    """By how many tokens the prompt is longer with the image than without; None where one of the two was refused."""
    remark: str = ""

    @property
    def missed(self) -> int | None:
        """By how much the difference is more than the image alone should make."""
        return None if self.longer is None or self.expected is None else self.longer - self.expected


class Counting:
    """Asks one model server, through the policy whose decisions it would serve."""

    def __init__(self, policy: ModelPolicy, max_model_len: int | None) -> None:
        self.processor = processor_of(policy.adapter, policy.model)
        self._policy = policy
        self._length = max_model_len

    async def request(self, size: Size, images: int = 1) -> ChatRequest:
        """What would be sent about a screen of `size`; see `screens.observation`."""
        return await self._policy.request(await asyncio.to_thread(observation, size, images))

    async def prompt_tokens(self, request: ChatRequest) -> int:
        """Raises BackendReply where the server does not count them."""
        completion = await self._policy.backend.complete(request)
        if not completion.usage.prompt_tokens:
            raise BackendReply(f"{completion.url} does not say how many tokens a prompt has, so it cannot be verified")
        return completion.usage.prompt_tokens

    def sent(self, size: Size) -> Size:
        """The size at which a screen is sent."""
        return self._policy.adapter.frame(size, self._policy.model).resized or size

    def expected(self, size: Size) -> int | None:
        """Image tokens of a screen; None where the processor is not known."""
        return None if self.processor is None else image_tokens(self.processor, self.sent(size))

    async def screen(self, screen: Screen, text: int) -> Counted:
        """Count a screen, or the largest of its shape for which there is room beside `text` tokens."""
        size = screen.size
        free = None if self._length is None else self._length - text - _MARGIN
        fitted = size if free is None else fitting(size, lambda smaller: (self.expected(smaller) or 0) <= free)
        if fitted is None:
            remark = f"max_model_len {self._length} has no room for any image beside {text} tokens of text"
            return Counted(screen, self.sent(size), self.expected(size), False, None, remark)
        remark = "" if fitted == size else f"{fitted}, because max_model_len {self._length} has no room for more"
        return await self.count(screen, fitted, remark)

    async def count(self, screen: Screen, size: Size, remark: str = "") -> Counted:
        """Count an image of `size`."""
        request = await self.request(size)
        sent, expected = self.sent(size), self.expected(size)
        accepted = False
        try:
            shown = await self.prompt_tokens(request)
            accepted = True
            longer = shown - await self.prompt_tokens(without_images(request))
        except BackendRejected as error:
            return Counted(screen, sent, expected, accepted, None, str(error))
        return Counted(screen, sent, expected, accepted, longer, remark)

    async def marks(self, counted: Sequence[Counted]) -> int:
        """How many tokens the chat format puts around an image.

        From the token ids of a prompt, where they come back: the image is what repeats. Else the number by which most
        images miss their prediction, if that is a plausible one.
        """
        accepted = next((one for one in counted if one.longer is not None), None)
        if accepted is not None and accepted.longer is not None:
            ids = await self._ids(accepted.sent)
            if ids is not None:
                return accepted.longer - ids
        missed = [one.missed for one in counted if one.missed is not None]
        plausible = Counter(miss for miss in missed if 0 <= miss <= _MOST_MARKS)
        return plausible.most_common(1)[0][0] if plausible else _USUAL_MARKS

    async def _ids(self, size: Size) -> int | None:
        """How often the id of image tokens stands in a prompt about a screen; None where no ids come back."""
        request = replace(await self.request(size), return_tokens=True)
        try:
            prompts = [await self._prompt_ids(asked) for asked in (request, without_images(request))]
        except BackendRejected:
            return None
        shown, blank = prompts
        if shown is None or blank is None:
            return None
        added = Counter(shown)
        added.subtract(blank)
        return max(added.values())

    async def _prompt_ids(self, request: ChatRequest) -> list[int] | None:
        tokens = (await self._policy.backend.complete(request)).choices[0].tokens
        return tokens.prompt_ids if tokens else None


def without_images(request: ChatRequest) -> ChatRequest:
    """The same request without its images. A message of nothing else becomes a space: empty ones may be refused."""
    messages = [{**message, "content": _blank(message["content"])} for message in request.messages]
    return replace(request, messages=messages)


def images_in(request: ChatRequest) -> int:
    """How many images a request shows."""
    parts = [
        part for message in request.messages if isinstance(message["content"], list) for part in message["content"]
    ]
    return sum(part["type"] == "image_url" for part in parts)


def _blank(content: object) -> object:
    if not isinstance(content, list):
        return content
    texts = [part for part in content if part["type"] != "image_url"]
    return texts or [{"type": "text", "text": " "}]
