"""Saved states and forks, over a real adb server."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_server.actions import Click, OpenApp, Type
from agent_server.geometry import Point
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.emulator_console import EmulatorConsole
from emulator_farm.devices.snapshots import Snapshots
from emulator_farm.errors import CallerError, DeviceError, DeviceGone, DeviceTimeout, SnapshotFailed, Unsupported
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone


def phones(count: int, first: int = 0) -> list[Phone]:
    return [Phone(f"virtual-{n}", 540, 1200, 210, seed=n) for n in range(first, first + count)]


@pytest.fixture
def devices(adb_server: AdbServer) -> Iterator[list[Device]]:
    """Three phones of one process and one of another, as far as their snapshots go."""
    with ExitStack() as stack:
        made = []
        for host in (PhoneHost(phones(3)), PhoneHost(phones(1, 3))):
            for address in stack.enter_context(host).addresses:
                adb_server.connect(address)
                stack.callback(adb_server.disconnect, address)
                made.append(stack.enter_context(Device(address, adb_server)))
        yield made


def test_a_snapshot_is_the_way_back(devices: list[Device]) -> None:
    device = devices[0]
    device.prepare()
    device.snapshot("clean")
    first = device.incarnation
    device.perform(OpenApp(app="Settings"))
    device.settings_put("global", "wifi_on", "0")
    device.restore("clean")
    assert device.settings_get("global", "wifi_on") == "1"
    assert device.observe().app == "com.android.launcher3"
    assert device.incarnation != first
    assert device.snapshots.names() == ["clean"]
    device.snapshots.delete("clean")
    with pytest.raises(SnapshotFailed, match="no snapshot is named 'clean'"):
        device.restore("clean")


def test_a_fork_is_the_same_to_the_pixel_and_then_goes_its_own_way(devices: list[Device]) -> None:
    device, *others = devices
    device.prepare()
    device.shell("vphone clock hold")
    device.perform(OpenApp(app="Contacts"))
    top = device.observe().ui_tree or ""
    left, down = top.split('content-desc="Search contacts"')[1].split('bounds="[')[1].split("]")[0].split(",")
    device.perform(Click(point=Point(int(left) + 20, int(down) + 20)))
    device.perform(Type(text="Ünter"))
    seen = device.observe()
    device.fork(others)
    for other in others:
        copy = other.observe()
        assert (copy.image, copy.ui_tree, copy.app) == (seen.image, seen.ui_tree, seen.app)
        assert other.snapshots.names() == []
    for number, other in enumerate(others):
        other.perform(Type(text=str(number)))
    assert [f"Ünter{number}" in (other.observe().ui_tree or "") for number, other in enumerate(others)] == [True] * 3
    assert device.observe().image == seen.image


def test_a_fork_onto_another_panel_changes_nothing(
    devices: list[Device], host: PhoneHost, adb_server: AdbServer
) -> None:
    adb_server.connect(host.addresses[0])
    with Device(host.addresses[0], adb_server) as large:
        before = large.settings_get("secure", "android_id")
        with pytest.raises(SnapshotFailed, match="panel"):
            devices[0].fork([large])
        assert large.settings_get("secure", "android_id") == before
        with pytest.raises(SnapshotFailed, match="panel"):
            large.snapshots.take_on(devices[0].transport.exec_out("vphone snapshot export"))
        assert large.file_read("/data/local/tmp/.vphone-snapshot") is None
    adb_server.disconnect(host.addresses[0])


def test_the_state_is_data(devices: list[Device]) -> None:
    state = devices[0].state()
    assert state is not None
    assert state["settings"]["global"]["wifi_on"] == "1"  # type: ignore[index, call-overload]


def test_a_phone_without_snapshots_says_so(scripted: Callable[..., Any], adb_server: AdbServer) -> None:
    with Device(scripted({}).address, adb_server) as device:
        assert device.state() is None
        with pytest.raises(Unsupported, match="no virtual phone"):
            device.snapshot("x")
        with pytest.raises(Unsupported):
            device.fork([])


@pytest.fixture
def emulator(adb_server: AdbServer) -> Iterator[tuple[Device, EmulatorConsole]]:
    """A virtual phone with an emulator's console, seen as an emulator."""
    with PhoneHost(phones(1), emulator=True) as host:
        adb_server.connect(host.addresses[0])
        with Device(host.addresses[0], adb_server) as device:
            told = {name: device.shell(f"getprop vphone.{name}").text.strip() for name in ("console", "token")}
            console = EmulatorConsole(device.serial, int(told["console"].rpartition(":")[2]), told["token"])
            device.snapshots = Snapshots(device.transport, console)
            yield device, console
        adb_server.disconnect(host.addresses[0])


def test_an_emulator_saves_and_loads_by_its_console(emulator: tuple[Device, EmulatorConsole]) -> None:
    device, console = emulator
    device.prepare()
    assert device.snapshots.names() == []
    device.snapshot("clean")
    device.settings_put("global", "wifi_on", "0")
    device.restore("clean")
    assert device.settings_get("global", "wifi_on") == "1"
    assert device.snapshots.names() == ["clean"]
    device.snapshots.delete("clean")
    with pytest.raises(DeviceError, match="the console says: no snapshot is named 'clean'"):
        device.restore("clean")
    with pytest.raises(CallerError, match="no name for an emulator's snapshot"):
        device.snapshot("a b\nkill")
    with pytest.raises(Unsupported, match="belong to itself"):
        device.fork([])
    with pytest.raises(DeviceError, match="token does not match"):
        replace(console, token="other").ask("ping")


def test_a_console_that_is_not_there_or_mute_is_told(adb_server: AdbServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        console = EmulatorConsole("emulator-1", mute.getsockname()[1], "t")
        with pytest.raises(DeviceTimeout, match="did not answer to `ping`"):
            console.ask("ping", 0.2)
    with pytest.raises(DeviceGone, match="no console at"):
        console.ask("ping", 5)


def test_which_emulator_has_a_console_for_us(tmp_path: Path) -> None:
    assert EmulatorConsole.of("emulator-5554", tmp_path) is None
    (tmp_path / ".emulator_console_auth_token").write_text("abc\n")
    assert EmulatorConsole.of("emulator-5554", tmp_path) == EmulatorConsole("emulator-5554", 5554, "abc")
    assert EmulatorConsole.of("127.0.0.1:5555", tmp_path) is None
