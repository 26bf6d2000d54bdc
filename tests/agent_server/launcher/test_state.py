from __future__ import annotations

import pytest

from agent_server.launcher.state import GivenUp, Lost, Starting, Stopping, Up, refusal


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (Up(90.0), None),
        (Starting(58.2), "the model server is starting (42 s)"),
        (Starting(97.0, "hung"), "the model server hung; it is starting again (3 s)"),
        (Lost("was killed by SIGKILL", 104.0), "the model server was killed by SIGKILL; it is started again in 4 s"),
        (Lost("hung", 99.0), "the model server hung; it is started again in 0 s"),
        (GivenUp("hung"), "the model server hung; it is not started again"),
        (Stopping(), "the model server is being stopped"),
    ],
)
def test_what_a_caller_is_told(state, said):
    assert refusal(state, now=100.0) == said
