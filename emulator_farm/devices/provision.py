"""The fastest ways to look at a phone and to touch it, found once: measured, and compared with what adb shows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agent_server.geometry import Size
from emulator_farm.devices.channels import CaptureChannel, ChannelFailed, ChannelReport, choose
from emulator_farm.devices.emulators import endpoint_of
from emulator_farm.devices.gestures import GestureChannel
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


def find_controller(transport: Transport, properties: Mapping[str, str]) -> Found | str:
    """The gRPC controller of the phone with these properties, or why there is none."""
    endpoint = endpoint_of(transport.serial, properties)
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


def provision(screen: Screen, transport: Transport, found: Found | str) -> tuple[Provision, list[CaptureChannel], bool]:
    """What was found out, the ways to frames that are better than `screencap -p`, and whether gestures go by gRPC.

    They do where it is faster than `input` and showed this phone's pixels: it is the same phone then. Raises
    BadFrame and DeviceError where `screencap -p` gives nothing to compare with.
    """
    fast = () if isinstance(found, str) else found.captures
    usable, reports = choose([*fast, screen.channel(raw=True)], screen.channel(raw=False), screen.frames)
    if isinstance(found, str):
        reports.append(ChannelReport("grpc", None, False, found))
    names = {channel.name for channel in fast}
    same = any(report.trusted for report in reports if report.name in names)
    inputs = [_grpc_input(found, same), _adb_input(transport)]
    by_grpc = inputs[0].trusted and _ms(inputs[0]) < _ms(inputs[1])
    return Provision(tuple(sorted(reports, key=_rank)), tuple(sorted(inputs, key=_rank))), usable, by_grpc


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
