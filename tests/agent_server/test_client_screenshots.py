"""A screenshot goes over the wire once: client, server and a model that looks back, over real sockets."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from PIL import Image
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_server.actions import Click
from agent_server.adapters import PromptSet, adapter_named
from agent_server.app import create_app
from agent_server.backend import ChatBackend
from agent_server.client import PolicyClient
from agent_server.config import ServerConfig
from agent_server.errors import PolicyRejected
from agent_server.geometry import Point
from agent_server.model_policy import ModelPolicy
from agent_server.schemas import HistoryTurn
from agent_server.scripted import ScriptedModel

TAP = "Thought: Tap it.\nAction: click(point='<point>10 20</point>')"
LOOK_BACK = 4
"""Earlier screenshots that UI-TARS 1.5 is shown."""


@dataclass
class Wire:
    """What goes over the wire to an app: bytes, statuses and sessions, one entry a request to `/act`."""

    app: ASGIApp
    sizes: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    sessions: list[str | None] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/act":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        session = headers.get(b"x-session-id")
        self.sessions.append(None if session is None else session.decode())
        self.sizes.append(0)

        async def counted() -> Message:
            message = await receive()
            self.sizes[-1] += len(message.get("body", b""))
            return message

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])
            await send(message)

        await self.app(scope, counted, noted)


@dataclass
class Site:
    """A policy server for a model that looks back, and the model behind it."""

    url: str
    wire: Wire
    model: ScriptedModel

    def shown(self) -> list[bytes]:
        """The images of the last request, as the model saw them."""
        return [data for _, data in self.model.requests[-1].images()]


Start = Callable[..., Site]


@pytest.fixture
def start(scripted, serve_app) -> Start:
    def start(cache_bytes: int = 2**26, adapter: str = "ui-tars-1.5") -> Site:
        backend, model = scripted(TAP, model="m")
        policy = ModelPolicy("the-7B", adapter_named(adapter), ChatBackend([backend], "m"), PromptSet.load())
        wire = Wire(create_app(policy, ServerConfig(screenshot_cache_bytes=cache_bytes)))
        return Site(serve_app(wire), wire, model)

    return start


@pytest.fixture(scope="module")
def shots() -> list[bytes]:
    """Nine screens that compress badly, of a size that goes to the model as it is."""
    noise = random.Random(7)

    def screen() -> bytes:
        out = io.BytesIO()
        Image.frombytes("RGB", (280, 560), noise.randbytes(280 * 560 * 3)).save(out, "PNG", compress_level=1)
        return out.getvalue()

    return [screen() for _ in range(9)]


def play(client: PolicyClient, shots: list[bytes], steps: range) -> Iterator[int]:
    """Steps of an episode whose first one saw shots[0]; yields before the next one."""
    for step in steps:
        first = max(0, step - LOOK_BACK)
        client.act(
            "Open Wi-Fi",
            shots[step],
            [HistoryTurn(step=n, action=Click(point=Point(n, n)), raw=TAP) for n in range(step)],
            session="tür 1",
            history_screenshots={n: shots[n] for n in range(first, step)},
        )
        yield step


def test_a_step_of_a_five_image_model_costs_one_upload(start: Start, shots):
    site = start()
    with PolicyClient(site.url) as client:
        for step in play(client, shots, range(9)):
            assert site.shown() == shots[max(0, step - LOOK_BACK) : step + 1]
            assert len(shots[step]) < site.wire.sizes[-1] < len(shots[step]) * 1.02
    assert site.wire.statuses == [200] * 9
    assert set(site.wire.sessions) == {"t%C3%BCr%201"}


def test_a_server_that_lost_them_gets_everything_once_more(start: Start, shots):
    site, other = start(), start()
    with PolicyClient(site.url) as client:
        list(play(client, shots, range(4)))
        client.url = other.url  # the balancer moved the session
        list(play(client, shots, range(4, 6)))
    assert other.wire.statuses == [409, 200, 200]
    assert other.shown() == shots[1:6]
    assert len(other.model.requests) == 2, "nothing was decided by the request that missed"
    small, full, after = other.wire.sizes
    assert full > 4.9 * small
    assert after < 1.02 * len(shots[5])


def test_a_server_that_keeps_nothing_is_asked_that_way_three_times(start: Start, shots):
    site = start(cache_bytes=0)
    with PolicyClient(site.url) as client:
        for step in play(client, shots, range(7)):
            assert site.shown() == shots[max(0, step - LOOK_BACK) : step + 1]
    assert site.wire.statuses == [200] + [409, 200] * 3 + [200] * 3


def test_a_cache_that_is_full_drops_the_oldest(start: Start, shots):
    site = start(cache_bytes=int(2.5 * len(shots[0])))
    with PolicyClient(site.url) as client:
        list(play(client, shots, range(3)))
        assert site.wire.statuses == [200] * 3
        list(play(client, shots, range(3, 4)))
    assert site.wire.statuses[3:] == [409, 200]
    assert site.shown() == shots[:4]


def test_a_digest_of_a_turn_that_is_not_shown_need_not_be_held(start: Start, shots):
    turns = [HistoryTurn(step=n, raw=TAP, screenshot_sha256=f"{n:064x}") for n in range(6)]
    seen = dict(enumerate(shots[:6]))
    for adapter, pictures in (("ui-venus-1.5", {}), ("ui-tars-1.5", {n: seen[n] for n in range(2, 6)})):
        site = start(adapter=adapter)
        told = [HistoryTurn(step=n, raw=TAP) if n in pictures else turn for n, turn in enumerate(turns)]
        with PolicyClient(site.url) as client:
            client.act("Open Wi-Fi", shots[6], told, history_screenshots=pictures)
        assert site.shown() == [*pictures.values(), shots[6]]


def test_digests_of_the_callers_own_are_not_asked_twice(start: Start, shots):
    site = start()
    turn = HistoryTurn(step=0, raw=TAP, screenshot_sha256="0" * 64)
    with PolicyClient(site.url) as client, pytest.raises(PolicyRejected, match=r"409.*history\[0\]") as caught:
        client.act("Open Wi-Fi", shots[1], [turn])
    assert caught.value.status == 409
    assert site.wire.statuses == [409]
    assert site.model.requests == []
