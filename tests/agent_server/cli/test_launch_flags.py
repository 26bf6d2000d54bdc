"""What `agent-server serve` says of a launch before it starts anything."""

from __future__ import annotations

import json
import shlex
import sys
from itertools import pairwise

import pytest

from agent_server.cli import main

MODEL = "UI-Venus-1.5-8B"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Exit code, stdout and stderr of `serve` on a machine without vLLM."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def command(*flags: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["serve", "--port", "0", *flags])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return command


def test_dry_run_needs_no_vllm(run, monkeypatch):
    flags = ("--model", "inclusionAI/UI-Venus-Navi-72B", "--replicas", "2", "--dry-run", "--", "--seed=1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7")
    code, out, err = run(*flags)
    assert code == 0
    assert "no vLLM is installed here" in err
    assert "no GPU" not in err
    one, two = map(shlex.split, out.splitlines())
    assert one[:4] == ["CUDA_VISIBLE_DEVICES=0,1,2,3", "vllm", "serve", "inclusionAI/UI-Venus-Navi-72B"]
    assert two[0] == "CUDA_VISIBLE_DEVICES=4,5,6,7"
    assert one[-1] == two[-1] == "--seed=1"
    given = dict(pairwise(one))
    assert given["--tensor-parallel-size"] == "4"
    assert json.loads(given["--mm-processor-kwargs"]) == {"min_pixels": 3136, "max_pixels": 12_845_056}


def test_dry_run_says_where_its_flags_are_for_a_cpu(run, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    code, out, err = run("--model", MODEL, "--dry-run", "--vllm", sys.executable)
    assert code == 0
    assert out.startswith(sys.executable)
    assert err == "agent-server: no GPU is seen here, so these are the flags for a CPU\n"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--model", MODEL), "pip install 'android-rollout-farm[vllm]'"),
        (("--model", MODEL, "--vllm", "/no/such"), "--vllm /no/such is not an executable file"),
        (("--model", "/no/such/UI-Venus-1.5-8B", "--dry-run"), "there is no folder /no/such/UI-Venus-1.5-8B"),
        (("--policy", "null", "--", "--seed", "1"), "flags after --: no model server is started here"),
        (("--policy", "null", "--dry-run"), "give --model without --backend"),
        (("--model", MODEL, "--backend", "http://h", "--replicas", "2"), "--replicas: no model server is started here"),
        (("--model", MODEL, "venus", "--dry-run"), "unexpected argument 'venus'; only flags for vLLM are taken"),
        ((), "give --policy"),
    ],
)
def test_what_makes_no_sense_starts_nothing(run, flags, words):
    code, out, err = run(*flags)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
