from __future__ import annotations

import subprocess
import sys

import pytest

from agent_server.cli import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out, err = capsys.readouterr()
    return caught.value.code, out, err


@pytest.mark.parametrize("arguments", [["--help"]])
def test_help_names_every_command(arguments, capsys):
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    for command in ("serve", "act", "parse", "adapters", "prompts"):
        assert f"\n  {command}" in out


@pytest.mark.parametrize("command", ["serve", "act", "parse", "adapters", "prompts"])
def test_help_of_each_command(command, capsys):
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert f"Usage: agent-server {command}" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "No such command 'fly'"),
        (["serve", "--fly"], "No such option: --fly"),
        (["serve", "--port", "x"], "Invalid value for '--port'"),
        (["serve", "--port", "70000"], "Invalid value for '--port'"),
        (["serve", "--image-format", "gif"], "Invalid value for '--image-format'"),
        (["act", "--goal", "x"], "Missing option '--screenshot'"),
        (["serve"], "give --policy"),
        (["serve", "--policy", "best"], "unknown policy 'best'; known: baseline, null, random"),
        (["serve", "--policy", "null", "--max-image-pixels", "0"], "max_image_pixels: must be at least 1, got 0"),
        (["serve", "--policy", "null", "--token-file", "/no/such"], "token file /no/such cannot be read"),
        (["serve", "--policy", "null", "--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_one_line_and_exit_code_2(arguments, words, capsys):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("agent-server: ")
    assert words in err
    assert err.count("\n") == 1


def test_without_arguments_it_helps():
    done = subprocess.run([sys.executable, "-m", "agent_server"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Usage: agent-server" in done.stdout
