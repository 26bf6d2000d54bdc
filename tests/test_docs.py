"""The docs name what there is, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
import typer.main

from emulator_farm.cli import app as farm
from emulator_farm.virtual.apps import APPS
from emulator_farm.virtual.faults import NUMBERS, WORDS
from emulator_farm.virtual.intents import Component, Intent
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.screen import App

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS: dict[str, click.Command] = typer.main.get_command(farm).commands  # type: ignore[attr-defined]


def flags(command: click.Command) -> set[str]:
    """Every long flag of a command."""
    names = [name for param in command.params for name in (*param.opts, *param.secondary_opts)]
    return {name for name in names if name.startswith("--")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_lists_every_page() -> None:
    readme = (ROOT / "README.md").read_text()
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if f"docs/{page.name}" not in readme]
    assert missing == []


def test_harvesting_names_every_flag() -> None:
    text = (ROOT / "docs/harvesting.md").read_text()
    missing = [flag for name in ("harvest", "work") for flag in flags(COMMANDS[name]) if f"`{flag}`" not in text]
    assert missing == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_in_the_docs(name: str) -> None:
    assert any(f"emulator-farm {name}" in page.read_text() for page in PAGES)


def test_every_command_line_in_the_docs_exists() -> None:
    """Each `emulator-farm COMMAND --flag` in a code block uses flags that the command has."""
    wrong = []
    for page in PAGES:
        for block in re.findall(r"```[a-z]*\n(.*?)```", page.read_text(), re.DOTALL):
            for line in re.sub(r"\\\n", " ", block).splitlines():
                found = re.match(r"\s*(?:\$ )?emulator-farm ([a-z]+)\b([^#]*)", line)
                if found:
                    used = set(re.findall(r"(?<!\S)--[a-z][a-z-]*", found.group(2)))
                    known = flags(COMMANDS[found.group(1)]) if found.group(1) in COMMANDS else set()
                    wrong += [f"{page.name}: {line.strip()}"] if used - known else []
    assert wrong == []


def test_the_changelog_has_the_present_version() -> None:
    import agent_server

    text = (ROOT / "CHANGELOG.md").read_text()
    assert "## Unreleased" in text or f"## {agent_server.__version__}" in text


def test_the_examples_of_the_virtual_phone_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/virtual-phone.md").read_text(), re.DOTALL)
    assert len(blocks) == 3
    hosting, app, tally = blocks
    said = subprocess.run([sys.executable, "-c", hosting], capture_output=True, text=True, check=True, timeout=60)
    assert re.fullmatch(r"\['127\.0\.0\.1:\d+', '127\.0\.0\.1:\d+'\]\n", said.stdout)
    names: dict[str, object] = {}
    exec(compile(app, "docs/virtual-phone.md", "exec"), names)  # noqa: S102 - our own example
    app_record = names["APP"]
    assert isinstance(app_record, App)
    phone = Phone(apps=(*APPS, app_record))
    phone.start_activity(Intent(component=Component("org.example.hello", "org.example.hello.Main")))
    assert "0 taps" in phone.hierarchy()
    names = {}
    exec(compile(tally, "docs/virtual-phone.md", "exec"), names)  # noqa: S102 - our own example
    app_record = names["APP"]
    assert isinstance(app_record, App)
    phone = Phone(apps=(*APPS, app_record))
    phone.start_activity(Intent(package="org.example.tally"))
    phone.insert("content://org.example.tally/counters", {"name": "Coffee", "value": 41})
    for words in ('text="Coffee"', 'text="Add one"'):
        bounds = re.search(words + r'.*?bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', phone.hierarchy())
        assert bounds
        left, top, right, bottom = map(int, bounds.groups())
        phone.tap((left + right) // 2, (top + bottom) // 2)
    assert 'text="42"' in phone.hierarchy()
    assert phone.query("content://org.example.tally/counters", ["value"]) == [{"value": 42}]


def test_every_fault_is_in_the_docs() -> None:
    text = (ROOT / "docs/virtual-phone.md").read_text()
    assert [name for name in (*WORDS, *NUMBERS) if f"`{name}`" not in text] == []
    assert [value for values in WORDS.values() for value in values if value and f"`{value}`" not in text] == []
