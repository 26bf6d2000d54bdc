"""The documents name every column, rule and setting, with their types and defaults."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

from emulator_farm.episode import Attempt, Verdict
from emulator_farm.rule_settings import RULE_NAMES, RuleSettings
from emulator_farm.table import SCHEMA


def rows(document: str) -> list[list[str]]:
    """Cells of every table row that begins with a name in backticks."""
    lines = (line.strip() for line in document.splitlines())
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if re.match(r"\| `\w+` \|", line)]


@pytest.fixture
def docs(pytestconfig: pytest.Config) -> Path:
    return Path(pytestconfig.rootpath) / "docs"


def _written(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list<{_written(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(field.name for field in kind)}>"
    return str(kind)


def test_every_column_is_documented(docs: Path) -> None:
    documented = {
        cells[0].strip("`"): html.unescape(cells[1]) for cells in rows((docs / "record.md").read_text("utf-8"))
    }
    assert documented == {field.name: _written(field.type) for field in SCHEMA}


def test_fields_of_attempts_and_verdicts_are_named(docs: Path) -> None:
    text = (docs / "record.md").read_text("utf-8")
    attempts, _, verdicts = text.partition("## Attempts")[2].partition("## Verdicts")
    for name in ("worker", "device", "fence", "cause", "detail"):
        assert name in Attempt.model_fields
        assert f"`{name}`" in attempts
    for name in Verdict.model_fields:
        assert f"`{name}`" in verdicts


def test_every_rule_is_documented(docs: Path) -> None:
    text = (docs / "filters.md").read_text("utf-8").partition("## Decisions")[0]
    assert [cells[0].strip("`") for cells in rows(text)] == list(RULE_NAMES)


def test_every_setting_is_documented_with_its_default(docs: Path) -> None:
    text = (docs / "filters.md").read_text("utf-8").partition("## Settings")[2]
    documented = {cells[0].strip("`"): yaml.safe_load(cells[1].strip("`")) for cells in rows(text)}
    assert documented == RuleSettings().model_dump(mode="json")


def test_the_example_settings_are_valid(docs: Path, tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", (docs / "filters.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "rules.yaml").write_text(example)
    assert RuleSettings.load(tmp_path / "rules.yaml") == RuleSettings(
        repeat_count=4, disabled=("duplicate",), cut="never"
    )
