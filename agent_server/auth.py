"""Who may ask: the holders of a bearer token."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from agent_server.problems import problem
from agent_server.tokens import TokenFile

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""What probes may ask without a token."""


class BearerAuth:
    """Middleware: lets a request pass that carries a valid token, or asks for an open path."""

    def __init__(self, app: ASGIApp, tokens: TokenFile) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS or self._admits(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        refusal = problem(
            401, "send a valid token: Authorization: Bearer TOKEN", headers={"WWW-Authenticate": "Bearer"}
        )
        await refusal(scope, receive, send)

    def _admits(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._tokens.accepts(token.strip().encode("latin-1"))
