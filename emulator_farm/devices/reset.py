"""A phone made fit for the next episode, by steps of increasing cost, each proved by asking the phone afterwards.

    home      awake, unlocked, nothing in front of the home screen, nothing open, settings as they shall be
    apps      and apps wiped: their data, permissions, notifications, files; apps that came since are gone
    snapshot  a saved state loaded, then as `home`
    recycle   restarted, a virtual phone in factory state; the phone's owner does that between two episodes

What does not hold afterwards is a NotReady whose `check` is `reset_` and the item, and which says what was wanted and
what was found.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.dumpsys import UnexpectedReply
from emulator_farm.devices.health import wait_until_ready
from emulator_farm.devices.reset_apps import APPS, wipe
from emulator_farm.devices.reset_items import AT_HOME, FOUND, Item, as_found
from emulator_farm.devices.reset_policy import Level, Needs, ResetPolicy
from emulator_farm.errors import DeviceError, DeviceGone, DeviceTimeout, NotReady

if TYPE_CHECKING:
    from emulator_farm.devices.device import Device

BASE = "farm-base"
"""The snapshot that the farm takes of a phone when it first meets it."""
_MARK = ":farm-item:"
_ASK_S = 120.0
_MEND_S = 3.0
_RECYCLE_S = 240.0
_CLOCKS = ("clock",)
_GO_HOME = "input keyevent 3"
_PAUSE_S = 0.1

Baseline = Mapping[str, str]
"""What a phone was like when the farm first met it, by item. An item that it lacks is left as it is."""


class RecycleDue(NotReady):
    """Nothing but a restart will help, and that is for the phone's owner to do."""


@dataclass(frozen=True)
class Reset:
    """What was done: the deepest level that was needed, why those before it failed, and how long it all took."""

    level: Level
    failed: tuple[str, ...]
    ms: float

    @property
    def note(self) -> str:
        """In words where more was needed than the first level; empty otherwise."""
        return f"reset by {self.level}: {'; '.join(self.failed)}" if self.failed else ""


def is_virtual(device: Device) -> bool:
    """Whether there is nothing on the phone that somebody could miss. Raises DeviceError."""
    return device.info.properties.get("ro.hardware") == "virtual"


def survey(device: Device, *, apps: bool) -> dict[str, str]:
    """What is to be remembered of a phone that the farm meets; with `apps` their data too. Raises DeviceError."""
    items = (*FOUND, *APPS) if apps else FOUND
    return as_found(items, ask(device, items))


def home(device: Device, baseline: Baseline | None = None, *, clock: bool = True) -> None:
    """The home screen of a phone on which nothing is open; again and again. Raises NotReady, DeviceError.

    `clock` is off where a saved state brought its own time with it.
    """
    device.shell(_GO_HOME)
    device.keyboard.ensure()
    bring(device, [item for item in AT_HOME if clock or item.name not in _CLOCKS], baseline or {})


def apps(device: Device, baseline: Baseline | None = None) -> None:
    """As `home`, with apps and files as they were. Wipes data. Raises NotReady, DeviceError."""
    wipe(device.transport)
    bring(device, APPS, baseline or {})
    home(device, baseline)


def snapshot(device: Device, base: str, baseline: Baseline | None = None) -> None:
    """The saved state, proved as `home`. Raises Unsupported, SnapshotFailed, NotReady, DeviceError."""
    device.restore(base)
    home(device, baseline, clock=False)


def recycle(device: Device, *, factory: bool, deadline_s: float = _RECYCLE_S) -> None:
    """Restart the phone, in factory state where `factory` (a virtual one), and wait until it can be played on.

    Raises NotReady (`recycle`) where it comes back as the same incarnation, or not at all.
    """
    deadline = Deadline(deadline_s)
    device.forget()
    before = device.incarnation
    with contextlib.suppress(DeviceGone, DeviceTimeout):  # the connection goes down with the phone
        device.transport.shell("vphone reset && reboot" if factory else "reboot", 15.0)
    while (now := _incarnation(device)) in (before, None):
        if deadline.passed:
            state = "does not answer" if now is None else f"is still in the life {before}"
            raise NotReady(f"restarted, but it {state}", serial=device.serial, check="recycle")
        deadline.pause(0.5)
    device.unprovision()
    wait_until_ready(device, deadline.remaining)


