"""The model server: any OpenAI-compatible `/v1/chat/completions`, vLLM first, over one or several base URLs.

Which URL: requests of one session go to the same one, by rendezvous hashing, because there the trajectory's prefix is
cached; requests without a session go where the fewest are open. A URL that cannot be reached is left alone for a while.

What is tried again: a request that found nobody (connection refused, or cut before any byte of an answer) goes to the
next URL, once to each. A request that a model may be working on is never sent twice: a timeout or a wrong answer is an
error at once. Whoever wants retries makes them above.

Where somebody watches over the servers (`agent_server.launcher` over those that it started), a URL whose server is not
up is not asked, and an answer that broke off because its server died is told as that.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

import orjson

from agent_server.chat_request import ChatRequest
from agent_server.completion import Completion, read_completion
from agent_server.errors import (
    BackendError,
    BackendRejected,
    BackendReply,
    BackendUnavailable,
    BackendUnreachable,
    ModelNotServed,
)
from agent_server.http_client import BrokenAnswer, HttpClient, HttpResponse, NoAnswer
from agent_server.off_loop import BYTES_MOVED, off_loop
from agent_server.replica import Replica
from agent_server.schemas import WeightsPolicy
from agent_server.weights.revision import Revision

_REFUSALS = (400, 413, 422)
_BUSY = (408, 429, 502, 503, 504)
_STRUCTURED_BYTES = 16 * 1024
"""Of a completion; log-probabilities are small objects, which cost more a byte than text does."""


@dataclass(frozen=True)
class BackendTimeouts:
    connect_s: float = 5.0
    total_s: float = 120.0
    """From sending the request to the last byte of the answer."""
    probe_s: float = 5.0
    """For `/v1/models`, which tells whether a backend is ready."""
    cool_down_s: float = 10.0
    """How long an unreachable URL is tried last."""


class Watch(Protocol):
    """Who knows how the servers behind the URLs are."""

    def refusal(self, url: str) -> str | None:
        """Why nobody should ask this URL now ("the model server is starting (42 s)"); None where one may."""
        ...

    async def fate(self, url: str) -> str | None:
        """Why a server that just failed a request is lost; None where it goes on. May wait a little to see."""
        ...


class Served(Protocol):
    """What answers one request."""

    @property
    def revision(self) -> Revision: ...

    @property
    def policy(self) -> WeightsPolicy: ...


class ChatBackend:
    """A pooled client of one model under several base URLs. For use from one event loop."""

    def __init__(
        self,
        urls: Sequence[str],
        model: str,
        *,
        token: str | None = None,
        timeouts: BackendTimeouts | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`urls` with or without `/v1`; `model` is the name that the backend serves. Raises ValueError."""
        if not urls:
            raise ValueError("at least one backend URL is needed")
        self.model = model
        self.timeouts = timeouts or BackendTimeouts()
        self._watch = watch
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        bases = dict.fromkeys(base_url(url) for url in urls)
        self.headers = headers
        self.base = self.current = Revision("base")
        """What the servers were started with, and the weights that new sessions get."""
        self.replicas = [Replica(base, HttpClient(base, headers), self.base) for base in bases]
        self.choose: Callable[[str | None], AbstractAsyncContextManager[Served]] | None = None
        """Chooses the weights for a request of a session, where they can change; see `agent_server.weights`."""
        self._turn = itertools.count()

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(replica.url for replica in self.replicas)

    @property
    def weights(self) -> str | None:
        """The revision that new sessions get; None before any URL told the name of what it was started with."""
        told = (replica.weights for replica in self.replicas if replica.serves(self.current) and replica.weights)
        return self.current.name or next(told, None)

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask once for the completion that `request` describes.

        Raises BackendUnavailable where no URL answers or none in time, BackendRejected where the model server says that
        the request cannot be served, BackendReply for any other answer.
        """
        if self.choose is None or request.revision is not None:
            kept: WeightsPolicy = "step" if request.session is None else "pinned"
            return replace(await self._complete(request), weights_policy=kept)
        async with self.choose(request.session) as served:
            completion = await self._complete(replace(request, revision=served.revision))
            return replace(completion, weights_policy=served.policy)

    async def _complete(self, request: ChatRequest) -> Completion:
        body = await off_loop(request.image_characters > BYTES_MOVED, orjson.dumps, self._body(request))
        failures: list[str] = []
        for replica in self._order(request):
            if refusal := self._refusal(replica):
                replica.asked = False
                failures.append(f"{replica.url}: {refusal}")
                continue
            try:
                completion = await self._complete_at(replica, request, body)
                if completion is not None:
                    return completion
            except NoAnswer as failure:
                replica.down_until = time.monotonic() + self.timeouts.cool_down_s
                replica.asked = False
                failures.append(f"{replica.url}: {await self._fate(replica) or failure}")
            except BackendReply as error:
                fate = await self._fate(replica)
                if fate is None:
                    raise
                raise BackendUnavailable(f"{replica.url}: {fate}") from error
        said = "; ".join(failures) or f"none serves {request.revision}"
        raise BackendUnavailable(f"no backend can be reached for {self.model!r}: {said}")

    async def ready(self) -> None:
        """Return as soon as one URL says that it serves the model.

        Raises BackendUnavailable with each URL's reason when none does.
        """
        probes = {asyncio.create_task(self._probe(replica)): replica for replica in self.replicas}
        pending, failures = set(probes), []
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                errors = {probe: probe.exception() for probe in done}
                if None in errors.values():
                    return
                failures += [f"{probes[probe].url}: {error}" for probe, error in errors.items()]
        finally:
            for probe in pending:
                probe.cancel()
        raise BackendUnavailable(f"no backend is ready for {self.model!r}: {'; '.join(failures)}")

    async def entry(self) -> Mapping[str, object]:
        """What `/v1/models` of the first URL says of the model: `max_model_len`, say.

        Raises BackendUnreachable where nobody is there, ModelNotServed, and other kinds of BackendError.
        """
        replica = self.replicas[0]
        try:
            return await self._probe(replica)
        except NoAnswer as failure:
            raise BackendUnreachable(f"{replica.url}: {failure}") from failure

    async def aclose(self) -> None:
        for replica in self.replicas:
            replica.client.close()

    def _refusal(self, replica: Replica) -> str | None:
        return self._watch.refusal(replica.url) if self._watch else None

    async def _fate(self, replica: Replica) -> str | None:
        return await self._watch.fate(replica.url) if self._watch else None

    def _body(self, request: ChatRequest) -> dict[str, object]:
        sampling = {name: value for name, value in request.sampling.items() if value is not None}
        body: dict[str, object] = {
            "model": (request.revision and request.revision.served_name) or self.model,
            "messages": request.messages,
            "stream": False,
            **sampling,
            **request.extras,
        }
        if request.return_tokens:
            body |= {"logprobs": True, "return_token_ids": True}
        return body

    def _order(self, request: ChatRequest) -> list[Replica]:
        """The replicas that may answer, the one to try first in front; those that were unreachable lately, and before
        those the ones whose weights are being replaced, come last."""
        now = time.monotonic()
        session = request.session
        if session is None:
            start = next(self._turn) % len(self.replicas)
            order = self.replicas[start:] + self.replicas[:start]
            order.sort(key=lambda replica: replica.outstanding)
        else:
            order = sorted(self.replicas, key=lambda replica: _score(session, replica.url))
        order = [replica for replica in order if replica.serves(request.revision)]
        order.sort(key=lambda replica: not replica.gate.is_open)
        return sorted(order, key=lambda replica: replica.down_until if replica.down_until > now else 0.0)

    async def _complete_at(self, replica: Replica, request: ChatRequest, body: bytes) -> Completion | None:
        """None where it got other weights while the request waited at its gate."""
        replica.outstanding += 1
        try:
            async with asyncio.timeout(self.timeouts.total_s), replica.gate.passed():
                if not replica.serves(request.revision):
                    return None
                if not replica.asked:
                    await self._ask_weights(replica)
                weights = (request.revision and request.revision.name) or replica.weights
                response = await self._send(replica, "POST", "/chat/completions", body, request.session_field)
        except TimeoutError as error:
            replica.down_until = time.monotonic() + self.timeouts.cool_down_s
            raise BackendUnavailable(
                f"{replica.url} took longer than {self.timeouts.total_s:g} s for {self.model!r}"
            ) from error
        finally:
            replica.outstanding -= 1
        replica.down_until = 0.0
        _check_status(response, replica.url)
        heavy = len(response.body) > _STRUCTURED_BYTES
        asked = request.sampling.get("n")
        read = partial(read_completion, samples=asked if isinstance(asked, int) else 1)
        return await off_loop(heavy, read, response.body, replica.url, weights, request.return_tokens)

    async def _send(
        self, replica: Replica, method: str, path: str, body: bytes = b"", fields: str = ""
    ) -> HttpResponse:
        """One exchange. Raises NoAnswer where no byte of an answer came, BackendReply where it broke off."""
        try:
            return await replica.client.request(method, path, body, self.timeouts.connect_s, fields)
        except BrokenAnswer as error:
            raise BackendReply(f"{replica.url}: {error}") from error

    async def _ask_weights(self, replica: Replica) -> None:
        """Learn the weights' revision, where the server tells; a server that does not is no fault."""
        try:
            await self._probe(replica)
        except BackendError:
            replica.asked = True

    async def _probe(self, replica: Replica) -> Mapping[str, object]:
        """Ask what it serves: the model's own entry. Raises BackendError and NoAnswer."""
        if refusal := self._refusal(replica):
            raise BackendUnavailable(refusal)
        try:
            async with asyncio.timeout(self.timeouts.probe_s):
                response = await self._send(replica, "GET", "/models")
        except TimeoutError as error:
            message = f"{replica.url}/models gave no answer in {self.timeouts.probe_s:g} s"
            raise BackendUnavailable(message) from error
        _check_status(response, replica.url)
        models = _models(response.body, replica.url)
        if self.model not in models:
            served = ", ".join(models) or "nothing"
            raise ModelNotServed(f"{replica.url} does not serve {self.model!r}; it serves {served}", models)
        entry = models[self.model]
        replica.started_with, replica.asked, replica.down_until = _revision(entry), True, 0.0
        return entry


