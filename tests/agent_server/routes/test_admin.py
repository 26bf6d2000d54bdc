"""Who may change weights over HTTP, what is answered, and what a policy's replies say."""

from __future__ import annotations

import io

import httpx
import pytest
from PIL import Image

from agent_server.app import create_app
from agent_server.baselines import NullPolicy
from agent_server.client import PolicyClient
from agent_server.config import PolicyConfig, ServerConfig, WeightsConfig
from agent_server.errors import InvalidRequest, PolicyRejected
from agent_server.loader import load_policy, load_weights
from agent_server.schemas.weights import LoadWeights
from agent_server.scripted import ScriptedModel, ScriptedReply
from agent_server.scripted_weights import ScriptedWeights

ORDER = {"kind": "lora", "revision": "step-1", "path": "/lora/1"}

web = httpx.Client(timeout=60)


@pytest.fixture(scope="module", autouse=True)
def _close():
    yield
    web.close()


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
def picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (280, 560), "white").save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def model() -> ScriptedModel:
    def script(_: object) -> ScriptedReply:
        return ScriptedReply("Finished(content='')")

    return ScriptedModel(script, model="UI-Venus-Navi-7B", root="/first", weights=ScriptedWeights())


@pytest.fixture
def serving(serve_app, model, tmp_path):
    """A policy server over the model: `serving(tokens="ordinary")`, with the administrator's token `boss`."""

    def serve(tokens: str | None = None, admins: str | None = "boss", **settings: object) -> str:
        files = {"token_file": tokens, "admin_token_file": admins}
        for name, token in files.items():
            (tmp_path / name).write_text(f"{token}\n")
        paths = {name: tmp_path / name for name, token in files.items() if token is not None}
        policy = load_policy(PolicyConfig(model="UI-Venus-Navi-7B", backends=(serve_app(model),)))
        changes = load_weights(WeightsConfig(remote=True, **settings), policy) if admins else None
        return serve_app(create_app(policy, ServerConfig(**paths), weights=changes))

    return serve


def test_only_administrators(serving):
    url = serving(tokens="ordinary")
    for method in ("GET", "POST"):
        for headers, status in (({}, 401), (bearer("nobody"), 401), (bearer("ordinary"), 403)):
            answer = web.request(method, url + "/admin/weights", json=ORDER, headers=headers)
            assert answer.status_code == status
            assert answer.headers["content-type"] == "application/problem+json"
    assert web.get(url + "/admin/weights", headers=bearer("boss")).json()["revisions"][0]["current"] is True
    for token, status in (("boss", 200), ("ordinary", 200), ("nobody", 401)):
        assert web.get(url + "/v1/models", headers=bearer(token)).status_code == status
    assert web.delete(url + "/sessions/a").status_code == 401
    assert web.delete(url + "/sessions/a", headers=bearer("ordinary")).status_code == 204


def test_everyone_may_ask_for_the_rest_where_only_administrators_have_tokens(serving):
    url = serving()
    assert web.get(url + "/v1/models").status_code == 200
    assert web.delete(url + "/sessions/a").status_code == 204
    assert web.get(url + "/admin/weights").status_code == 401
    assert web.get(url + "/admin/weights", headers=bearer("boss")).status_code == 200


