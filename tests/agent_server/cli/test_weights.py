"""`agent-server weights`, as a process, against a running server."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from agent_server.app import create_app
from agent_server.config import PolicyConfig, ServerConfig, WeightsConfig
from agent_server.loader import load_policy, load_weights
from agent_server.scripted import ScriptedModel
from agent_server.scripted_weights import ScriptedWeights


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(model="UI-Venus-Navi-7B", root="/first", weights=ScriptedWeights())


@pytest.fixture
def run(serve_app, model, tmp_path):
    token_file = tmp_path / "admins"
    token_file.write_text("boss\n")
    policy = load_policy(PolicyConfig(model="UI-Venus-Navi-7B", backends=(serve_app(model),)))
    changes = load_weights(WeightsConfig(), policy)
    url = serve_app(create_app(policy, ServerConfig(admin_token_file=token_file), weights=changes))

    def agent_server(*arguments: str, token: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "agent_server", "weights", *arguments, "--url", url]
        command += ["--token-file", str(token_file)] if token else []
        return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)

    return agent_server


def test_load_and_list(run, model, adapter_folder):
    folder = adapter_folder("step 1")
    done = run("load", "--revision", "step-1", "--path", "step 1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("step-1 is served after ")
    assert done.stdout.endswith(" in place of /first\n")
    assert model.weights.adapters == {"step-1": str(folder)}
    listed = run("list")
    assert listed.returncode == 0
    rows = [line for line in listed.stdout.splitlines() if "step-1" in line or "/first" in line]
    assert ["yes" in row for row in rows] == [False, True]
    state = json.loads(run("list", "--json").stdout)
    assert [one["revision"] for one in state["revisions"]] == ["/first", "step-1"]


def test_a_checkpoint_as_json(run, model, checkpoint_folder):
    folder = checkpoint_folder("full")
    done = run("load", "--kind", "checkpoint", "--revision", "step-2", "--path", str(folder), "--drain", "0", "--json")
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    assert (loaded["revision"], loaded["kind"], loaded["moved_sessions"]) == ("step-2", "checkpoint", 0)
    assert model.weights.folder == str(folder)


def test_what_fails_is_one_line(run, tmp_path):
    for arguments, token, said in (
        (("load", "--revision", "a", "--path", "nowhere"), True, "nowhere/adapter_config.json cannot be read here"),
        (("load", "--revision", "a b", "--path", str(tmp_path)), True, "no name of a revision"),
        (("list",), False, "send a valid token"),
        (("load", "--path", str(tmp_path)), True, "--revision"),
    ):
        done = run(*arguments, token=token)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agent_server", "serve", "--port", "0", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_administrators_need_a_model(tmp_path):
    (tmp_path / "admins").write_text("boss\n")
    done = serve("--policy", "null", "--admin-token-file", str(tmp_path / "admins"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "this policy has none; give --model" in done.stderr


def test_model_servers_are_started_for_it(tmp_path):
    model = ("--model", "inclusionAI/UI-Venus-Navi-7B", "--dry-run")
    assert "--enable-lora" not in serve(*model).stdout
    planned = serve(*model, "--admin-token-file", str(tmp_path / "admins")).stdout
    for part in ("--enable-lora", "--max-loras", "VLLM_ALLOW_RUNTIME_LORA_UPDATING=1", "VLLM_SERVER_DEV_MODE=1"):
        assert part in planned
