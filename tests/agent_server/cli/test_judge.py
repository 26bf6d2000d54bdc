from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_server.adapters import PromptSet
from agent_server.app import create_app
from agent_server.backend import ChatBackend
from agent_server.baselines import NullPolicy
from agent_server.cli import main
from agent_server.cli.judge import numbered
from agent_server.errors import InvalidRequest
from agent_server.judge import Judge
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import JudgeResponse

GOOD = '{"reason": "It is on.", "score": 8}'


@pytest.fixture
def shots(tmp_path, draw, encode):
    paths = [tmp_path / f"{index}.png" for index in range(3)]
    for index, path in enumerate(paths):
        path.write_bytes(encode(draw(100 + index, 200), "PNG"))
    return paths


@pytest.fixture
def steps(tmp_path):
    path = tmp_path / "steps.json"
    path.write_text(json.dumps([{"summary": "Opened it"}, {"action": {"type": "click", "point": [1, 2]}}]))
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


def test_by_a_judge_of_its_own(run, shots, steps, scripted, tmp_path):
    url, model = scripted(GOOD, model="served")
    rubric = tmp_path / "rubric.txt"
    rubric.write_text("The switch is blue.")
    code, out, err = run(
        *("judge", "--goal", "Turn it on", "--steps", steps, "--criteria", rubric, "--answer", "yes"),
        *("--judge-model", "any-vlm", "--judge-backend", url, "--judge-served-name", "served", "--judge-scale", 10),
        *("--sampling", '{"n": 2}', "--threshold", 0.9, "--frames", shots[0], shots[1], shots[2]),
    )
    assert (code, err) == (0, "")
    verdict = JudgeResponse.model_validate_json(out)
    assert (verdict.score, verdict.success, len(verdict.votes), verdict.frames) == (0.8, False, 2, [0, 1, 2])
    text = model.requests[0].text()
    assert all(words in text for words in ("Turn it on", "Opened it", "The switch is blue.", "yes"))
    assert len(model.requests[0].images()) == 3


def test_by_the_policys_own_model_that_sees_one_screen(run, shots, steps, scripted):
    url, model = scripted(GOOD, model="UI-Venus-1.5-8B")
    own = ("judge", "--goal", "x", "--steps", steps, "--model", "UI-Venus-1.5-8B", "--backend", url)
    code, _, err = run(*own, "--frames", shots[0], shots[2])
    assert code == 2
    assert "shown at most 1" in err
    code, out, _ = run(*own, "--select-frames", "--frames", f"0={shots[0]}", f"2={shots[2]}")
    assert (code, JudgeResponse.model_validate_json(out).frames) == (0, [2])
    code, out, _ = run(*own, "--judge-frames", 2, "--frames", shots[0], "--frames", shots[2])
    assert (code, JudgeResponse.model_validate_json(out).frames) == (0, [1, 2])
    assert [len(request.images()) for request in model.requests] == [1, 2]


def test_by_a_running_server(run, shots, steps, scripted, serve_app):
    url, _ = scripted(GOOD, model="m")
    judge = Judge("J", ChatBackend([url], "m"), PromptSet.load(), PreparedImages(), most_frames=2)
    server = serve_app(create_app(NullPolicy(), judge=judge))
    code, out, _ = run("judge", "--url", server, "--goal", "x", "--steps", steps, "--frames", f"2={shots[2]}")
    assert (code, JudgeResponse.model_validate_json(out).model) == (0, "J")
    code, _, err = run("judge", "--url", server, "--goal", "x", "--frames", *shots)
    assert code == 2
    assert "shown at most 2" in err


def test_which_step_saw_which_file():
    files = [Path("a"), Path("b")]
    assert numbered(["a", "b"], 0) == dict(enumerate(files))
    assert numbered(["a", "b"], 5) == {4: files[0], 5: files[1]}
    assert numbered(["a", "b"], 1) == {0: files[0], 1: files[1]}
    assert numbered(["3=a", "7=b"], 9) == {3: files[0], 7: files[1]}
    for frames in (["a", "3=b"], ["3=a", "3=b"]):
        with pytest.raises(InvalidRequest, match="NUMBER=FILE"):
            numbered(frames, 9)


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (("--policy", "null"), "--judge-model and --judge-backend"),
        (("--judge-model", "x"), "needs --judge-backend"),
        (("--policy", "null", "--judge-backend", "http://127.0.0.1:9"), "--judge-backend needs --judge-model"),
        (("--judge-model", "x", "--judge-backend", "http://127.0.0.1:9", "--judge-frames", "0"), "judge-frames"),
        (("--judge-model", "x", "--judge-backend", "http://127.0.0.1:9", "--steps", "nowhere.json"), "cannot read"),
    ],
)
def test_what_makes_no_sense(run, shots, rest, words):
    code, out, err = run("judge", "--goal", "x", "--frames", shots[0], *rest)
    assert (code, out) == (2, "")
    assert words in err
