"""Runs the checks on one phone, each with a phone of its own that is taken away at the check's deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import agent_server
from emulator_farm.certify.actions import ACTIONS
from emulator_farm.certify.certificate import Certificate, Check, PhoneFacts, Verdict
from emulator_farm.certify.contract import CONTRACT
from emulator_farm.certify.faults import FAULTS, resets
from emulator_farm.certify.keepsake import Keepsake
from emulator_farm.certify.probe import Failed, NotApplicable, Probe, Seen
from emulator_farm.certify.texts import TEXTS
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.device import Device
from emulator_farm.devices.replies import properties
from emulator_farm.errors import ClaimLost, DeviceGone, FarmError

WHOLE_S = 55 * 60.0
"""For all checks of a phone; putting it back comes after."""
_PUT_BACK_S = 60.0
_BUILD = ("ro.build.", "ro.product.", "ro.hardware", "ro.boot.qemu", "ro.kernel.qemu", "ro.vphone")
Told = Callable[[Check], None]


def probes(times: int) -> tuple[Probe, ...]:
    """All checks, in order; `times` resets."""
    return (*CONTRACT, *ACTIONS, *TEXTS, resets(times), *FAULTS)


class Certification:
    """One phone under examination. `stop`, from any thread, ends it after what is under way was broken off."""

    def __init__(
        self,
        serial: str,
        server: AdbServer,
        *,
        times: int = 100,
        checks: Sequence[Probe] | None = None,
        whole_s: float = WHOLE_S,
        told: Told = lambda check: None,
    ) -> None:
        """`checks` are all by default; `told` hears of each as it ends. The phone must be connected."""
        self.serial = serial
        self._server = server
        self._times = times
        self._probes = tuple(probes(times) if checks is None else checks)
        self._whole = Deadline(whole_s)
        self._told = told
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._device: Device | None = None
        self._checks: list[Check] = []

    def stop(self) -> None:
        """Break off. `run` gives what it has."""
        with self._lock:
            self._stopped.set()
            if self._device is not None:
                self._device.cut()

    def run(self) -> Certificate:
        """Every check, then the phone as it was. Raises nothing that a phone can do wrong."""
        began = datetime.now(UTC)
        phone, keepsake = self._begin()
        ran = 0
        for probe in self._probes if keepsake is not None else ():
            if self._stopped.is_set() or self._whole.passed:
                break
            check = self._check(probe)
            if check is None:
                break
            ran += 1
            self._add(check)
        if keepsake is not None:
            self._add(self._put_back(keepsake))
        return Certificate(
            tool_version=agent_server.__version__,
            adb_version=self._adb_version(),
            started_at=began,
            ended_at=datetime.now(UTC),
            resets=self._times,
            complete=ran == len(self._probes),
            phone=phone,
            checks=tuple(self._checks),
        )

    def _begin(self) -> tuple[PhoneFacts | None, Keepsake | None]:
        """What the phone is and was like, then prepared; without, nothing else is tried on it."""
        facts: PhoneFacts | None = None
        keepsake: Keepsake | None = None

        def prepare(device: Device) -> str:
            nonlocal facts, keepsake
            facts = _facts(device)
            keepsake = Keepsake.of(device)
            device.prepare()
            return f"{facts.model}, Android {facts.android} (API {facts.sdk}), {facts.abi}"

        check = self._check(Probe("phone.prepared", "says what it is, and takes the farm's settings", prepare, 120))
        if check is not None:
            self._add(check)
        return facts, keepsake

    def _add(self, check: Check) -> None:
        self._checks.append(check)
        self._told(check)

    def _check(self, probe: Probe) -> Check | None:
        """The check's result, None where it was stopped in the middle."""
        with self._lock:
            if self._stopped.is_set():
                return None
            self._device = Device(self.serial, self._server)
        check = _examine(probe, self._device, self._whole.within(probe.deadline_s))
        with self._lock:
            self._device = None
            return None if self._stopped.is_set() else check

    def _put_back(self, keepsake: Keepsake) -> Check:
        """This is done after a stop too."""

        def restore(device: Device) -> str:
            self._reach(device)
            keepsake.put_back(device)
            left = Keepsake.of(device)
            if left != keepsake:
                raise Failed(f"{left}, and it was {keepsake}")
            return "settings, keyboard, size and rotation are what they were"

        probe = Probe("phone.put_back", "settings, keyboard, size and rotation are what they were", restore)
        return _examine(probe, Device(self.serial, self._server), Deadline(_PUT_BACK_S))

    def _reach(self, device: Device) -> None:
        """Connect anew where a check was broken off while the phone was let go of."""
        try:
            device.shell("echo")
        except DeviceGone:
            self._server.connect(self.serial, _PUT_BACK_S / 2)

    def _adb_version(self) -> str:
        try:
            with Device(self.serial, self._server) as device:
                features = ",".join(sorted(device.transport.features()))
            return f"{self._server.version()} ({features})"
        except FarmError as error:
            return f"unknown: {error}"


def _examine(probe: Probe, device: Device, deadline: Deadline) -> Check:
    """One check on a device of its own, which is cut at the deadline and closed at the end."""
    late = threading.Event()

    def take_away() -> None:
        late.set()
        device.cut()

    timer = threading.Timer(deadline.remaining, take_away)
    timer.daemon = True
    timer.start()
    began = time.monotonic()
    verdict: Verdict = "pass"
    figures: dict[str, float] = {}
    try:
        with device:
            found = probe.run(device)
        seen, figures = (found.text, found.figures) if isinstance(found, Seen) else (found, {})
    except NotApplicable as reason:
        verdict, seen = "not_applicable", str(reason)
    except ClaimLost as error:
        verdict = "fail"
        seen = f"it did not end within {deadline.seconds:g} s" if late.is_set() else str(error)
    except (Failed, FarmError) as error:
        verdict, seen = "fail", str(error)
    finally:
        timer.cancel()
    if late.is_set() and verdict != "fail":
        verdict, seen, figures = "fail", f"it did not end within {deadline.seconds:g} s", {}
    return Check(
        name=probe.name,
        expected=probe.expected,
        seen=seen,
        seconds=round(time.monotonic() - began, 3),
        verdict=verdict,
        figures=figures,
    )


def _facts(device: Device) -> PhoneFacts:
    info = device.info
    known = properties(device.shell("getprop").text)
    return PhoneFacts(
        serial=device.serial,
        model=info.model,
        android=known.get("ro.build.version.release", "unknown"),
        sdk=info.sdk,
        abi=info.abi,
        size=str(info.size),
        density=info.density,
        virtual=device.transport.shell("vphone state > /dev/null").ok,
        properties={key: value for key, value in sorted(known.items()) if key.startswith(_BUILD)},
    )
