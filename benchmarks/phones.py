"""How many virtual phones two cores carry: one adb server, 1 to 64 phones, all of them busy at once.

    python benchmarks/phones.py [--seconds 5] [--phones 1,8,32,64]

Every phone has one client that asks as soon as it was answered, over the real adb server. Every screenshot is of a list
that was just scrolled by a random way, so that none was drawn before. Memory is that of the phones' processes after all
that; the base of an empty process is shared by the phones in it. Afterwards one of the phones loads a snapshot.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import random
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.phones import VirtualHost, start_virtual
from emulator_farm.virtual.memory import keep_frames_in_heap

CLIENT_PROCESSES = 2
TREE = "uiautomator dump /sdcard/x.xml; cat /sdcard/x.xml"
REACH, LEAST = 500, 100
"""How far the list is scrolled, and by how much at least each time, pixels."""
Operation = Callable[["Client"], object]


class Client:
    """Who asks one phone, over and over."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._chance = random.Random(device.serial)
        self._scrolled = 0
        self._last = b""

    def screenshot(self) -> None:
        """Scroll to somewhere else, and look. Raises RuntimeError where nothing changed."""
        far = [place for place in range(REACH) if abs(place - self._scrolled) >= LEAST]
        target = self._chance.choice(far)
        start = 1300 + (target - self._scrolled) // 2
        self.device.transport.run(f"input swipe 540 {start} 540 {start - target + self._scrolled} 1")
        self._scrolled = target
        png = self.device.transport.run("screencap -p").stdout
        if not png.startswith(b"\x89PNG") or png == self._last:
            raise RuntimeError("this is no new screenshot")
        self._last = png

    def tap(self) -> None:
        """Touch the title of the screen, which does nothing."""
        self.device.transport.run(f"input tap {self._chance.randrange(400, 700)} 70")

    def tree(self) -> None:
        """Read the UI tree."""
        if "</hierarchy>" not in self.device.transport.run(TREE).text:
            raise RuntimeError("there is no tree")


@dataclass(frozen=True)
class Load:
    """What all phones together did in a second, and milliseconds of their processor time for one."""

    per_s: float
    cpu_ms: float


class Phones:
    """Some phones behind one adb server, each with Settings open."""

    def __init__(self, count: int, server: AdbServer) -> None:
        self.server = server
        began = time.perf_counter()
        self.hosts: list[VirtualHost] = start_virtual(count)
        self.boot_s = time.perf_counter() - began
        self.serials = [serial for host in self.hosts for serial in host.serials]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(self._prepare, self.serials))

    def _prepare(self, serial: str) -> None:
        self.server.connect(serial)
        with Device(serial, self.server) as device:
            device.transport.run("am start -a android.settings.SETTINGS")

    def cpu_s(self) -> float:
        """Processor seconds used by all of them so far."""
        ticks = os.sysconf("SC_CLK_TCK")
        fields = [Path(f"/proc/{host.process.pid}/stat").read_text().rpartition(")")[2].split() for host in self.hosts]
        return sum(int(each[11]) + int(each[12]) for each in fields) / ticks

    def memory_mb(self) -> float:
        """Resident memory of all of them."""
        page = os.sysconf("SC_PAGE_SIZE")
        pages = [int(Path(f"/proc/{host.process.pid}/statm").read_text().split()[1]) for host in self.hosts]
        return sum(pages) * page / 1e6

    def load(self, operation: Operation, seconds: float) -> Load:
        """Have every phone do something again and again, all at once."""
        context = multiprocessing.get_context("fork")
        counts = context.SimpleQueue()
        shares = [share for number in range(CLIENT_PROCESSES) if (share := self.serials[number::CLIENT_PROCESSES])]
        barrier = context.Barrier(len(shares) + 1)

        def client(serials: list[str]) -> None:
            barrier.wait()
            counts.put(_drive(serials, self.server.address.port, operation, seconds))

        clients = [context.Process(target=client, args=(share,)) for share in shares]
        for process in clients:
            process.start()
        barrier.wait()
        began, cpu = time.perf_counter(), self.cpu_s()
        done = sum(counts.get() for _ in clients)
        took, used = time.perf_counter() - began, self.cpu_s() - cpu
        for process in clients:
            process.join()
        return Load(done / took, used * 1000 / done)

    def snapshot_load_ms(self, times: int = 25) -> float:
        """Median of loading a snapshot on the first phone."""
        with Device(self.serials[0], self.server) as device:
            device.snapshot("bench")
            took = []
            for _ in range(times):
                began = time.perf_counter()
                device.restore("bench")
                took.append((time.perf_counter() - began) * 1000)
        return statistics.median(took)

    def stop(self) -> None:
        for serial in self.serials:
            self.server.disconnect(serial)
        for host in self.hosts:
            host.stop()


def _drive(serials: list[str], port: int, operation: Operation, seconds: float) -> int:
    """Clients of some phones, a thread each; how often all of them were answered."""
    until = time.monotonic() + seconds
    counts = [0] * len(serials)
    failures: list[BaseException] = []

    def one(index: int) -> None:
        try:
            with Device(serials[index], port=port) as device:
                client = Client(device)
                while time.monotonic() < until:
                    operation(client)
                    counts[index] += 1
        except Exception as error:  # noqa: BLE001 - the figure would be wrong; the main thread says so
            failures.append(error)

    threads = [threading.Thread(target=one, args=(index,)) for index in range(len(serials))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(counts)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each load")
    parser.add_argument("--phones", default="1,8,32,64")
    given = parser.parse_args()
    keep_frames_in_heap()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, load {os.getloadavg()[0]:.1f} at the start\n")
    each = "taps/s | CPU each | trees/s | CPU each | new screenshots/s | CPU each"
    print(f"| phones | ready after | {each} | idle CPU a phone | memory | a phone | snapshot load |")
    print("| ---: " * 12 + "|")
    rates = []
    with AdbServer.launch() as server:
        for count in map(int, given.phones.split(",")):
            phones = Phones(count, server)
            try:
                loads = [phones.load(one, given.seconds) for one in (Client.tap, Client.tree, Client.screenshot)]
                memory = phones.memory_mb()
                loaded = phones.snapshot_load_ms()
                began, cpu = time.perf_counter(), phones.cpu_s()
                threading.Event().wait(2.0)
                idle = (phones.cpu_s() - cpu) / (time.perf_counter() - began) / count
            finally:
                phones.stop()
            rates.append(loads[-1].per_s)
            each = " | ".join(f"{load.per_s:.1f} | {load.cpu_ms:.1f} ms" for load in loads)
            print(
                f"| {count} | {phones.boot_s:.1f} s | {each} | {idle:.2%} | {memory:.0f} MB | {memory / count:.1f} MB "
                f"| {loaded:.1f} ms |",
                flush=True,
            )
    print(f"\nscreenshots/s of the last row are {rates[-1] / rates[0]:.0%} of the first")


if __name__ == "__main__":
    main()
