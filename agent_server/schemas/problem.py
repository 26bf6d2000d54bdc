"""Errors on the wire."""

from __future__ import annotations

from pydantic import BaseModel

MISSING_SCREENSHOTS = "urn:agent-server:missing-screenshots"
"""The `type` of a 409: history turns name screenshots that the server does not hold. `errors` says which turns."""


class Problem(BaseModel):
    """RFC 9457 problem details (`application/problem+json`)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[dict[str, object]] | None = None
    """For validation errors: where (`loc`) and what (`msg`)."""
