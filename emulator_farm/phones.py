"""Where the phones of a host come from: `virtual:4`, or `adb:SERIAL,SERIAL`.

Virtual phones live in processes of their own, one per core at most, tethered to ours. A host process that dies is
started again; its phones come back in factory state on new ports.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO, Literal

from emulator_farm import tether
from emulator_farm.errors import CallerError, InfrastructureError

START_TIMEOUT_S = 60.0
_VIRTUAL_LIMIT = 64


@dataclass(frozen=True)
class DevicesSpec:
    """What `--devices` says."""

    kind: Literal["virtual", "adb"]
    count: int
    serials: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> DevicesSpec:
        """Read `virtual:N` or `adb:SERIAL[,SERIAL…]`. Raises CallerError."""
        kind, _, rest = text.partition(":")
        if kind == "virtual":
            if not rest.isdecimal() or not 1 <= int(rest) <= _VIRTUAL_LIMIT:
                raise CallerError(f"--devices {text!r}: write virtual:N with N from 1 to {_VIRTUAL_LIMIT}")
            return cls("virtual", int(rest))
        if kind == "adb":
            serials = tuple(dict.fromkeys(serial.strip() for serial in rest.split(",") if serial.strip()))
            if not serials:
                raise CallerError(f"--devices {text!r}: name the phones, for instance adb:emulator-5554,10.0.0.7:5555")
            return cls("adb", len(serials), serials)
        raise CallerError(f"--devices {text!r}: write virtual:N or adb:SERIAL,SERIAL,…")


@dataclass
class VirtualHost:
    """One process that serves some virtual phones."""

    count: int
    first: int
    """Number of its first phone; a phone's seed follows from its number."""
    process: tether.Process
    serials: list[str] = field(default_factory=list)

    @classmethod
    def start(cls, count: int, first: int = 0, options: Sequence[str] = ()) -> VirtualHost:
        """Start it and wait for the addresses of its phones. Raises InfrastructureError with what it wrote.

        `options` are further ones of `python -m emulator_farm.virtual`.
        """
        own = [f"--count={count}", f"--first={first}", "--restarts"]
        argv = [sys.executable, "-m", "emulator_farm.virtual", *own, *options]
        process = tether.spawn(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_follow, args=(process.stdout, lines), daemon=True).start()
        errors: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_follow, args=(process.stderr, errors), daemon=True).start()
        host = cls(count, first, process)
        deadline = time.monotonic() + START_TIMEOUT_S
        while len(host.serials) < count:
            try:
                line = lines.get(timeout=max(0.0, min(0.5, deadline - time.monotonic())))
            except queue.Empty:
                if process.poll() is None and time.monotonic() < deadline:
                    continue
                process.kill()
                host.stop()
                said = " ".join(_all(errors)[-5:]) or "nothing"
                raise InfrastructureError(
                    f"virtual phones did not start; they said: {said}", cause="phone_host"
                ) from None
            if line:
                host.serials.append(line)
        return host

    def restart(self, serial: str) -> None:
        """Start one of its phones anew, in factory state, at the same address; that takes a moment."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the process is gone, and all of it is started again
            self.process.stdin.write(f"{self.serials.index(serial)}\n")
            self.process.stdin.flush()

    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()


def start_virtual(count: int, options: Sequence[str] = ()) -> list[VirtualHost]:
    """`count` phones in host processes, spread over the cores as even as can be. Raises InfrastructureError."""
    processes = min(count, os.cpu_count() or 1)
    shares = [count // processes + (index < count % processes) for index in range(processes)]
    with ThreadPoolExecutor(processes) as executor:
        starts = [
            executor.submit(VirtualHost.start, share, sum(shares[:index]), options)
            for index, share in enumerate(shares)
        ]
    failed = next((error for start in starts if (error := start.exception()) is not None), None)
    if failed is None:
        return [start.result() for start in starts]
    for start in starts:
        if start.exception() is None:
            start.result().stop()
    raise failed


def _follow(stream: IO[str] | None, lines: queue.SimpleQueue[str]) -> None:
    assert stream is not None
    with stream:
        for line in stream:
            lines.put(line.strip())


def _all(lines: queue.SimpleQueue[str]) -> list[str]:
    found = []
    while not lines.empty():
        found.append(lines.get())
    return found
