"""A policy of any family before a model server that counts tokens like the processor it is given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from agent_server.adapters import Processor, adapter_named
from agent_server.backend import ChatBackend
from agent_server.model_policy import ModelPolicy
from agent_server.processor import fitted, processor_of
from agent_server.prompts import PromptSet
from agent_server.scripted import ScriptedReply, TokenCount
from agent_server.verify.examination import examine
from agent_server.verify.report import Report

Examine = Callable[..., Report]


def reply(body: dict[str, object]) -> ScriptedReply:
    """What a server says that honours structured outputs."""
    return ScriptedReply("123" if "structured_outputs" in body else "x")


@pytest.fixture
def examined(scripted) -> Examine:
    """Examines a scripted model server with the processor `there` through the adapter of that name."""

    def run(
        name: str,
        there: Processor | None = None,
        *,
        model: str = "m",
        min_pixels: int | None = None,
        max_pixels: int | None = None,
        constrained: bool = False,
        script: Callable[..., ScriptedReply] = reply,
        **settings: object,
    ) -> Report:
        adapter = fitted(adapter_named(name), model, min_pixels, max_pixels)
        processor = there or processor_of(adapter, model)
        counts = TokenCount(processor) if processor else None
        url, _ = scripted(script, model=model, **{"counts": counts, "max_model_len": 40_000, **settings})

        async def main() -> Report:
            backend = ChatBackend([url], model)
            policy = ModelPolicy(model, adapter, backend, PromptSet.load(None), constrained=constrained)
            try:
                return await examine(policy)
            finally:
                await policy.aclose()

        return asyncio.run(main())

    return run
