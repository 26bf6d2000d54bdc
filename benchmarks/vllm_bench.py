"""What the benchmarks on a real vLLM share: the server itself, its counters, and pictures that nobody has seen yet."""

from __future__ import annotations

import io
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from PIL import Image, ImageDraw

BENCH = Path(__file__).parent.parent / "tests/serving/vllm_cpu"
SCREENSHOT = Path(__file__).parent.parent / "tests/corpus/screenshots/settings_root_1080x2400.png"
NAME = "tiny"
START_S = 300.0
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "VLLM_CPU_KVCACHE_SPACE": "1",
    "OMP_WAIT_POLICY": "passive", "VLLM_SERVER_DEV_MODE": "1",
}  # fmt: skip


def built_checkpoint(folder: Path, min_pixels: int, max_pixels: int) -> Path:
    """A tiny random Qwen2.5-VL with these limits, made by the Python of the vLLM."""
    python = executable().with_name("python")
    limits = ["--min-pixels", str(min_pixels), "--max-pixels", str(max_pixels)]
    subprocess.run([python, BENCH / "build_checkpoint.py", folder, *limits], check=True, stdout=subprocess.DEVNULL)
    return folder


def executable() -> Path:
    """The vLLM that the tests use, made where there is none."""
    done = subprocess.run([sys.executable, BENCH / "setup.py"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip())


@contextmanager
def vllm_serving(checkpoint: Path, *flags: str) -> Iterator[tuple[str, int]]:
    """Root URL and session of a vLLM that serves `checkpoint` as NAME."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [str(executable()), "serve", str(checkpoint), "--served-model-name", NAME, "--host", "127.0.0.1"]
    command += ["--port", str(port), "--dtype", "bfloat16", "--enforce-eager", *flags]
    log = checkpoint.parent / "vllm.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **_ENVIRONMENT}, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_S
        while not _healthy(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"vLLM did not start:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.5)
        yield url, process.pid
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def policy_serving(*arguments: str) -> Iterator[tuple[str, int]]:
    """Root URL and process id of `agent-server serve` with these arguments."""
    command = [sys.executable, "-m", "agent_server", "serve", "--port", "0", "--log-level", "warning", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("listening on"):
            raise SystemExit(f"the policy server did not start: {line!r}")
        yield line.split()[-1], process.pid
    finally:
        process.terminate()
        process.wait(30)


def _healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def counters(url: str) -> dict[str, float]:
    """vLLM's counters by name, all labels added up."""
    found: dict[str, float] = {}
    for name, value in re.findall(r"^(vllm:\w+)(?:\{[^}]*\})? (\S+)$", httpx.get(f"{url}/metrics").text, re.MULTILINE):
        found[name] = found.get(name, 0.0) + float(value)
    return found


def cpu_ms(process: int) -> float:
    """Processor time that a process has used, all threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def session_cpu_ms(session: int) -> float:
    """Processor time that the living processes of a session have used."""
    total = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(process.name)) == session:
                total += cpu_ms(int(process.name))
        except (ProcessLookupError, FileNotFoundError):
            continue  # gone since the listing
    return total


def rss_mib(process: int) -> float:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


_numbers = itertools.count()


def fresh_screenshots(count: int) -> list[bytes]:
    """PNGs of one real screen, each with other pixels in its corner, so that no cache has seen it."""
    picture = Image.open(SCREENSHOT).convert("RGB")
    made = []
    for number in itertools.islice(_numbers, count):
        copy = picture.copy()
        ImageDraw.Draw(copy).text((40, 40), f"{number}-{os.getpid()}", fill=(200, 20, 20), font_size=60)
        out = io.BytesIO()
        copy.save(out, "PNG", compress_level=1)
        made.append(out.getvalue())
    return made
