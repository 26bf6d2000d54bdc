"""Examining one model server: everything is sent the way a decision is sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from agent_server.adapters import Processor
from agent_server.chat_request import ChatRequest
from agent_server.completion import Choice
from agent_server.errors import BackendRejected, ModelNotServed
from agent_server.model_policy import ModelPolicy
from agent_server.processor import image_tokens, processor_size, with_processor
from agent_server.schemas import Tokens
from agent_server.schemas.wire import LogprobsMode
from agent_server.verify.counting import Counted, Counting, images_in, without_images
from agent_server.verify.findings import findings
from agent_server.verify.limits import explained, greatest_max, rectangles, unlimited
from agent_server.verify.report import Finding, Probe, Report
from agent_server.verify.screens import PHONE, SCREENS, SMALLEST

_FORM = "[0-9]{3}"
_REPLY_TOKENS = 4
"""Enough for that form: a token for each digit at most, and the end."""
_CERTAIN = -1e-3
"""A log-probability above this is that of a token without alternatives."""


async def examine(policy: ModelPolicy) -> Report:
    """Examine the one model server behind `policy`: a dozen and a half requests with one token of reply each.

    Raises BackendError where it cannot be reached, or answers what cannot be examined.
    """
    try:
        length = (await policy.backend.entry()).get("max_model_len")
    except ModelNotServed as error:
        return _of(policy, findings=(_not_served(policy.backend.model, error),))
    return await _Examination(policy, length if isinstance(length, int) else None).run()


def _not_served(model: str, error: ModelNotServed) -> Finding:
    names = " or ".join(f"--served-name {name}" for name in error.served)
    message = f"it does not serve {model!r}"
    return Finding(severity="fault", message=message, fix=f"give {names} to agent-server" if names else "")


def _of(policy: ModelPolicy, **found: Any) -> Report:
    adapter = policy.adapter
    known = {"url": policy.backend.urls[0], "model": policy.backend.model, "adapter": adapter.name}
    return Report(**known, images=adapter.declaration.images, **found)


class _Examination:
    def __init__(self, policy: ModelPolicy, length: int | None) -> None:
        self._policy = policy
        self._length = length
        self._counting = Counting(policy, length)

    async def run(self) -> Report:
        first = await self._counting.request(PHONE.size)
        blank = without_images(first)
        text = await self._text_tokens(blank)
        counted = [await self._counting.screen(screen, text) for screen in SCREENS]
        marks = await self._counting.marks(counted)
        seen_by = await self._processor(counted, marks)
        tokens = await self._tokens(blank)
        report = _of(
            self._policy,
            probes=tuple(_probe(one, marks, seen_by) for one in counted),
            max_model_len=self._length,
            needed_len=self._needed(text),
            images_accepted=await self._all_images(),
            logprobs=tokens is not None and tokens.logprobs is not None,
            logprobs_mode=await self._logprobs_mode(blank, tokens),
            token_ids=tokens is not None and None not in (tokens.prompt_ids, tokens.response_ids),
            structured_outputs=await self._structured(blank),
        )
        return report.model_copy(update={"findings": tuple(findings(report, self._policy, seen_by))})

    async def _text_tokens(self, blank: ChatRequest) -> int:
        """Of a prompt without its image; 0 where the server refuses that."""
        try:
            return await self._counting.prompt_tokens(blank)
        except BackendRejected:
            return 0

    async def _processor(self, counted: Sequence[Counted], marks: int) -> Processor | None:
        """The processor that explains what was counted; None where none is known, or none explains it.

        Where it is not the one expected, its limits are found with images that are sent without heeding ours.
        """
        expected = self._counting.processor
        if expected is None:
            return None
        tokens = {one.sent: one.longer - marks for one in counted if one.longer is not None}
        if all(image_tokens(expected, size) == number for size, number in tokens.items()):
            return expected
        bare = unlimited(expected)
        asking = Counting(_without_limits(self._policy, bare), self._length)
        smallest = await asking.count(SMALLEST, SMALLEST.size)
        if smallest.longer is not None:
            tokens[smallest.sent] = smallest.longer - marks
        found = explained(bare, tokens)
        if found is None:
            return None
        fewer = {size: number for size, number in tokens.items() if number < image_tokens(bare, size)}
        if not fewer:
            return replace(found, max_pixels=max(expected.max_pixels, found.min_pixels))
        below = min(greatest_max(bare, size, number) for size, number in fewer.items())
        return replace(found, max_pixels=await _narrowed(asking, found, below, marks))

    def _needed(self, text: int) -> int | None:
        expected = self._counting.expected(PHONE.size)
        declared = self._policy.adapter.declaration
        reply = int(declared.sampling.get("max_tokens", 0))
        return None if expected is None else text + declared.images * expected + reply

    async def _all_images(self) -> bool | None:
        """Whether a prompt with as many images as the adapter ever shows is accepted; None where it shows fewer."""
        images = self._policy.adapter.declaration.images
        request = await self._counting.request(SMALLEST.size, images)
        if images_in(request) < images:
            return None
        return await self._choice(request) is not None

    async def _tokens(self, request: ChatRequest) -> Tokens | None:
        choice = await self._choice(replace(request, return_tokens=True))
        return choice.tokens if choice else None

    async def _logprobs_mode(self, request: ChatRequest, tokens: Tokens | None) -> LogprobsMode | None:
        """Two tokens that the model would not say are forced on it in turn: processed log-probabilities call both
        certain, raw ones at most one of them."""
        prompt = tokens.prompt_ids if tokens else None
        if not prompt or len(set(prompt)) < 2:
            return None
        found = []
        for forced in sorted(set(prompt))[:2]:
            answer = await self._tokens(replace(request, extras={"allowed_token_ids": [forced]}))
            if answer is None or not answer.logprobs or answer.response_ids != [forced]:
                return None
            found.append(answer.logprobs[0])
        if max(found) > 0:
            return None
        return "processed" if min(found) > _CERTAIN else "raw"

    async def _structured(self, request: ChatRequest) -> bool:
        sampling = {**request.sampling, "max_tokens": _REPLY_TOKENS}
        extras = {"structured_outputs": {"regex": _FORM}}
        choice = await self._choice(replace(request, extras=extras, sampling=sampling))
        return choice is not None and re.fullmatch(_FORM, choice.text) is not None

    async def _choice(self, request: ChatRequest) -> Choice | None:
        """The answer; None where the server refuses the request."""
        try:
            return (await self._policy.backend.complete(request)).choices[0]
        except BackendRejected:
            return None


def _without_limits(policy: ModelPolicy, bare: Processor) -> ModelPolicy:
    """The same policy, but for the limits of its adapter; it shares all else."""
    twin = copy(policy)
    twin.adapter = with_processor(policy.adapter, bare, policy.model)
    return twin


async def _narrowed(asking: Counting, found: Processor, below: int, marks: int) -> int:
    """The largest area, in pixels, from the limit found up to `below`, of an image that is left alone."""
    candidates, left_alone = rectangles(found, found.max_pixels, below), found.max_pixels
    while candidates:
        middle = len(candidates) // 2
        size = candidates[middle]
        counted = await asking.count(PHONE, size)
        if counted.longer == size.pixels // found.factor**2 + marks:
            left_alone, candidates = size.pixels, candidates[middle + 1 :]
        else:
            candidates = candidates[:middle]
    return left_alone


def _probe(one: Counted, marks: int, seen_by: Processor | None) -> Probe:
    return Probe(
        name=one.screen.name,
        screen=one.screen.size,
        sent=one.sent,
        expected=one.expected,
        accepted=one.accepted,
        counted=None if one.longer is None else one.longer - marks,
        seen=None if one.longer is None or seen_by is None else processor_size(seen_by, one.sent),
        remark=one.remark,
    )
