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
from emulator_farm.devices.trees import REFERENCE, TreeChannel, measure
from emulator_farm.devices.u2_channel import U2Capture, U2Input, U2Tree
from emulator_farm.devices.u2_server import CALL_S, U2Server
from emulator_farm.errors import CommandFailed

_REPEATS = 3
_NOTHING = "input keyevent 0"
"""KEYCODE_UNKNOWN, which no app hears of."""


@dataclass(frozen=True)
class Provision:
    """What was found out, in the order in which the channels are used; refused ones come last and say why."""

    capture: tuple[ChannelReport, ...]
    input: tuple[ChannelReport, ...]
    tree: tuple[ChannelReport, ...]


@dataclass(frozen=True)
class Source:
    """Something beside adb's own commands that shows and touches a phone, and how to let go of it."""

    name: str
    captures: tuple[CaptureChannel, ...]
    gestures: GestureChannel
    close: Callable[[], None]
    tree: TreeChannel | None = None


def find_controller(transport: Transport, properties: Mapping[str, str]) -> Source | str:
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
    return Source("grpc", captures, GrpcInput(controller, transport, panel), controller.close)


def start_u2(transport: Transport, call_s: float) -> Source | str:
    """uiautomator2's server, started, or why it does not run; it gets `call_s` for an answer."""
    server = U2Server(transport, min(call_s, CALL_S))
    try:
        server.start()
    except ChannelFailed as failure:
        return str(failure)
    serial = transport.serial
    return Source("u2", (U2Capture(server, serial),), U2Input(server, serial), server.close, U2Tree(server))


def choose_tree(screen: Screen, transport: Transport) -> tuple[tuple[ChannelReport, ...], Source | str]:
    """The ways to a tree, the best first, and uiautomator2's server where it is the best: it runs then.

    A tree counts when the screen is at rest: the dump waits for that, for the other's sake pictures are watched.
    """
    pace = screen.patience.pace
    rest_ms = (pace.onset_s + pace.quiet_s) * 1000
    began = time.perf_counter()
    look = screen.tree()
    dump_ms = (time.perf_counter() - began) * 1000
    reference = ChannelReport(REFERENCE, dump_ms, True)
    if look.ui_tree is None:
        return (reference, ChannelReport("u2", None, False, "there is no tree to compare with")), "not started"
    if dump_ms <= rest_ms:
        why = f"a dump takes less than the {rest_ms:.0f} ms for which pictures would be watched"
        return (reference, ChannelReport("u2", None, False, why)), why
    found = start_u2(transport, screen.patience.call_s)
    if isinstance(found, str) or found.tree is None:
        return (reference, ChannelReport("u2", None, False, str(found))), str(found)
    component = look.focus.component
    report = measure(found.tree, component.package if component else None, look.ui_tree, rest_ms)
    if report.trusted and _ms(report) < dump_ms:
        return (report, reference), found
    found.close()
    return (reference, report), report.why or "slower than `uiautomator dump`"


def provision(
    screen: Screen, transport: Transport, sources: Mapping[str, Source | str]
) -> tuple[tuple[ChannelReport, ...], tuple[ChannelReport, ...], list[CaptureChannel], GestureChannel | None]:
    """What was found out of frames and of gestures, the ways to frames better than `screencap -p`, and to gestures
    better than `input`. `sources` are what may be used beside adb, or why not.

    Gestures go by a source where it is faster and showed this phone's pixels: it is the same phone then. Raises
    BadFrame and DeviceError where `screencap -p` gives nothing to compare with.
    """
    there = [source for source in sources.values() if isinstance(source, Source)]
    fast = [channel for source in there for channel in source.captures]
    usable, reports = choose([*fast, screen.channel(raw=True)], screen.channel(raw=False), screen.frames)
    trusted = {report.name for report in reports if report.trusted}
    inputs = [_adb_input(transport)]
    for name, source in sources.items():
        if isinstance(source, str):
            reports.append(ChannelReport(name, None, False, source))
            inputs.append(ChannelReport(name, None, False, source))
        else:
            inputs.append(_input_of(source, any(channel.name in trusted for channel in source.captures)))
    inputs.sort(key=_rank)
    best = next((source.gestures for source in there if source.name == inputs[0].name), None)
    return tuple(sorted(reports, key=_rank)), tuple(inputs), usable, best if inputs[0].trusted else None


def _input_of(source: Source, same: bool) -> ChannelReport:
    if not same:
        return ChannelReport(source.name, None, False, "it did not show this phone's screen")
    try:
        return ChannelReport(source.name, _median_ms(source.gestures.ping) + source.gestures.held_ms, True)
    except ChannelFailed as failure:
        return ChannelReport(source.name, None, False, str(failure))


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
