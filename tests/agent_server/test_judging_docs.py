"""docs/judging.md says what judging does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent_server.config import JudgeConfig
from agent_server.judge import Judge
from agent_server.prompts import JUDGE, SHIPPED, variables_of
from agent_server.schemas import Agreement, JudgeRequest, JudgeResponse, JudgeStep, Vote

TEXT = (Path(__file__).parents[2] / "docs" / "judging.md").read_text()
NAMED = set(re.findall(r"`([^`\n]+)`", TEXT))


@pytest.mark.parametrize("model", [JudgeRequest, JudgeResponse, Vote, Agreement])
def test_fields(model):
    assert model.model_fields.keys() <= NAMED


def test_fields_of_steps():
    assert {f"steps[].{name}" for name in JudgeStep.model_fields} <= NAMED


def test_templates_and_their_variables():
    assert {path.name for path in SHIPPED.glob(f"{JUDGE}.*.jinja")} <= NAMED
    assert variables_of(f"{JUDGE}.user").keys() <= NAMED
    assert variables_of(f"{JUDGE}.user")["steps"][0].keys() <= NAMED


def test_defaults():
    config = JudgeConfig()
    assert f"by default {config.frame_pixels}" in TEXT
    assert f"by default {config.scale}" in TEXT
    assert f"by default {JudgeRequest(goal='x').threshold}" in TEXT
    assert Judge.__init__.__kwdefaults__["best"] == config.scale
