from __future__ import annotations

import io
import json

import pytest
from PIL import Image

from agent_server.app import create_app
from agent_server.baselines import NullPolicy
from agent_server.cli import main
from agent_server.config import ServerConfig
from agent_server.schemas import ActResponse

VENUS = "<think>Tap.</think><action>Click(box=(500, 500))</action><conclusion>Tapped.</conclusion>"


@pytest.fixture
def shot(tmp_path, screenshot):
    path = tmp_path / "screen.png"
    path.write_bytes(screenshot)
    return path


@pytest.fixture
def run(capsys):
    """Exit code, stdout and stderr of one command."""

    def command(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return command


def act(shot, *rest: object) -> tuple[object, ...]:
    return "act", "--goal", "Open Wi-Fi", "--screenshot", shot, *rest


def test_a_decision_of_a_policy_without_a_model(run, shot):
    code, out, err = run(*act(shot, "--policy", "null"))
    assert (code, err) == (0, "")
    assert ActResponse.model_validate_json(out).action.type == "finished"


def test_a_decision_of_a_model_with_everything_there_is(run, shot, tmp_path, scripted):
    url, model = scripted(VENUS, model="UI-Venus-1.5-8B")
    tree = tmp_path / "ui.xml"
    tree.write_text("<hierarchy rotation='0'/>")
    turns = tmp_path / "history.json"
    turns.write_text(json.dumps([{"step": 0, "thought": "Begin.", "raw": "<action>Wait()</action>"}]))
    drawn = tmp_path / "drawn.png"
    code, out, err = run(
        *act(shot, "--model", "UI-Venus-1.5-8B", "--backend", url, "--ui-tree", tree, "--history", turns),
        *("--app", "com.x", "--session", "s", "--sampling", '{"temperature": 0.5}', "--return-tokens"),
        *("--annotate", drawn),
    )
    assert (code, err) == (0, "")
    answer = ActResponse.model_validate_json(out)
    assert answer.action.point == (540, 1200)
    assert answer.tokens.response_ids == [7, 8, 9]
    (request,) = model.requests
    assert request.body["temperature"] == 0.5
    assert "Open Wi-Fi" in request.text()
    picture = Image.open(io.BytesIO(drawn.read_bytes()))
    assert picture.size == (1080, 2400)
    assert picture.crop((480, 1140, 600, 1260)).getcolors(100_000) is not None


def test_a_parse_error_is_an_answer_and_can_be_drawn(run, shot, tmp_path, scripted):
    url, _ = scripted("no idea", model="UI-Venus-1.5-8B")
    drawn = tmp_path / "drawn.png"
    code, out, _ = run(*act(shot, "--model", "UI-Venus-1.5-8B", "--backend", url, "--annotate", drawn))
    assert code == 0
    assert json.loads(out)["parse_error"]["kind"] == "malformed"
    assert drawn.exists()


def test_a_running_server_is_asked(run, shot, tmp_path, serve_app):
    tokens = tmp_path / "tokens"
    tokens.write_text("t0ken\n")
    url = serve_app(create_app(NullPolicy(), ServerConfig(token_file=tokens)))
    code, out, _ = run(*act(shot, "--url", url, "--token-file", tokens))
    assert code == 0
    assert json.loads(out)["model"] == "null"
    code, out, err = run(*act(shot, "--url", url))
    assert (code, out) == (2, "")
    assert "401: send a valid token" in err


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        ([], 2, "give --policy (baseline, null, random) or --model NAME with --backend URL"),
        (["--policy", "null", "--history", "{no}"], 2, "cannot read {no}: No such file"),
        (["--policy", "null", "--ui-tree", "{dir}"], 2, "Is a directory"),
        (["--policy", "null", "--annotate", "{dir}/no/x.png"], 2, "cannot write"),
        (["--policy", "null", "--sampling", "{{"], 2, "--sampling: Invalid JSON"),
        (["--policy", "null", "--sampling", '{"n": 0}'], 2, "--sampling: n: must be at least 1, got 0"),
        (["--policy", "null", "--history", "{text}"], 2, "Invalid JSON"),
        (["--policy", "null", "--jpeg-quality", "101"], 2, "jpeg_quality: must be at most 100, got 101"),
        (["--url", "localhost"], 2, "is not the URL of a policy server"),
        (["--url", "http://127.0.0.1:1", "--token-file", "{empty}"], 2, "holds no token"),
        (["--url", "http://127.0.0.1:1", "--token-file", "{no}"], 2, "cannot read"),
        (["--url", "http://127.0.0.1:1"], 1, "cannot connect to http://127.0.0.1:1/act"),
        (["--model", "UI-Venus-1.5-8B", "--backend", "http://127.0.0.1:1"], 1, "no backend can be reached"),
    ],
)
def test_one_line_for_what_cannot_be_done(run, shot, tmp_path, flags, code, words):
    (tmp_path / "text").write_text("hello")
    (tmp_path / "empty").write_text("")
    places = {"{no}": "/no/such", "{dir}": str(tmp_path), "{text}": str(tmp_path / "text")}
    places |= {"{empty}": str(tmp_path / "empty")}
    written = []
    for flag in flags:
        for place, path in places.items():
            flag = flag.replace(place, path)
        written.append(flag)
    words = words.replace("{no}", "/no/such")
    found, out, err = run(*act(shot, *written))
    assert found == code
    assert out == ""
    assert err.startswith("agent-server: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "the image is empty"), (b"plain text", "not a PNG, JPEG or WebP"), (b"\x89PNG\r\n\x1a\n", "cut off")],
)
def test_a_file_that_is_no_screenshot(run, tmp_path, content, words):
    path = tmp_path / "shot"
    path.write_bytes(content)
    code, _, err = run(*act(path, "--policy", "null"))
    assert code == 2
    assert words in err


def test_a_blank_goal(run, shot):
    code, _, err = run("act", "--goal", " ", "--screenshot", shot, "--policy", "null")
    assert (code, err.count("\n")) == (2, 1)
    assert "the goal is blank" in err
