"""Naming a process for certain: a pid alone may be somebody else's by the time it is used."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path


def born(pid: int) -> str:
    """When the process started, in clock ticks since boot; empty where it is gone or this cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def alive(pid: int, birth: str) -> bool:
    """Whether the process of that birth exists and is not a zombie. Where births cannot be read, the pid decides."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return False
        return _exists(pid)
    except ProcessLookupError:
        return False
    return state not in "ZX" and (not birth or born(pid) == birth)


def kill(pid: int, birth: str, timeout_s: float = 5.0) -> bool:
    """SIGKILL the process of that birth and wait until it is gone; False where it still lives after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    pause = threading.Event()
    while alive(pid, birth):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return True
        if time.monotonic() >= deadline:
            return False
        pause.wait(0.01)
    return True


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
