"""Examining one model server: everything is sent the way a decision is sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agent_server.adapters import Processor
from agent_server.backend import ChatRequest
from agent_server.completion import Choice
from agent_server.errors import BackendRejected
from agent_server.model_policy import ModelPolicy
from agent_server.processor import image_tokens, processor_size
from agent_server.schemas import Tokens
from agent_server.schemas.wire import LogprobsMode
from agent_server.verify.counting import Counted, Counting, images_in, without_images
from agent_server.verify.findings import findings
from agent_server.verify.limits import explained, greatest_max, rectangles
from agent_server.verify.report import Probe, Report
from agent_server.verify.screens import PHONE, SCREENS

_FORM = "[0-9]{3}"
_REPLY_TOKENS = 4
"""Enough for that form: a token for each digit at most, and the end."""
_CERTAIN = -1e-3
"""A log-probability above this is that of a token without alternatives."""


async def examine(policy: ModelPolicy) -> Report:
    """Examine the one model server behind `policy`: a dozen requests with one token of reply each.

    Raises BackendError where it cannot be reached, does not serve the model, or answers what cannot be examined.
    """
    return await _Examination(policy, await _length(policy)).run()


async def _length(policy: ModelPolicy) -> int | None:
    length = (await policy.backend.entry()).get("max_model_len")
    return length if isinstance(length, int) else None


class _Examination:
    def __init__(self, policy: ModelPolicy, length: int | None) -> None:
        self._policy = policy
        self._length = length
        self._counting = Counting(policy, length)

    async def run(self) -> Report:
        backend, adapter = self._policy.backend, self._policy.adapter
        first = await self._counting.request(PHONE.size)
        blank = without_images(first)
        text = await self._counting.prompt_tokens(blank)
        counted = [await self._counting.screen(screen, text) for screen in SCREENS]
        marks = await self._counting.marks(counted)
        seen_by = await self._processor(counted, marks)
        tokens = await self._tokens(blank)
        report = Report(
            url=backend.urls[0],
            model=backend.model,
            adapter=adapter.name,
            probes=tuple(_probe(one, marks, seen_by) for one in counted),
            max_model_len=self._length,
            needed_len=self._needed(text),
            images=adapter.declaration.images,
            images_accepted=await self._all_images(),
            logprobs=tokens is not None and tokens.logprobs is not None,
            logprobs_mode=await self._logprobs_mode(blank, tokens),
            token_ids=tokens is not None and None not in (tokens.prompt_ids, tokens.response_ids),
            structured_outputs=await self._structured(blank),
        )
        return report.model_copy(update={"findings": tuple(findings(report, self._policy, seen_by))})

    async def _processor(self, counted: Sequence[Counted], marks: int) -> Processor | None:
        """The processor that explains what was counted; None where none is known, or none explains it."""
        expected = self._counting.processor
        if expected is None:
            return None
        tokens = {one.sent: one.longer - marks for one in counted if one.longer is not None}
        found = explained(expected, tokens)
        fewer = {size: number for size, number in tokens.items() if number < image_tokens(expected, size)}
        if found is None or not fewer:
            return found
        below = min(greatest_max(expected, size, number) for size, number in fewer.items())
        return replace(found, max_pixels=await self._narrowed(found, below, marks))

    async def _narrowed(self, found: Processor, below: int, marks: int) -> int:
        """The largest area, in pixels, from the limit found up to `below`, of an image that is left alone."""
        candidates, left_alone = rectangles(found, found.max_pixels, below), found.max_pixels
        while candidates:
            middle = len(candidates) // 2
            size = candidates[middle]
            counted = await self._counting.count(PHONE, size)
            if counted.sent != size:
                break
            if counted.longer == size.pixels // found.factor**2 + marks:
                left_alone, candidates = size.pixels, candidates[middle + 1 :]
            else:
                candidates = candidates[:middle]
        return left_alone

    def _needed(self, text: int) -> int | None:
        expected = self._counting.expected(PHONE.size)
        declared = self._policy.adapter.declaration
        reply = int(declared.sampling.get("max_tokens", 0))
        return None if expected is None else text + declared.images * expected + reply

    async def _all_images(self) -> bool | None:
        """Whether a prompt with as many images as the adapter ever shows is accepted; None where it shows fewer."""
        images = self._policy.adapter.declaration.images
        request = await self._counting.request(min(SCREENS, key=lambda screen: screen.size.pixels).size, images)
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


def _probe(one: Counted, marks: int, seen_by: Processor | None) -> Probe:
    return Probe(
        name=one.screen.name,
        screen=one.screen.size,
        sent=one.sent,
        expected=one.expected,
        counted=None if one.longer is None else one.longer - marks,
        seen=None if one.longer is None or seen_by is None else processor_size(seen_by, one.sent),
        remark=one.remark,
    )
