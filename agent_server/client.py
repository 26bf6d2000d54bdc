"""The sync client of a policy server. One request, one answer: it never asks twice for a decision.

Every failure is one of two errors. `PolicyRejected`: the server says that this request is wrong; asking again gives the
same. `PolicyUnavailable`: no decision came (refused, cut, too slow, 5xx, or an answer that is not a policy server's);
whoever owns retries may try again. Connections are kept between calls; a client that is carried into a forked process
opens its own there. A server that is too busy to look at a request (429) has decided nothing: it is asked again when it
says, until the time is up.

A screenshot goes over the wire once: where a later history shows it again, its digest stands for it. A server that does
not hold it (any more) says so before anything is decided, and gets the same request again with every picture.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from agent_server.client_answer import detail_of, excerpt, first_mistake, problem_of, read_body, retry_after_s
from agent_server.errors import PolicyError, PolicyRejected, PolicyUnavailable
from agent_server.schemas import (
    MISSING_SCREENSHOTS,
    ActRequest,
    ActResponse,
    GroundRequest,
    GroundResponse,
    HistoryTurn,
    JudgeRequest,
    JudgeResponse,
    ModelCard,
    ModelList,
    Sampling,
    Wire,
)
from agent_server.schemas.weights import LoadWeights, WeightsLoaded, WeightsState
from agent_server.uploads import Uploads

SESSION_HEADER = "x-session-id"
_KEEPALIVE_S = 30.0
"""A phone's steps are seconds apart. Below the 75 s after which our server and most proxies hang up."""

_Answer = TypeVar("_Answer", bound=BaseModel)
_Files = Sequence[tuple[str, tuple[str | None, bytes, str]]]


