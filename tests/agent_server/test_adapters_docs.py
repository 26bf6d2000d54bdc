"""docs/adapters.md says what the adapters declare and do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from agent_server.actions import action_to_json
from agent_server.adapters import ADAPTERS, Absolute, Relative, Space, adapter_for_model, adapter_named
from agent_server.cli import app as command_line
from agent_server.errors import UnknownName
from agent_server.geometry import Size
from agent_server.prompts import SHIPPED, VARIABLES
from agent_server.schemas import ParseError

TEXT = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
SCREEN = Size(1080, 2400)


def table(*heads: str) -> list[list[str]]:
    """The cells of the table that begins with these headings, one list a row."""
    head = re.escape("| " + " | ".join(heads) + " |")
    found = re.search(rf"^{head}.*\n\| ---.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|\n ").split(" | ")] for row in found[1].splitlines()]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


HEADS = re.search(r"^\| (adapter \| models .*) \|$", TEXT, re.MULTILINE)[1].split(" | ")
ROWS = {row[0].strip("`"): dict(zip(HEADS, row, strict=True)) for row in table("adapter", "models")}


def coordinates(space: Space) -> str:
    match space:
        case Absolute():
            return "resized image"
        case Relative(divisor):
            return f"0 to {divisor:g}"


def limits(space: Space) -> str:
    match space:
        case Absolute(factor, low, high):
            return f"/{factor}, {low} to {high}"
        case Relative(_, longest_side):
            return f"longest side {longest_side}" if longest_side else "none"


def test_every_adapter_has_its_row():
    assert list(ROWS) == list(ADAPTERS)


@pytest.mark.parametrize("name", ADAPTERS)
def test_facts(name):
    declared, row = ADAPTERS[name].declaration, ROWS[name]
    by_size = [f"{pattern.upper()}: {limits(space)}" for pattern, space in declared.space_by_model]
    told = {None: "all", 0: "none"}.get(declared.history_limit, f"last {declared.history_limit}")
    assert row["coordinates"] == coordinates(declared.space)
    assert all(coordinates(space) == row["coordinates"] for _, space in declared.space_by_model)
    assert row["resize and limits (pixels)"] == "; ".join([limits(declared.space), *by_size])
    assert row["images"] == str(declared.images)
    assert row["history"] == f"{declared.history}, {told}"
    assert row["scroll"] == (declared.scroll or "none")
    assert tuple(quoted(row["ends an episode"])) == declared.ends
    assert quoted(row["answer in"]) == ([declared.answer_in] if declared.answer_in else [])
    assert row["sampling"] == (", ".join(f"{key} {value:g}" for key, value in declared.sampling.items()) or "none")
    assert row["cannot say"] == ("; ".join(declared.inexpressible) or "none")


@pytest.mark.parametrize("name", ADAPTERS)
def test_models_choose_their_adapter(name):
    models = quoted(ROWS[name]["models"])
    assert bool(models) == bool(ADAPTERS[name].declaration.model_patterns)
    assert [adapter_for_model(model).name for model in models] == [name] * len(models)
    for pattern in ADAPTERS[name].declaration.model_patterns:
        assert any(re.search(pattern, model, re.IGNORECASE) for model in models), f"no example for {pattern}"


def test_the_other_names_it_speaks_of():
    assert adapter_for_model("/data/ckpt/UI-Venus-1.5-8B-step400").name == "ui-venus-1.5"
    for unknown in ("checkpoint-400", "UI-Venus-2-9B", "ByteDance-Seed/UI-TARS-2"):
        with pytest.raises(UnknownName):
            adapter_for_model(unknown)


def test_where_answers_end_episodes():
    ending = [name for name, adapter in ADAPTERS.items() if "answer" in adapter.declaration.ends]
    assert ending == ["mai-ui", "gui-owl-1.0", "gui-owl-1.5"]


def test_flags_exist():
    serve = typer.main.get_command(command_line).commands["serve"]
    known = {flag for parameter in serve.params for flag in parameter.opts}
    named = [flag for row in table("flag", "changes") for flag in quoted(row[0])]
    assert {"--adapter", "--prompts", "--min-pixels", "--max-pixels", "--history-limit"} <= set(named) <= known


def test_templates_and_their_variables():
    assert {row[0].strip("`") for row in table("file", "part")} == {path.name for path in SHIPPED.glob("*.jinja")}
    assert {name for row in table("variable", "what") for name in quoted(row[0])} == VARIABLES
    for name, part in table("file", "part"):
        assert ("system message" in part) == (".system." in name)


def parsed(name: str, reply: str):
    adapter = adapter_named(name)
    return adapter.parse(reply, adapter.frame(SCREEN).map)


@pytest.mark.parametrize("row", table("adapter", "reply"), ids=lambda row: row[1].strip("`"))
def test_examples_are_read_as_it_says(row):
    name, reply, action = (cell.strip("`") for cell in row)
    assert action_to_json(parsed(name, reply).action) == action


def test_there_is_an_example_of_every_adapter():
    assert {row[0].strip("`") for row in table("adapter", "reply")} == ADAPTERS.keys()


def test_kinds_of_refusals():
    rows = {row[0].strip("`"): row[2].strip("`") for row in table("`kind`", "when")}
    assert rows.keys() == set(ParseError.model_fields["kind"].annotation.__args__)
    for kind, reply in rows.items():
        assert parsed("ui-venus-1.5", reply).parse_error.kind == kind


def test_the_command_line_example():
    reply, name, size = re.search(r'echo "(.*)" \| agent-server parse --adapter (\S+) --size (\S+)', TEXT).groups()
    adapter = adapter_named(name)
    assert adapter.parse(reply, adapter.frame(Size.parse(size)).map).action is not None


def test_whose_prompts_they_are_is_said():
    assert "scores from them are not the vendor's" in TEXT
