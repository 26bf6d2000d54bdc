from __future__ import annotations

import pytest

from agent_server.errors import InvalidRequest
from agent_server.launcher.passed import Passed


@pytest.mark.parametrize(
    ("tokens", "name", "value"),
    [
        (["--max-model-len", "4096"], "max-model-len", "4096"),
        (["--max_model_len=4096"], "max-model-len", "4096"),
        (["-tp", "2"], "tensor-parallel-size", "2"),
        (["--no-enable-prefix-caching"], "enable-prefix-caching", None),
        (["--enforce-eager", "--port", "1"], "enforce-eager", None),
        (["--limit-mm-per-prompt.image", "3"], "limit-mm-per-prompt", "3"),
        (["--served-model-name", "a", "b"], "served-model-name", "a"),
        (["--seed=-1"], "seed", "-1"),
    ],
)
def test_however_a_flag_is_written(tokens, name, value):
    passed = Passed(tokens)
    assert name in passed
    assert passed.value(name) == value
    assert passed.tokens == tuple(tokens)


def test_what_was_not_given():
    passed = Passed(["--port", "1"])
    assert "host" not in passed
    assert passed.value("host") is None
    assert passed.number("host") is None
    assert passed.number("port") == 1
    with pytest.raises(InvalidRequest, match="--port x after -- is not a whole number"):
        Passed(["--port", "x"]).number("port")


def test_only_flags():
    with pytest.raises(InvalidRequest, match="unexpected argument 'model'; only flags for vLLM are taken, after --"):
        Passed(["model", "--x"])
