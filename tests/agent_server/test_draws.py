"""What a request says of sampling, and samples that could only repeat each other."""

from __future__ import annotations

import pytest

from agent_server.adapters import ADAPTERS
from agent_server.draws import drawn
from agent_server.errors import InvalidRequest
from agent_server.schemas import Sampling

VENUS = ADAPTERS["ui-venus-1.0"].declaration.sampling


def test_what_is_asked_goes_before_what_is_usual():
    asked = Sampling(temperature=0.5, n=4, seed=1, constrained=True)
    found = drawn(VENUS, asked, "ui-venus-1.0")
    assert found["temperature"] == 0.5
    assert found["repetition_penalty"] == 1.05
    assert found["n"] == 4
    assert "constrained" not in found


@pytest.mark.parametrize(
    ("asked", "whose"),
    [(Sampling(n=4), "that ui-venus-1.0 has by default"), (Sampling(n=4, temperature=0), "that is asked for")],
)
def test_samples_that_cannot_differ_are_refused(asked, whose):
    with pytest.raises(InvalidRequest, match=f"4 samples at temperature 0, {whose}, are 4 times the same"):
        drawn(VENUS, asked, "ui-venus-1.0")


def test_a_server_s_own_temperature_is_not_known():
    assert drawn({}, Sampling(n=4), "openai") == {"n": 4}
