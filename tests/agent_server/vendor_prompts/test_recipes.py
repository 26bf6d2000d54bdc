"""What the recipes say of themselves, without their sources."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import jinja2.meta
import pytest

from agent_server.prompts import PromptSet, variables_of
from agent_server.vendor_prompts.excerpt import CompactJson, Excerpt
from agent_server.vendor_prompts.recipes import RECIPES, Package, Repository

DOCS = (Path(__file__).parents[3] / "docs" / "adapters.md").read_text("utf-8")
SHA256 = re.compile(r"[0-9a-f]{64}")


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_sources_are_pinned(recipe):
    match recipe.source:
        case Repository(name=name, commit=commit, files=files):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", name)
            assert re.fullmatch(r"[0-9a-f]{40}", commit)
            assert all(SHA256.fullmatch(digest) for digest in files.values())
            held = set(files)
        case Package(version=version, sha256=digest, members=members):
            assert re.fullmatch(r"[\d.]+", version)
            assert SHA256.fullmatch(digest)
            held = set(members)
    parts = [part for template in recipe.templates for filling in template.filled.values() for part in filling]
    named = {excerpt.file for template in recipe.templates for excerpt in template.excerpts}
    named |= {part.file for part in parts if isinstance(part, Excerpt | CompactJson)}
    assert named == held


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_templates_are_ours_and_use_what_they_may(recipe):
    shipped = PromptSet.load().sources
    environment = jinja2.Environment()
    for template in recipe.templates:
        assert template.name in shipped
        code = "".join(
            part if isinstance(part, str) else "x" for filling in template.filled.values() for part in filling
        )
        used = jinja2.meta.find_undeclared_variables(environment.parse(code))
        assert used <= variables_of(template.name).keys()
        main = "element" if template.name.endswith(".ground") else "goal"
        assert (main in used) == (
            main in jinja2.meta.find_undeclared_variables(environment.parse(shipped[template.name]))
        )


def test_the_documentation_lists_them():
    table = re.search(r"^\| prompts \|.*\n\| ---.*\n((?:\|.*\n)+)", DOCS, re.MULTILINE)[1]
    rows = [[cell.strip(" `") for cell in row.strip("|\n ").split(" | ")] for row in table.splitlines()]
    assert [row[0] for row in rows] == list(RECIPES)
    for name, source, templates in rows:
        recipe = RECIPES[name]
        assert source == f"{recipe.source.name}` {recipe.source.version}"
        assert re.findall(r"[\w.-]+", templates) == [template.name for template in recipe.templates]
