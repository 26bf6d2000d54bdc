"""Steps a second, and our CPU per step, of the farm's loop with a policy that takes no time.

    python benchmarks/farm_throughput.py [--seconds 8] [--phones 1,2,4,8]

Each phone is driven by a process of its own, over one real adb server. Three loops deliver the same per step: an input,
the UI tree with the app in front, and a PNG frame.

- `floor`: bare smart-socket exchanges, the replies thrown away;
- `farm`: `Rollout` with everything checked and recorded, an episode of 15 steps published at a time;
- `adbutils`: what a user would write with it.

The last table compares the two ways to take a frame, `screencap -p` and raw, by bare exchange and by adbutils.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import adbutils

from agent_server.actions import Action, Click, Press
from agent_server.geometry import Point
from agent_server.schemas import ActResponse, Sampling
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.looks import DUMP
from emulator_farm.episode import Header
from emulator_farm.phones import start_virtual
from emulator_farm.rollout import Limits, Rollout
from emulator_farm.store import Store
from emulator_farm.tasks.task import TaskInstance
from emulator_farm.worker import warm_up

STEPS = 15
TAP = Point(921, 1960)
ACTIONS: tuple[Action, ...] = (Click(point=TAP), Press(key="home"))
COMMANDS = (f"input tap {TAP.x} {TAP.y}", "input keyevent 3")


@dataclass(frozen=True)
class Result:
    """Of one process: steps played, seconds taken, CPU seconds used."""

    steps: int
    seconds: float
    cpu_s: float


class InstantPolicy:
    """Alternates between opening an app and going home; stands where PolicyClient stands."""

    def __init__(self) -> None:
        self._actions = cycle(ACTIONS)

    def act(self, **_request: object) -> ActResponse:
        return ActResponse(action=next(self._actions), raw="x", model="instant", adapter="instant")


def farm_loop(serial: str, port: int, until: float) -> int:
    steps = 0
    with tempfile.TemporaryDirectory() as folder, Device(serial, port=port) as device:
        store = Store(folder)
        for number in range(1_000_000):
            if time.monotonic() >= until:
                break
            task = TaskInstance(task="bench", seed=number, goal="bench", max_steps=STEPS)
            header = Header(f"bench-{number}-r0k0", "bench", f"bench-{number}", "bench", number, 0, "bench")
            rollout: Any = Rollout(
                device=device,
                policy=InstantPolicy(),  # type: ignore[arg-type]
                task=task,
                header=header,
                limits=Limits(),
                sampling=Sampling(),
                checkpoint=lambda: None,
                on_step=lambda _step: None,
            )
            episode = rollout.play()
            store.publish(episode)
            steps += len(episode.moves)
    return steps


def floor_loop(serial: str, port: int, until: float) -> int:
    steps = 0
    for command in cycle(COMMANDS):
        if time.monotonic() >= until:
            return steps
        exchange(port, serial, f"shell,v2,raw:{command}")
        exchange(port, serial, f"shell,v2,raw:{DUMP}")
        exchange(port, serial, "shell,v2,raw:screencap -p")
        steps += 1
    return steps


def adbutils_loop(serial: str, port: int, until: float) -> int:
    phone = adbutils.AdbClient(host="127.0.0.1", port=port).device(serial)
    steps = 0
    for command in cycle(COMMANDS):
        if time.monotonic() >= until:
            return steps
        phone.shell(command)
        phone.dump_hierarchy()
        phone.app_current()
        phone.shell("screencap -p", encoding=None)
        steps += 1
    return steps


def exchange(port: int, serial: str, service: str) -> int:
    """One service of a phone by bare sockets; the bytes it sent."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for request in (f"host:transport:{serial}", service):
            data = request.encode()
            connection.sendall(b"%04x" % len(data) + data)
            if connection.recv(4, socket.MSG_WAITALL) != b"OKAY":
                raise ConnectionError(f"{service[:60]} was refused")
        received = 0
        while data := connection.recv(1 << 20):
            received += len(data)
        return received


def measure(loop: Callable[[str, int, float], int], serials: list[str], port: int, seconds: float) -> list[Result]:
    """Run the loop on every phone at once, a process each."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    barrier = context.Barrier(len(serials))

    def run(serial: str) -> None:
        barrier.wait()
        began, cpu = time.monotonic(), _cpu()
        steps = loop(serial, port, began + seconds)
        results.put(Result(steps, time.monotonic() - began, _cpu() - cpu))

    processes = [context.Process(target=run, args=(serial,)) for serial in serials]
    for process in processes:
        process.start()
    found = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return found


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def phones(count: int) -> Iterator[tuple[list[str], int]]:
    """Virtual phones in processes of their own, connected to an adb server; their serials and its port."""
    with AdbServer.launch() as server:
        hosts = start_virtual(count)
        try:
            serials = [serial for host in hosts for serial in host.serials]
            for serial in serials:
                server.connect(serial)
            yield serials, server.address.port
        finally:
            for host in hosts:
                host.stop()


def frames(serial: str, port: int, repeats: int) -> None:
    """The table of ways to take a frame."""
    phone = adbutils.AdbClient(host="127.0.0.1", port=port).device(serial)
    print(f"\nOne frame of an unchanged 1080x2400 screen, median of {repeats}\n")
    print("| frame | bare exchange | adbutils | ratio |")
    print("| --- | --- | --- | --- |")
    for command in ("screencap -p", "screencap"):
        bare, users = [], []
        for _ in range(repeats):
            bare.append(_timed(lambda: exchange(port, serial, f"exec:{command}")))  # noqa: B023
            users.append(_timed(lambda: phone.shell(command, encoding=None)))  # noqa: B023
        low, high = statistics.median(bare), statistics.median(users)
        print(f"| `{command}` | {low * 1000:.1f} ms | {high * 1000:.1f} ms | {high / low:.1f}x |")


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0, help="per loop and round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the three loops; medians are printed")
    parser.add_argument("--phones", default="1,2,4,8")
    options = parser.parse_args()
    warm_up()  # as the farm's workers do before they fork
    loops = {"floor": floor_loop, "farm": farm_loop, "adbutils": adbutils_loop}
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print(
        "| phones | floor steps/s | farm steps/s | adbutils steps/s | farm / floor | farm / adbutils | farm CPU/step |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for count in map(int, options.phones.split(",")):
        with phones(count) as (serials, port):
            rates: dict[str, list[float]] = {name: [] for name in loops}
            cpu: list[float] = []
            for _ in range(options.rounds):
                for name, loop in loops.items():
                    found = measure(loop, serials, port, options.seconds)
                    rates[name].append(sum(one.steps / one.seconds for one in found))
                    if name == "farm":
                        cpu.append(sum(one.cpu_s for one in found) / sum(one.steps for one in found))
            floor, farm, users = (statistics.median(rates[name]) for name in loops)
            print(
                f"| {count} | {floor:.1f} | {farm:.1f} | {users:.1f} | {farm / floor:.0%} | {farm / users:.2f}x "
                f"| {statistics.median(cpu) * 1000:.1f} ms |",
                flush=True,
            )
            if count == 1:
                single = (serials[0], port)
                frame_rows = lambda where=single: frames(*where, repeats=15)  # noqa: E731
                frame_rows()
                print()


if __name__ == "__main__":
    main()
