"""A record whose frames are JPEG is judged, shown and exported as one of PNGs is."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from emulator_farm.episode import Episode
from emulator_farm.filters import filter_run
from emulator_farm.learning.export.llamafactory import export_llamafactory
from emulator_farm.learning.export.parquet import export_parquet
from emulator_farm.report import write_report
from emulator_farm.rule_settings import RuleSettings
from emulator_farm.rules import RULES
from emulator_farm.screens import unchanged
from emulator_farm.store import Store
from emulator_farm.table import SCHEMA_VERSION, from_table, to_table
from emulator_farm.viewer import viewer_page

Make = Callable[..., Episode]


def kept_as_jpeg(episode: Episode) -> Episode:
    """The same episode as `--frames jpeg95` would have kept it."""
    steps = []
    for step in episode.steps:
        out = io.BytesIO()
        with Image.open(io.BytesIO(step.screen.image)) as picture:
            picture.convert("RGB").save(out, "JPEG", quality=95, subsampling=0)
        image = out.getvalue()
        screen = replace(step.screen, image=image, sha256=hashlib.sha256(image).hexdigest())
        steps.append(replace(step, screen=screen))
    return replace(episode, steps=tuple(steps))


@pytest.fixture
def episode(make_episode: Make) -> Episode:
    return kept_as_jpeg(make_episode())


@pytest.fixture
def store(tmp_path: Path, episode: Episode) -> Store:
    store = Store(str(tmp_path / "run"))
    store.create_run({"run": episode.header.run, "episodes": 1})
    store.publish(episode)
    filter_run(store, RuleSettings())
    return store


def test_the_record_names_the_format_and_comes_back(episode: Episode) -> None:
    table = to_table(episode)
    assert [row["path"] for row in table["screenshot"].to_pylist()] == [
        f"{episode.id}-{step.index:03d}.jpg" for step in episode.steps
    ]
    assert set(table["schema_version"].to_pylist()) == {SCHEMA_VERSION}, "readers need nothing new"
    assert from_table(table) == episode


def test_the_rules_say_what_they_say_of_pngs(make_episode: Make, episode: Episode) -> None:
    lossless, settings = make_episode(), RuleSettings()
    for name, rule in RULES.items():
        assert rule(episode, settings) == rule(lossless, settings), name


@pytest.mark.parametrize("bar", [0.04, 0.018])
def test_the_clock_in_the_status_bar_is_left_out(make_episode: Make, page: Any, bar: float) -> None:
    """Also where the bar ends within a block, all rows of which a JPEG changes."""
    before, after = (
        kept_as_jpeg(make_episode(pages=[page(clock=clock)])).steps[0].screen for clock in ("9:41", "22:58")
    )
    assert before.image != after.image
    assert unchanged(before, after, bar)
    other = kept_as_jpeg(make_episode(pages=[page(title="x")])).steps[0].screen
    assert not unchanged(before, replace(other, ui_tree=before.ui_tree), bar)


def test_pages_show_the_frames(store: Store, episode: Episode, tmp_path: Path) -> None:
    assert viewer_page(episode).count("data:image/jpeg;base64,") == len(episode.steps)
    write_report(store, tmp_path / "report.html")
    assert "data:image/jpeg;base64," in (tmp_path / "report.html").read_text("utf-8")


def test_exports_carry_the_very_bytes(store: Store, episode: Episode, tmp_path: Path) -> None:
    export_parquet(store, tmp_path / "parquet")
    export_llamafactory(store, tmp_path / "llama", adapter="ui-venus-1.5")
    for step in episode.moves:
        file = tmp_path / "llama" / "images" / episode.id / f"{step.index:03d}.jpeg"
        assert file.read_bytes() == step.screen.image
    table = pq.read_table(next((tmp_path / "parquet" / "data").glob("*.parquet")), columns=["screenshot"])
    assert [row["bytes"] for row in table["screenshot"].to_pylist()] == [step.screen.image for step in episode.steps]
