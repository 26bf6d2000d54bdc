"""A model server without a model: speaks the wire of an OpenAI-compatible one and says what a script tells it to.

For tests and benchmarks of everything in front of a real one. An ASGI app, to be run by uvicorn; what it was asked is
kept in `requests`, so that a test can look at the very image and messages that a model would have seen.
"""

from __future__ import annotations

import asyncio
import binascii
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from starlette.types import Receive, Scope, Send

from agent_server.adapters import Processor
from agent_server.image_headers import read_header
from agent_server.processor import image_tokens
from agent_server.scripted_weights import ScriptedWeights

IMAGE_TOKEN = 1_000
"""The id of every image token in prompts that are counted."""


@dataclass(frozen=True)
class ScriptedReply:
    """One answer. `body`, where given, replaces the completion as it stands."""

    text: str | None = "Finished(content='')"
    reasoning: str | None = None
    finish_reason: str = "stop"
    status: int = 200
    body: bytes | None = None
    content_type: str = "application/json"
    cut_after: int | None = None
    """Promise the whole body, send this many bytes, hang up."""
    delay_s: float = 0.0


@dataclass(frozen=True)
class RecordedRequest:
    """One request to `/v1/chat/completions`."""

    headers: dict[str, str]
    body: dict[str, Any]

    def images(self) -> list[tuple[str, bytes]]:
        """Media type and bytes of every image, in the order in which the model sees them."""
        urls = [part["image_url"]["url"] for part in self._parts() if part["type"] == "image_url"]
        split = [url.removeprefix("data:").split(";base64,", 1) for url in urls]
        return [(media_type, binascii.a2b_base64(data)) for media_type, data in split]

    def text(self) -> str:
        """All text of all messages, a line between parts."""
        return "\n".join(part["text"] for part in self._parts() if part["type"] == "text")

    def _parts(self) -> Iterator[dict[str, Any]]:
        for message in self.body["messages"]:
            content = message["content"]
            yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


@dataclass(frozen=True)
class TokenCount:
    """Counts prompts like a model of the Qwen-VL line: a token for each word, what a processor makes of each image, and
    `marks` around it."""

    processor: Processor
    marks: int = 2

    def ids(self, request: RecordedRequest) -> list[int]:
        """The ids of a prompt: IMAGE_TOKEN for images."""
        ids = [min(len(word), 99) for word in request.text().split()] + [1]
        for _, data in request.images():
            ids += [0] * self.marks + [IMAGE_TOKEN] * image_tokens(self.processor, read_header(data).size)
        return ids


