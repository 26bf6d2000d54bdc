"""The embedded Valkey: a private socket, a fresh start at the same address, no orphan."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from emulator_farm import processes
from emulator_farm.embedded import EmbeddedValkey


def test_it_answers_only_its_owner_and_leaves_nothing() -> None:
    with EmbeddedValkey() as server:
        client = redis.Redis.from_url(server.url)
        assert client.ping()
        assert client.config_get("port") == {"port": "0"}
        socket = Path(server.url.removeprefix("unix://"))
        assert stat.S_IMODE(socket.stat().st_mode) == 0o700
        folder, pid = socket.parent, server.pid
        client.close()
    assert not folder.exists()
    assert not processes.alive(pid, "")


def test_it_comes_back_at_the_same_address() -> None:
    with EmbeddedValkey() as server:
        client = redis.Redis.from_url(server.url)
        client.set("a", "1")
        os.kill(server.pid, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while server.alive() and time.monotonic() < deadline:
            continue
        assert not server.alive()
        with pytest.raises(redis.ConnectionError):
            client.ping()
        server.start()
        assert client.get("a") is None
        client.close()


def test_it_dies_with_its_owner() -> None:
    code = (
        "from emulator_farm.embedded import EmbeddedValkey\n"
        "server = EmbeddedValkey(); server.start()\n"
        "print(server.pid, server.url, flush=True)\n"
        "input()\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdin is not None
    pid = int(owner.stdout.readline().split()[0])
    birth = processes.born(pid)
    assert processes.alive(pid, birth)
    owner.kill()
    owner.wait()
    owner.stdin.close()
    owner.stdout.close()
    deadline = time.monotonic() + 5
    while processes.alive(pid, birth) and time.monotonic() < deadline:
        continue
    assert not processes.alive(pid, birth)