def test_not_enabled(serving, serve_app):
    for url, headers in ((serving("ordinary", None), bearer("ordinary")), (serve_app(create_app(NullPolicy())), {})):
        for answer in (
            web.get(url + "/admin/weights", headers=headers),
            web.post(url + "/admin/weights", json=ORDER, headers=headers),
        ):
            assert answer.status_code == 404
            assert "--admin-token-file" in answer.json()["detail"]
        assert web.delete(url + "/sessions/anything/at all", headers=headers).status_code == 204


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/admin/weights", "GET, POST"),
        ("PUT", "/admin/weights", "GET, POST"),
        ("GET", "/sessions/a/b", "DELETE"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(serve_app, method, path, allowed):
    answer = web.request(method, serve_app(create_app(NullPolicy())) + path)
    assert (answer.status_code, answer.headers["content-type"]) == (405, "application/problem+json")
    assert answer.headers["allow"] == allowed
    assert answer.json()["detail"] == f"{method} is not allowed on {path}; use {allowed}"
    assert answer.json()["title"] == "Method Not Allowed"


def test_a_policy_without_a_model_has_no_weights():
    with pytest.raises(InvalidRequest, match="this policy has none; give --model"):
        load_weights(WeightsConfig(), NullPolicy())


def test_load_and_list_and_what_replies_say(serving, model, picture):
    url = serving()
    with PolicyClient(url, "boss") as client:
        first = client.act("Do it", picture, session="episode/1 é")
        assert (first.weights, first.weights_policy) == ("/first", "pinned")
        loaded = client.load_weights(LoadWeights(**ORDER))
        assert (loaded.revision, loaded.kind, loaded.path, loaded.previous) == ("step-1", "lora", "/lora/1", "/first")
        assert client.models()[0].weights == "step-1"
        assert client.act("Do it", picture, session="episode/1 é").weights == "/first"
        other = client.act("Do it", picture)
        assert (other.weights, other.weights_policy) == ("step-1", "step")
        assert [request.body["model"] for request in model.requests] == ["UI-Venus-Navi-7B"] * 2 + ["step-1"]
        state = client.weights()
        assert (state.weights_policy, state.loading) == ("pinned", None)
        base, lora = state.revisions
        assert (base.revision, base.kind, base.current, base.sessions) == ("/first", "base", False, 1)
        assert (lora.revision, lora.kind, lora.current, lora.sessions, lora.path) == (
            "step-1",
            "lora",
            True,
            0,
            "/lora/1",
        )
        assert len(base.backends) == len(lora.backends) == 1
        client.end_session("episode/1 é")
        assert [one.sessions for one in client.weights().revisions] == [0, 0]
        assert client.act("Do it", picture, session="episode/1 é").weights == "step-1"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "base"}, "kind"),
        ({"path": "relative/folder"}, "path"),
        ({"path": None}, "path"),
        ({"drain_s": -1}, "drain_s"),
        ({"revision": "a b"}, "no name of a revision"),
        ({"stranger": 1}, "stranger"),
    ],
)
def test_orders_that_make_no_sense(serving, change, said):
    answer = web.post(serving() + "/admin/weights", json={**ORDER, **change}, headers=bearer("boss"))
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_what_a_model_server_refuses_and_what_was_used(serving, model):
    url = serving()
    model.weights.refused["/lora/64"] = "LoRA rank 64 is greater than max_lora_rank 16."
    answer = web.post(url + "/admin/weights", json={**ORDER, "path": "/lora/64"}, headers=bearer("boss"))
    assert answer.status_code == 422
    assert "LoRA rank 64 is greater" in answer.json()["detail"]
    assert web.post(url + "/admin/weights", json=ORDER, headers=bearer("boss")).status_code == 200
    answer = web.post(url + "/admin/weights", json={**ORDER, "path": "/other"}, headers=bearer("boss"))
    assert answer.status_code == 409


def test_loads_are_counted_and_timed(serving, model):
    url = serving()
    model.weights.refused["/lora/64"] = "LoRA rank 64 is greater than max_lora_rank 16."
    for change, status in (({"path": "/lora/64"}, 422), ({}, 200), ({"path": "/other"}, 409), ({"kind": "zz"}, 422)):
        answer = web.post(url + "/admin/weights", json={**ORDER, **change}, headers=bearer("boss"))
        assert answer.status_code == status
    told = web.get(url + "/metrics").text
    assert 'agent_server_weight_loads_total{outcome="loaded"} 1.0' in told
    assert 'agent_server_weight_loads_total{outcome="failed"} 2.0' in told
    assert 'agent_server_weight_load_seconds_count{outcome="loaded"} 1.0' in told


def test_the_client_says_what_was_refused(serving):
    with PolicyClient(serving(tokens="ordinary"), "ordinary") as client:
        with pytest.raises(PolicyRejected, match="administrator") as raised:
            client.weights()
        assert raised.value.status == 403
