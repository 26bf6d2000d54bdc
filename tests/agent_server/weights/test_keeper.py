"""What a model server is meant to have is what it has, also when it was restarted, and when a load went wrong."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn

from agent_server.backend import BackendTimeouts, ChatBackend
from agent_server.chat_request import ChatRequest
from agent_server.completion import Completion
from agent_server.config import WeightsConfig
from agent_server.errors import BackendError, BackendRejected, BackendUnavailable
from agent_server.schemas.weights import LoadWeights
from agent_server.scripted import ScriptedModel
from agent_server.weights.change import WeightChanges
from agent_server.weights.choice import Weights

HELLO = ChatRequest([{"role": "user", "content": "hello"}], session="a")


@contextmanager
def running(app: ScriptedModel, port: int = 0) -> Iterator[int]:
    """A server that can be stopped, and another be started at its port."""
    listener = socket.create_server(("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


class Policy:
    """A policy server's part that chooses weights, until it ends."""

    def __init__(self, port: int, **settings: object) -> None:
        timeouts = BackendTimeouts(connect_s=2, total_s=4, probe_s=2, cool_down_s=0)
        self.backend = ChatBackend([f"http://127.0.0.1:{port}"], "m", timeouts=timeouts)
        config = WeightsConfig(**{"remote": True, "load_timeout_s": 2, "policy": "step", **settings})
        self.changes = WeightChanges(Weights(self.backend, config))

    async def __aenter__(self) -> Policy:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.changes.aclose()
        await self.backend.aclose()
        await asyncio.sleep(0)

    async def ask(self) -> Completion:
        return await self.backend.complete(HELLO)

    async def load(self, kind: str, revision: str, path: str) -> None:
        await self.changes.load(LoadWeights(kind=kind, revision=revision, path=path))


def test_a_restarted_server_is_given_its_weights_again_before_anything_is_asked(answering):
    async def main() -> None:
        with running(answering(0)) as port:
            policy = Policy(port)
            await policy.load("checkpoint", "step-1", "/full/1")
            await policy.load("lora", "step-2", "/lora/2")
            assert (await policy.ask()).choices[0].text == "step-2 on /full/1"
        again = answering(0)
        async with policy:
            with running(again, port):
                answer = await policy.ask()
                assert (answer.choices[0].text, answer.weights) == ("step-2 on /full/1", "step-2")
                assert again.weights.calls[-1] == "/v1/load_lora_adapter"
                assert again.weights.stale == set()
                calls = len(again.weights.calls)
                policy.backend.replicas[0].client.close()
                await policy.ask()
                assert len(again.weights.calls) == calls  # it has them, and is left alone
                await asyncio.sleep(0)

    asyncio.run(main())


def test_requests_at_once_wait_for_one_restoration(answering):
    async def main() -> None:
        with running(answering(0)) as port:
            policy = Policy(port)
            await policy.load("checkpoint", "step-1", "/full/1")
        again = answering(0, load_s=0.3)
        async with policy:
            with running(again, port):
                answers = await asyncio.gather(*(policy.ask() for _ in range(5)))
                assert {answer.choices[0].text for answer in answers} == {"m on /full/1"}
                assert again.weights.calls.count("/collective_rpc") == 1
                assert again.weights.mixed == 0

    asyncio.run(main())


def test_what_cannot_be_given_back_is_not_served(answering):
    async def main() -> None:
        with running(answering(0)) as port:
            policy = Policy(port)
            await policy.load("checkpoint", "step-1", "/full/1")
        again = answering(0, refused={"/full/1": "gone"})
        async with policy:
            with running(again, port):
                for _ in range(2):
                    with pytest.raises(BackendUnavailable, match=r"cannot be told to have step-1.*gone"):
                        await policy.ask()
                assert again.requests == []
                again.weights.refused.clear()
                assert (await policy.ask()).choices[0].text == "m on /full/1"

    asyncio.run(main())


def test_a_failed_load_that_cannot_be_taken_back_leaves_nothing_that_answers(answering):
    """As a vLLM that was given tensors of another shape: every load fails until it is restarted."""

    async def main() -> None:
        model = answering(0, refused={"/full/1": "another shape", "/first": "broken"})
        with running(model) as port:
            policy = Policy(port)
            assert (await policy.ask()).weights == "/first"
            with pytest.raises(BackendRejected, match="another shape"):
                await policy.load("checkpoint", "step-1", "/full/1")
            asked = len(model.requests)
            with pytest.raises(BackendUnavailable, match="broken"):
                await policy.ask()
            assert len(model.requests) == asked
        async with policy:
            with running(answering(0), port):
                answer = await policy.ask()
                assert (answer.choices[0].text, answer.weights) == ("m on None", "/first")

    asyncio.run(main())


def test_a_policy_server_that_is_restarted_names_what_it_finds(answering):
    async def main() -> None:
        model = answering(0, refused={"/full/2": "no"})
        with running(model) as port:
            async with Policy(port) as policy:
                await policy.load("checkpoint", "step-1", "/full/1")
                await policy.load("lora", "step-2", "/lora/2")
            async with Policy(port) as policy:
                answer = await policy.ask()
                assert (answer.choices[0].text, answer.weights) == ("m on /full/1", "step-1")
                calls = len(model.weights.calls)
                await policy.load("lora", "step-2", "/lora/2")
                assert len(model.weights.calls) == calls  # is loaded, from that folder
                assert (await policy.ask()).weights == "step-2"
                async with Policy(port) as other:
                    with pytest.raises(BackendRejected, match="serves something else as 'step-2', from /lora/2"):
                        await other.load("lora", "step-2", "/lora/other")
                with pytest.raises(BackendRejected, match="no"):
                    await policy.load("checkpoint", "step-3", "/full/2")
                assert (await policy.ask()).choices[0].text == "step-2 on /full/1"

    asyncio.run(main())


def test_a_load_that_nobody_ended_is_named_by_nobody(answering):
    async def main() -> None:
        model = answering(0)
        model.weights.version = "loading step-1 /full/1"
        with running(model) as port:
            async with Policy(port) as policy:
                with pytest.raises(BackendUnavailable, match="a load of weights was interrupted"):
                    await policy.ask()
                assert model.requests == []
                await policy.load("checkpoint", "step-1", "/full/1")
                assert (await policy.ask()).weights == "step-1"

    asyncio.run(main())


def test_a_server_without_the_routes_serves_and_says_what_it_needs(answering):
    async def main() -> None:
        model = answering(0)
        model.weights = None
        model.script = lambda body: ScriptedModel().script(body)
        with running(model) as port:
            async with Policy(port) as policy:
                assert (await policy.ask()).weights == "/first"
                for kind in ("lora", "checkpoint"):
                    with pytest.raises(BackendRejected, match=r"does not let its weights be changed.*--enable-lora"):
                        await policy.load(kind, "step-1", "/x")
                assert (await policy.ask()).weights == "/first"

    asyncio.run(main())


def test_a_load_that_takes_too_long_fails(answering):
    async def main() -> None:
        with running(answering(0, load_s=1)) as port:
            async with Policy(port, load_timeout_s=0.2) as policy:
                with pytest.raises(BackendUnavailable, match=r"took longer than 0\.2 s"):
                    await policy.load("lora", "step-1", "/lora/1")
                with pytest.raises(BackendError, match=r"took longer than 0\.2 s"):
                    await policy.load("checkpoint", "step-2", "/full/2")

    asyncio.run(main())
