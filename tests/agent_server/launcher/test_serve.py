"""`agent-server serve` with a model and no backend, as a user runs it, with a stand-in for vLLM."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import pytest

from agent_server.actions import Click
from agent_server.client import PolicyClient
from agent_server.errors import PolicyUnavailable
from agent_server.geometry import Point

MODEL = "UI-Venus-1.5-8B"
COMMAND = (sys.executable, "-m", "agent_server", "serve", "--port", "0")


@dataclass
class Serving:
    """A running server, both of whose outputs are read."""

    process: subprocess.Popen[str]
    out: queue.Queue[str] = field(default_factory=queue.Queue)
    err: list[str] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        for stream, take in ((self.process.stdout, self.out.put), (self.process.stderr, self.err.append)):
            self.threads.append(threading.Thread(target=lambda s=stream, t=take: [t(line) for line in s]))
            self.threads[-1].start()

    @property
    def log(self) -> str:
        return "".join(self.err)

    def url(self, pattern: str = r"Answering on (http://\S+),") -> str:
        """As the log says it, before the model is up."""
        deadline = time.monotonic() + 20
        while not (found := re.search(pattern, self.log)):
            assert time.monotonic() < deadline, self.log
            time.sleep(0.02)
        return found[1]

    def listening(self) -> str:
        """The URL of the line on stdout."""
        return re.fullmatch(r"listening on (http://\S+)\n", self.out.get(timeout=30))[1]

    def end(self, number: int | None = None) -> tuple[int, float]:
        """Exit code, and how many seconds it took since the signal was sent."""
        began = time.monotonic()
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(30)
        for thread in self.threads:
            thread.join(10)
        return code, time.monotonic() - began


@contextmanager
def serving(stand_in, *flags: str) -> Iterator[Serving]:
    command = [*COMMAND, "--model", MODEL, "--vllm", str(stand_in.executable), "--no-verify", *flags]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **stand_in.environment, "CUDA_VISIBLE_DEVICES": ""},
    )
    server = Serving(process)
    try:
        yield server
    finally:
        process.kill()
        server.end()
        process.stdout.close()
        process.stderr.close()


def ready(url: str) -> tuple[int, str]:
    response = httpx.get(url + "/readyz")
    return response.status_code, response.json().get("detail", "")


def test_from_the_start_to_sigterm(stand_in, screenshot, eventually):
    stand_in.plan(boot_s=1.0)
    with serving(stand_in, "--", "--max-num-seqs", "4") as server:
        url = server.url()
        stand_in.started(1)
        assert httpx.get(url + "/healthz").status_code == 200
        status, detail = ready(url)
        assert status == 503
        assert re.search(r"the model server is starting \(\d+ s\)$", detail)
        with PolicyClient(url) as client:
            with pytest.raises(PolicyUnavailable, match=r"the model server is starting \(\d+ s\)"):
                client.act("g", screenshot)
            assert server.out.empty()
            assert server.listening() == url
            assert ready(url) == (200, "")
            answer = client.act("g", screenshot, session="s")
        assert answer.action == Click(point=Point(540, 1200))
        assert answer.weights == MODEL
        [start] = stand_in.starts()
        assert start["argv"][-2:] == ["--max-num-seqs", "4"]
        code, took = server.end(signal.SIGTERM)
        assert code == 0
        assert took < 10
        assert server.out.empty()
        assert "Traceback" not in server.log
        assert stand_in.processes() == []


def test_a_death_is_told_noticed_and_mended(stand_in, screenshot, eventually):
    stand_in.plan(delay_s=30)
    with serving(stand_in) as server, PolicyClient(server.listening()) as client:
        url = server.url()
        failures = []

        def ask() -> None:
            with pytest.raises(PolicyUnavailable) as caught:
                client.act("g", screenshot)
            failures.append(str(caught.value))

        asking = threading.Thread(target=ask)
        asking.start()
        eventually(lambda: "agent_server_in_flight 2.0" in httpx.get(url + "/metrics").text)
        stand_in.plan()
        [start] = stand_in.starts()
        os.kill(start["pid"], signal.SIGKILL)
        eventually(lambda: ready(url)[0] == 503, 2)
        asking.join(5)
        assert "503" in failures[0] or "Model server unavailable" in failures[0]
        assert "the model server was killed by SIGKILL, and the request with it" in failures[0]
        eventually(lambda: ready(url)[0] == 200, 20)
        assert client.act("g", screenshot).action == Click(point=Point(540, 1200))
        assert "agent-server: vllm was killed by SIGKILL; it is started again in 1 s\n" in server.log
        assert start["pid"] not in stand_in.processes()


def test_a_server_that_hangs_is_replaced(stand_in, screenshot, eventually):
    with serving(stand_in, "--hang-timeout", "1") as server:
        url = server.listening()
        [start] = stand_in.starts()
        os.kill(start["pid"], signal.SIGSTOP)
        stand_in.started(2)
        eventually(lambda: ready(url)[0] == 200, 20)
        assert "agent-server: vllm hung (no sign of health for " in server.log


@pytest.mark.parametrize("boot_s", [0, 60])
def test_nothing_outlives_kill_9(stand_in, eventually, boot_s):
    stand_in.plan(boot_s=boot_s)
    with serving(stand_in) as server:
        stand_in.started(1)
        if not boot_s:
            server.listening()
        assert stand_in.processes()
        server.end(signal.SIGKILL)
        eventually(lambda: stand_in.processes() == [], 3)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_while_it_starts(stand_in, number):
    stand_in.plan(boot_s=60)
    with serving(stand_in) as server:
        stand_in.started(1)
        code, took = server.end(number)
        assert code == 0
        assert took < 10
        assert stand_in.processes() == []


def test_a_server_that_does_not_stop_is_killed_and_a_second_signal_hurts_nobody(stand_in, screenshot, eventually):
    stand_in.plan(deaf=True, delay_s=60)
    with serving(stand_in) as server, PolicyClient(server.listening()) as client:
        url = server.url()

        def ask() -> None:
            with pytest.raises(PolicyUnavailable):
                client.act("g", screenshot)

        asking = threading.Thread(target=ask)
        asking.start()
        eventually(lambda: "agent_server_in_flight 2.0" in httpx.get(url + "/metrics").text)
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGTERM)
        code, took = server.end(signal.SIGTERM)
        asking.join(5)
        assert code == 0
        assert took < 10
        assert stand_in.processes() == []


def test_a_second_ctrl_c_waits_for_nothing(stand_in, screenshot, eventually):
    stand_in.plan(deaf=True, delay_s=60)
    with serving(stand_in) as server, PolicyClient(server.listening()) as client:
        url = server.url()

        def ask() -> None:
            with pytest.raises(PolicyUnavailable):
                client.act("g", screenshot)

        asking = threading.Thread(target=ask)
        asking.start()
        eventually(lambda: "agent_server_in_flight 2.0" in httpx.get(url + "/metrics").text)
        server.process.send_signal(signal.SIGINT)
        eventually(lambda: "Shutting down" in server.log)
        _, took = server.end(signal.SIGINT)
        asking.join(5)
        assert took < 4
        assert stand_in.processes() == []


def test_replicas_keep_their_sessions_and_stand_in_for_each_other(stand_in, screenshot, eventually):
    with serving(stand_in, "--replicas", "2") as server, PolicyClient(server.listening()) as client:
        url = server.url()
        stand_in.started(2)
        eventually(lambda: server.log.count(" is up after ") == 2, 20)
        for session in ("a", "b", "c", "d", "e", "f", "a", "b"):
            assert client.act("g", screenshot, session=session).action is not None
        completions = re.findall(r"\[(vllm \d)\] INFO: .*POST /v1/chat/completions", server.log)
        assert set(completions) == {"vllm 0", "vllm 1"}
        os.kill(stand_in.starts()[0]["pid"], signal.SIGKILL)
        eventually(lambda: "was killed by SIGKILL" in server.log, 2)
        assert ready(url)[0] == 200
        for session in "abcdef":
            assert client.act("g", screenshot, session=session).action is not None


def test_a_server_that_cannot_start_says_why(stand_in):
    stand_in.plan(fail=-1, say="vllm: error: unrecognized arguments: --nonsense", code=2)
    with serving(stand_in, "--", "--nonsense") as server:
        code, _ = server.end()
        assert code == 1
        assert server.out.empty()
        assert "[vllm] | vllm: error: unrecognized arguments: --nonsense\n" in server.log
        assert server.err[-1] == (
            "agent-server: vllm ended with exit code 2: this vLLM does not know one of the flags: see `--dry-run`; a "
            "flag after `--` replaces the planned one; its last 2 lines are above\n"
        )
