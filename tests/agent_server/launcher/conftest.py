"""A stand-in for the vLLM executable, and what is left of it when a test is over: nothing, or the test fails."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class StandIn:
    """An executable that takes the place of `vllm`; see stand_in.py."""

    executable: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What it needs to find its folder; every process that comes of it is known by that."""
        return {"STAND_IN": str(self.folder)}

    def plan(self, **plan: object) -> None:
        """What the next starts do."""
        (self.folder / "plan.json").write_text(json.dumps(plan))

    def starts(self) -> list[dict[str, object]]:
        """How it was started so far, in order: argv, pid, engine, environment."""
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("start-*.json"))]

    def started(self, count: int, patience_s: float = 20) -> list[dict[str, object]]:
        """The same, when there are as many."""
        eventually(lambda: len(self.starts()) >= count, patience_s)
        return self.starts()

    def processes(self) -> list[int]:
        """Everything of it that runs, us and zombies left out."""
        mark = f"STAND_IN={self.folder}".encode()
        return [pid for pid in _pids() if pid != os.getpid() and mark in _environment(pid) and _runs(pid)]


def eventually(holds: Callable[[], object], patience_s: float = 10) -> None:
    """Wait until something holds; an assertion fails where it does not in time."""
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline, f"not within {patience_s:g} s"
        time.sleep(0.02)


@pytest.fixture(name="eventually")
def _eventually() -> Callable[..., None]:
    return eventually


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[StandIn]:
    folder = tmp_path / "stand-in"
    folder.mkdir()
    executable = tmp_path / "bin" / "vllm"
    executable.parent.mkdir()
    source = Path(__file__).with_name("stand_in.py").read_text()
    executable.write_text(f"#!{sys.executable}\n{source}")
    executable.chmod(0o755)
    made = StandIn(executable, folder)
    made.plan()
    yield made
    try:
        eventually(lambda: made.processes() == [], 5)
    finally:
        for pid in made.processes():
            os.kill(pid, signal.SIGKILL)


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
