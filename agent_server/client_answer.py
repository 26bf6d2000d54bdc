"""What a policy server's answer says, whatever it is."""

from __future__ import annotations

import json
import time

import httpx
from pydantic import ValidationError


def retry_after_s(response: httpx.Response) -> float:
    """Seconds until a busy server wants to be asked again; a date in their place counts as one second."""
    stated = response.headers.get("retry-after", "")
    return max(float(stated), 0.1) if stated.isdecimal() else 1.0


def read_body(response: httpx.Response, deadline: float) -> bytes:
    """The body. Raises TimeoutError where it trickles in until the deadline."""
    chunks = []
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(chunks)


def problem_of(content: bytes) -> dict[str, object]:
    """A problem document, empty for whatever else came."""
    try:
        problem = json.loads(content)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def detail_of(content: bytes) -> str:
    """What a problem document says, or the start of whatever else came."""
    detail = problem_of(content).get("detail")
    return detail if isinstance(detail, str) else excerpt(content)


def excerpt(content: bytes) -> str:
    """The start of a body, on one line."""
    return " ".join(content[:300].decode("utf-8", "replace").split()) or "an empty body"


def first_mistake(error: ValidationError) -> str:
    """Where the first mistake is, and what it is."""
    entry = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, entry['loc'])) or 'body'}: {entry['msg']}"
