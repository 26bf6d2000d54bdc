"""When a look after a tap is believed, on screens that change by a script, beside waits of a fixed length.

A shell on the phone plays the script as soon as the tap is done, so the phone itself keeps the time. A look was *early*
where the screen was another one once the script was over (below the status bar, where a spinner may turn for ever). The
figures of fixed waits are those of the same scripts and looks: what comes after the wait is missed.
"""

from __future__ import annotations

import io
import random
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from PIL import Image, ImageChops

from agent_server.actions import Click
from agent_server.geometry import Point
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.capture import Frame
from emulator_farm.devices.device import Device
from emulator_farm.phones import start_virtual

PHONES = 3
TITLE = Point(700, 300)
STATUS_BAR = 100
FIXED_WAITS = {"fixed 1 s (phone-agent)": 1.0, "fixed 2 s (AndroidWorld's M3A)": 2.0, "none (mobilerun)": 0.0}
OPEN = "am start -a android.settings.SETTINGS"
PAGE = "am start -a android.settings.DISPLAY_SETTINGS"
OTHER = "am start -a android.settings.WIFI_SETTINGS"
BLINK = "svc wifi disable; sleep 0.05; svc wifi enable; sleep 0.05"


@dataclass(frozen=True)
class Script:
    """What happens after a tap: a shell line, and when its last lasting change comes, in seconds."""

    line: str
    last_s: float


def once(chance: random.Random) -> Script:
    """Another page, at once or a third of a second after the tap."""
    at = chance.uniform(0.0, 0.35)
    return Script(f"sleep {at:.3f}; {PAGE}", at)


def in_two_stages(chance: random.Random) -> Script:
    """A page, and before one has looked twice another one."""
    first, between = chance.uniform(0.0, 0.2), chance.uniform(0.05, 0.15)
    return Script(f"sleep {first:.3f}; {PAGE}; sleep {between:.3f}; {OTHER}", first + between)


def scrolled(chance: random.Random) -> Script:
    """A list that runs out for a third of a second."""
    steps, pause = chance.randrange(6, 12), 0.03
    moves = "; ".join(f"input swipe 540 1500 540 {1500 - 36} 1; sleep {pause}" for _ in range(steps))
    return Script(f"sleep {(at := chance.uniform(0.0, 0.1)):.3f}; {moves}", at + steps * pause)


def dialog(chance: random.Random) -> Script:
    """A dialog of the system."""
    at = chance.uniform(0.0, 0.35)
    return Script(f"sleep {at:.3f}; vphone fault window anr", at)


def beside_a_spinner(chance: random.Random) -> Script:
    """Another page, while a small thing goes on blinking."""
    at = chance.uniform(0.0, 0.3)
    return Script(f"({'; '.join([BLINK] * 18)}) & sleep {at:.3f}; {PAGE}; wait", at)


KINDS: dict[str, Callable[[random.Random], Script]] = {
    "changes once": once,
    "in two stages": in_two_stages,
    "list scroll": scrolled,
    "dialog": dialog,
    "page, a spinner beside it": beside_a_spinner,
}


@dataclass(frozen=True)
class Trial:
    """Seconds from the tap until the look was done, and to the last change; whether the look was of what stayed."""

    settle_s: float
    look_s: float
    last_s: float
    early: bool


def settling_table(server: AdbServer, trials: int) -> None:
    """Play every kind of transition on some phones side by side."""
    hosts = start_virtual(PHONES)
    serials = [serial for host in hosts for serial in host.serials]
    try:
        for serial in serials:
            server.connect(serial)
        with ThreadPoolExecutor(len(serials)) as threads:
            shares = threads.map(lambda serial: _play(server, serial, -(-trials // len(serials))), serials)
            found = [trial for share in shares for trial in share]
    finally:
        for host in hosts:
            host.stop()
    print("| transition | how it is waited for | p50 | p90 | early |")
    print("| --- | --- | ---: | ---: | ---: |")
    for kind in KINDS:
        _print_rows(kind, [trial for name, trial in found if name == kind])
    _print_rows("all", [trial for _, trial in found])


def _print_rows(kind: str, trials: Sequence[Trial]) -> None:
    ours = sorted(trial.settle_s for trial in trials)
    early = sum(trial.early for trial in trials)
    rows = [("ours, by pictures", statistics.median(ours), ours[int(len(ours) * 0.9)], early)]
    for name, wait in FIXED_WAITS.items():
        looks = sorted(wait + trial.look_s for trial in trials)
        missed = sum(trial.last_s > wait for trial in trials)
        rows.append((name, statistics.median(looks), looks[int(len(looks) * 0.9)], missed))
    for name, p50, p90, count in rows:
        print(f"| {kind} | {name} | {p50:.2f} s | {p90:.2f} s | {count} of {len(trials)} |", flush=True)


def _play(server: AdbServer, serial: str, trials: int) -> list[tuple[str, Trial]]:
    """Every kind so often on one phone, in turns."""
    chance, found = random.Random(serial), []
    with Device(serial, server) as device:
        device.prepare()
        device.shell("vphone clock hold")
        for _ in range(trials):
            for kind, script in KINDS.items():
                device.shell(f"vphone fault clear; input keyevent 3; am force-stop com.android.settings; {OPEN}")
                found.append((kind, _trial(device, script(chance))))
    return found


def _trial(device: Device, script: Script) -> Trial:
    device.observe(ui_tree=False)
    player = threading.Thread(target=lambda: device.shell(script.line, 30.0))
    began = time.monotonic()
    if device.perform(Click(point=TITLE)).status != "ok":
        raise RuntimeError("the tap was not done")
    player.start()
    seen = device.observe(ui_tree=False)
    settled = time.monotonic()
    player.join()
    looked = time.monotonic()
    final = device.observe(ui_tree=False, settle=False)
    look_s = time.monotonic() - looked
    early = seen.window != final.window or _differ(seen.frame, final.frame)
    return Trial(settled - began, look_s, script.last_s, early)


def _differ(one: Frame, other: Frame) -> bool:
    pictures = [Image.open(io.BytesIO(frame.image)).convert("RGB") for frame in (one, other)]
    below = [picture.crop((0, STATUS_BAR, *picture.size)) for picture in pictures]
    return ImageChops.difference(*below).getbbox() is not None
