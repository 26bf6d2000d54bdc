"""Steps a second of the observe + tap loop of two other agents' device layers and of ours, on the same phone.

A step is a look and a tap. Where screens *change*, taps open an app from the home screen and go home again, and the
phone has to draw before each look; where they *stay*, taps hit a title. Like is compared with like: phone-agent sees
picture and app in front, mobilerun the UI tree too. The floor is the same by bare exchanges, nothing checked. *Waits*
are what each does by itself after a tap: phone-agent sleeps for a second, which can be set to none; mobilerun's driver
does not wait; ours watches pictures, or reads the tree, which on a real phone comes when the screen is at rest.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import adbutils
from bare import Bare

from agent_server.actions import Click
from agent_server.geometry import Point
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.phones import start_virtual
from emulator_farm.virtual.fleet import PhoneOptions

CHANGE = (Point(921, 1960), Point(540, 2337))
"""An app on the home screen, and the home button."""
STAY = (Point(700, 300), Point(650, 300))
"""Beside the title of Settings."""
LATENCIES = {
    "none": "",
    "an emulator's": "vphone latency capture=0.5 input=0.2 dump=1 grpc=0.02 u2=0.2",
}
"""Published medians: 519 ms for `screencap -p`, 226 ms for `input tap`, 20 ms for gRPC's screenshot. None was found for
a dump on an emulator, phones take 2 to 4 s; nor for uiautomator2's server there, phones take 0.1 to 0.3 s."""
ROUNDS = 2
Loop = Callable[[float], float]
Places = Sequence[Point]


def peers_table(server: AdbServer, seconds: float) -> None:
    """Every loop, in turns, on a phone without latency that has adb alone, and on one that is like an emulator."""
    print("| latency | screens | a look is of | loop | steps/s | of ours |")
    print("| --- | --- | --- | --- | ---: | ---: |")
    for name, command in LATENCIES.items():
        (host,) = start_virtual(1, PhoneOptions(emulator=int(bool(command))).arguments())
        try:
            server.connect(host.serials[0])
            with Device(host.serials[0], server) as device:
                device.prepare()
                device.shell(command or "true")
                device.provision()
                _require_changes(device)
                _compare(name, "change", CHANGE, device, server, seconds)
                if not command:
                    device.shell("am start -a android.settings.SETTINGS")
                    _compare(name, "stay", STAY, device, server, seconds)
                print(f"| {name} | | | ours: {device.ways.choice.told} | | |", flush=True)
        finally:
            host.stop()


def _compare(latency: str, screens: str, places: Places, device: Device, server: AdbServer, seconds: float) -> None:
    looks = {"picture, app": _pictures(device, server, places), "picture, tree, app": _trees(device, server, places)}
    for look, loops in looks.items():
        rates: dict[str, list[float]] = {name: [] for name in loops}
        for _ in range(ROUNDS):
            for name, loop in loops.items():
                rates[name].append(loop(seconds))
        ours = statistics.median(next(iter(rates.values())))
        for name, each in rates.items():
            rate = statistics.median(each)
            print(f"| {latency} | {screens} | {look} | {name} | {rate:.2f} | {rate / ours:.0%} |", flush=True)


def _require_changes(device: Device) -> None:
    """Raises RuntimeError where the taps do not lead from screen to screen."""
    device.go_home()
    seen = [device.observe().app]
    for place in CHANGE:
        device.perform(Click(point=place))
        seen.append(device.observe().app)
    if seen[0] == seen[1] or seen[0] != seen[2]:
        raise RuntimeError(f"the taps led through {seen}")


def _pictures(device: Device, server: AdbServer, places: Places) -> dict[str, Loop]:
    loops: dict[str, Loop] = {
        "ours, no wait": lambda seconds: _ours(device, places, seconds, ui_tree=False, settle=False),
        "ours, waits for rest": lambda seconds: _ours(device, places, seconds, ui_tree=False, settle=True),
    }
    if python := _python("phone_agent"):
        for name, wait in (("phone-agent, no wait", 0.0), ("phone-agent, waits 1 s", 1.0)):
            peer = Peer(python, "phone_agent", device.serial, server.address.port, wait)
            loops[name] = lambda seconds, peer=peer: peer.steps(places, seconds)  # type: ignore[misc]
    return loops


def _trees(device: Device, server: AdbServer, places: Places) -> dict[str, Loop]:
    bare, phone = Bare(server.address.port, device.serial), server.adb().device(device.serial)

    def by_bare(place: Point) -> None:
        bare.png()
        bare.exchange(f"shell,v2,raw:input tap {place.x} {place.y}")

    def by_adbutils(place: Point) -> None:
        phone.shell("screencap -p", encoding=None)
        phone.dump_hierarchy()
        phone.app_current()
        phone.click(*place)

    loops: dict[str, Loop] = {
        "ours": lambda seconds: _ours(device, places, seconds, ui_tree=True, settle=True),
        "floor, by adb": lambda seconds: _repeated(by_bare, places, seconds),
        "adbutils": lambda seconds: _repeated(by_adbutils, places, seconds),
    }
    if python := _python("mobilerun"):
        peer = Peer(python, "mobilerun", device.serial, server.address.port)
        loops["mobilerun"] = lambda seconds: peer.steps(places, seconds)
    return loops


def _ours(device: Device, places: Places, seconds: float, *, ui_tree: bool, settle: bool) -> float:
    def step(place: Point) -> None:
        device.observe(ui_tree=ui_tree, settle=settle)
        device.perform(Click(point=place))

    return _repeated(step, places, seconds)


def _repeated(step: Callable[[Point], None], places: Places, seconds: float) -> float:
    """Steps a second."""
    turns, steps, began = cycle(places), 0, time.monotonic()
    while time.monotonic() - began < seconds:
        step(next(turns))
        steps += 1
    return steps / (time.monotonic() - began)


@dataclass(frozen=True)
class Peer:
    """Another agent's device layer, in its own environment."""

    python: Path
    name: str
    serial: str
    adb_port: int
    wait_s: float = 0.0

    def steps(self, places: Places, seconds: float) -> float:
        """Steps a second. Raises CalledProcessError."""
        environment = {
            **os.environ,
            "ANDROID_ADB_SERVER_PORT": str(self.adb_port),
            "PATH": f"{Path(adbutils.adb_path()).parent}:{os.environ['PATH']}",
            "PHONE_AGENT_TAP_DELAY": str(self.wait_s),
        }
        script = Path(__file__).with_name("peer_loop.py")
        points = [f"{place.x},{place.y}" for place in places]
        command = [str(self.python), str(script), self.name, self.serial, str(seconds), *points]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        steps, took = json.loads(done.stdout)
        return float(steps / took)


def _python(peer: str) -> Path | None:
    """The interpreter of a peer's environment, None where it was not made."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    python = cache / "android-rollout-farm" / "peers" / peer / "bin" / "python"
    return python if python.exists() else None
