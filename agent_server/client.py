"""The sync client of a policy server. One request, one answer: it never asks twice.

Every failure is one of two errors. `PolicyRejected`: the server says that this request is wrong; asking again gives the
same. `PolicyUnavailable`: no decision came (refused, cut, too slow, 5xx, or an answer that is not a policy server's);
whoever owns retries may try again. Connections are kept between calls; a client that is carried into a forked process
opens its own there.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from agent_server.errors import PolicyRejected, PolicyUnavailable
from agent_server.schemas import ActRequest, ActResponse, HistoryTurn, ModelCard, ModelList, Sampling

_KEEPALIVE_S = 30.0
"""A phone's steps are seconds apart. Below the 75 s after which our server and most proxies hang up."""

_Answer = TypeVar("_Answer", bound=BaseModel)
_Files = Sequence[tuple[str, tuple[str | None, bytes, str]]]


class PolicyClient:
    """Calls one policy server. For use from one thread at a time."""

    def __init__(
        self, url: str, token: str | None = None, timeout_s: float = 120.0, *, connect_timeout_s: float = 5.0
    ) -> None:
        """`url` is the server's root, for instance http://127.0.0.1:8100. Raises ValueError for anything else."""
        if not _is_root(url):
            raise ValueError(f"{url!r} is not the URL of a policy server; write for instance http://127.0.0.1:8100")
        self.url = url.rstrip("/").removesuffix("/act")
        self.timeout_s = timeout_s
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._timeout = httpx.Timeout(timeout_s, connect=min(connect_timeout_s, timeout_s))
        self._http: httpx.Client | None = None
        self._process = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; the client may be used again."""
        if self._http is not None and self._process == os.getpid():
            self._http.close()
        self._http = None

    def act(
        self,
        goal: str,
        screenshot: bytes,
        history: Sequence[HistoryTurn] = (),
        *,
        ui_tree: str | None = None,
        app: str | None = None,
        model: str | None = None,
        session: str | None = None,
        sampling: Sampling | None = None,
        return_tokens: bool = False,
        history_screenshots: Mapping[int, bytes] | None = None,
    ) -> ActResponse:
        """Ask for one action on a PNG, JPEG or WebP.

        `history_screenshots` are the pictures of earlier turns by their position in `history`, sent as they are.
        Raises PolicyRejected, also for what cannot even be sent, and PolicyUnavailable.
        """
        try:
            request = ActRequest(
                goal=goal,
                history=list(history),
                ui_tree=ui_tree,
                app=app,
                model=model,
                session=session,
                sampling=sampling or Sampling(),
                return_tokens=return_tokens,
            )
        except ValidationError as error:
            raise PolicyRejected(f"the request cannot be sent: {_first(error)}", status=422) from error
        body = request.model_dump_json(exclude_none=True).encode()
        files = [("request", (None, body, "application/json")), ("screenshot", _file("screenshot", screenshot))]
        for index, picture in (history_screenshots or {}).items():
            files.append((f"history[{index}].screenshot", _file(str(index), picture)))
        return self._ask("POST", "/act", ActResponse, files)

    def models(self) -> list[ModelCard]:
        """What the server serves. Raises like `act`."""
        return self._ask("GET", "/v1/models", ModelList).data

    def ready(self) -> None:
        """Return when the server can decide; raises PolicyUnavailable with its reason when it cannot."""
        self._exchange("GET", "/readyz", None)

    def _ask(self, method: str, path: str, kind: type[_Answer], files: _Files | None = None) -> _Answer:
        content = self._exchange(method, path, files)
        try:
            return kind.model_validate_json(content)
        except ValidationError as error:
            what = f"is not a policy server's: {_excerpt(content)}"
            raise PolicyUnavailable(f"the answer of {self.url}{path} {what} ({_first(error)})") from error

    def _exchange(self, method: str, path: str, files: _Files | None) -> bytes:
        """The body of a 200."""
        url, deadline = f"{self.url}{path}", time.monotonic() + self.timeout_s
        try:
            with self._client().stream(method, url, files=files, headers=self._headers) as response:
                content = _read(response, deadline)
        except (TimeoutError, httpx.TimeoutException) as error:
            kind = "no connection" if isinstance(error, httpx.ConnectTimeout) else "no answer"
            raise PolicyUnavailable(f"{kind} from {url} within {self.timeout_s:g} s") from error
        except httpx.ConnectError as error:
            raise PolicyUnavailable(f"cannot connect to {url}: {error}") from error
        except httpx.HTTPError as error:
            raise PolicyUnavailable(f"the connection to {url} broke: {error or type(error).__name__}") from error
        if response.status_code == 200:
            return content
        detail = f"{url} answered {response.status_code}: {_detail(content)}"
        if 400 <= response.status_code < 500:
            raise PolicyRejected(detail, status=response.status_code)
        raise PolicyUnavailable(detail)

    def _client(self) -> httpx.Client:
        if self._http is None or self._process != os.getpid():
            self._process = os.getpid()
            limits = httpx.Limits(max_connections=4, keepalive_expiry=_KEEPALIVE_S)
            # Loading the trusted certificates takes a tenth of a second: only where they are needed.
            verify = self.url.startswith("https:")
            self._http = httpx.Client(timeout=self._timeout, limits=limits, trust_env=False, verify=verify)
        return self._http


def _is_root(url: str) -> bool:
    """Whether requests can be sent below this URL."""
    try:
        parsed = httpx.URL(url)
        host = parsed.host.encode("idna")
    except (httpx.InvalidURL, UnicodeError):
        return False
    return parsed.scheme in ("http", "https") and bool(host) and (parsed.port or 80) < 65536 and not parsed.query


def _file(name: str, data: bytes) -> tuple[str, bytes, str]:
    """A file part without a claim about its type: the server looks at the bytes."""
    return name, data, "application/octet-stream"


def _read(response: httpx.Response, deadline: float) -> bytes:
    """The body. Raises TimeoutError where it trickles in until the deadline."""
    chunks = []
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(chunks)


def _detail(content: bytes) -> str:
    """What a problem document says, or the start of whatever else came."""
    try:
        problem = json.loads(content)
    except ValueError:
        return _excerpt(content)
    detail = problem.get("detail") if isinstance(problem, dict) else None
    return detail if isinstance(detail, str) else _excerpt(content)


def _excerpt(content: bytes) -> str:
    return " ".join(content[:300].decode("utf-8", "replace").split()) or "an empty body"


def _first(error: ValidationError) -> str:
    entry = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, entry['loc'])) or 'body'}: {entry['msg']}"
