"""How much is worked on at once: beyond a limit a request is refused before its body is read.

A model server answers so many requests a second and no more. What comes on top would wait in memory, each request with
its screenshots, until its caller has long given up. A refusal costs nothing and tells when to come again.
"""

from __future__ import annotations

import math
import time
from collections import deque

from starlette.types import ASGIApp, Receive, Scope, Send

from agent_server.problems import problem

LIMITED_PATHS = frozenset({"/act", "/ground", "/judge"})
"""What keeps a model busy."""
_REMEMBERED = 256
_LONGEST_S = 60


class Admission:
    """Middleware: lets at most `limit` requests to LIMITED_PATHS be answered at once, and answers 429 to the others.

    `Retry-After` is how long half of those inside will take, at the pace of the last answers, from 1 to 60 seconds.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit
        self._inside = 0
        self._answered: deque[float] = deque(maxlen=_REMEMBERED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in LIMITED_PATHS:
            await self._app(scope, receive, send)
            return
        if self._inside >= self._limit:
            wait = self._wait_s()
            detail = f"{self._limit} requests are being answered, which is the limit; come again in {wait} s"
            await problem(429, detail, headers={"Retry-After": str(wait)})(scope, receive, send)
            return
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1
            self._answered.append(time.monotonic())

    def _wait_s(self) -> int:
        if len(self._answered) < 2:
            return 1
        pace = (time.monotonic() - self._answered[0]) / len(self._answered)
        return min(max(math.ceil(pace * self._limit / 2), 1), _LONGEST_S)
