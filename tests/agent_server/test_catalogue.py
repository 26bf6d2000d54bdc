"""What a model is picked by: one entry for every adapter, the same in the documentation and on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from agent_server.adapters import ADAPTERS, adapter_for_model
from agent_server.catalogue import HEADS, Entry, catalogue, rows
from agent_server.cli import main
from agent_server.errors import UnknownName

TEXT = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")


def test_every_adapter_has_an_entry_and_every_entry_an_adapter():
    assert list(catalogue()) == sorted(catalogue(), key=list(ADAPTERS).index)
    assert catalogue().keys() == ADAPTERS.keys()
    assert all(len(cells) == len(HEADS) for cells in rows())


def test_the_documentation_is_this_table():
    assert f"| {' | '.join(HEADS)} |" in TEXT
    for name, *cells in rows():
        line = " | ".join([f"| `{name}`", *(cell.replace("|", "\\|") for cell in cells)]) + " |"
        assert line in TEXT.splitlines(), f"docs/models.md should have\n{line}"
    assert len(re.findall(r"^\| `", TEXT, re.MULTILINE)) == len(ADAPTERS)


def test_the_command_line_prints_it(capsys):
    with pytest.raises(SystemExit):
        main(["adapters"])
    printed = " ".join(capsys.readouterr().out.split())
    for name, *cells in rows():
        stanza = printed[printed.index(f"{name} base ") :]
        for head, cell in zip(HEADS[1:], cells, strict=True):
            assert f"{head} {' '.join(cell.replace('`', '').split())}" in stanza


def test_memory():
    assert catalogue()["ui-venus-1.0"].memory == "7B 17, 72B 147"
    assert catalogue()["openai"].memory == ""
    with pytest.raises(ValidationError):
        Entry.model_validate({"base": "x", "sizes": {}, "writes": "x", "androidworld": "x", "score": 1})


@pytest.mark.parametrize("name", [name for name, entry in catalogue().items() if entry.sizes])
def test_sizes_are_in_names_that_choose_the_adapter(name):
    """A size that the adapter's own examples spell with other letters would be a slip."""
    stem = {
        "ui-venus-1.0": "UI-Venus-Navi-{}", "ui-venus-1.5": "UI-Venus-1.5-{}", "ui-tars-1.0": "UI-TARS-{}-DPO",
        "ui-tars-1.5": "UI-TARS-1.5-{}", "qwen2.5-vl": "Qwen2.5-VL-{}-Instruct", "qwen3-vl": "Qwen3-VL-{}-Instruct",
        "mai-ui": "MAI-UI-{}", "gui-owl-1.0": "GUI-Owl-{}", "gui-owl-1.5": "GUI-Owl-1.5-{}-Instruct",
        "autoglm-phone": "AutoGLM-Phone-{}", "agentcpm-gui": "AgentCPM-GUI-{}", "gelab-zero": "GELab-Zero-{}-preview",
        "ui-venus-ground-1.0": "UI-Venus-Ground-{}", "ui-venus-ground-1.5": "UI-Venus-1.5-{}-Ground",
    }[name]  # fmt: skip
    for size in catalogue()[name].sizes:
        try:
            assert adapter_for_model(stem.format(size)).name == name
        except UnknownName:
            pytest.fail(f"{stem.format(size)} chooses no adapter")
