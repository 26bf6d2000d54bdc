"""The body of a chat completion, read once into values. Untrusted: every field is checked for its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from agent_server.errors import BackendReply
from agent_server.schemas import Tokens, Usage, WeightsPolicy


@dataclass(frozen=True)
class Choice:
    """One sample."""

    text: str
    reasoning: str | None = None
    """What the server's reasoning parser took out of the text."""
    finish_reason: str | None = None
    tokens: Tokens | None = None


@dataclass(frozen=True)
class Completion:
    """All samples of one request, in order; never empty."""

    choices: tuple[Choice, ...]
    usage: Usage
    url: str
    weights: str | None = None
    weights_policy: WeightsPolicy | None = None


def read_completion(
    content: bytes, url: str, weights: str | None = None, with_tokens: bool = False, *, samples: int = 1
) -> Completion:
    """Read a `/v1/chat/completions` answer.

    Raises BackendReply for anything else, and for fewer than the `samples` that were asked for: shares, votes and
    groups over them would be wrong.
    """
    try:
        body = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BackendReply(f"{url} answered with something that is not JSON: {_excerpt(content)}") from error
    if not isinstance(body, dict) or not isinstance(body.get("choices"), list) or not body["choices"]:
        raise BackendReply(f"{url} answered without choices: {_excerpt(content)}")
    if (told := len(body["choices"])) < samples:
        raise BackendReply(f"{url} answered with {told} choices where {samples} were asked for (n={samples})")
    prompt_ids = _list_of(int, body.get("prompt_token_ids")) if with_tokens else None
    choices = []
    for choice in sorted(body["choices"], key=_index):
        if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
            raise BackendReply(f"{url} answered with a choice that has no message: {_excerpt(content)}")
        choices.append(_choice(choice, _tokens(choice, prompt_ids, url) if with_tokens else None))
    return Completion(tuple(choices), _usage(body.get("usage")), url, weights)


def _index(choice: object) -> int:
    index = choice.get("index") if isinstance(choice, dict) else None
    return index if isinstance(index, int) else 0


def _choice(choice: Mapping[str, object], tokens: Tokens | None) -> Choice:
    message = choice["message"]
    assert isinstance(message, dict)
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    reason = choice.get("finish_reason")
    return Choice(
        text=_text(message.get("content")) + _called(message.get("tool_calls")),
        reasoning=reasoning if isinstance(reasoning, str) else None,
        finish_reason=reason if isinstance(reason, str) else None,
        tokens=tokens,
    )


def _tokens(choice: Mapping[str, object], prompt_ids: list[int] | None, url: str) -> Tokens:
    """What the server tells of a sample's tokens. Raises BackendReply where ids and log-probabilities do not pair."""
    ids, logprobs = _list_of(int, choice.get("token_ids")), _logprobs(choice.get("logprobs"))
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        raise BackendReply(f"{url} answered with {len(ids)} token ids and {len(logprobs)} log-probabilities of them")
    return Tokens(prompt_ids=prompt_ids, response_ids=ids, logprobs=logprobs)


def _text(content: object) -> str:
    """Message content: a string, null, or a list of text parts."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _called(calls: object) -> str:
    """Tool calls that the server's own parser took out of the text, written again the way models write them."""
    if not isinstance(calls, list):
        return ""
    functions = [
        call["function"] for call in calls if isinstance(call, dict) and isinstance(call.get("function"), dict)
    ]
    return "".join(f"\n<tool_call>\n{_call(function)}\n</tool_call>" for function in functions)


def _call(function: Mapping[str, object]) -> str:
    """One call as JSON; arguments that are not JSON stay the text that they are."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return f'{{"name": {orjson.dumps(str(function.get("name"))).decode()}, "arguments": {arguments}}}'
    return orjson.dumps({"name": function.get("name"), "arguments": arguments}).decode()


def _logprobs(value: object) -> list[float] | None:
    entries = value.get("content") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return None
    found = [entry.get("logprob") for entry in entries if isinstance(entry, dict)]
    numbers = [float(number) for number in found if isinstance(number, int | float)]
    return numbers if len(numbers) == len(entries) else None


def _list_of(kind: type[int], value: object) -> list[int] | None:
    return value if isinstance(value, list) and all(isinstance(item, kind) for item in value) else None


def _usage(value: object) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    details = value.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=_count(value.get("prompt_tokens")),
        completion_tokens=_count(value.get("completion_tokens")),
        cached_tokens=_cached(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _cached(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _excerpt(content: bytes) -> str:
    return content[:300].decode("utf-8", "replace")
