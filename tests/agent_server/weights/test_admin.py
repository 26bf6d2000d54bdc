"""The wire to one model server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from agent_server.errors import BackendRejected, BackendReply, BackendUnavailable
from agent_server.scripted import ScriptedModel
from agent_server.weights.admin import ModelAdmin, folder_of, is_interrupted, name_of, version_of


@pytest.fixture
def told(serve_app):
    """What a model server answers to one call."""

    def tell(model: ScriptedModel, call: Callable[[ModelAdmin], Awaitable[object]]) -> object:
        async def main() -> object:
            admin = ModelAdmin(f"{serve_app(model)}/v1", {"Authorization": "Bearer key"}, 2, 2)
            try:
                return await call(admin)
            finally:
                admin.close()
                await asyncio.sleep(0)

        return asyncio.run(main())

    return tell


def test_what_is_served_and_from_where(told, answering):
    model = answering(0, adapters={"step-1": "/lora/1"})
    assert told(model, lambda admin: admin.served()) == {"m": "/first", "step-1": "/lora/1"}


def test_adapters(told, answering):
    model = answering(0, refused={"/nowhere": "No adapter found for <path>"})
    told(model, lambda admin: admin.load_adapter("step-1", "/lora/1"))
    assert model.weights.adapters == {"step-1": "/lora/1"}
    with pytest.raises(BackendRejected, match="refused /v1/load_lora_adapter with 500: No adapter found for <path>"):
        told(model, lambda admin: admin.load_adapter("step-2", "/nowhere"))
    told(model, lambda admin: admin.unload_adapter("step-1"))
    assert model.weights.adapters == {}
    with pytest.raises(BackendRejected, match="with 404: The lora adapter cannot be found"):
        told(model, lambda admin: admin.unload_adapter("step-1"))


def test_a_reload_in_its_order(told, answering):
    model = answering(0)
    told(model, lambda admin: admin.reload("/full/1", "step-1 /full/1", "m"))
    weights = model.weights
    assert weights.calls == [
        "/update_weight_version",
        "/pause",
        "/collective_rpc",
        "/reset_prefix_cache",
        "/reset_mm_cache",
        "/reset_encoder_cache",
        "/resume",
        "/update_weight_version",
    ]
    assert (weights.folder, weights.version, weights.stale, weights.paused) == (
        "/full/1",
        "step-1 /full/1",
        set(),
        False,
    )
    assert told(model, lambda admin: admin.version()) == "step-1 /full/1"


def test_after_a_failed_reload_it_runs_and_its_version_says_that_nobody_knows(told, answering):
    model = answering(0, refused={"/full/1": "no such file"})
    with pytest.raises(BackendRejected, match="no such file"):
        told(model, lambda admin: admin.reload("/full/1", "step-1 /full/1", "m"))
    assert not model.weights.paused
    assert is_interrupted(told(model, lambda admin: admin.version()))


def test_a_server_without_these_routes_says_what_it_needs(told):
    for call in (lambda admin: admin.version(), lambda admin: admin.load_adapter("a", "/a")):
        with pytest.raises(BackendRejected, match=r"--enable-lora, VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"):
            told(ScriptedModel(model="m"), call)


def test_nobody_there_and_nothing_in_time(told, answering):
    async def nobody() -> None:
        await ModelAdmin("http://127.0.0.1:1/v1", {}, 1, 1).version()

    with pytest.raises(BackendUnavailable, match=r"http://127\.0\.0\.1:1/v1: no connection"):
        asyncio.run(nobody())
    with pytest.raises(BackendUnavailable, match="/v1/load_lora_adapter took longer than 2 s"):
        told(answering(0, load_s=3), lambda admin: admin.load_adapter("a", "/a"))


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"weight_version": 1}', b"not json"])
def test_an_answer_that_is_none(told, serve_app, body):
    async def app(scope, receive, send) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": body})

    with pytest.raises(BackendReply, match="weight_version"):
        told(app, lambda admin: admin.version())


def test_versions():
    version = version_of("step-1", "/my folder/step 1")
    assert (name_of(version), folder_of(version), is_interrupted(version)) == ("step-1", "/my folder/step 1", False)
    assert (name_of("default"), folder_of("default"), is_interrupted("default")) == (None, None, False)
    assert (name_of("loading step-1 /a"), is_interrupted("loading step-1 /a")) == (None, True)
