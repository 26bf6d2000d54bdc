"""A real vLLM on the CPU: its executable, tiny checkpoints of any pixel limits, and one server at a time.

A server takes half a minute to start, so one that has the wanted checkpoint and flags is used again, and the tests that
use the common one (`served`) come first. None outlives the session: that is checked at its end.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from agent_server.adapters import PromptSet, adapter_named
from agent_server.backend import ChatBackend
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Policy
from agent_server.processor import fitted
from emulator_farm.tether import spawn

HERE = Path(__file__).parent / "vllm_cpu"
BUILD_S = 300.0
START_S = 300.0
STOP_S = 15.0
NAME = "tiny"
"""Under which every server of these tests serves its checkpoint."""
FLAGS = (
    "--served-model-name", NAME, "--host", "127.0.0.1", "--dtype", "bfloat16", "--max-model-len", "8192",
    "--enforce-eager", "--limit-mm-per-prompt", '{"image": 5, "video": 0}', "--enable-auto-tool-choice",
    "--tool-call-parser", "hermes", "--enable-prompt-tokens-details", "--no-enable-chunked-prefill",
)  # fmt: skip
"""Prompts are computed whole because the engine dies on a CPU of one that has a seed and is computed in parts."""
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "passive",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}
"""No network, 1 GiB of KV cache, threads that leave the cores to others, and no process of its own for the one worker
(a third less of the time to start)."""

BuildCheckpoint = Callable[..., Path]
Forward = Callable[..., list[dict[str, list]]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of the common server first, the others in their own order."""
    items.sort(key=lambda item: "served" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def vllm() -> Path:
    """The executable; made in the cache folder where VLLM_BIN names none."""
    done = subprocess.run([sys.executable, HERE / "setup.py"], capture_output=True, text=True)
    assert done.returncode == 0, f"no vLLM can be had: {done.stderr[-4000:]}"
    return Path(done.stdout.strip())


@pytest.fixture(scope="session")
def vllm_env() -> dict[str, str]:
    """The environment in which a vLLM of these tests runs, whoever starts it.

    It carries a mark that all its processes inherit, by which the session proves at its end that none is left.
    """
    return {**os.environ, **QUIET, "ROLLOUT_FARM_BENCH": f"bench-{uuid.uuid4()}"}


@pytest.fixture(scope="session")
def checkpoint(vllm: Path) -> BuildCheckpoint:
    """Builds a checkpoint once and for all; see `vllm_cpu/build_checkpoint.py`. Gives its folder."""

    def build(
        size: str = "tiny", min_pixels: int = 3_136, max_pixels: int = 602_112, dtype: str = "bfloat16", seed: int = 0
    ) -> Path:
        builder = HERE / "build_checkpoint.py"
        made_by = hashlib.sha256(builder.read_bytes()).hexdigest()[:12]
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "android-rollout-farm"
        folder = cache / "checkpoints" / f"{size}-{min_pixels}-{max_pixels}-{dtype}-{seed}-{made_by}"
        if folder.is_dir():
            return folder
        draft = folder.with_name(f"{folder.name}.{os.getpid()}")
        if (min_pixels, max_pixels) == (3_136, 602_112):
            command = [vllm.with_name("python"), builder, draft, "--size", size, "--dtype", dtype, "--seed", str(seed)]
            done = subprocess.run(command, env={**os.environ, **QUIET}, capture_output=True, text=True, timeout=BUILD_S)
            assert done.returncode == 0, done.stderr[-4000:]
        else:
            shutil.copytree(build(size, dtype=dtype, seed=seed), draft)
            _limit(draft, min_pixels, max_pixels)
        try:
            draft.replace(folder)
        except OSError:  # another session was faster
            shutil.rmtree(draft)
        return folder

    return build


def _limit(folder: Path, min_pixels: int, max_pixels: int) -> None:
    """Give a checkpoint other pixel limits: they are all that differs."""
    for name in ("preprocessor_config.json", "video_preprocessor_config.json"):
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | {"min_pixels": min_pixels, "max_pixels": max_pixels}))


@dataclass(frozen=True)
class ModelServer:
    """A vLLM that serves."""

    url: str
    """Without /v1."""
    name: str
    """Of the model."""
    checkpoint: Path
    process: subprocess.Popen[bytes]
    log: Path

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=10)

    def complete(self, **body: object) -> dict[str, object]:
        """One chat completion, straight from the model server."""
        answer = httpx.post(f"{self.url}/v1/chat/completions", json={"model": self.name, **body}, timeout=120)
        assert answer.status_code == 200, answer.text
        return answer.json()