def base_url(url: str) -> str:
    """The URL with `/v1` at its end, for what people write with and without. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is not a backend URL; write for instance http://127.0.0.1:8000/v1")
    stripped = url.rstrip("/")
    return stripped if stripped.endswith("/v1") else f"{stripped}/v1"


def _score(session: str, url: str) -> bytes:
    return hashlib.blake2b(f"{session}\0{url}".encode(), digest_size=8).digest()


def _check_status(response: HttpResponse, url: str) -> None:
    status = response.status
    if status == 200:
        return
    said = response.body[:500].decode("utf-8", "replace").strip() or "nothing more"
    if status in _REFUSALS:
        raise BackendRejected(f"{url} refused the request with {status}: {said}")
    if status in _BUSY:
        raise BackendUnavailable(f"{url} answered {status}: {said}")
    raise BackendReply(f"{url} answered {status}: {said}")


def _models(content: bytes, url: str) -> dict[str, Mapping[str, object]]:
    """The entries of the list by the names that are served."""
    try:
        entries = orjson.loads(content)["data"]
        return {entry["id"]: entry for entry in entries}
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise BackendReply(f"{url}/models is not a list of models: {content[:200]!r}") from error


def _revision(entry: Mapping[str, object]) -> str | None:
    """Of the weights: the checkpoint that vLLM calls `root`."""
    for name in ("revision", "root"):
        value = entry.get(name)
        if isinstance(value, str) and value:
            return value
    return None
