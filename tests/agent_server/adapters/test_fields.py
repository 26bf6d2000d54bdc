from __future__ import annotations

import time

import pytest

from agent_server.adapters.fields import read_fields


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("action:A\tvalue:b c", [("A", {"value": "b c"})]),
        ("value:b action:c\taction:A", [("A", {"value": "b action:c"})]),
        ("value:x\taction:A\tother:y", [("A", {"value": "x", "other": "y"})]),
        ("value:a\nb\nsummary:c\naction:A", [("A", {"value": "a\nb", "summary": "c"})]),
        ("action:A point:1,2 direction:up", [("A", {"point": "1,2", "direction": "up"})]),
        ("action:A\tvalue:1\taction:B\tvalue:2", [("A", {"value": "1"}), ("B", {"value": "2"})]),
        ("value:1\tvalue:2\taction:A", [("A", {"value": "1"})]),
        ("so:\nexplain:e action:A value:v", [("A", {"explain": "e", "value": "v"})]),
        ("so the action:A is what value:v", []),
        ("interaction:A\tvalue:b", []),
        ("value:b\tsummary:c", []),
        ("", []),
    ],
)
def test_fields(text, calls):
    assert [(call.name, dict(call.arguments)) for call in read_fields(text)] == calls


@pytest.mark.parametrize("unit", ["\t", " ", "\n", "\\t", "action:", "\tvalue:", "action:a value:", "point:1 point:"])
def test_time_grows_with_length_only(unit):
    start = time.process_time()
    read_fields(unit * (200_000 // len(unit)))
    assert time.process_time() - start < 3
