"""Every error that leaves the server: RFC 9457 problem details, whatever went wrong and wherever.

A client sees what was wrong with its request, or which backend failed and how; never a trace, a path or a line of code.
"""

from __future__ import annotations

import http
from collections.abc import Sequence

from fastapi import FastAPI
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from agent_server.errors import BackendError, InvalidRequest, MissingScreenshots
from agent_server.schemas import MISSING_SCREENSHOTS, Problem
from agent_server.wrong_field import explained

MEDIA_TYPE = "application/problem+json"
_UNREGISTERED = {499: "Client Closed Request"}


def problem(
    status: int,
    detail: str,
    *,
    type: str = "about:blank",
    title: str | None = None,
    errors: Sequence[dict[str, object]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """One error as a response; the title is the status's own phrase unless given."""
    phrase = title or _UNREGISTERED.get(status) or http.HTTPStatus(status).phrase
    body = Problem(type=type, title=phrase, status=status, detail=detail, errors=list(errors) if errors else None)
    return Response(body.model_dump_json(exclude_none=True), status, headers, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Make the app answer every error this way."""
    app.add_exception_handler(InvalidRequest, _invalid)
    app.add_exception_handler(MissingScreenshots, _missing)
    app.add_exception_handler(BackendError, _backend)
    app.add_exception_handler(ValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, InvalidRequest)
    return problem(error.status, str(error))


async def _missing(_: Request, error: Exception) -> Response:
    assert isinstance(error, MissingScreenshots)
    errors: list[dict[str, object]] = [
        {"loc": ["history", position, "screenshot_sha256"], "msg": "not held here; send the image"}
        for position in error.positions
    ]
    return problem(error.status, str(error), type=MISSING_SCREENSHOTS, title="Missing screenshots", errors=errors)


async def _backend(_: Request, error: Exception) -> Response:
    assert isinstance(error, BackendError)
    return problem(error.status, str(error), title=_TITLES.get(type(error).__name__))


async def _validation(_: Request, error: Exception) -> Response:
    assert isinstance(error, ValidationError)
    found: list[dict[str, object]] = [
        {"loc": list(entry["loc"]), "msg": explained(entry)} for entry in error.errors(include_url=False)
    ]
    first = found[0]
    where = ".".join(map(str, first["loc"])) if isinstance(first["loc"], list) and first["loc"] else "the request"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return problem(422, f"{where}: {first['msg']}{more}", errors=found[:100])


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail, headers = error.detail, dict(error.headers or {})
    if error.status_code == 404:
        detail = f"there is no {request.url.path} here; see /openapi.json"
    elif error.status_code == 405:
        headers["Allow"] = allowed = ", ".join(_allowed(request))
        detail = f"{request.method} is not allowed on {request.url.path}; use {allowed}"
    return problem(error.status_code, detail, headers=headers)


def _allowed(request: Request) -> list[str]:
    """The methods of every route at this path; the exception itself knows those of one."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    here = [route.methods or () for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for methods in here for method in methods})


async def _unexpected(_: Request, error: Exception) -> Response:
    return problem(500, f"the server failed ({type(error).__name__}); its log has the details")


_TITLES = {
    "BackendUnavailable": "Model server unavailable",
    "BackendReply": "Model server answered wrongly",
    "BackendRejected": "Model server refused the request",
}
