"""A policy server of a benchmark's own, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server

from agent_server.client import PolicyClient
from agent_server.errors import PolicyError


@contextmanager
def policy_process(script: str, *words: str) -> Iterator[str]:
    """Run `script`, of this folder, with a free port and further words; its URL once it is ready."""
    with create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, Path(__file__).with_name(script), str(port), *words])
    url = f"http://127.0.0.1:{port}"
    try:
        with PolicyClient(url) as client:
            while process.poll() is None:
                try:
                    client.ready()
                    break
                except PolicyError:
                    threading.Event().wait(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()
