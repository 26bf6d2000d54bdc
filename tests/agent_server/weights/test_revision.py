from __future__ import annotations

import pytest

from agent_server.errors import InvalidRequest
from agent_server.weights.revision import Revision, check_name


def test_an_adapter_is_asked_for_by_name_and_stands_on_full_weights():
    base = Revision("base")
    adapter = Revision("lora", "step-1", "/a", base)
    assert (adapter.served_name, adapter.root) == ("step-1", base)
    checkpoint = Revision("checkpoint", "step-2", "/b")
    assert (checkpoint.served_name, checkpoint.root) == (None, checkpoint)
    assert base.root is base


def test_two_loads_are_never_the_same_revision():
    assert Revision("checkpoint", "a", "/a") != Revision("checkpoint", "a", "/a")


@pytest.mark.parametrize("name", ["step-120", "a", "2026-11-30T10:00@main", "run_1+2=3.final", "x" * 200])
def test_names(name):
    check_name(name)


@pytest.mark.parametrize("name", ["", "-x", ".x", "a b", "a/b", "a\n", "é", "x" * 201])
def test_no_names(name):
    with pytest.raises(InvalidRequest, match="no name of a revision"):
        check_name(name)
