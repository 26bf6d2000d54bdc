"""The fastest ways to look at a phone and to touch it, found once: measured, and compared with what adb shows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from agent_server.geometry import Size
from emulator_farm.devices.channels import Capture, CaptureChannel, ChannelFailed, ChannelReport, choose
from emulator_farm.devices.emulators import endpoint_of
from emulator_farm.devices.gestures import GestureChannel
from emulator_farm.devices.hands import Hands
from emulator_farm.devices.replies import properties
from emulator_farm.devices.screen import Screen
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import CommandFailed

_REPEATS = 3
_NOTHING = "input keyevent 0"
"""KEYCODE_UNKNOWN, which no app hears of."""


@dataclass(frozen=True)
class Provision:
    """What was found out, in the order in which the channels are used; refused ones come last and say why."""

    capture: tuple[ChannelReport, ...]
    input: tuple[ChannelReport, ...]


@dataclass(frozen=True)
class Found:
    """A controller: its two ways to a frame, its way to gestures, and how to let go of it."""

    captures: tuple[CaptureChannel, ...]
    gestures: GestureChannel
    close: Callable[[], None]


def find_controller(transport: Transport) -> Found | str:
    """The phone's gRPC controller, or why there is none. Raises DeviceError where the phone does not answer."""
    known = properties(transport.shell("getprop").text)
    endpoint = endpoint_of(transport.serial, known)
    if endpoint is None:
        return "no gRPC port is known; an emulator opens one with `-grpc PORT -grpc-use-token`"
    try:
        from emulator_farm.devices.controller import Controller
        from emulator_farm.devices.grpc_channel import GrpcCapture, GrpcInput
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed; pip install 'android-rollout-farm[emulator]'"
    controller = Controller(endpoint, transport)
    try:
        hardware = {entry.key: entry.value for entry in controller.status().hardwareConfig.entry}
        panel = Size(int(hardware["hw.lcd.width"]), int(hardware["hw.lcd.height"]))
    except (ChannelFailed, KeyError, ValueError) as error:
        controller.close()
        return str(error) if isinstance(error, ChannelFailed) else "the controller does not say how large the panel is"
    captures = tuple(GrpcCapture(controller, transport.serial, png=png) for png in (True, False))
    return Found(captures, GrpcInput(controller, transport, panel), controller.close)


def provision(screen: Screen, transport: Transport, found: Found | str) -> tuple[Provision, bool]:
    """Choose the ways to frames, and say whether gestures go by the controller.

    They do where it is faster than `input` and showed this phone's pixels: it is the same phone then. Raises
    BadFrame and DeviceError where `screencap -p` gives nothing to compare with.
    """
    fast = () if isinstance(found, str) else found.captures
    capture, reports = choose([*fast, screen.channel(raw=True)], screen.channel(raw=False))
    screen.use(capture)
    if isinstance(found, str):
        reports.append(ChannelReport("grpc", None, False, found))
    names = {channel.name for channel in fast}
    same = any(report.trusted for report in reports if report.name in names)
    inputs = [_grpc_input(found, same), _adb_input(transport)]
    by_grpc = inputs[0].trusted and _ms(inputs[0]) < _ms(inputs[1])
    return Provision(tuple(sorted(reports, key=_rank)), tuple(sorted(inputs, key=_rank))), by_grpc


class Ways:
    """The ways by which one phone is looked at and touched: by adb alone until `provision` has found faster ones."""

    def __init__(self, transport: Transport, screen: Screen, hands: Hands) -> None:
        self._transport = transport
        self._screen = screen
        self._hands = hands
        self._controller: Found | None = None

    def provision(self) -> Provision:
        """Measure every way and use the fastest that are trusted. Raises BadFrame and DeviceError."""
        self.unprovision()
        found = find_controller(self._transport)
        self._controller = found if isinstance(found, Found) else None
        report, by_controller = provision(self._screen, self._transport, found)
        self._hands.use(found.gestures if isinstance(found, Found) and by_controller else None)
        return report

    def unprovision(self) -> None:
        """Go back to adb alone."""
        if self._controller is not None:
            self.close()
            self._hands.use(None)
            self._screen.use(Capture([self._screen.channel(raw=False)]))

    def close(self) -> None:
        """Let go of what was opened."""
        if self._controller is not None:
            self._controller.close()
            self._controller = None


def _grpc_input(found: Found | str, same: bool) -> ChannelReport:
    if isinstance(found, str):
        return ChannelReport("grpc", None, False, found)
    if not same:
        return ChannelReport("grpc", None, False, "it did not show this phone's screen")
    try:
        return ChannelReport("grpc", _median_ms(found.gestures.ping), True)
    except ChannelFailed as failure:
        return ChannelReport("grpc", None, False, str(failure))


def _adb_input(transport: Transport) -> ChannelReport:
    try:
        return ChannelReport("input", _median_ms(lambda: transport.run(_NOTHING)), True)
    except CommandFailed as error:
        return ChannelReport("input", None, False, str(error))


def _median_ms(call: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def _ms(report: ChannelReport) -> float:
    return float("inf") if report.latency_ms is None else report.latency_ms


def _rank(report: ChannelReport) -> tuple[bool, float]:
    return (not report.trusted, _ms(report))
