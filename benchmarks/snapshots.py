"""What it costs to save, load and fork whole virtual phones, and whether a thousand forks leave anything behind.

    python benchmarks/snapshots.py --forks 1000

Prints one JSON document: milliseconds in the phone and over the real adb server, seconds for eight branches (frame and
tree of each compared), resident memory of the host process early in, in the middle of and after the forks.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from agent_server.actions import OpenApp
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.observation import Observation
from emulator_farm.virtual.fleet import Fleet
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.packing import pack, unpack
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.rootfs import populate
from emulator_farm.virtual.snapshot import put, take

BRANCHES = 8


def milliseconds(call: Callable[[], object], times: int) -> dict[str, float]:
    """p50 and p99 of a call."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return {"p50": round(statistics.median(took), 2), "p99": round(took[int(len(took) * 0.99)], 2)}


def in_the_phone(times: int) -> dict[str, object]:
    """Saving and loading without ADB, on a phone with an app open."""
    phone = Phone()
    populate(phone)
    component = phone.packages.launcher("com.android.contacts")
    assert component is not None
    phone.start_activity(Intent(component=component))
    saved = take(phone)
    data = pack(saved)
    return {
        "save_ms": milliseconds(lambda: take(phone), times),
        "load_ms": milliseconds(lambda: put(phone, saved), times),
        "to_bytes_ms": milliseconds(lambda: pack(saved), times),
        "from_bytes_ms": milliseconds(lambda: unpack(data), times),
        "bytes": len(data),
    }


def over_adb(times: int, forks: int) -> dict[str, object]:
    """The same through `Device`, then branches of one phone, then many forks."""
    with ExitStack() as stack:
        server = stack.enter_context(AdbServer.launch())
        fleet = stack.enter_context(Fleet(BRANCHES + 1, processes=1))
        devices = []
        for address in fleet.addresses:
            server.connect(address)
            devices.append(stack.enter_context(Device(address, server)))
        device, *others = devices
        device.prepare()
        device.perform(OpenApp(app="Contacts"))
        device.snapshot("bench")
        result: dict[str, object] = {
            "save_ms": milliseconds(lambda: device.snapshot("bench"), times),
            "load_ms": milliseconds(lambda: device.restore("bench"), times),
        }
        device.shell("vphone clock hold")
        began = time.perf_counter()
        device.fork(others)
        result["branches"] = BRANCHES
        result["fork_s"] = round(time.perf_counter() - began, 3)
        seen = device.observe()
        result["identical"] = all(same(device.observe(), seen) for device in others)
        result["memory"] = grown(device, others, fleet.pids[0], forks)
    return result


def same(one: Observation, other: Observation) -> bool:
    """Whether two looks are equal to the byte."""
    return (one.image, one.ui_tree) == (other.image, other.ui_tree)


def grown(device: Device, others: list[Device], pid: int, forks: int) -> dict[str, object]:
    """Resident memory while one phone is forked again and again."""
    marks, done, began = {}, 0, time.perf_counter()
    while done < forks:
        device.fork(others)
        done += len(others)
        for part in (0.1, 0.5, 1.0):
            if done >= forks * part:
                marks.setdefault(f"after_{int(forks * part)}_mb", resident_mb(pid))
    return {"forks": done, "seconds": round(time.perf_counter() - began, 1), **marks}


def resident_mb(pid: int) -> float:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=100, help="how often each call is timed")
    parser.add_argument("--forks", type=int, default=1000, help="how many forks memory is watched over")
    given = parser.parse_args()
    print(json.dumps({"phone": in_the_phone(given.times), "adb": over_adb(given.times, given.forks)}, indent=2))


if __name__ == "__main__":
    main()
