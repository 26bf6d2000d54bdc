"""Model servers whose weights can be changed, and what stands before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from agent_server.backend import BackendTimeouts, ChatBackend
from agent_server.chat_request import ChatRequest
from agent_server.completion import Completion
from agent_server.config import WeightsConfig
from agent_server.schemas.weights import LoadWeights, WeightsLoaded
from agent_server.scripted import ScriptedModel, ScriptedReply
from agent_server.scripted_weights import ScriptedWeights
from agent_server.weights.change import WeightChanges
from agent_server.weights.choice import Weights


@dataclass
class Bench:
    """A backend over model servers, and whoever changes their weights."""

    backend: ChatBackend
    weights: Weights
    changes: WeightChanges
    models: list[ScriptedModel]

    async def ask(self, session: str | None = None, text: str = "hello") -> Completion:
        """The text of the completion is what answered it: the name asked for and the folder of the full weights."""
        return await self.backend.complete(ChatRequest([{"role": "user", "content": text}], session=session))

    async def load(self, kind: str, revision: str, path: str, **more: object) -> WeightsLoaded:
        return await self.changes.load(LoadWeights(kind=kind, revision=revision, path=path, **more))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return when it holds."""
        async with asyncio.timeout(10):
            while not condition():
                await asyncio.sleep(0.01)


def _answering(delay_s: float, **settings: object) -> ScriptedModel:
    weights = ScriptedWeights(**settings)

    def script(body: dict[str, object]) -> ScriptedReply:
        return ScriptedReply(f"{body['model']} on {weights.folder}", delay_s=delay_s)

    return ScriptedModel(script, model="m", root="/first", weights=weights)


@pytest.fixture
def answering() -> Callable[..., ScriptedModel]:
    """Makes a model server that says what its weights are: `answering(delay_s, **what it has loaded)`."""
    return _answering


@pytest.fixture
def bench(serve_app):
    """`async with bench(servers=1, delay_s=0, **settings) as it`; settings are those of WeightsConfig."""

    @asynccontextmanager
    async def make(
        servers: int = 1,
        delay_s: float = 0,
        models: list[ScriptedModel] | None = None,
        more_urls: Sequence[str] = (),
        **settings: object,
    ) -> AsyncIterator[Bench]:
        models = models or [_answering(delay_s) for _ in range(servers)]
        urls = [*(serve_app(model) for model in models), *more_urls]
        backend = ChatBackend(urls, "m", timeouts=BackendTimeouts(connect_s=2, total_s=4, probe_s=2, cool_down_s=60))
        weights = Weights(backend, WeightsConfig(**{"remote": True, "load_timeout_s": 5, **settings}))
        changes = WeightChanges(weights)
        try:
            yield Bench(backend, weights, changes, models)
        finally:
            await changes.aclose()
            await backend.aclose()
            await asyncio.sleep(0)  # aborted connections are gone after the loop's next turn

    return make
