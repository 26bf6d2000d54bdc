"""Proof that a phone can be played on, end to end.

Properties lie: after a snapshot restore `sys.boot_completed` is 1 while nothing works. So each check does what an
episode will do, and looks at the result.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from emulator_farm.devices.channels import ChannelReport
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.dumpsys import dialog_of
from emulator_farm.devices.keyboard import IME
from emulator_farm.errors import AdbServerGone, DeviceError, DeviceGone, NotReady

if TYPE_CHECKING:
    from emulator_farm.devices.device import Device


_PROBE = "/data/local/tmp/farm_probe"


@dataclass(frozen=True)
class Check:
    """One line of a diagnosis."""

    name: str
    ok: bool
    detail: str
    needed: bool = True
    """False for what the farm itself sets (`Device.prepare`) before it plays on the phone."""


def prove(device: Device) -> None:
    """Return when the phone can be played on. Raises NotReady with the first check that failed and why."""
    for name, probe in _PROOFS.items():
        try:
            probe(device)
        except _Fails as failure:
            raise NotReady(f"{name}: {failure}", serial=device.serial, check=name) from None
        except DeviceError as error:
            raise NotReady(f"{name}: {error}", serial=device.serial, check=name) from error


def wait_until_ready(device: Device, deadline_s: float) -> None:
    """Prove again and again until it holds, connecting anew where the phone was lost.

    Raises the last NotReady when the deadline has passed, AdbServerGone at once.
    """
    deadline = Deadline(deadline_s)
    while True:
        try:
            return prove(device)
        except NotReady as error:
            if deadline.passed:
                raise
            device.forget()
            deadline.pause(0.5)
            if isinstance(error.__cause__, DeviceGone):
                device.unprovision()
                with contextlib.suppress(DeviceError):
                    device.server.connect(device.serial, deadline.remaining)


def doctor(device: Device) -> list[Check]:
    """Every check there is, in order; what is broken early makes later ones fail too."""
    return list(_diagnosis(device))


def observe_to(device: Device, folder: Path) -> None:
    """One observation as files: frame.png, ui.xml where there is a tree, observation.json. The folder is made."""
    observation = device.observe()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "frame.png").write_bytes(observation.image)
    if observation.ui_tree is not None:
        (folder / "ui.xml").write_text(observation.ui_tree)
    facts = {
        "serial": device.serial,
        "size": list(observation.size),
        "rotation": observation.rotation,
        "app": observation.app,
        "activity": observation.activity,
        "flags": list(observation.flags),
        "sha256": observation.sha256,
        "settle_ms": round(observation.settle_ms, 1),
        "capture_ms": round(observation.capture_ms, 1),
    }
    (folder / "observation.json").write_text(json.dumps(facts, indent=2) + "\n")


class _Fails(Exception):
    """A check that failed, and why."""


def _shell(device: Device) -> str:
    nonce = secrets.token_hex(8)
    said = device.shell(["echo", nonce]).text.strip()
    if said != nonce:
        raise _Fails(f"echo of {nonce} gave {said[:80]!r}")
    return f"answers, features {', '.join(sorted(device.transport.features()))}"


def _boot(device: Device) -> str:
    booted = device.shell("getprop sys.boot_completed").text.strip()
    if booted != "1":
        raise _Fails(f"sys.boot_completed is {booted!r}; the phone is still starting")
    return f"{device.info.model}, Android API {device.info.sdk}"


def _screen(device: Device) -> str:
    device.shell("input keyevent 224")
    if not device.screen.awake():
        raise _Fails("the screen does not wake up")
    return "awake"


def _frame(device: Device) -> str:
    display = device.display()
    frame = device.screen.frame(display.size)
    if frame.black:
        raise _Fails("the screenshot is black")
    if frame.size != display.size:
        raise _Fails(f"the screenshot is {frame.size}, the display {display.size}")
    return f"{frame.size}, {len(frame.image) // 1024} KiB" + (f", {', '.join(frame.flags)}" if frame.flags else "")


def _ui_tree(device: Device) -> str:
    look = device.screen.tree()
    if look.ui_tree is None:
        device.shell(f"echo full > {_PROBE} && rm {_PROBE}")  # the tree travels in a file: this says why there is none
        raise _Fails("uiautomator gives no UI tree")
    nodes = look.ui_tree.count("<node")
    if not nodes:
        raise _Fails("the UI tree has no nodes")
    return f"{nodes} nodes"


def _front(device: Device) -> str:
    focus = device.foreground()
    component = focus.component
    if focus.window is not None and dialog_of(focus.window):
        raise _Fails(f"a dialog is in front: {focus.window}")
    if component is None:
        raise _Fails("no app is in front")
    if component.activity.endswith("FallbackHome"):
        raise _Fails("the phone waits to be unlocked for the first time")
    return str(component)


_PROOFS: dict[str, Callable[[Device], str]] = {
    "shell": _shell,
    "boot": _boot,
    "screen": _screen,
    "frame": _frame,
    "ui_tree": _ui_tree,
    "front": _front,
}


def _adb_server(device: Device) -> str:
    return f"version {device.server.version()} at {device.server.address}"


def _keyboard(device: Device) -> str:
    current = device.keyboard.current()
    if current != IME:
        raise _Fails(f"the keyboard is {current}; `prepare` sets {IME}")
    return IME


def _animations(device: Device) -> str:
    for scale in ("window_animation_scale", "transition_animation_scale", "animator_duration_scale"):
        value = device.settings_get("global", scale)
        if value is None or float(value) != 0:
            raise _Fails(f"{scale} is {value}; `prepare` sets 0")
    return "off"


def _told(reports: Sequence[ChannelReport]) -> str:
    """Which is used, with its milliseconds, what comes behind it, and why the others do not."""
    lines = []
    for report in reports:
        took = "" if report.latency_ms is None else f" {report.latency_ms:.1f} ms"
        lines.append(f"{report.name}{took}" if report.trusted else f"{report.name} refused: {report.why}")
    return f"uses {lines[0]}" + "".join(f"; {line}" for line in lines[1:])


def _diagnosis(device: Device) -> Iterator[Check]:
    prepared = {"keyboard": _keyboard, "animations": _animations}
    for name, probe in ({"adb_server": _adb_server} | _PROOFS | prepared).items():
        needed = name not in prepared
        try:
            yield Check(name, True, probe(device), needed)
        except (_Fails, DeviceError, AdbServerGone) as error:
            yield Check(name, False, str(error), needed)
    try:
        found = device.provision()
    except (DeviceError, AdbServerGone) as error:
        yield Check("channels", False, str(error))
    else:
        yield Check("capture", True, _told(found.capture))
        yield Check("input", found.input[0].trusted, _told(found.input))
        yield Check("tree", True, _told(found.tree))