class Bench:
    """Starts servers, one at a time. `bench(checkpoint, "--max-model-len", "4096", env={…})` gives a ModelServer."""

    def __init__(self, vllm: Path, env: Mapping[str, str], logs: Path) -> None:
        self._vllm, self._env, self._logs = vllm, dict(env), logs
        self._running: tuple[object, ModelServer] | None = None
        self._started = 0

    def __call__(self, checkpoint: Path, *flags: str, env: Mapping[str, str] | None = None) -> ModelServer:
        """The running server, where it has this checkpoint and these flags; else a new one in its place.

        A flag replaces the one of the same name in FLAGS.
        """
        wanted = (checkpoint, flags, tuple((env or {}).items()))
        if self._running is not None:
            known, server = self._running
            if known == wanted and server.process.poll() is None:
                return server
        self.stop()
        server = self._start(checkpoint, flags, {**self._env, **(env or {})})
        self._running = (wanted, server)
        return server

    def stop(self) -> None:
        """Stop what runs. Before a test starts vLLM by other means: there is memory for one."""
        running, self._running = self._running, None
        _end([pid for pid, _ in marked(self._env)])
        if running is not None:
            running[1].process.wait(STOP_S)

    def _start(self, checkpoint: Path, flags: tuple[str, ...], env: dict[str, str]) -> ModelServer:
        self._started += 1
        log = self._logs / f"vllm-{self._started}.log"
        port = free_port()
        command = [str(self._vllm), "serve", str(checkpoint), *FLAGS, "--port", str(port), *flags]
        with log.open("wb") as out:
            process = spawn(command, env=env, stdout=out, stderr=subprocess.STDOUT)
        server = ModelServer(f"http://127.0.0.1:{port}", NAME, checkpoint, process, log)
        deadline = time.monotonic() + START_S
        while not _healthy(server):
            said = f"{' '.join(command)}\n{log.read_text(errors='replace')[-6000:]}"
            assert process.poll() is None, f"vLLM ended with {process.returncode}: {said}"
            assert time.monotonic() < deadline, f"vLLM was not there after {START_S:g} s: {said}"
            threading.Event().wait(0.25)
        return server


@pytest.fixture(scope="session")
def model_server(vllm: Path, vllm_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Starts vLLM on a checkpoint; see Bench. `model_server.stop()` makes room for one started by other means."""
    bench = Bench(vllm, vllm_env, tmp_path_factory.mktemp("vllm"))
    try:
        yield bench
    finally:
        bench.stop()


@pytest.fixture(scope="session", autouse=True)
def nothing_left(vllm_env: dict[str, str]) -> Iterator[None]:
    """No process of any vLLM that these tests started, by whatever means, is there when they are over."""
    yield
    left = marked(vllm_env)
    _end([pid for pid, _ in left])
    assert left == []


@pytest.fixture
def served(model_server: Bench, checkpoint: BuildCheckpoint) -> ModelServer:
    """The common server: the tiny checkpoint with its default limits, default flags."""
    return model_server(checkpoint())


@pytest.fixture(scope="session")
def vllm_processes(vllm_env: dict[str, str]) -> Callable[[], list[tuple[int, str]]]:
    """Process id and command of everything that runs in the environment of `vllm_env`, except this process."""
    return lambda: marked(vllm_env)


@pytest.fixture
def policy_before(serve_policy: Callable[[Policy], str]) -> Callable[..., str]:
    """Serves `/act` in front of a model server, as the adapter of that name; gives its URL."""

    def start(server: ModelServer, adapter: str = "ui-tars-1.5", **settings: object) -> str:
        family = fitted(adapter_named(adapter), str(server.checkpoint))
        backend = ChatBackend([server.url], server.name)
        return serve_policy(ModelPolicy(server.name, family, backend, PromptSet.load(), **settings))

    return start


@pytest.fixture(scope="session")
def forward(vllm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forward]:
    """Answers cases by a forward pass of a checkpoint; see forward.py. `forward(checkpoint, case, …)`."""
    command = [str(vllm.with_name("python")), str(HERE.with_name("forward.py"))]
    log = tmp_path_factory.mktemp("forward") / "log"
    with log.open("wb") as errors:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
        process = spawn(command, env={**os.environ, **QUIET}, **pipes)

    def ask(checkpoint: Path, *cases: Mapping[str, object]) -> list[dict[str, list]]:
        process.stdin.write(json.dumps({"checkpoint": str(checkpoint), "cases": cases}).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, log.read_text(errors="replace")[-4000:]
        return json.loads(line)

    try:
        yield ask
    finally:
        process.kill()
        process.communicate()


def marked(env: Mapping[str, str]) -> list[tuple[int, str]]:
    """Processes that inherited the mark of `env`; those that ended and wait to be reaped do not count."""
    mark = f"ROLLOUT_FARM_BENCH={env['ROLLOUT_FARM_BENCH']}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append((int(folder.name), command.strip()))
            except OSError:
                continue  # it ended, or is not ours
    return found


def _end(pids: list[int]) -> None:
    """SIGTERM, and SIGKILL for what is still there after STOP_S; returns when all are gone."""
    for number, patience in ((signal.SIGTERM, STOP_S), (signal.SIGKILL, STOP_S)):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        deadline = time.monotonic() + patience
        while any(map(_runs, pids)) and time.monotonic() < deadline:
            threading.Event().wait(0.05)


def _runs(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _healthy(server: ModelServer) -> bool:
    try:
        return server.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
