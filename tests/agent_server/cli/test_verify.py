"""`agent-server verify`, and the self-check of `agent-server serve`, as processes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import httpx
import pytest

from agent_server.adapters import Processor
from agent_server.scripted import ScriptedReply, TokenCount

VENUS = "UI-Venus-Navi-7B"
RIGHT = TokenCount(Processor(14, 2, 830_000, 937_664))
WRONG = TokenCount(Processor(14, 2, 3_136, 602_112))
FIX = "give --min-pixels 3136 --max-pixels 602112 to agent-server"


def reply(body: dict[str, object]) -> ScriptedReply:
    return ScriptedReply("123" if "structured_outputs" in body else "x")


def run(command: str, *flags: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "agent_server", command, "--model", VENUS, *flags]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)


def test_a_table_and_exit_code_0(scripted):
    url, _ = scripted(reply, model=VENUS, counts=RIGHT, max_model_len=8192)
    done = run("verify", "--backend", url)
    assert done.returncode == 0, done.stderr
    assert re.search(r"phone +│ 1080x2400 │ 644x1428 │ 1173 +│ 1173 +│ 644x1428", done.stdout)
    assert "max_model_len: 8192\n" in done.stdout
    assert "log-probabilities: raw\n" in done.stdout
    assert done.stdout.endswith("\nverified\n")


def test_every_backend_is_told_of_and_one_that_does_not_fit_is_exit_code_1(scripted):
    good, _ = scripted(reply, model=VENUS, counts=RIGHT)
    bad, _ = scripted(reply, model=VENUS, counts=WRONG)
    done = run("verify", "--backend", bad, "--backend", "http://127.0.0.1:1", "--backend", good)
    assert done.returncode == 1
    assert FIX in done.stdout
    assert "738 !" in done.stdout
    assert [line for line in done.stdout.splitlines() if "verified" in line.lower()] == ["NOT VERIFIED", "verified"]
    assert done.stderr.startswith("agent-server: not examined: http://127.0.0.1:1/v1: no connection")


def test_json_of_a_backend_that_is_not_there():
    done = run("verify", "--backend", "http://127.0.0.1:1", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told.keys() == {"url", "error"}
    assert told["url"] == "http://127.0.0.1:1/v1"
    assert "no connection" in told["error"]


def test_json(scripted):
    url, _ = scripted(reply, model=VENUS, counts=WRONG)
    done = run("verify", "--backend", url, "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["probes"][0] == {
        "name": "phone", "screen": [1080, 2400], "sent": [644, 1428], "accepted": True,
        "expected": 1173, "counted": 738, "seen": [504, 1148], "remark": "",
    }  # fmt: skip
    assert [finding["severity"] for finding in report["findings"]] == ["fault"]


def test_the_fix_that_is_named_puts_it_right(scripted):
    url, _ = scripted(reply, model=VENUS, counts=WRONG)
    done = run("verify", "--backend", url, *FIX.split()[1:5])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("flags", [("--policy", "null"), ()])
def test_nothing_to_verify(flags):
    argv = [sys.executable, "-m", "agent_server", "verify", *flags]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "there is no model server to verify; give --model NAME and --backend URL" in done.stderr


def test_serve_ends_with_2_before_a_server_that_does_not_fit(scripted):
    url, _ = scripted(reply, model=VENUS, counts=WRONG)
    done = run("serve", "--backend", url, "--port", "0")
    assert done.returncode == 2
    assert done.stdout == ""
    assert FIX in done.stderr.splitlines()[-1]


def test_serve_without_verification_says_so(scripted):
    url, _ = scripted(reply, model=VENUS, counts=WRONG)
    argv = [sys.executable, "-m", "agent_server", "serve", "--model", VENUS, "--backend", url, "--port", "0"]
    process = subprocess.Popen([*argv, "--no-verify"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        server = process.stdout.readline().split()[-1]
        assert httpx.get(server + "/v1/models").json()["data"][0]["verified"] is False
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert "NOT VERIFIED (--no-verify)" in said


def test_serve_may_start_before_its_model_server(scripted):
    """`/readyz` says why; what is said of a backend is in the log."""
    argv = [sys.executable, "-m", "agent_server", "serve", "--model", VENUS, "--port", "0"]
    process = subprocess.Popen(
        [*argv, "--backend", "http://127.0.0.1:1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        server = process.stdout.readline().split()[-1]
        answer = httpx.get(server + "/readyz")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert answer.status_code == 503
    assert "it is not verified yet: http://127.0.0.1:1/v1: no connection" in answer.json()["detail"]
    assert "is used once it is verified" in said
    assert process.returncode == 0