@dataclass
class ScriptedModel:
    """The app. `script` is asked for every reply; it sees the request's body."""

    script: Callable[[dict[str, Any]], ScriptedReply] = lambda body: ScriptedReply()
    model: str = "scripted"
    root: str | None = None
    """What `/v1/models` names as the checkpoint; None leaves it out."""
    record: bool = True
    counts: TokenCount | None = None
    """How prompts are counted; None gives every prompt the same number, and token ids to match."""
    max_model_len: int | None = None
    """What `/v1/models` says, and what longer prompts are refused by, where prompts are counted."""
    most_images: int | None = None
    """Prompts with more are refused, as vLLM's --limit-mm-per-prompt does."""
    logprobs_mode: Literal["raw", "processed"] = "raw"
    """What a token that `allowed_token_ids` forces is said to have had: a log-probability below 0, or 0."""
    weights: ScriptedWeights | None = None
    """Lets its weights be changed, as a vLLM that was started for that."""
    requests: list[RecordedRequest] = field(default_factory=list)
    connections: set[tuple[str, int]] = field(default_factory=set)
    """Every client address seen: how many connections were opened."""
    hung_up: int = 0
    """How many callers were gone before their reply was due."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        content = await _body(receive)
        self.connections.add(tuple(scope["client"]))
        if self.weights is not None and (known := await self.weights.answer(scope["method"], scope["path"], content)):
            await _answer(send, ScriptedReply(status=known[0]), known[1])
            return
        match scope["method"], scope["path"]:
            case "POST", "/v1/chat/completions":
                with self.weights.answering() if self.weights else nullcontext():
                    await self._complete(scope, content, receive, send)
            case "GET", "/v1/models":
                told = {"id": self.model, "root": self.root, "max_model_len": self.max_model_len, "object": "model"}
                entry = {name: value for name, value in told.items() if value is not None}
                adapters = self.weights.adapters if self.weights else {}
                entries = [{"id": name, "root": folder, "parent": self.model} for name, folder in adapters.items()]
                await _answer(send, ScriptedReply(), orjson.dumps({"object": "list", "data": [entry, *entries]}))
            case "GET", "/health":
                await _answer(send, ScriptedReply(), b"")
            case _:
                await _answer(send, ScriptedReply(status=404), b'{"detail":"Not Found"}')

    async def _complete(self, scope: Scope, content: bytes, receive: Receive, send: Send) -> None:
        body: dict[str, Any] = {}
        if self.record or self.counts or self.weights or self.most_images is not None:
            body = orjson.loads(content)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        request = RecordedRequest(headers, body)
        if self.record:
            self.requests.append(request)
        ids = self.counts.ids(request) if self.counts else None
        reply = self._refusal(request, ids) or self.script(body)
        if reply.delay_s and await _leaves_within(reply.delay_s, receive):
            self.hung_up += 1
            return
        await _answer(send, reply, reply.body if reply.body is not None else self._completion(reply, body, ids))

    def _refusal(self, request: RecordedRequest, ids: list[int] | None) -> ScriptedReply | None:
        asked = request.body.get("model", self.model)
        if self.weights is not None and asked != self.model and asked not in self.weights.adapters:
            return _refused(f"The model `{asked}` does not exist.", 404)
        if self.most_images is not None and len(request.images()) > self.most_images:
            return _refused(f"At most {self.most_images} image(s) may be provided in one prompt.")
        if ids is not None and self.max_model_len is not None and len(ids) > self.max_model_len:
            return _refused(f"The model's context length is {self.max_model_len} and the prompt has {len(ids)} tokens.")
        return None

    def _completion(self, reply: ScriptedReply, request: dict[str, Any], prompt: list[int] | None) -> bytes:
        message = {"role": "assistant", "content": reply.text, "reasoning_content": reply.reasoning}
        choice: dict[str, Any] = {"message": message, "finish_reason": reply.finish_reason}
        usage = {
            "prompt_tokens": 1200 if prompt is None else len(prompt),
            "completion_tokens": 40,
            "prompt_tokens_details": {"cached_tokens": 1024},
        }
        answer: dict[str, Any] = {"object": "chat.completion", "model": self.model, "usage": usage}
        ids, logprobs = [7, 8, 9], [-0.5, -0.25, 0.0]
        if forced := request.get("allowed_token_ids"):
            ids, logprobs = forced[:1], [-0.5 if self.logprobs_mode == "raw" else 0.0]
        if request.get("return_token_ids"):
            choice["token_ids"] = ids
            answer["prompt_token_ids"] = [1, 2, 3, 4] if prompt is None else prompt
        if request.get("logprobs"):
            choice["logprobs"] = {"content": [{"token": "t", "logprob": value} for value in logprobs]}
        answer["choices"] = [{**choice, "index": index} for index in range(request.get("n", 1))]
        return orjson.dumps(answer)


def _refused(message: str, status: int = 400) -> ScriptedReply:
    return ScriptedReply(status=status, body=orjson.dumps({"error": {"message": message, "code": status}}))


async def _leaves_within(seconds: float, receive: Receive) -> bool:
    """Wait; whether the caller hung up meanwhile."""
    try:
        async with asyncio.timeout(seconds):
            return bool((await receive())["type"] == "http.disconnect")
    except TimeoutError:
        return False


async def _body(receive: Receive) -> bytes:
    chunks = []
    while True:
        message = await receive()
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(chunks)


async def _answer(send: Send, reply: ScriptedReply, body: bytes) -> None:
    headers = [(b"content-type", reply.content_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if reply.cut_after is None:
        await send({"type": "http.response.body", "body": body})
        return
    await send({"type": "http.response.body", "body": body[: reply.cut_after], "more_body": True})
    raise ConnectionAbortedError("the script says to hang up here")
