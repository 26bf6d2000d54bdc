"""Weights that change while a real vLLM serves: adapters beside each other, a checkpoint in place of another.

What is expected of changed weights is what a server says that had them from its start. Weights are in single precision,
where the same prompt gives the same log-probabilities whatever else is answered beside it.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from PIL import Image, ImageDraw

from agent_server.client import PolicyClient
from agent_server.config import PolicyConfig
from agent_server.errors import PolicyRejected, PolicyUnavailable
from agent_server.loader import load_policy
from agent_server.schemas import ActResponse, Sampling
from agent_server.schemas.weights import LoadWeights

ADAPTER = "qwen2.5-vl"
GREEDY = Sampling(temperature=0, max_tokens=4)
DEVELOPMENT = {"VLLM_SERVER_DEV_MODE": "1", "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True"}
START_S = 600.0
LAYERS, HIDDEN, VALUES = 4, 128, 64
"""Of the language model of the tiny checkpoint."""


@dataclass(frozen=True)
class Said:
    """What a model says about the picture: sampled ids and their log-probabilities."""

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]

    @classmethod
    def of(cls, answer: ActResponse) -> Said:
        assert answer.tokens is not None
        return cls(tuple(answer.tokens.response_ids), tuple(answer.tokens.logprobs))

    def like(self, other: Said) -> bool:
        return self.ids == other.ids and self.distance(other) < 1e-3

    def distance(self, other: Said) -> float:
        return max(abs(mine - theirs) for mine, theirs in zip(self.logprobs, other.logprobs, strict=True))


@pytest.fixture
def picture() -> bytes:
    image = Image.new("RGB", (280, 560), "white")
    pen = ImageDraw.Draw(image)
    for row in range(0, 560, 40):
        pen.rectangle((row // 4, row, 200, row + 24), fill=(row % 256, 90, 200))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def first(checkpoint, tmp_path) -> Path:
    return untied(checkpoint(dtype="float32"), tmp_path / "first")


@pytest.fixture
def second(checkpoint, tmp_path) -> Path:
    return untied(checkpoint(dtype="float32", seed=1), tmp_path / "second")


def untied(folder: Path, copy: Path) -> Path:
    """The same checkpoint with output embeddings of its own: those that are tied a CPU does not reload."""
    shutil.copytree(folder, copy)
    config = json.loads((folder / "config.json").read_text())
    config["tie_word_embeddings"] = config["text_config"]["tie_word_embeddings"] = False
    (copy / "config.json").write_text(json.dumps(config))
    raw = (folder / "model.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    head, data = json.loads(raw[8:start]), raw[start:]
    embeddings = next(entry for name, entry in head.items() if name.endswith("embed_tokens.weight"))
    begin, end = embeddings["data_offsets"]
    head["lm_head.weight"] = {**embeddings, "data_offsets": [len(data), len(data) + end - begin]}
    text = json.dumps(head).encode()
    (copy / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data + data[begin:end])
    return copy


@pytest.fixture
def adapters(tmp_path) -> Callable[[str, int], Path]:
    """Makes LoRA adapters of the tiny checkpoint, in the files that PEFT writes: `adapters(name, seed, rank)`."""
    return lambda name, seed, rank=8: _adapter(tmp_path / name, seed, rank)


def _adapter(folder: Path, seed: int, rank: int) -> Path:
    draw = random.Random(seed)
    head, data = {}, b""
    for layer in range(LAYERS):
        for module, width in (("q_proj", HIDDEN), ("v_proj", VALUES)):
            name = f"base_model.model.model.language_model.layers.{layer}.self_attn.{module}"
            for half, shape in (("A", (rank, HIDDEN)), ("B", (width, rank))):
                values = array("f", (draw.gauss(0, 0.3) for _ in range(shape[0] * shape[1]))).tobytes()
                offsets = [len(data), len(data) + len(values)]
                head[f"{name}.lora_{half}.weight"] = {"dtype": "F32", "shape": shape, "data_offsets": offsets}
                data += values
    text = json.dumps(head).encode()
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": 2 * rank, "target_modules": ["q_proj", "v_proj"]}
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({**config, "bias": "none", "lora_dropout": 0.0}))
    (folder / "adapter_model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    return folder


def ask(client: PolicyClient, picture: bytes, session: str | None = None) -> ActResponse:
    return client.act("Turn on Wi-Fi", picture, session=session, sampling=GREEDY, return_tokens=True)


class Front:
    """`agent-server serve` with a vLLM of its own, whose weights may be changed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._reading = threading.Thread(target=lambda: self.lines.extend(process.stdout))
        self._reading.start()
        self.url = self.says(r"listening on (\S+)").group(1)

    def says(self, pattern: str) -> re.Match[str]:
        deadline = time.monotonic() + START_S
        while not (found := re.search(pattern, "".join(self.lines))):
            said = "".join(self.lines[-60:])
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            threading.Event().wait(0.1)
        return found

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self._reading.join(30)
            self.process.stdout.close()


