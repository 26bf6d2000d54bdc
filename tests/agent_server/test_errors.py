from __future__ import annotations

import re

import pytest

from agent_server import errors
from agent_server.errors import (
    AgentServerError,
    BackendError,
    BackendRejected,
    BackendReply,
    BackendUnavailable,
    Inexpressible,
    InvalidImage,
    InvalidRequest,
    InvalidUiTree,
    MissingScreenshots,
    PolicyError,
    PolicyRejected,
    PolicyUnavailable,
    UnknownName,
)

CLASSES = {
    name: thing for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)
}


def drawn() -> dict[str, str]:
    """Child to parent, as the tree in the module's docstring shows them."""
    parents: dict[str, str] = {}
    line_of: dict[int, str] = {}
    for indent, name in re.findall(r"^ {4}([ │├└─]*)([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE):
        depth = len(indent) // 4
        line_of[depth] = name
        if depth:
            parents[name] = line_of[depth - 1]
    return parents


def test_the_tree_is_the_one_drawn():
    assert drawn() == {name: kind.__base__.__name__ for name, kind in CLASSES.items() if kind is not AgentServerError}
    assert AgentServerError.__base__ is Exception


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidRequest("x"), 422),
        (InvalidImage("x"), 422),
        (InvalidUiTree("x"), 422),
        (MissingScreenshots([1]), 409),
        (UnknownName("model", "x", []), 404),
        (BackendError("x"), 502),
        (BackendReply("x"), 502),
        (BackendUnavailable("x"), 503),
        (BackendRejected("x"), 422),
        (PolicyRejected("x", status=418), 418),
    ],
)
def test_statuses(error, status):
    assert error.status == status


def test_a_request_may_say_its_own_status_without_changing_the_others():
    assert InvalidImage("too large", status=413).status == 413
    assert InvalidImage("cut off").status == 422
    assert str(InvalidImage("too large", status=413)) == "too large"


def test_kinds_do_not_mix():
    assert not issubclass(BackendError, InvalidRequest)
    assert not issubclass(PolicyError, (InvalidRequest, BackendError))
    assert not issubclass(Inexpressible, InvalidRequest)
    assert not issubclass(PolicyUnavailable, PolicyRejected)


def test_an_unknown_name_lists_the_known_ones():
    error = UnknownName("adapter", "gpt", {"qwen3-vl": 1, "qwen2.5-vl": 2})
    assert str(error) == "unknown adapter 'gpt'; known: qwen2.5-vl, qwen3-vl"
    assert (error.name, error.known) == ("gpt", ("qwen2.5-vl", "qwen3-vl"))
    assert str(UnknownName("policy", "", ())) == "unknown policy ''; known: none"
