"""The command as a user runs it: a process, its one line on stdout, its end."""

from __future__ import annotations

import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from agent_server.actions import Click, Finished
from agent_server.client import PolicyClient
from agent_server.geometry import Point
from agent_server.scripted import ScriptedReply

VENUS = "<think>Tap.</think><action>Click(box=(500, 500))</action><conclusion>Tapped.</conclusion>"


@contextmanager
def serving(*flags: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "agent_server", "serve", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        match = re.fullmatch(r"listening on (http://\S+)\n", line)
        assert match, line + process.stderr.read()
        yield match.group(1), process
    finally:
        process.kill()
        process.communicate(timeout=10)


def test_from_the_first_line_to_sigterm(screenshot):
    with serving("--policy", "null", "--port", "0") as (url, process):
        assert httpx.get(url + "/readyz").json() == {"status": "ready"}
        with PolicyClient(url) as client:
            assert client.act("g", screenshot).action == Finished()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=10)
        assert process.returncode == 0
        assert out == ""
        assert "Traceback" not in err


def test_as_many_open_files_as_allowed():
    with serving("--policy", "null", "--port", "0") as (_, process):
        soft, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
        assert soft == hard


def test_ctrl_c(screenshot):
    with serving("--policy", "null", "--port", "0") as (_, process):
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_a_decision_that_is_being_made_is_finished_before_the_end(screenshot, scripted):
    backend, model = scripted(ScriptedReply(VENUS, delay_s=1.0), model="UI-Venus-1.5-8B")
    flags = ("--model", "UI-Venus-1.5-8B", "--backend", backend, "--port", "0", "--log-level", "warning", "--no-verify")
    with serving(*flags) as (url, process), PolicyClient(url) as client:
        answers = []
        asking = threading.Thread(target=lambda: answers.append(client.act("g", screenshot)))
        asking.start()
        deadline = time.monotonic() + 10
        while not model.requests:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        asking.join(10)
        assert answers[0].action == Click(point=Point(540, 1200))
        assert process.wait(10) == 0


def test_after_kill_9_the_same_port_serves_again(screenshot):
    with serving("--policy", "null", "--port", "0") as (url, process):
        client = PolicyClient(url)
        client.act("g", screenshot)
        process.kill()
        process.wait(10)
    port = url.rpartition(":")[2]
    with serving("--policy", "null", "--port", port) as (again, _):
        assert again == url
        assert client.act("g", screenshot).action == Finished()
        client.close()


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "agent_server", "serve", "--policy", "null", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"agent-server: cannot listen on 127.0.0.1:{port}: Address already in use\n"


def test_limits_and_tokens_from_flags(tmp_path, screenshot):
    tokens = tmp_path / "tokens"
    tokens.write_text("abc\n")
    flags = ("--policy", "null", "--port", "0", "--token-file", str(tokens), "--max-image-pixels", "1000")
    with serving(*flags) as (url, _):
        headers = {"authorization": "Bearer abc"}
        assert httpx.get(url + "/v1/models").status_code == 401
        assert httpx.get(url + "/v1/models", headers=headers).status_code == 200
        files = {"request": (None, b'{"goal": "g"}', "application/json"), "screenshot": ("s", screenshot)}
        response = httpx.post(url + "/act", files=files, headers=headers)
        assert response.status_code == 413


@pytest.mark.parametrize("host", ["::1"])
def test_other_addresses(host):
    with serving("--policy", "null", "--port", "0", "--host", host) as (url, _):
        assert url.startswith("http://[::1]:")
        assert httpx.get(url + "/healthz").status_code == 200
