"""Every reply in the corpus, as the adapter of its family reads it; others do no harm with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_server.actions import Action, CallUser, Finished, action_from_json
from agent_server.adapters import ADAPTERS
from agent_server.geometry import Size

PATH = Path(__file__).parents[2] / "corpus" / "model_outputs" / "model_outputs.jsonl"
LINES = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
THOUGHTS = ("Thought:", "Reflection:", "<think", "<THINK>", '"thought":"任', "'thought': '任", "<|begin_of_box|>I can")


def label(line: dict[str, object]) -> str:
    return f"{line['adapter']}-{LINES.index(line) + 1}"


@pytest.mark.parametrize("line", LINES, ids=label)
def test_every_family_reads_its_own_right(line):
    adapter = ADAPTERS[line["adapter"]]
    read = adapter.parse(line["raw"], adapter.frame(Size.parse(line["size"]), line.get("model", "")).map)
    canonical = line["canonical"]
    if "parse_error" in canonical:
        assert read.action is None
        assert read.parse_error.kind == canonical["parse_error"]
    else:
        assert read.action == action_from_json(json.dumps(canonical))
        assert read.parse_error is None
    assert read.extra_actions == line.get("extra_actions", 0)


@pytest.mark.parametrize("line", LINES, ids=label)
def test_what_they_think_is_kept(line):
    adapter = ADAPTERS[line["adapter"]]
    read = adapter.parse(line["raw"], adapter.frame(Size(1080, 2400)).map)
    thinks = any(head in line["raw"] for head in THOUGHTS)
    assert bool(read.thought) == thinks
    assert "Action:" not in (read.thought or "")


@pytest.mark.parametrize("line", LINES, ids=label)
def test_no_reply_ends_an_episode_for_a_family_where_it_does_not_for_its_own(line):
    ends = line["canonical"].get("type") in ("finished", "call_user")
    for adapter in ADAPTERS.values():
        read = adapter.parse(line["raw"], adapter.frame(Size(1080, 2400)).map)
        assert (read.action is None) != (read.parse_error is None)
        assert ends or not isinstance(read.action, Finished | CallUser), adapter.name


def test_every_line_states_what_it_means():
    assert len(LINES) == 57
    assert {line["adapter"] for line in LINES} <= ADAPTERS.keys()
    for line in LINES:
        Size.parse(line["size"])
        canonical = line["canonical"]
        if "parse_error" in canonical:
            assert canonical["parse_error"] in ("malformed", "unsupported", "out_of_range")
        else:
            action: Action = action_from_json(json.dumps(canonical))
            assert action.type == canonical["type"]
