from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from agent_server.adapters import Processor
from agent_server.config import GroundConfig, PolicyConfig
from agent_server.errors import BackendUnavailable, LaunchError, NotVerified
from agent_server.loader import load_policy
from agent_server.policy import Observation
from agent_server.scripted import ScriptedReply
from agent_server.verify.guard import Guard
from agent_server.verify.guarding import load_guard, tell
from agent_server.verify.report import Report

VENUS = "UI-Venus-Navi-7B"
RIGHT = Processor(14, 2, 830_000, 937_664)
WRONG = Processor(14, 2, 3_136, 602_112)
PATIENCE_S = 60


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.02)


def guarding(url: str, body: Callable[[Guard, list[Report]], Awaitable[None]], launched: object = None) -> None:
    """Runs `body` beside a guard of the one backend at `url`, and re-raises what ends the guard."""

    async def main() -> None:
        guard = load_guard(PolicyConfig(model=VENUS, backends=(url,)), GroundConfig(), launched)
        assert guard is not None
        heard: list[Report] = []
        guard.heard = heard.append
        running = asyncio.create_task(guard.run())
        acting = asyncio.create_task(body(guard, heard))
        try:
            done, _ = await asyncio.wait((running, acting), timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            assert done
            for task in done:
                task.result()
        finally:
            for task in (running, acting):
                task.cancel()
            await asyncio.gather(running, acting, return_exceptions=True)
            await guard.stop(1)

    asyncio.run(main())


def test_a_server_that_fits_is_used_when_it_was_examined(place):
    place.open(RIGHT)

    async def body(guard: Guard, heard: list[Report]) -> None:
        url = f"{place.url}/v1"
        assert guard.refusal(url).startswith("it is not verified yet: ")
        await guard.ready()
        assert guard.refusal(url) is None
        assert [report.ok for report in heard] == [True]
        assert guard.refusal("http://elsewhere/v1") is None

    guarding(place.url, body)


def test_a_server_that_does_not_fit_ends_the_start(place):
    place.open(WRONG)

    async def body(guard: Guard, heard: list[Report]) -> None:
        await guard.ready()
        raise AssertionError("it must not get ready")

    with pytest.raises(NotVerified, match="--min-pixels 3136 --max-pixels 602112"):
        guarding(place.url, body)


def test_an_absent_server_is_examined_when_it_comes(place):
    async def body(guard: Guard, heard: list[Report]) -> None:
        url = f"{place.url}/v1"
        await guard.ready()
        assert "it is not verified yet: " in guard.refusal(url)
        assert "Connect call failed" in guard.refusal(url)
        place.open(RIGHT)
        await until(lambda: guard.refusal(url) is None)
        assert [report.ok for report in heard] == [True]

    guarding(place.url, body)


def test_a_server_that_does_not_fit_later_is_not_used_and_one_that_replaces_it_is(place):
    async def body(guard: Guard, heard: list[Report]) -> None:
        url = f"{place.url}/v1"
        await guard.ready()
        place.open(WRONG)
        await until(lambda: bool(heard))
        assert "1173 tokens, and 738 come in" in guard.refusal(url)
        await asyncio.to_thread(place.close)
        assert await guard.fate(url) is None
        await until(lambda: "not verified yet" in guard.refusal(url))
        place.open(RIGHT)
        await until(lambda: guard.refusal(url) is None)
        assert [report.ok for report in heard] == [False, True]

    guarding(place.url, body)


def test_a_server_that_was_away_is_examined_again(place):
    place.open(RIGHT, root="/first")

    async def body(guard: Guard, heard: list[Report]) -> None:
        url = f"{place.url}/v1"
        await guard.ready()
        await asyncio.to_thread(place.close)
        place.open(WRONG, root="/second")  # at once: only what it says of itself tells the two apart
        await guard.fate(url)
        await until(lambda: len(heard) == 2)
        assert "does not fit" in guard.refusal(url)

    guarding(place.url, body)


def test_a_server_that_cannot_be_examined_is_tried_again(scripted):
    """One that does not count tokens is there, but nothing can be said of it."""
    url, _ = scripted(ScriptedReply(body=b'{"choices": [{"message": {"content": "x"}}]}'), model=VENUS)

    async def body(guard: Guard, heard: list[Report]) -> None:
        await guard.ready()
        assert "does not say how many tokens" in guard.refusal(f"{url}/v1")
        assert heard == []

    guarding(url, body)


class Launcher:
    """Stands for servers that we started: up when told so."""

    quick = False

    def __init__(self, url: str) -> None:
        self.urls = (f"{url}/v1",)
        self.up = asyncio.Event()
        self.failure: LaunchError | None = None
        self.stopped: float | None = None

    async def run(self) -> None:
        while self.failure is None:
            await asyncio.sleep(0.02)
        raise self.failure

    async def ready(self) -> None:
        await self.up.wait()

    async def stop(self, grace_s: float) -> None:
        self.stopped = grace_s

    def refusal(self, url: str) -> str | None:
        return None if self.up.is_set() else "the model server is starting (3 s)"

    async def fate(self, url: str) -> str | None:
        return "it was killed"


def test_a_server_that_we_start_is_examined_when_it_is_up(place):
    launched = Launcher(place.url)

    async def body(guard: Guard, heard: list[Report]) -> None:
        url = launched.urls[0]
        getting_ready = asyncio.create_task(guard.ready())
        await asyncio.sleep(0.2)
        assert guard.refusal(url) == "the model server is starting (3 s)"
        assert not getting_ready.done()
        place.open(RIGHT)
        launched.up.set()
        await getting_ready
        assert guard.refusal(url) is None
        assert await guard.fate(url) == "it was killed"
        launched.up.clear()
        await until(lambda: guard.refusal(url) is not None)
        launched.up.set()
        await until(lambda: guard.refusal(url) is None)
        assert not guard.quick

    guarding(place.url, body, launched)
    assert launched.stopped == 1


def test_a_launch_that_fails_ends_it(place):
    launched = Launcher(place.url)

    async def body(guard: Guard, heard: list[Report]) -> None:
        launched.failure = LaunchError("no luck")
        await guard.ready()

    with pytest.raises(LaunchError, match="no luck"):
        guarding(place.url, body, launched)


def test_no_decision_before_the_examination(place, screenshot):
    async def main() -> None:
        config = PolicyConfig(model=VENUS, backends=(place.url,))
        guard = load_guard(config, GroundConfig(), None)
        policy = load_policy(config, guard)
        tell(policy, guard)
        asked = Observation(goal="g", image=screenshot, size=(1080, 2400))
        place.open(RIGHT)
        with pytest.raises(BackendUnavailable, match="it is not verified yet"):
            await policy.act(asked)
        with pytest.raises(BackendUnavailable, match="it is not verified yet"):
            await policy.ready()
        (card,) = policy.cards()
        assert (card.verified, card.logprobs_mode) == (None, None)
        running = asyncio.create_task(guard.run())
        await guard.ready()
        await policy.ready()
        assert (await policy.act(asked)).raw == "x"
        (card,) = policy.cards()
        assert (card.verified, card.logprobs_mode) == (True, "raw")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await guard.stop(0)
        await policy.aclose()

    asyncio.run(main())


def test_a_grounding_model_of_its_own_is_guarded_too(place, scripted):
    place.open(WRONG, model="UI-Venus-Ground-7B")
    config = PolicyConfig(policy="null")
    guard = load_guard(config, GroundConfig(model="UI-Venus-Ground-7B", backends=(place.url,)), None)
    assert guard is not None

    async def main() -> None:
        with pytest.raises(NotVerified, match="ui-venus-ground"):
            await guard.run()
        await guard.stop(0)

    asyncio.run(main())


def test_nothing_to_guard():
    assert load_guard(PolicyConfig(policy="null"), GroundConfig(), None) is None
