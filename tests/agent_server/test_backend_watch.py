"""A backend with somebody who watches over its servers: who is not asked, and what a broken answer becomes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from agent_server.backend import ChatBackend
from agent_server.chat_request import ChatRequest
from agent_server.errors import BackendReply, BackendUnavailable
from agent_server.scripted import ScriptedReply

REQUEST = ChatRequest([{"role": "user", "content": "hello"}], session="s")


@dataclass
class Watched:
    """What the watch says of each URL."""

    refusals: dict[str, str] = field(default_factory=dict)
    fates: dict[str, str] = field(default_factory=dict)

    def refusal(self, url: str) -> str | None:
        return self.refusals.get(url)

    async def fate(self, url: str) -> str | None:
        return self.fates.get(url)


def complete(urls, watch, model="scripted"):
    async def main():
        backend = ChatBackend(urls, model, watch=watch)
        try:
            return await backend.complete(REQUEST)
        finally:
            await backend.aclose()

    return asyncio.run(main())


def test_a_url_that_is_not_up_is_not_asked(scripted):
    first, silent = scripted("one")
    second, model = scripted("two")
    watch = Watched(refusals={f"{first}/v1": "starting"})
    assert complete([first, second], watch).choices[0].text == "two"
    assert (len(silent.requests), len(model.requests)) == (0, 1)


def test_where_none_is_up_the_reasons_are_told(scripted):
    url, model = scripted("one")
    with pytest.raises(BackendUnavailable, match=r"/v1: the model server is starting \(42 s\)"):
        complete([url], Watched(refusals={f"{url}/v1": "the model server is starting (42 s)"}))
    assert model.requests == []


def test_readiness_tells_the_reason(scripted):
    url, _ = scripted("one")

    async def main():
        backend = ChatBackend([url], "scripted", watch=Watched(refusals={f"{url}/v1": "not yet"}))
        try:
            await backend.ready()
        finally:
            await backend.aclose()

    with pytest.raises(BackendUnavailable, match=r"no backend is ready for 'scripted': .*: not yet"):
        asyncio.run(main())


@pytest.mark.parametrize("reply", [ScriptedReply("x", cut_after=5), ScriptedReply("x", status=500)])
def test_an_answer_that_a_death_broke_is_unavailable_not_wrong(scripted, reply):
    url, _ = scripted(reply)
    with pytest.raises(BackendUnavailable, match="died of signal 9"):
        complete([url], Watched(fates={f"{url}/v1": "died of signal 9"}))
    with pytest.raises(BackendReply):
        complete([url], Watched())
