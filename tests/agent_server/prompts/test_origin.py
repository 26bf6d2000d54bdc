"""Whose prompts a folder holds."""

from __future__ import annotations

import json

import pytest

from agent_server.errors import InvalidRequest
from agent_server.prompts import PromptSet, write_shipped
from agent_server.prompts.origin import Origin, text_digest

TEXT = "Do {{ goal }}"


def note(**templates: str) -> str:
    return Origin(
        name="some", version="1.2", source="s", licence="MIT", files={}, templates=templates, differences=[]
    ).model_dump_json()


def test_without_a_folder_all_are_shipped():
    prompts = PromptSet.load()
    assert prompts.origin("ui-venus-1.5") == "shipped"
    assert prompts.origins == {}


def test_a_template_of_ones_own_is_custom_and_a_copy_of_the_shipped_is_not(tmp_path):
    write_shipped(tmp_path)
    (tmp_path / "ui-venus-1.5.jinja").write_text(TEXT)
    prompts = PromptSet.load(tmp_path)
    assert prompts.origin("ui-venus-1.5") == "custom"
    assert prompts.origin("ui-venus-1.0") == "shipped"


def test_what_was_fetched_is_the_vendors_until_it_is_edited(tmp_path):
    (tmp_path / "ORIGIN.json").write_text(note(**{"ui-venus-1.5": text_digest(TEXT), "ui-tars-1.5": text_digest(TEXT)}))
    (tmp_path / "ui-venus-1.5.jinja").write_text(TEXT)
    (tmp_path / "ui-tars-1.5.jinja").write_text(f"{TEXT}!")
    prompts = PromptSet.load(tmp_path)
    assert prompts.origin("ui-venus-1.5") == "vendor: some 1.2"
    assert prompts.origin("ui-tars-1.5") == "custom"


def test_one_part_of_the_vendors_beside_a_shipped_one_counts_as_the_vendors_but_not_beside_a_custom_one(tmp_path):
    (tmp_path / "ORIGIN.json").write_text(note(**{"qwen3-vl.system": text_digest(TEXT)}))
    (tmp_path / "qwen3-vl.system.jinja").write_text(TEXT)
    assert PromptSet.load(tmp_path).origin("qwen3-vl") == "vendor: some 1.2"
    (tmp_path / "qwen3-vl.user.jinja").write_text("mine {{ goal }}")
    assert PromptSet.load(tmp_path).origin("qwen3-vl") == "custom"


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "the file"), ("[]", "the file"), ("{}", "name"), (json.dumps({**json.loads(note()), "x": 1}), "x")],
)
def test_a_damaged_note(tmp_path, content, words):
    (tmp_path / "ORIGIN.json").write_text(content)
    (tmp_path / "ui-venus-1.5.jinja").write_text(TEXT)
    with pytest.raises(InvalidRequest, match=rf"ORIGIN.json is damaged \({words}: .*fetch the prompts again"):
        PromptSet.load(tmp_path)