def before_episode(
    device: Device,
    policy: ResetPolicy,
    needs: Needs | None = None,
    baseline: Baseline | None = None,
    *,
    loading: Callable[[], None] = lambda: None,
) -> Reset:
    """Do what the policy says, level by level until one holds; `loading` is told before a snapshot is loaded.

    Raises RecycleDue where nothing but a restart is left, the last failure where not even that is allowed, and at once
    what says that the phone is gone.
    """
    began = time.monotonic()
    failed: list[str] = []
    fault: DeviceError | None = None
    for level in policy.ladder(needs, virtual=is_virtual(device)):
        try:
            match level:
                case "home":
                    home(device, baseline)
                case "apps":
                    apps(device, baseline)
                case "snapshot":
                    loading()
                    snapshot(device, policy.base or BASE, baseline)
                case "recycle":
                    if fault is not None:
                        raise RecycleDue("; ".join(failed), serial=device.serial, check="recycle_due")
                    home(device, baseline)  # its owner has just restarted it
        except (DeviceGone, DeviceTimeout, RecycleDue):
            raise
        except DeviceError as error:
            failed.append(f"{level} failed: {error}")
            fault = error
        else:
            return Reset(level, tuple(failed), (time.monotonic() - began) * 1000)
    raise fault or AssertionError("a policy has at least one level")


def bring(device: Device, items: Iterable[Item], baseline: Baseline, patience_s: float = _MEND_S) -> None:
    """Make items what they shall be, and ask until they are. Raises NotReady with the first that is not."""
    wanted = {item: item.wanted or baseline.get(item.name) for item in items}
    held = {item: value for item, value in wanted.items() if value is not None}
    deadline = Deadline(patience_s)
    pause_s = 0.0  # much is true at once
    while True:
        found = ask(device, held)
        wrong = [
            (item, value, found[item.name]) for item, value in held.items() if not item.fits(value, found[item.name])
        ]
        if not wrong:
            return
        lines = [line for line in (item.mend(value, now) for item, value, now in wrong) if line]
        if deadline.passed or not lines:
            item, value, now = wrong[0]
            raise NotReady(_told(item, value, now), serial=device.serial, check=f"reset_{item.name}")
        device.transport.shell("; ".join(f"({line})" for line in [*lines, _GO_HOME]), _ASK_S)
        deadline.pause(pause_s)
        pause_s = _PAUSE_S


def ask(device: Device, items: Iterable[Item]) -> dict[str, str]:
    items = tuple(items)
    asks = list(dict.fromkeys(ask for item in items for ask in item.asks))
    if not asks:
        return {}
    said = device.transport.shell("; ".join(f"{ask}; echo; echo {_MARK}" for ask in asks), _ASK_S).text
    answers = dict(zip(asks, said.split(f"\n{_MARK}\n"), strict=False))
    readings = {}
    for item in items:
        try:
            readings[item.name] = item.read(*(answers.get(ask, "") for ask in item.asks))
        except UnexpectedReply as error:
            raise DeviceError(f"{item.name}: {error}", serial=device.serial, cause="unexpected_reply") from None
    return readings


def _incarnation(device: Device) -> str | None:
    """The phone's life, None where it does not answer."""
    device.forget()
    try:
        device.server.connect(device.serial, 5.0)
        return device.incarnation
    except DeviceError:
        return None


def _told(item: Item, wanted: str, found: str) -> str:
    """What is wrong; of a list what it lacks and what it has too many."""
    if "\n" not in wanted + found:
        return f"{item.name} shall be {_short(wanted)} and is {_short(found)} after it was reset"
    want, have = wanted.splitlines(), found.splitlines()
    lacks = [line for line in want if line not in have]
    extra = [line for line in have if line not in want]
    said = [f"{word} {_short(', '.join(lines))}" for word, lines in (("lack", lacks), ("still hold", extra)) if lines]
    return f"{item.name} {' and '.join(said)} after they were reset"


def _short(text: str) -> str:
    return repr(text if len(text) <= 120 else f"{text[:119]}…")
