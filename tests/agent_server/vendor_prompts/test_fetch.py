"""Fetching from a server of our own: what arrives, what is refused, and that nothing is left half-written."""

from __future__ import annotations

import hashlib
import io
import json
import os
import socket
import zipfile
from dataclasses import replace

import pytest

from agent_server.errors import InvalidRequest, PromptSourceError
from agent_server.prompts import PromptSet
from agent_server.vendor_prompts.excerpt import Excerpt, Template
from agent_server.vendor_prompts.fetch import fetch
from agent_server.vendor_prompts.recipes import Package, Recipe, Repository

SOURCE = b'ASK = """\nDo {task}; then {{stop}}.\n"""\nSYSTEM = "Be brief."\n'
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PATH = f"/some/vendor/raw/{COMMIT}/lib/prompts.py"
ASK = Template("ui-venus-1.5", (Excerpt("lib/prompts.py", "ASK"),), {"{task}": ("{{ goal }}",)}, formatted=True)
VALUES = {"goal": "it", "steps": [], "first_step": 0, "app": None, "language": "", "width": 1, "height": 1}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


RECIPE = Recipe(
    name="made-up",
    source=Repository("some/vendor", COMMIT, {"lib/prompts.py": sha256(SOURCE)}),
    licence="MIT",
    templates=(ASK, Template("ui-venus-1.0.system", (Excerpt("lib/prompts.py", "SYSTEM"),))),
    differences=("one thing",),
)


def test_what_is_fetched_is_a_prompt_folder_with_a_note_of_its_origin(vendor, tmp_path):
    url, pages = vendor
    pages[PATH] = SOURCE
    out = tmp_path / "new" / "prompts"
    written = fetch(RECIPE, out, url + "/")
    assert written == sorted(out.iterdir())
    assert {path.name for path in written} == {"ORIGIN.json", "ui-venus-1.5.jinja", "ui-venus-1.0.system.jinja"}
    prompts = PromptSet.load(out)
    assert prompts.render("ui-venus-1.5", **VALUES) == "Do it; then {stop}."
    assert prompts.origin("ui-venus-1.5") == "vendor: made-up 0123456"
    assert prompts.origin("ui-tars-1.5") == "shipped"
    note = json.loads((out / "ORIGIN.json").read_text())
    assert note["source"] == f"some/vendor@{COMMIT}"
    assert note["files"] == {"lib/prompts.py": sha256(SOURCE)}
    assert note["differences"] == ["one thing", "white space at both ends is dropped"]
    assert os.listdir(tmp_path / "new") == ["prompts"]


def test_an_empty_folder_will_do(vendor, tmp_path):
    url, pages = vendor
    pages[PATH] = SOURCE
    (tmp_path / "out").mkdir()
    assert len(fetch(RECIPE, tmp_path / "out", url)) == 3


@pytest.mark.parametrize("name", ["file", "full"])
def test_nothing_is_overwritten(vendor, tmp_path, name):
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("")
    with pytest.raises(InvalidRequest, match="give a new or empty folder"):
        fetch(RECIPE, tmp_path / name, vendor[0])


@pytest.mark.parametrize(
    ("content", "recipe", "words"),
    [
        (SOURCE + b"#", RECIPE, "lib/prompts.py is not what is pinned: its sha256 is "),
        (None, RECIPE, "answers 404"),
        (b"x" * (9 * 2**20), RECIPE, "larger than 8388608 bytes"),
        (
            SOURCE,
            replace(RECIPE, templates=(ASK, Template("ui-tars-1.5", (Excerpt("lib/prompts.py", "B"),)))),
            "no text B",
        ),
    ],
    ids=["hash", "absent", "huge", "constant"],
)
def test_what_is_not_as_pinned_leaves_nothing_behind(vendor, tmp_path, content, recipe, words):
    url, pages = vendor
    if content is not None:
        pages[PATH] = content
    with pytest.raises(PromptSourceError, match=words):
        fetch(recipe, tmp_path / "out", url)
    assert list(tmp_path.iterdir()) == []


