from __future__ import annotations

import json

import orjson
import pytest

from agent_server.completion import read_completion
from agent_server.errors import BackendReply
from agent_server.schemas import Tokens, Usage


def body(*choices: dict, **rest: object) -> bytes:
    return json.dumps({"choices": list(choices), **rest}).encode()


def choice(content: object = "hi", **rest: object) -> dict:
    return {"message": {"role": "assistant", "content": content}, "finish_reason": "stop", **rest}


def test_text_finish_reason_and_usage():
    usage = {"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 8}}
    completion = read_completion(body(choice(), usage=usage), "http://b", "w1")
    assert [(c.text, c.finish_reason, c.tokens) for c in completion.choices] == [("hi", "stop", None)]
    assert completion.usage == Usage(prompt_tokens=10, completion_tokens=4, cached_tokens=8)
    assert (completion.url, completion.weights) == ("http://b", "w1")


@pytest.mark.parametrize(
    "usage", [None, [], {}, {"prompt_tokens": "many"}, {"prompt_tokens": None, "prompt_tokens_details": None}]
)
def test_usage_that_is_missing_counts_nothing(usage):
    assert read_completion(body(choice(), usage=usage), "u").usage == Usage()


def test_samples_come_in_the_order_of_their_index():
    completion = read_completion(body(choice("b", index=1), choice("a", index=0)), "u")
    assert [c.text for c in completion.choices] == ["a", "b"]


def test_fewer_samples_than_were_asked_for_are_an_error_that_names_both_numbers():
    two = body(choice("a", index=0), choice("b", index=1))
    assert len(read_completion(two, "u", samples=2).choices) == 2
    with pytest.raises(BackendReply, match=r"http://b answered with 2 choices where 5 were asked for \(n=5\)"):
        read_completion(two, "http://b", samples=5)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_that_the_server_took_out(name):
    message = {"content": "go", name: "why"}
    assert read_completion(body({"message": message}), "u").choices[0].reasoning == "why"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], "ab"),
        (17, ""),
        ("", ""),
    ],
)
def test_content_that_is_not_a_string(content, text):
    assert read_completion(body(choice(content)), "u").choices[0].text == text


def test_tokens_when_asked_for():
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": 0}]}
    answer = body(choice(token_ids=[5, 6], logprobs=logprobs), prompt_token_ids=[1, 2, 3])
    tokens = read_completion(answer, "u", with_tokens=True).choices[0].tokens
    assert tokens == Tokens(prompt_ids=[1, 2, 3], response_ids=[5, 6], logprobs=[-0.5, 0.0])
    assert read_completion(answer, "u").choices[0].tokens is None


@pytest.mark.parametrize(
    "rest",
    [{}, {"logprobs": None, "token_ids": None}, {"logprobs": {"content": [{"logprob": "x"}]}, "token_ids": ["1"]}],
)
def test_tokens_that_a_server_does_not_tell(rest):
    tokens = read_completion(body(choice(**rest)), "u", with_tokens=True).choices[0].tokens
    assert tokens == Tokens()


def test_tokens_that_do_not_pair_up_are_no_answer():
    answer = body(choice(token_ids=[5, 6], logprobs={"content": [{"token": "a", "logprob": -0.5}]}))
    with pytest.raises(BackendReply, match="http://b answered with 2 token ids and 1 log-probabilities"):
        read_completion(answer, "http://b", with_tokens=True)
    assert read_completion(answer, "http://b").choices[0].tokens is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<html>", "not JSON: <html>"),
        (b"", "not JSON"),
        (b"[]", "without choices"),
        (b'{"choices": []}', "without choices"),
        (b'{"choices": {}}', "without choices"),
        (b'{"choices": [7]}', "no message"),
        (b'{"choices": [{"message": null}]}', "no message"),
    ],
)
def test_answers_that_are_no_completion(content, words):
    with pytest.raises(BackendReply, match=words):
        read_completion(content, "http://b")


def test_tool_calls_that_the_server_took_out_are_put_back():
    calls = [
        {"type": "function", "function": {"name": "click", "arguments": '{"x": 1}'}},
        {"type": "function", "function": {"name": "wait", "arguments": "{not json"}},
    ]
    body = {"choices": [{"message": {"content": "I click.", "tool_calls": calls}}]}
    text = read_completion(orjson.dumps(body), "u").choices[0].text
    assert text == (
        'I click.\n<tool_call>\n{"name":"click","arguments":{"x":1}}\n</tool_call>'
        '\n<tool_call>\n{"name": "wait", "arguments": {not json}\n</tool_call>'
    )
