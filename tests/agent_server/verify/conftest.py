"""A policy of any family before a model server that counts tokens like the processor it is given."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator

import pytest
import uvicorn

from agent_server.adapters import Processor, adapter_named
from agent_server.backend import ChatBackend
from agent_server.model_policy import ModelPolicy
from agent_server.processor import fitted, processor_of
from agent_server.prompts import PromptSet
from agent_server.scripted import ScriptedModel, ScriptedReply, TokenCount
from agent_server.verify.examination import examine
from agent_server.verify.report import Report

Examine = Callable[..., Report]


def reply(body: dict[str, object]) -> ScriptedReply:
    """What a server says that honours structured outputs."""
    return ScriptedReply("123" if "structured_outputs" in body else "x")


class Place:
    """An address at which a model server can appear, go, and be replaced by another."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._running: tuple[uvicorn.Server, threading.Thread, socket.socket] | None = None

    def open(self, processor: Processor, model: str = "UI-Venus-Navi-7B", **settings: object) -> None:
        """Let a scripted model server appear that counts tokens like that processor."""
        app = ScriptedModel(reply, model=model, counts=TokenCount(processor), **settings)
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, ws="none"))
        listener = socket.create_server(("127.0.0.1", self.port))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        self._running = (server, thread, listener)

    def close(self) -> None:
        if self._running is not None:
            server, thread, listener = self._running
            self._running = None
            server.should_exit = True
            thread.join(10)
            listener.close()


@pytest.fixture
def place() -> Iterator[Place]:
    """Where nobody is at first."""
    here = Place()
    yield here
    here.close()


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