def test_a_template_that_would_not_load_leaves_nothing_behind(vendor, tmp_path):
    url, pages = vendor
    pages[PATH] = SOURCE
    broken = replace(ASK, filled={"{task}": ("{{ gaol }}",)})
    with pytest.raises(InvalidRequest, match="'gaol'"):
        fetch(replace(RECIPE, templates=(broken,)), tmp_path / "out", url)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_text(vendor, tmp_path):
    url, pages = vendor
    pages[PATH] = b"\xff"
    source = Repository("some/vendor", COMMIT, {"lib/prompts.py": sha256(b"\xff")})
    with pytest.raises(PromptSourceError, match="no UTF-8 text"):
        fetch(replace(RECIPE, source=source), tmp_path / "out", url)


def test_nobody_answers(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as unanswered:
        port = unanswered.getsockname()[1]
    with pytest.raises(PromptSourceError, match=r"cannot be had.*--source"):
        fetch(RECIPE, tmp_path / "out", f"http://127.0.0.1:{port}")
    with pytest.raises(PromptSourceError, match="cannot be had"):
        fetch(RECIPE, tmp_path / "out", "nonsense")


def test_a_folder_that_cannot_be_made(vendor, tmp_path):
    url, pages = vendor
    pages[PATH] = SOURCE
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidRequest, match="cannot write prompts to"):
        fetch(RECIPE, tmp_path / "file" / "out", url)


# -- packages


def wheel(**files: bytes) -> bytes:
    """A wheel called made_up_prompts 1.0 with these modules."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"lib/{name}.py", text)
        info = "made_up_prompts-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: made-up-prompts\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return content.getvalue()


@pytest.fixture
def index(vendor, monkeypatch):
    """The URL of a package index and what it serves; nothing of the user's own pip settings counts."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in [name for name in os.environ if name.startswith("PIP_") and name != "PIP_CONFIG_FILE"]:
        monkeypatch.delenv(name)
    url, pages = vendor
    name = "made_up_prompts-1.0-py3-none-any.whl"
    pages["/simple/made-up-prompts/"] = (
        f'<!DOCTYPE html><html><body><a href="/{name}">{name}</a></body></html>'.encode()
    )
    return f"{url}/simple", pages, f"/{name}"


def package(content: bytes, *members: str) -> Recipe:
    return replace(RECIPE, source=Package("made-up-prompts", "1.0", sha256(content), members))


def test_a_package_comes_through_pip(index, tmp_path):
    url, pages, path = index
    pages[path] = content = wheel(prompts=SOURCE)
    fetch(package(content, "lib/prompts.py"), tmp_path / "out", url)
    prompts = PromptSet.load(tmp_path / "out")
    assert prompts.render("ui-venus-1.5", **VALUES) == "Do it; then {stop}."
    assert prompts.origin("ui-venus-1.5") == "vendor: made-up 1.0"


def test_a_package_that_is_not_what_is_pinned(index, tmp_path):
    url, pages, path = index
    pages[path] = wheel(prompts=SOURCE, other=b"")
    with pytest.raises(PromptSourceError, match=r"made-up-prompts==1\.0 is not what is pinned"):
        fetch(package(wheel(prompts=SOURCE), "lib/prompts.py"), tmp_path / "out", url)
    assert list(tmp_path.iterdir()) == []


def test_a_package_without_the_file(index, tmp_path):
    url, pages, path = index
    pages[path] = content = wheel(other=SOURCE)
    with pytest.raises(PromptSourceError, match="not what is expected"):
        fetch(package(content, "lib/prompts.py"), tmp_path / "out", url)


def test_an_index_without_the_package(index, tmp_path):
    url, pages, _ = index
    del pages["/simple/made-up-prompts/"]
    with pytest.raises(PromptSourceError, match=r"pip cannot get made-up-prompts==1\.0: "):
        fetch(package(b"", "lib/prompts.py"), tmp_path / "out", url)
    assert list(tmp_path.iterdir()) == []
