"""Who may ask: the holders of a bearer token."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from agent_server.problems import problem
from agent_server.tokens import TokenFile

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""What probes may ask without a token."""


ADMIN_PATHS = "/admin/"
"""Below this nobody but administrators may ask."""


class BearerAuth:
    """Middleware: lets a request pass that carries a valid token, or asks for an open path.

    `tokens` None lets everyone ask. `admins` may ask for everything; with them ADMIN_PATHS are theirs alone.
    """

    def __init__(self, app: ASGIApp, tokens: TokenFile | None, admins: TokenFile | None = None) -> None:
        self._app = app
        self._tokens = tokens
        self._admins = admins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        if scope["path"] in OPEN_PATHS:
            return None
        token = _token(Headers(scope=scope))
        if self._admins is not None and self._admins.accepts(token):
            return None
        valid = self._tokens is not None and self._tokens.accepts(token)
        if self._admins is None or not scope["path"].startswith(ADMIN_PATHS):
            return None if valid or self._tokens is None else _unknown()
        return problem(403, "this token may not do that; send an administrator's") if valid else _unknown()


def _unknown() -> Response:
    return problem(401, "send a valid token: Authorization: Bearer TOKEN", headers={"WWW-Authenticate": "Bearer"})


def _token(headers: Headers) -> bytes:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
