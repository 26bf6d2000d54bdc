from __future__ import annotations

import io

import pytest
from PIL import Image

from agent_server.adapters import PromptSet, adapter_named
from agent_server.app import create_app
from agent_server.backend import ChatBackend
from agent_server.baselines import NullPolicy
from agent_server.cli import main
from agent_server.config import ServerConfig
from agent_server.ground import GroundingModel
from agent_server.prepared_images import PreparedImages
from agent_server.schemas import GroundResponse

FOUND = '[{"bbox_2d": [400, 400, 600, 600]}]'


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


def ground(shot, *rest: object) -> tuple[object, ...]:
    return "ground", "--element", "the bell", "--screenshot", shot, *rest


def test_by_the_policys_own_model(run, shot, scripted, tmp_path):
    url, model = scripted(FOUND, model="Qwen3-VL-8B")
    drawn = tmp_path / "drawn.png"
    sampling = '{"temperature": 0.5}'
    code, out, err = run(
        *ground(shot, "--model", "Qwen3-VL-8B", "--backend", url, "--sampling", sampling, "--annotate", drawn)
    )
    assert (code, err) == (0, "")
    answer = GroundResponse.model_validate_json(out)
    assert (answer.point, answer.box) == ((540, 1200), (432, 960, 648, 1440))
    assert model.requests[0].body["temperature"] == 0.5
    assert Image.open(io.BytesIO(drawn.read_bytes())).size == (1080, 2400)
    assert drawn.read_bytes() != shot.read_bytes()


def test_by_a_model_of_its_own_or_asked_otherwise(run, shot, scripted):
    url, _ = scripted("[500,500]", model="served")
    aside = ("--ground-model", "UI-Venus-1.5-8B", "--ground-backend", url, "--ground-served-name", "served")
    code, out, _ = run(*ground(shot, *aside))
    assert (code, GroundResponse.model_validate_json(out).adapter) == (0, "ui-venus-ground-1.5")
    own = ("--model", "some-model", "--adapter", "ui-venus-1.0", "--backend", url, "--served-name", "served")
    code, out, _ = run(*ground(shot, *own, "--ground-adapter", "ui-venus-ground-1.5"))
    answer = GroundResponse.model_validate_json(out)
    assert (code, answer.model, answer.adapter) == (0, "some-model", "ui-venus-ground-1.5")


def test_by_a_running_server(run, shot, scripted, serve_app, tmp_path):
    url, _ = scripted(FOUND, model="m")
    tokens = tmp_path / "tokens"
    tokens.write_text("secret\n")
    model = GroundingModel("Q", adapter_named("qwen3-vl"), ChatBackend([url], "m"), PromptSet.load(), PreparedImages())
    server = serve_app(create_app(NullPolicy(), ServerConfig(token_file=tokens), grounding=model))
    code, out, _ = run(*ground(shot, "--url", server, "--token-file", tokens, "--session", "s"))
    assert (code, GroundResponse.model_validate_json(out).model) == (0, "Q")
    code, _, err = run(*ground(shot, "--url", server))
    assert code == 2
    assert "401" in err


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (("--policy", "null"), "null does not say where elements are; families that do: "),
        (("--model", "UI-Venus-Navi-7B", "--backend", "http://127.0.0.1:9"), "does not say where elements are"),
        (("--model", "Qwen3-VL-8B"), "needs --backend"),
        (("--ground-model", "Qwen3-VL-8B"), "needs --ground-backend"),
        (("--policy", "null", "--ground-backend", "http://127.0.0.1:9"), "--ground-backend needs --ground-model"),
        (("--ground-model", "UI-Venus-Navi-7B", "--ground-backend", "http://127.0.0.1:9"), "ui-venus-1.0 does not say"),
        (("--ground-model", "Qwen3-VL", "--ground-backend", "nowhere"), "not a backend URL"),
        (("--url", "nowhere"), "not the URL"),
        (("--policy", "null", "--sampling", "{"), "--sampling"),
    ],
)
def test_what_makes_no_sense(run, shot, rest, words):
    code, out, err = run(*ground(shot, *rest))
    assert (code, out) == (2, "")
    assert words in err


def test_a_backend_that_is_gone_is_another_failure(run, shot):
    code, _, err = run(*ground(shot, "--model", "Qwen3-VL-8B", "--backend", "http://127.0.0.1:9"))
    assert code == 1
    assert "127.0.0.1:9" in err