class _Missing(PolicyRejected):
    """The server does not hold pictures that were named by their digest."""


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
        self._uploads = Uploads()

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

        `history_screenshots` are the pictures of earlier turns by their position in `history`. Of those that this
        client sent before, only digests go out, unless the server turns out not to hold them. Raises PolicyRejected,
        also for what cannot even be sent, and PolicyUnavailable.
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
            raise PolicyRejected(f"the request cannot be sent: {first_mistake(error)}", status=422) from error
        pictures = dict(history_screenshots or {})
        held = self._uploads.held({index: picture for index, picture in pictures.items() if index < len(history)})
        try:
            response = self._decide(request, screenshot, pictures, held)
        except _Missing:
            if not held:
                raise
            self._uploads.note_miss()
            response = self._decide(request, screenshot, pictures, {})
        self._uploads.note([*pictures.values(), screenshot])
        return response

    def _decide(
        self, request: ActRequest, screenshot: bytes, pictures: Mapping[int, bytes], held: Mapping[int, str]
    ) -> ActResponse:
        """One request; turns in `held` name their picture by its digest, the others bring theirs."""
        turns = list(request.history)
        for index, digest in held.items():
            turns[index] = turns[index].model_copy(update={"screenshot_sha256": digest})
        files = [
            _request(request.model_copy(update={"history": turns})),
            ("screenshot", _file("screenshot", screenshot)),
        ]
        for index, picture in pictures.items():
            if index not in held:
                files.append((f"history[{index}].screenshot", _file(str(index), picture)))
        return self._ask("POST", "/act", ActResponse, files, request.session)

    def ground(
        self,
        element: str,
        screenshot: bytes,
        *,
        model: str | None = None,
        session: str | None = None,
        sampling: Sampling | None = None,
    ) -> GroundResponse:
        """Ask where on a PNG, JPEG or WebP the described element is. Raises like `act`."""
        try:
            request = GroundRequest(element=element, model=model, session=session, sampling=sampling or Sampling())
        except ValidationError as error:
            raise PolicyRejected(f"the request cannot be sent: {first_mistake(error)}", status=422) from error
        files = [_request(request), ("screenshot", _file("screenshot", screenshot))]
        return self._ask("POST", "/ground", GroundResponse, files, session)

    def judge(self, request: JudgeRequest, frames: Mapping[int, bytes]) -> JudgeResponse:
        """Ask how well an episode was done.

        `frames` are PNG, JPEG or WebP by the index of the step that saw them; they go out in place of `request.frames`.
        Raises like `act`.
        """
        files = [_request(request.model_copy(update={"frames": {}}))]
        files += [(f"frame[{index}]", _file(str(index), picture)) for index, picture in sorted(frames.items())]
        return self._ask("POST", "/judge", JudgeResponse, files, request.session)

    def models(self) -> list[ModelCard]:
        """What the server serves. Raises like `act`."""
        return self._ask("GET", "/v1/models", ModelList).data

    def ready(self) -> None:
        """Return when the server can decide; raises PolicyUnavailable with its reason when it cannot."""
        self._exchange("GET", "/readyz", None)

    def end_session(self, session: str) -> None:
        """Say that an episode is over, so that nothing is kept for it. Raises like `act`."""
        self._exchange("DELETE", f"/sessions/{quote(session)}", None, session)

    def weights(self) -> WeightsState:
        """Which weights are served; takes an administrator's token. Raises like `act`."""
        return self._ask("GET", "/admin/weights", WeightsState)

    def load_weights(self, order: LoadWeights) -> WeightsLoaded:
        """Have other weights served; returns when they are, which can take as long as sessions keep to the old ones.

        Takes an administrator's token. Raises like `act`.
        """
        return self._ask("POST", "/admin/weights", WeightsLoaded, content=order.model_dump_json().encode())

    def _ask(
        self,
        method: str,
        path: str,
        kind: type[_Answer],
        files: _Files | None = None,
        session: str | None = None,
        content: bytes | None = None,
    ) -> _Answer:
        answer = self._exchange(method, path, files, session, content)
        try:
            return kind.model_validate_json(answer)
        except ValidationError as error:
            what = f"is not a policy server's: {excerpt(answer)}"
            raise PolicyUnavailable(f"the answer of {self.url}{path} {what} ({first_mistake(error)})") from error

    def _exchange(
        self, method: str, path: str, files: _Files | None, session: str | None = None, body: bytes | None = None
    ) -> bytes:
        """The body of a 200 or 204. A balancer in between may keep a session together by the header `x-session-id`.

        A server that is too busy to look at a request is asked again when it says, as long as there is time.
        """
        url, deadline = f"{self.url}{path}", time.monotonic() + self.timeout_s
        headers = self._headers if session is None else {**self._headers, SESSION_HEADER: quote(session)}
        while True:
            response, content = self._once(method, url, files, body, headers, deadline)
            if response.status_code in (200, 204):
                return content
            detail = f"{url} answered {response.status_code}: {detail_of(content)}"
            if response.status_code != 429:
                raise _failure(response.status_code, content, detail)
            wait_s = retry_after_s(response)
            if time.monotonic() + wait_s >= deadline:
                raise PolicyUnavailable(f"{detail} (no answer within {self.timeout_s:g} s)")
            time.sleep(wait_s)

    def _once(
        self, method: str, url: str, files: _Files | None, body: bytes | None, headers: dict[str, str], deadline: float
    ) -> tuple[httpx.Response, bytes]:
        """One request and what came back. Raises PolicyUnavailable where nothing did by the deadline."""
        try:
            with self._client().stream(method, url, files=files, content=body, headers=headers) as response:
                return response, read_body(response, deadline)
        except (TimeoutError, httpx.TimeoutException) as error:
            kind = "no connection" if isinstance(error, httpx.ConnectTimeout) else "no answer"
            raise PolicyUnavailable(f"{kind} from {url} within {self.timeout_s:g} s") from error
        except httpx.ConnectError as error:
            raise PolicyUnavailable(f"cannot connect to {url}: {error}") from error
        except httpx.HTTPError as error:
            raise PolicyUnavailable(f"the connection to {url} broke: {error or type(error).__name__}") from error

    def _client(self) -> httpx.Client:
        if self._http is None or self._process != os.getpid():
            self._process = os.getpid()
            limits = httpx.Limits(max_connections=4, keepalive_expiry=_KEEPALIVE_S)
            # Loading the trusted certificates takes a tenth of a second: only where they are needed.
            verify = self.url.startswith("https:")
            self._http = httpx.Client(timeout=self._timeout, limits=limits, trust_env=False, verify=verify)
        return self._http


def _failure(status: int, content: bytes, detail: str) -> PolicyError:
    """What an answer other than 200, 204 and 429 means for the caller."""
    if status == 409 and problem_of(content).get("type") == MISSING_SCREENSHOTS:
        return _Missing(detail, status=409)
    if 400 <= status < 500 and status != 408:
        return PolicyRejected(detail, status=status)
    return PolicyUnavailable(detail)


def _is_root(url: str) -> bool:
    """Whether requests can be sent below this URL."""
    try:
        parsed = httpx.URL(url)
        host = parsed.host.encode("idna")
    except (httpx.InvalidURL, UnicodeError):
        return False
    return parsed.scheme in ("http", "https") and bool(host) and (parsed.port or 80) < 65536 and not parsed.query


def _request(request: Wire) -> tuple[str, tuple[str | None, bytes, str]]:
    """The part with the request's JSON."""
    return "request", (None, request.model_dump_json(exclude_none=True).encode(), "application/json")


def _file(name: str, data: bytes) -> tuple[str, bytes, str]:
    """A file part without a claim about its type: the server looks at the bytes."""
    return name, data, "application/octet-stream"
