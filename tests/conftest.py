"""Real parts that several test folders share."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import pytest
import redis
import uvicorn
from hypothesis import HealthCheck, settings

from agent_server.actions import Action, Finished
from agent_server.app import create_app
from agent_server.policy import Observation, Policy
from agent_server.schemas import ActResponse, ModelCard, ParseError, Tokens
from emulator_farm.embedded import EmbeddedValkey

settings.register_profile("ours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ours")  # how fast this machine is must not decide a test


SLOWEST = ("test_harvest.py", "test_cli_campaigns.py", "test_suite.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that mostly wait come first, so that no core is left alone with one of them at the end."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)


@pytest.fixture(scope="session")
def valkey() -> Iterator[EmbeddedValkey]:
    """One real Valkey for the whole session; tests that kill a server start their own."""
    with EmbeddedValkey() as server:
        yield server


@pytest.fixture
def connection(valkey: EmbeddedValkey) -> Iterator[redis.Redis]:
    """An empty database."""
    client = redis.Redis.from_url(valkey.url)
    client.flushall()
    yield client
    client.close()


class Script:
    """A policy that plays a list of replies and notes what it was asked; after the list it says that it is done.

    A reply is an action, or a text that no grammar reads.
    """

    def __init__(
        self,
        replies: Sequence[Action | str] = (),
        adapter: str = "script",
        images: int = 1,
        tokens: Tokens | None = None,
        sampling: Mapping[str, float] | None = None,
    ) -> None:
        """`tokens` come with every reply where they are asked for; `sampling` are the defaults on the card."""
        self.replies = list(replies)
        self.adapter = adapter
        self.images = images
        self.tokens = tokens
        self.sampling = dict(sampling or {})
        self.seen: list[Observation] = []

    def cards(self) -> list[ModelCard]:
        facts = {"adapter": self.adapter, "weights": "w1", "prompt_digest": "p1", "images": self.images}
        return [ModelCard(id="script", sampling=self.sampling, **facts)]

    async def act(self, observation: Observation) -> ActResponse:
        self.seen.append(observation)
        step = len(observation.history)
        reply = self.replies[step] if step < len(self.replies) else Finished()
        facts = {"model": "script", "adapter": self.adapter, "weights": "w1", "prompt_digest": "p1"}
        if isinstance(reply, str):
            error = ParseError(kind="malformed", message="not an action")
            return ActResponse(action=None, raw=reply, parse_error=error, **facts)
        tokens = self.tokens if observation.return_tokens else None
        return ActResponse(action=reply, raw=reply.model_dump_json(), thought=f"step {step}", tokens=tokens, **facts)

    async def ready(self) -> None:
        return

    async def aclose(self) -> None:
        return


ServePolicy = Callable[..., str]


@contextmanager
def _serving(policy: Policy, **beside: object) -> Iterator[str]:
    app = create_app(policy, **beside)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture
def serve_policy() -> Iterator[ServePolicy]:
    """Serve a policy, and what may stand beside it, over real HTTP for the time of a test; gives its URL."""
    with ExitStack() as stack:
        yield lambda policy, **beside: stack.enter_context(_serving(policy, **beside))


@pytest.fixture
def script() -> type[Script]:
    """The class of scripted policies."""
    return Script


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--serial", action="append", default=[], help="also run the device contract on this phone")
