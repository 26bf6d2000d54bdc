"""docs/actions.md says what the code says: every action, field, key and default, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic_core import PydanticUndefined

from agent_server.actions import ACTION_TYPES, Direction, Key, action_from_json, finger_to_view
from agent_server.geometry import Point
from emulator_farm.devices.gestures import KEYCODES, LONG_PRESS_MS, SCROLL_SHARE
from emulator_farm.rollout import PARSE_ERRORS_IN_A_ROW

TEXT = (Path(__file__).parents[2] / "docs" / "actions.md").read_text()
SECTIONS = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL))
BLOCKS = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)


def table(text: str, first: str) -> list[list[str]]:
    """The cells of the table whose first heading is `first`, one list a row."""
    found = re.search(rf"^\| {re.escape(first)} \|.*\n\| ---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|\n ").split(" | ")] for row in found[1].splitlines()]


def names(rows: list[list[str]]) -> list[str]:
    return [row[0].strip("`") for row in rows]


def test_every_action_has_its_row_and_its_section():
    assert list(SECTIONS) == list(ACTION_TYPES)
    assert names(table(TEXT, "`type`")) == list(ACTION_TYPES)


@pytest.mark.parametrize("name", ACTION_TYPES)
def test_fields(name):
    fields = {key: field for key, field in ACTION_TYPES[name].model_fields.items() if key != "type"}
    rows = table(SECTIONS[name], "field")
    assert names(rows) == list(fields)
    for key, (_, value, default) in zip(fields, rows, strict=True):
        declared = fields[key].default
        if declared is PydanticUndefined:
            assert default == "required", key
        elif declared is None:
            assert default.startswith("null: "), key
        else:
            assert default.strip("`") == {"": "empty"}.get(declared, str(declared)), key
        for limit in fields[key].metadata:
            bounds = [getattr(limit, side) for side in ("ge", "le") if hasattr(limit, side)]
            assert all(re.search(rf"\b{bound}\b", value) for bound in bounds), key
            assert not hasattr(limit, "min_length") or value.endswith("not empty"), key


@pytest.mark.parametrize("name", ACTION_TYPES)
def test_examples_are_of_their_section(name):
    examples = [
        line for block in re.findall(r"```json\n(.*?)```", SECTIONS[name], re.DOTALL) for line in block.splitlines()
    ]
    assert examples
    for example in examples:
        action = action_from_json(example)
        assert type(action) is ACTION_TYPES[name]
        assert json.loads(example).keys() <= set(names(table(SECTIONS[name], "field"))) | {"type"}


def test_there_is_no_example_outside_of_a_section():
    inside = [block for section in SECTIONS.values() for block in re.findall(r"```json\n(.*?)```", section, re.DOTALL)]
    assert inside == BLOCKS


def test_nothing_else_is_called_an_action():
    assert set(re.findall(r'"type": "(\w+)"', TEXT)) == set(ACTION_TYPES)


def test_keys():
    rows = table(TEXT, "`key`")
    assert tuple(names(rows)) == get_args(Key)
    assert {row[0].strip("`"): int(re.match(r"\d+", row[1])[0]) for row in rows} == KEYCODES


def test_directions():
    rows = {row[0].strip("`"): row[2].removeprefix("to the ") for row in table(SECTIONS["scroll"], "`direction`")}
    assert rows.keys() == set(get_args(Direction))
    middle = Point(50, 50)
    ends = {"up": Point(50, 0), "down": Point(50, 99), "left": Point(0, 50), "right": Point(99, 50)}
    assert rows == {finger_to_view(middle, end): finger for finger, end in ends.items()}


def test_statuses():
    status = ACTION_TYPES["finished"].model_fields["status"].annotation
    value = table(SECTIONS["finished"], "field")[0][1]
    assert set(re.findall(r"`(\w+)`", value)) == set(get_args(status))


def test_what_the_phone_does_where_the_action_leaves_it_open():
    assert table(SECTIONS["long_press"], "field")[1][2] == f"null: {LONG_PRESS_MS} ms"
    assert f"{SCROLL_SHARE:.0%}".replace("%", " %") in table(SECTIONS["scroll"], "field")[2][2]
    assert PARSE_ERRORS_IN_A_ROW == 3
    assert "three of them in a row end the episode" in TEXT


def test_the_example_runs():
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(compile(example, "docs/actions.md", "exec"), {})  # noqa: S102 - our own example