@pytest.fixture
def token_file(tmp_path) -> Path:
    path = tmp_path / "admins"
    path.write_text("boss\n")
    return path


@contextmanager
def fronted(command: list[str], env: dict[str, str]) -> Iterator[Front]:
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    front = Front(process)
    try:
        yield front
    finally:
        front.end()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def bare_reload(url: str, folder: Path) -> None:
    """What vLLM's reload leaves behind by itself: the weights are new, and the KV blocks of the old ones are kept."""
    httpx.post(f"{url}/pause?mode=wait&clear_cache=false", timeout=60).raise_for_status()
    body = {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}}
    httpx.post(f"{url}/collective_rpc", json=body, timeout=120).raise_for_status()
    for cache in ("/reset_mm_cache", "/reset_encoder_cache"):  # without these it dies of the next image
        httpx.post(url + cache, timeout=60).raise_for_status()
    httpx.post(f"{url}/resume", timeout=60).raise_for_status()


def test_weights_change_while_they_serve(
    model_server, vllm, vllm_env, serve_policy, adapters, first, second, picture, token_file, tmp_path
):
    """One story, because a server takes its time to start."""

    def said_by(folder: Path, backend: str, name: str) -> Said:
        config = PolicyConfig(model=str(folder), served_name=name, adapter=ADAPTER, backends=(backend,))
        with PolicyClient(serve_policy(load_policy(config))) as client:
            return Said.of(ask(client, picture))

    server = model_server(second, "--dtype", "float32", env=DEVELOPMENT)
    of_the_second = said_by(second, server.url, server.name)
    bare_reload(server.url, first)
    stale = said_by(second, server.url, server.name)
    model_server.stop()

    fixed = adapters("fixed", 1)
    command = [sys.executable, "-m", "agent_server", "serve", "--port", "0", "--adapter", ADAPTER]
    command += ["--model", str(first), "--vllm", str(vllm), "--admin-token-file", str(token_file)]
    command += ["--", "--enforce-eager", "--dtype", "float32", "--lora-modules", f"fixed={fixed}"]
    with fronted(command, vllm_env) as front, PolicyClient(front.url, "boss", timeout_s=300) as admin:
        backend = admin.weights().revisions[0].backends[0]
        of_the_adapter = said_by(first, backend, "fixed")
        base = Said.of(ask(admin, picture, "warm"))
        admin.end_session("warm")
        assert not base.like(of_the_adapter)
        assert not base.like(of_the_second)
        assert not stale.like(base)  # this is what dropping the caches is for

        _refused(front.url, admin, adapters, tmp_path)
        _an_adapter_beside_sessions(front.url, admin, adapters, picture, base, of_the_adapter)
        _a_checkpoint(front.url, admin, second, picture, of_the_second)
        _killed(front, admin, picture, of_the_second)


