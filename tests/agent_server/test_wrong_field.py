"""What callers read about a field that is wrong."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from agent_server.schemas import ActRequest, JudgeRequest
from agent_server.schemas.weights import LoadWeights
from agent_server.wrong_field import explained

KINDS = "'click', 'double_click', 'long_press', 'drag', 'scroll', 'type', 'press', 'open_app', 'wait', 'answer', 'call_user', 'finished'"  # noqa: E501


def said(kind, body) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate_json(body if isinstance(body, bytes) else json.dumps(body))
    return {".".join(map(str, entry["loc"])): explained(entry) for entry in caught.value.errors()}


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"goal": 7}, {"goal": "must be a text, got 7"}),
        ({"goal": ""}, {"goal": "must be a text of at least 1 characters, got ''"}),
        ({"goal": "  "}, {"": "the goal is blank"}),
        ({"colour": 1}, {"colour": "not a field here; leave it out"}),
        ({"history": 5}, {"history": "must be an array, got 5"}),
        ({"history": [{}] * 1001}, {"history": "must be at most 1000 items, got 1001 items"}),
        ({"history": ["x"]}, {"history.0": "must be an object, got 'x'"}),
        ({"history": [{"step": -1}]}, {"history.0.step": "must be at least 0, got -1"}),
        ({"history": [{"step": 1.5}]}, {"history.0.step": "must be a whole number, got 1.5"}),
        (
            {"history": [{"step": 1}, {"step": 0}]},
            {"": "history is out of order: step 0 follows step 1; send it oldest first"},
        ),
        (
            {"history": [{"action": {"type": "fly"}}]},
            {"history.0.action": f"must have as type one of {KINDS}, got 'fly'"},
        ),
        ({"history": [{"action": {}}]}, {"history.0.action": "must have a type, got {}"}),
        (
            {"history": [{"action": {"type": "click", "point": 5}}]},
            {"history.0.action.click.point": "must be an array, got 5"},
        ),
        (
            {"history": [{"screenshot_sha256": "z"}]},
            {"history.0.screenshot_sha256": "must be a text of the form ^[0-9a-f]{64}$, got 'z'"},
        ),
        ({"sampling": {"temperature": 9}}, {"sampling.temperature": "must be at most 5, got 9"}),
        ({"sampling": {"top_p": 0}}, {"sampling.top_p": "must be above 0, got 0"}),
        ({"sampling": {"n": "a"}}, {"sampling.n": "must be a whole number, got 'a'"}),
        ({"sampling": {"constrained": "x"}}, {"sampling.constrained": "must be true or false, got 'x'"}),
        ({"sampling": {"temperature": "hot"}}, {"sampling.temperature": "must be a number, got 'hot'"}),
    ],
)
def test_fields_of_a_request(field, words):
    assert said(ActRequest, {"goal": "g", **field}) == words


def test_bodies():
    assert said(ActRequest, {}) == {"goal": "missing; send it"}
    assert said(ActRequest, []) == {"": "must be an object, got []"}
    assert said(ActRequest, b"{") == {"": "Invalid JSON: EOF while parsing an object at line 1 column 1"}


def test_closed_sets():
    assert said(JudgeRequest, {"goal": "g", "select": "x"}) == {"select": "must be 'all' or 'auto', got 'x'"}
    assert said(LoadWeights, {"revision": "r", "path": "/x", "kind": "zz"}) == {
        "kind": "must be 'lora' or 'checkpoint', got 'zz'"
    }


def test_long_values_are_not_repeated():
    (words,) = said(ActRequest, {"goal": "g", "sampling": {"n": "x" * 10_000}}).values()
    assert words == f"must be a whole number, got '{'x' * 60}'… (10000 characters)"
    deep = json.loads('{"a":' * 50 + "[]" + "}" * 50)
    wide = {str(n): ["x" * 1_000] * 8 for n in range(20)}
    for huge in (deep, wide, [wide] * 8, -(10**4000)):
        (words,) = said(ActRequest, {"goal": "g", "app": huge}).values()
        assert words.startswith("must be a text, got ")
        assert len(words) < 200


def test_nothing_speaks_of_pydantic():
    wrong = {"goal": 1, "sampling": {"n": 0, "top_k": []}, "history": [3, {"action": {"type": "x"}}], "app": {}, "y": 1}
    for words in said(ActRequest, wrong).values():
        assert not {"Input", "tag", "inputs", "should"} & set(words.split())
