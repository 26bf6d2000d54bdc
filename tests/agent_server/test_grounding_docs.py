"""docs/grounding.md says what grounding does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agent_server.adapters import ADAPTERS, Grounder, Relative
from agent_server.geometry import Size
from agent_server.ground import NEAR, grounding_families
from agent_server.schemas import GroundRequest, GroundResponse

TEXT = (Path(__file__).parents[2] / "docs" / "grounding.md").read_text()
NAMED = set(re.findall(r"`([^`\n]+)`", TEXT))


def table(head: str) -> list[list[str]]:
    found = re.search(rf"^\| {re.escape(head)} \|.*\n\| ---.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|\n ").split(" | ")] for row in found[1].splitlines()]


@pytest.mark.parametrize("model", [GroundRequest, GroundResponse])
def test_fields(model):
    assert model.model_fields.keys() <= NAMED


def test_families():
    rows = {name: row for row in table("adapter | replies with") for name in re.findall(r"`([^`]+)`", row[0])}
    grounders = {name: adapter for name, adapter in ADAPTERS.items() if isinstance(adapter, Grounder)}
    assert rows.keys() == grounders.keys()
    assert set(grounding_families()) - rows.keys() == {"ui-venus-1.5"}
    for name, adapter in grounders.items():
        extent = adapter.ground_frame(Size(1080, 2400)).map.extent
        relative = isinstance(adapter.space(), Relative)
        assert rows[name][2].startswith(f"0 to {extent[0]:g}" if relative else "resized image")
        place = adapter.ground(
            adapter.render_place(None, adapter.ground_frame(Size(1080, 2400)).map),
            adapter.ground_frame(Size(1080, 2400)).map,
        )
        assert place.present is False


@pytest.mark.parametrize("row", table("adapter | reply"), ids=lambda row: row[0].strip("`"))
def test_examples(row):
    name, reply, point, box = (cell.strip("`") for cell in row)
    adapter = ADAPTERS[name]
    place = adapter.ground(reply, adapter.ground_frame(Size(1080, 2400)).map).place
    assert list(place.point) == json.loads(point)
    assert (list(place.box) if place.box else None) == json.loads(box)


def test_there_is_an_example_of_every_family():
    assert {row[0].strip("`") for row in table("adapter | reply")} >= {
        name for name, adapter in ADAPTERS.items() if isinstance(adapter, Grounder)
    } - {"ui-venus-ground-1.0"}


def test_when_samples_agree():
    assert f"{NEAR * 100:g} % of the screen" in TEXT
