from __future__ import annotations

import httpx
import pytest

from agent_server.app import create_app
from agent_server.baselines import NullPolicy
from agent_server.config import ServerConfig

PATHS = ("/act", "/metrics", "/v1/models", "/docs", "/openapi.json", "/nope")

web = httpx.Client(timeout=60)


@pytest.fixture(scope="module", autouse=True)
def _close():
    yield
    web.close()


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text("# staff\nalpha\n\n  beta  \n#gamma\n")
    return path


def test_who_gets_in(serve_app, token_file):
    url = serve_app(create_app(NullPolicy(), ServerConfig(token_file=token_file)))
    for token in ("alpha", "beta"):
        assert web.get(url + "/v1/models", headers=bearer(token)).status_code == 200
    assert web.get(url + "/v1/models", headers={"authorization": "bearer alpha"}).status_code == 200
    for headers in (
        {},
        bearer("gamma"),
        bearer("#gamma"),
        {"authorization": "Bearer"},
        bearer("alph"),
        {"authorization": "alpha"},
    ):
        for path in PATHS:
            response = web.get(url + path, headers=headers)
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"
            assert response.headers["content-type"] == "application/problem+json"
            assert "Authorization: Bearer TOKEN" in response.json()["detail"]
    for path in ("/healthz", "/readyz"):
        assert web.get(url + path).status_code == 200


def test_a_token_is_the_bytes_in_the_file(serve_app, tmp_path):
    path = tmp_path / "tokens"
    path.write_text("schlüssel\n", "utf-8")
    url = serve_app(create_app(NullPolicy(), ServerConfig(token_file=path)))
    for token, status in (("schlüssel".encode(), 200), ("schlüssel".encode("latin-1"), 401), (b"\xff", 401)):
        assert web.get(url + "/v1/models", headers={"authorization": b"Bearer " + token}).status_code == status


def test_tokens_come_and_go_without_a_restart(serve_app, token_file):
    url = serve_app(create_app(NullPolicy(), ServerConfig(token_file=token_file)))

    def status(token: str) -> int:
        return web.get(url + "/v1/models", headers=bearer(token)).status_code

    assert (status("alpha"), status("delta")) == (200, 401)
    token_file.write_text("delta\n")
    assert (status("alpha"), status("delta")) == (401, 200)
    token_file.write_text("")
    assert status("delta") == 401
