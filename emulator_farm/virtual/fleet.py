"""More phones than one process serves well: host processes that end with their parent, and the foreground runner.

A host process ends when its parent does, however that happens: the kernel kills it (Linux), and it leaves by itself
when its standard input closes. The kernel ties this to the *thread* that started it, so start a fleet from a thread
that lives as long as the fleet.
"""

import contextlib
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Self

from .fault_plan import FaultPlan, read_faults
from .faults import Latency
from .host import PhoneHost
from .memory import keep_frames_in_heap
from .phone import Phone

PHONES_PER_PROCESS = 4
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class PhoneOptions:
    """What all phones of a fleet have in common: panel in pixels, density in dpi, seconds of latency by kind."""

    width: int = 1080
    height: int = 2400
    density: int = 420
    capture_s: float = 0.0
    input_s: float = 0.0
    dump_s: float = 0.0
    launch_s: float = 0.0
    grpc_s: float = 0.0
    emulator: int = 0
    """1 opens an emulator's console and gRPC beside ADB."""
    faults: str = ""
    """Path of a fault file; empty = nothing goes wrong."""

    def make(self, index: int) -> Phone:
        """Phone number `index`; its serial and seed follow from the number. Raises FaultFileError."""
        latency = Latency(self.capture_s, self.input_s, self.dump_s, self.launch_s, self.grpc_s)
        phone = Phone(f"virtual-{index}", self.width, self.height, self.density, seed=index, latency=latency)
        if self.faults:
            file = read_faults(Path(self.faults))
            file.apply(latency)
            phone.faults.plan = FaultPlan(file.faults, file.seed + index)
        return phone

    def arguments(self) -> list[str]:
        """As options of `python -m emulator_farm.virtual`."""
        return [f"--{field.name.replace('_', '-')}={getattr(self, field.name)}" for field in fields(self)]


class FleetError(RuntimeError):
    """A host process did not start or did not say where its phones are."""


class Fleet:
    """`with Fleet(8) as fleet:` runs phones in processes of their own; `fleet.addresses` tells where.

    `processes` defaults to one per four phones, at most one per core.
    """

    def __init__(self, count: int, options: PhoneOptions | None = None, processes: int | None = None) -> None:
        if count < 1:
            raise ValueError(f"a fleet needs at least one phone, not {count}")
        self._count = count
        self._options = options or PhoneOptions()
        self._processes = max(1, min(processes or process_count(count), count))
        self._hosts: list[subprocess.Popen[bytes]] = []
        self.addresses: list[str] = []

    def __enter__(self) -> Self:
        try:
            for first, number in _shares(self._count, self._processes):
                self._hosts.append(self._start(first, number))
            deadline = time.monotonic() + START_TIMEOUT_S
            for host, (_, number) in zip(self._hosts, _shares(self._count, self._processes), strict=True):
                self.addresses += _read_addresses(host, number, deadline)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pids(self) -> list[int]:
        """Process ids of the hosts."""
        return [host.pid for host in self._hosts]

    def wait(self) -> None:
        """Block until a host process ends, which none should. Raises FleetError."""
        for host in self._hosts:
            raise FleetError(f"host process {host.pid} ended with status {host.wait()}")

    def close(self) -> None:
        """End the host processes and wait for them."""
        for host in self._hosts:
            if host.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    host.stdin.close()
        for host in self._hosts:
            try:
                host.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                host.kill()
                host.wait()
            if host.stdout is not None:
                host.stdout.close()

    def _start(self, first: int, number: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "emulator_farm.virtual", f"--count={number}", f"--first={first}", "--child"]
        return subprocess.Popen(
            [*command, *self._options.arguments()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )


def process_count(count: int) -> int:
    """How many host processes `count` phones get."""
    return min(math.ceil(count / PHONES_PER_PROCESS), os.cpu_count() or 1)


def _shares(count: int, processes: int) -> Iterator[tuple[int, int]]:
    """(number of the first phone, how many) for each process, as even as can be."""
    first = 0
    for index in range(processes):
        number = count // processes + (index < count % processes)
        yield first, number
        first += number


def _read_addresses(host: subprocess.Popen[bytes], number: int, deadline: float) -> list[str]:
    assert host.stdout is not None
    data = b""
    while data.count(b"\n") < number:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([host.stdout], [], [], max(0.0, left))
        chunk = os.read(host.stdout.fileno(), 65536) if ready else b""
        if not chunk:
            why = f"ended with status {host.poll()}" if ready else f"said nothing for {START_TIMEOUT_S:.0f} s"
            raise FleetError(f"host process {host.pid} of {number} virtual phones {why}")
        data += chunk
    return data.decode("ascii").split()


def serve(
    count: int,
    announce: Callable[[str], None],
    options: PhoneOptions | None = None,
    ports: list[int] | None = None,
    stop: threading.Event | None = None,
) -> None:
    """Run phones in the foreground and announce each address once; returns when `stop` is set or on SIGINT/SIGTERM.

    Few phones live in this process, more get processes of their own. `ports` (one per phone) needs the former.
    Call it from the main thread, or pass `stop`.
    """
    stop = stop or _stop_on_signals()
    options = options or PhoneOptions()
    if ports or process_count(count) == 1:
        keep_frames_in_heap()
        phones = [options.make(index) for index in range(count)]
        with PhoneHost(phones, ports=ports, emulator=bool(options.emulator)) as host:
            for address in host.addresses:
                announce(address)
            stop.wait()
        return
    with Fleet(count, options) as fleet:
        for address in fleet.addresses:
            announce(address)
        stop.wait()


run_hosts = serve


def _stop_on_signals() -> threading.Event:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: stop.set())
    return stop
