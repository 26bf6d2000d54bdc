from __future__ import annotations

import io
import json
import sys

import pytest

from agent_server.adapters import ADAPTERS
from agent_server.cli import main

CLICK = "<think>Tap it.</think><action>Click(box=(500, 250))</action><conclusion>Tapped.</conclusion>"


class Stdin:
    """Standard input that holds bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture
def run(capsys):
    def command(*arguments: object, stdin: bytes = b"") -> tuple[int, str, str]:
        before = sys.stdin
        sys.stdin = Stdin(stdin)
        try:
            with pytest.raises(SystemExit) as caught:
                main([str(argument) for argument in arguments])
        finally:
            sys.stdin = before
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return command


def parse(run, text: str | bytes, adapter: str = "ui-venus-1.5", size: str = "1080x2400", *rest: str) -> dict:
    data = text if isinstance(text, bytes) else text.encode()
    code, out, err = run("parse", "--adapter", adapter, "--size", size, *rest, stdin=data)
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def test_an_action(run):
    assert parse(run, CLICK) == {
        "action": {"type": "click", "point": [540, 600]},
        "parse_error": None,
        "thought": "Tap it.",
        "summary": "Tapped.",
        "extra_actions": 0,
    }


def test_the_model_decides_about_the_limits(run):
    click = "<action>Click(box=(322, 357))</action>"
    small = parse(run, click, "ui-venus-1.0", "1080x2400", "--model", "UI-Venus-Navi-7B")
    assert small["action"] == {"type": "click", "point": [540, 600]}
    large = parse(run, click, "ui-venus-1.0", "1080x2400", "--model", "UI-Venus-Navi-72B")
    assert large["action"]["point"][0] < 330


@pytest.mark.parametrize("text", ["nothing to do", "", b"\xff\xfe\x00", "<action>Fly(box=(1, 2))</action>"])
def test_a_parse_error_is_no_failure(run, text):
    answer = parse(run, text)
    assert answer["action"] is None
    assert answer["parse_error"]["kind"] in ("malformed", "unsupported")
    assert answer["parse_error"]["message"]


def test_text_beyond_ascii_is_printed_as_it_is(run, capsys):
    answer = parse(run, "<think>按钮</think><action>Type(content='你好')</action>")
    assert answer["thought"] == "按钮"
    assert answer["action"] == {"type": "type", "text": "你好"}


@pytest.mark.parametrize(
    ("adapter", "size", "words"),
    [
        ("zip", "1x1", "unknown adapter 'zip'; known: "),
        ("ui-venus-1.5", "1080", "'1080' is not a size; write WIDTHxHEIGHT"),
        ("ui-venus-1.5", "0x5", "at least 1 pixel"),
        ("ui-venus-1.0", "1x900", "200 times"),
    ],
)
def test_input_that_makes_no_sense(run, adapter, size, words):
    code, out, err = run("parse", "--adapter", adapter, "--size", size, stdin=b"x")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_the_table_names_every_adapter(run):
    code, out, _ = run("adapters")
    assert code == 0
    for name in ADAPTERS:
        assert name in out
    assert "pixels, /28, 830000..937664" in out
    assert "0..1000" in out


def test_everything_declared_as_json(run):
    code, out, _ = run("adapters", "--json")
    assert code == 0
    declared = {entry["name"]: entry for entry in json.loads(out)}
    assert declared.keys() == ADAPTERS.keys()
    assert declared["ui-venus-1.0"]["space"] == {"factor": 28, "min_pixels": 830_000, "max_pixels": 937_664}
    assert declared["ui-venus-1.5"]["sampling"]["temperature"] == 0
