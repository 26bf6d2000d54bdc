"""Templates: shipped, replaced, refused."""

from __future__ import annotations

import pytest

from agent_server.adapters import ADAPTERS, PromptInput
from agent_server.adapters.grounding import Grounder
from agent_server.errors import InvalidRequest
from agent_server.geometry import Size
from agent_server.prompts import SHIPPED, PromptSet, variables_of, write_shipped

NAMES = sorted(path.name for path in SHIPPED.glob("*.jinja"))


def test_every_adapter_has_templates_and_every_template_an_adapter():
    prompts = PromptSet.load()
    grounders = [adapter for adapter in ADAPTERS.values() if isinstance(adapter, Grounder)]
    used = {name for adapter in ADAPTERS for name in prompts.names(adapter)}
    used |= {adapter.ground_template for adapter in grounders} | set(prompts.names("judge"))
    assert sorted(f"{name}.jinja" for name in used) == NAMES
    assert all(prompts.names(adapter) for adapter in ADAPTERS)


@pytest.mark.parametrize("name", NAMES)
def test_every_template_says_that_it_is_ours(name):
    first = (SHIPPED / name).read_text().splitlines()[0]
    assert first.startswith("{# Not the vendor's prompt")
    bare = name.removesuffix(".jinja")
    assert "Not the vendor's" not in PromptSet.load().render(bare, **variables_of(bare))


def test_written_templates_load_as_the_same_set(tmp_path):
    written = write_shipped(tmp_path / "new" / "prompts")
    assert sorted(path.name for path in written) == NAMES
    assert PromptSet.load(tmp_path / "new" / "prompts") == PromptSet.load()
    with pytest.raises(FileExistsError, match="empty folder"):
        write_shipped(tmp_path / "new" / "prompts")


def test_a_replaced_template_is_used_and_changes_the_digest_of_its_adapter_only(tmp_path):
    (tmp_path / "ui-venus-1.5.jinja").write_text("{% for step in steps %}{{ step }}{% endfor %}Do: {{ goal }}")
    shipped, replaced = PromptSet.load(), PromptSet.load(tmp_path)
    (message,) = ADAPTERS["ui-venus-1.5"].messages(PromptInput("buy milk", Size(10, 10)), replaced)
    assert message.parts[0].text == "Do: buy milk"
    changed = [name for name in ADAPTERS if shipped.digest(name) != replaced.digest(name)]
    assert changed == ["ui-venus-1.5"]
    assert len(shipped.digest("qwen3-vl")) == 16
    assert len({shipped.digest(name) for name in ADAPTERS}) == len(ADAPTERS)


def test_what_grounds_and_what_acts_have_digests_of_their_own(tmp_path):
    (tmp_path / "ui-tars-1.5.ground.jinja").write_text("Where is {{ element }}?")
    shipped, replaced = PromptSet.load(), PromptSet.load(tmp_path)
    assert shipped.digest("ui-tars-1.5") == replaced.digest("ui-tars-1.5")
    assert shipped.digest("ui-tars-1.5.ground") != replaced.digest("ui-tars-1.5.ground")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ui-tars-1.5.ground", "{{ goal }}", "uses 'goal'; it may use element, height, language, width"),
        ("judge.user", "{{ element }}", "uses 'element'; it may use answer, best, criteria, frame"),
        ("ui-tars-1.5", "{{ element }}", "uses 'element'; it may use app"),
    ],
)
def test_each_kind_of_template_has_its_own_variables(tmp_path, name, text, message):
    (tmp_path / f"{name}.jinja").write_text(text)
    with pytest.raises(InvalidRequest, match=message):
        PromptSet.load(tmp_path)


def test_one_part_of_several_changes_the_digest(tmp_path):
    (tmp_path / "qwen3-vl.user.jinja").write_text("{{ goal }}")
    assert PromptSet.load(tmp_path).digest("qwen3-vl") != PromptSet.load().digest("qwen3-vl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ gaol }}", "uses 'gaol'; it may use app, first_step, goal"),
        ("{% if steps %}", "line 1"),
        ("{{ goal.upper(1, 2) }}", "fails"),
        ("{{ goal.__class__.__mro__ }}", "fails"),
        ("{{ steps.append(1) }}", "fails"),
        ("{{ 1 // 0 }}", "fails"),
        ("{{ width.nothing.nothing }}", "fails"),
    ],
)
def test_templates_that_do_not_work_are_refused_when_loaded(tmp_path, text, message):
    (tmp_path / "ui-venus-1.5.jinja").write_text(text)
    with pytest.raises(InvalidRequest, match=message) as caught:
        PromptSet.load(tmp_path)
    assert "ui-venus-1.5.jinja" in str(caught.value)


def test_functions_of_the_template_language_may_be_used(tmp_path):
    (tmp_path / "ui-venus-1.5.jinja").write_text("{% for _ in range(2) %}{{ goal }}{% endfor %}")
    assert PromptSet.load(tmp_path).render("ui-venus-1.5", goal="x") == "xx"


@pytest.mark.parametrize(
    ("names", "message"),
    [(["ui-venus-9.jinja"], "which nothing uses"), ([], "no .jinja file"), (["a.txt"], "no .jinja")],
)
def test_folders_that_hold_no_templates_of_ours(tmp_path, names, message):
    for name in names:
        (tmp_path / name).write_text("x")
    with pytest.raises(InvalidRequest, match=message):
        PromptSet.load(tmp_path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InvalidRequest, match="does not exist"):
        PromptSet.load(tmp_path / "nowhere")