def _refused(url: str, admin: PolicyClient, adapters: Callable[..., Path], tmp_path: Path) -> None:
    """Nothing of this changes anything."""
    with PolicyClient(url) as nobody, pytest.raises(PolicyRejected, match="send a valid token"):
        nobody.load_weights(LoadWeights(kind="lora", revision="a", path="/a"))
    for order, said in (
        (LoadWeights(kind="lora", revision="a", path=str(tmp_path / "nowhere")), "cannot be read here"),
        (LoadWeights(kind="checkpoint", revision="a", path=str(tmp_path / "nowhere")), "cannot be read here"),
        (LoadWeights(kind="lora", revision="a", path=str(adapters("wide", 3, 64))), "rank 64 is greater than"),
    ):
        with pytest.raises(PolicyRejected, match=said):
            admin.load_weights(order)
    assert [one.revision for one in admin.weights().revisions if one.current] == [_base(admin)]


def _base(admin: PolicyClient) -> str | None:
    return admin.weights().revisions[0].revision


def _an_adapter_beside_sessions(
    url: str, admin: PolicyClient, adapters: Callable[..., Path], picture: bytes, base: Said, expected: Said
) -> None:
    """Four sessions play on while an adapter is loaded; it is the one that the server has had from its start too."""
    name = _base(admin)
    stop, answers = threading.Event(), {number: [] for number in range(4)}

    def play(number: int) -> None:
        with PolicyClient(url, timeout_s=300) as client:
            while not stop.is_set():
                answers[number].append(ask(client, picture, f"s{number}"))

    players = [threading.Thread(target=play, args=(number,)) for number in answers]
    for player in players:
        player.start()
    try:
        while not all(answers.values()):
            stop.wait(0.1)
        loaded = admin.load_weights(LoadWeights(kind="lora", revision="step-1", path=str(adapters("step-1", 1))))
        new = [ask(admin, picture, f"new{number}") for number in range(2)]
        counts = {number: len(said) for number, said in answers.items()}
        while any(len(answers[number]) <= count for number, count in counts.items()):
            stop.wait(0.1)
    finally:
        stop.set()
        for player in players:
            player.join(300)
    assert loaded.previous == name
    for said in answers.values():
        assert {(answer.weights, answer.weights_policy) for answer in said} == {(name, "pinned")}
        assert all(Said.of(answer).like(base) for answer in said)
    for answer in new:
        assert (answer.weights, answer.weights_policy) == ("step-1", "pinned")
        assert Said.of(answer).like(expected)
    assert [one.sessions for one in admin.weights().revisions] == [4, 2]
    for session in ("s0", "s1", "s2", "s3", "new0"):
        admin.end_session(session)


def _a_checkpoint(url: str, admin: PolicyClient, second: Path, picture: bytes, expected: Said) -> None:
    """It waits for the one session that is left, whose replies are all of the weights that they name."""
    order = LoadWeights(kind="checkpoint", revision="step-2", path=str(second))
    done = threading.Event()
    loaded = []

    def load() -> None:
        with PolicyClient(url, "boss", timeout_s=300) as other:
            loaded.append(other.load_weights(order))
        done.set()

    loading = threading.Thread(target=load)
    loading.start()
    while (going_on := admin.weights().loading) is None or going_on.waiting_for != 1:
        assert not done.wait(0.1)
    assert ask(admin, picture, "new1").weights == "step-1"
    assert not done.is_set()
    admin.end_session("new1")
    loading.join(300)
    assert loaded[0].previous == "step-1"
    assert loaded[0].moved_sessions == 0
    for session in ("after", None):
        answer = ask(admin, picture, session)
        assert answer.weights == "step-2"
        assert Said.of(answer).like(expected)
    assert [one.revision for one in admin.weights().revisions] == ["step-2"]


def _killed(front: Front, admin: PolicyClient, picture: bytes, expected: Said) -> None:
    """vLLM is killed, and started again with the first checkpoint: nobody is answered by that under another's name."""
    (keeper,) = children(front.process.pid)
    for child in children(keeper):
        os.kill(child, signal.SIGKILL)
    deadline = time.monotonic() + START_S
    while True:
        try:
            answer = ask(admin, picture, "after")
        except PolicyUnavailable:
            assert time.monotonic() < deadline
            threading.Event().wait(0.5)
            continue
        assert answer.weights == "step-2"
        assert Said.of(answer).like(expected)
        if "was restarted; it is given step-2 again" in "".join(front.lines):
            return
