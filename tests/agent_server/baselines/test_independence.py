"""The baselines know Android's customs and no app or task of ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import agent_server.baselines

SOURCES = sorted(Path(agent_server.baselines.__file__).parent.glob("*.py"))
OURS = re.compile(
    r"\b(settings?|contacts?|notes?|notepad|clock app|deskclock|alarms?|stopwatch|bluetooth|airplane|wallpaper|files?|"
    r"com\.android\.(?!systemui)\w+|com\.google|virtual phone)\b",
    re.I,
)
ORDINARY_WORDS = {"vocabulary.py": {"setting", "note"}}
"""English that any form or menu uses and that happens to be the name of an app as well."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_no_name_of_an_app_or_task(source: Path) -> None:
    found = {match.group().lower() for match in OURS.finditer(source.read_text("utf-8"))}
    assert found <= ORDINARY_WORDS.get(source.name, set())


def test_there_is_something_to_look_at() -> None:
    assert len(SOURCES) > 10


def test_no_http_and_no_farm() -> None:
    for source in SOURCES:
        text = source.read_text("utf-8")
        assert not re.search(r"^\s*(?:import|from)\s+(?:httpx|fastapi|uvicorn|emulator_farm)", text, re.M), source.name
