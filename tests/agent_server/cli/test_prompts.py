from __future__ import annotations

import socket

import pytest

from agent_server.cli import main
from agent_server.vendor_prompts.recipes import RECIPES


@pytest.fixture
def run(capsys):
    def command(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["prompts", *map(str, arguments)])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return command


def test_templates_are_written_and_never_overwritten(run, tmp_path):
    code, out, _ = run("write", "--out", tmp_path / "p")
    assert code == 0
    written = sorted((tmp_path / "p").iterdir())
    assert [str(path) for path in written] == sorted(out.split())
    assert "ui-venus-1.5.jinja" in {path.name for path in written}
    code, _, err = run("write", "--out", tmp_path / "p")
    assert (code, err.count("\n")) == (2, 1)
    assert "exists" in err


def test_a_folder_that_cannot_be_made(run, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run("write", "--out", tmp_path / "file" / "p")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot write templates" in err


def test_a_name_that_is_not_known_lists_the_known(run, tmp_path):
    code, _, err = run("fetch", "qwen", "--out", tmp_path / "p")
    assert code == 2
    assert all(name in err for name in RECIPES)


def test_a_source_that_does_not_answer(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as unanswered:
        port = unanswered.getsockname()[1]
    code, out, err = run("fetch", "mai-ui", "--out", tmp_path / "p", "--source", f"http://127.0.0.1:{port}")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert (
        f"http://127.0.0.1:{port}/Tongyi-MAI/MAI-UI/raw/4dd07b9e910a294f001452e888514d912b96cc41/src/prompt.py" in err
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_use(run, tmp_path):
    (tmp_path / "p").write_text("")
    code, _, err = run("fetch", "mai-ui", "--out", tmp_path)
    assert code == 2
    assert "give a new or empty folder" in err


@pytest.mark.parametrize("command", [[], ["write"], ["fetch"]])
def test_what_is_missing_is_said(run, command):
    code, _, err = run(*command)
    assert code == (2 if command else 0) or "Usage" in err
