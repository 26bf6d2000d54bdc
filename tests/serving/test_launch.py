"""`agent-server serve` starts vLLM itself: up, asked, its engine killed, up again, stopped; and killed itself."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from PIL import Image

from agent_server.client import PolicyClient
from agent_server.errors import PolicyUnavailable

SERVE = (sys.executable, "-m", "agent_server", "serve", "--port", "0", "--adapter", "ui-venus-1.0")
START_S = 600.0


class Serving:
    """A policy server whose vLLM is its child; what it prints is kept."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        self.lines: list[str] = []
        self._reading = threading.Thread(target=lambda: self.lines.extend(self.process.stdout))
        self._reading.start()

    def says(self, pattern: str, patience_s: float = START_S) -> re.Match[str]:
        """Wait until it prints a line."""
        deadline = time.monotonic() + patience_s
        while not (found := re.search(pattern, "".join(self.lines))):
            said = "".join(self.lines[-60:])
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.05)
        return found

    def end(self, number: int) -> tuple[int, float]:
        """Exit code, and seconds since the signal."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(60)
        took = time.monotonic() - began
        self._reading.join(30)
        self.process.stdout.close()
        return code, took


@pytest.fixture
def serving(model_server, vllm, vllm_env):
    """Starts the policy server on a checkpoint, where no other vLLM takes the memory."""

    @contextmanager
    def start(checkpoint, *passed: str) -> Iterator[Serving]:
        model_server.stop()
        command = [*SERVE, "--model", str(checkpoint), "--vllm", str(vllm), "--", "--enforce-eager", *passed]
        server = Serving(command, vllm_env)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.end(signal.SIGKILL)

    return start


@pytest.fixture
def screenshot() -> bytes:
    out = io.BytesIO()
    Image.effect_noise((360, 800), 80).convert("RGB").save(out, "PNG")
    return out.getvalue()


def eventually(holds, patience_s: float) -> float:
    """Seconds until something holds; an assertion fails where it does not in time."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < patience_s
        time.sleep(0.05)
    return time.monotonic() - began


def red(url: str) -> bool:
    return httpx.get(url + "/readyz", timeout=5).status_code == 503


def led(session: int) -> dict[int, str]:
    """Process id and command of everything that runs in a session, zombies left out.

    Not by their environment: a process that sets its title, as the engine and its workers do, overwrites that.
    """
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, _, _, leader = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(leader) == session and state != "Z":
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it has ended
    return found


def keeper(processes) -> int:
    """The process that leads vLLM and its workers, when it is there."""

    def found() -> list[int]:
        return [pid for pid, command in processes() if "launcher/keeper.py" in command]

    eventually(found, START_S)
    [pid] = found()
    return pid


def engine(session: int) -> int:
    [pid] = [pid for pid, command in led(session).items() if command.startswith("VLLM::EngineCore")]
    return pid


def test_a_whole_life(serving, checkpoint, vllm_processes, screenshot):
    folder = checkpoint()
    with serving(folder) as server:
        url = server.says(r"Answering on (http://\S+),")[1]
        assert red(url)
        assert "the model server is starting (" in httpx.get(url + "/readyz").json()["detail"]
        server.says(r"listening on http://")
        with PolicyClient(url) as client:
            first = client.act("Open Settings", screenshot, sampling={"max_tokens": 8}, return_tokens=True)
            assert (first.model, first.weights) == (str(folder), str(folder))
            assert first.usage.completion_tokens <= 8
            assert first.tokens.logprobs_mode == "raw"

            failures = []

            def ask() -> None:
                with pytest.raises(PolicyUnavailable) as caught:
                    client.act("Open Settings", screenshot, sampling={"max_tokens": 2000, "constrained": False})
                failures.append(str(caught.value))

            asking = threading.Thread(target=ask)
            asking.start()
            eventually(lambda: re.search(r"in_flight 2\.0", httpx.get(url + "/metrics").text), 10)
            time.sleep(1)  # it must have reached the engine, which nothing tells
            first = keeper(vllm_processes)
            os.kill(engine(first), signal.SIGKILL)
            eventually(lambda: red(url), 2)
            asking.join(30)
            assert "and the request with it" in failures[0]

            server.says(r"vllm (?!is up).*; it is started again in 1 s")
            eventually(lambda: not red(url), START_S)
            again = client.act("Open Settings", screenshot, sampling={"max_tokens": 8, "temperature": 0})
            assert again.weights == str(folder)
        second = keeper(vllm_processes)
        assert engine(second)
        code, took = server.end(signal.SIGTERM)
        assert code == 0
        assert took < 10
        assert led(first) == led(second) == {}
        assert vllm_processes() == []


def test_nothing_outlives_us_by_kill_9(serving, checkpoint, vllm_processes):
    with serving(checkpoint()) as server:
        session = keeper(vllm_processes)
        eventually(lambda: any(command.startswith("VLLM::") for command in led(session).values()), START_S)
        server.end(signal.SIGKILL)
        eventually(lambda: led(session) == {}, 3)
        assert vllm_processes() == []


def test_why_it_does_not_start_is_told(serving, checkpoint, tmp_path, vllm_processes):
    folder = tmp_path / "unknown"
    shutil.copytree(checkpoint(), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["NobodysModel"]}))
    with serving(folder) as server:
        session = keeper(vllm_processes)
        assert server.process.wait(START_S) == 1
        server.end(0)
        assert "too old for the model's architecture" in server.lines[-1]
        assert led(session) == {}
        assert vllm_processes() == []
