"""What a look at one phone costs, when it is believed, and how other agents' device layers fare on the same phone.

    python benchmarks/device.py [--looks 40] [--trials 24] [--seconds 4] [--only looks|settling|peers]

The phone is virtual, in a process of its own behind the real adb server.

- *looks*: `observe()`, frame and UI tree of a list that was just scrolled by another way, so that it was never drawn
  before. Beside it the floor: bare exchanges with the adb server that end in the very same frame, nothing checked. All
  ways take turns, so that what else the machine does hits all of them.
- *settling*: screens that change by a script after a tap, and whether the look that followed was of the final one.
- *peers*: the observe + tap loop of other agents, in environments of their own (`make test-peers` makes them; a peer
  that is not there is left out), at no latency and with those that were published for an emulator.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import time
from collections.abc import Callable

import adbutils
from bare import Bare, jpeg
from peer_steps import peers_table
from settling import settling_table

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.capture import Frames
from emulator_farm.devices.device import Device
from emulator_farm.phones import start_virtual
from emulator_farm.virtual.memory import keep_frames_in_heap

REACH, LEAST = 500, 100
"""How far the list is scrolled, and by how much at least each time, pixels."""


def by_adbutils(phone: adbutils.AdbDevice, frames: Frames) -> bytes:
    """What a user would write: tree, app in front, frame."""
    phone.dump_hierarchy()
    phone.app_current()
    if frames == "png":
        return bytes(phone.shell("screencap -p", encoding=None))
    return jpeg(phone.screenshot())


class Scroller:
    """Brings a list to another place before each look."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._chance = random.Random(1)
        self._place = 0

    def scroll(self) -> None:
        target = self._chance.choice([place for place in range(REACH) if abs(place - self._place) >= LEAST])
        start = 1300 + (target - self._place) // 2
        self._device.transport.run(f"input swipe 540 {start} 540 {start - target + self._place} 1")
        self._place = target


def looks_table(server: AdbServer, serial: str, looks: int) -> None:
    """Medians of every way, changed and unchanged screens."""
    bare = Bare(server.address.port, serial)
    phone = server.adb().device(serial)
    with Device(serial, server) as png, Device(serial, server, frames="jpeg95") as small:
        png.prepare()
        png.transport.run("am start -a android.settings.SETTINGS && vphone clock hold")
        same = {bare.png(), png.observe().image}, {bare.jpeg_of_pixels(), bare.jpeg_of_png(), small.observe().image}
        if [len(each) for each in same] != [1, 1]:
            raise RuntimeError("the floor ends in another frame")
        ways: dict[str, Callable[[], object]] = {
            "PNG, floor": bare.png,
            "PNG, `observe()`": png.observe,
            "PNG, adbutils": lambda: by_adbutils(phone, "png"),
            "JPEG, floor": bare.jpeg_of_pixels,
            "JPEG, floor by the phone's PNG": bare.jpeg_of_png,
            "JPEG, `observe()`": small.observe,
            "JPEG, adbutils": lambda: by_adbutils(phone, "jpeg95"),
        }
        scroller = Scroller(png)
        changed = _interleaved(ways, looks, scroller.scroll)
        unchanged = _interleaved(ways, max(5, looks // 4), lambda: None)
    print("| look | changed screen p50 | p90 | unchanged p50 | floor / this, changed |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, times in changed.items():
        floor = changed[f"{name.split(',')[0]}, floor"]
        ratio = statistics.median(one / other for one, other in zip(floor, times, strict=True))
        p90 = sorted(times)[int(len(times) * 0.9)]
        still = statistics.median(unchanged[name])
        print(f"| {name} | {statistics.median(times):.1f} ms | {p90:.1f} ms | {still:.1f} ms | {ratio:.0%} |")


def _interleaved(
    ways: dict[str, Callable[[], object]], rounds: int, before: Callable[[], None]
) -> dict[str, list[float]]:
    """Milliseconds of each way, all of them in every round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 2):
        for name, way in ways.items():
            before()
            began = time.perf_counter()
            way()
            if number >= 2:  # the first ones warm up
                times[name].append((time.perf_counter() - began) * 1000)
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--looks", type=int, default=40, help="rounds of looks")
    parser.add_argument("--trials", type=int, default=24, help="of each kind of transition")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each loop")
    parser.add_argument("--only", choices=("looks", "settling", "peers"))
    given = parser.parse_args()
    keep_frames_in_heap()  # as the farm's workers do
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, load {os.getloadavg()[0]:.1f} at the start")
    with AdbServer.launch() as server:
        if given.only in (None, "looks"):
            print(f"\n## One look, {given.looks} rounds\n")
            (host,) = start_virtual(1)
            try:
                server.connect(host.serials[0])
                looks_table(server, host.serials[0], given.looks)
            finally:
                host.stop()
        if given.only in (None, "settling"):
            print(f"\n## Settling, {given.trials} of each kind\n", flush=True)
            settling_table(server, given.trials)
        if given.only in (None, "peers"):
            print("\n## Observe and tap, steps a second\n", flush=True)
            peers_table(server, given.seconds)


if __name__ == "__main__":
    main()
