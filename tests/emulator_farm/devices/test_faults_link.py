"""What `Device` does when the way to the phone misbehaves: each fault armed for real, a typed error that names it."""

from __future__ import annotations

import threading
import time

import pytest

from agent_server.actions import Click
from agent_server.geometry import Point
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.health import wait_until_ready
from emulator_farm.devices.screen import Patience
from emulator_farm.errors import ClaimLost, DeviceError, DeviceGone, DeviceTimeout, NotReady
from emulator_farm.virtual.host import PhoneHost

READY_S = 60.0


def _step(device: Device) -> None:
    device.observe()
    device.perform(Click(point=Point(5, 5)))


def test_a_link_that_drops_in_the_middle_is_a_lost_phone_and_comes_back(device: Device, host: PhoneHost) -> None:
    sound = device.observe()
    host.fault("link", "drop", times=1)
    with pytest.raises(DeviceGone) as caught:
        device.observe()
    assert caught.value.serial == device.serial
    wait_until_ready(device, READY_S)
    assert device.observe().image == sound.image


def test_an_offline_phone_is_named_and_comes_back(device: Device, host: PhoneHost) -> None:
    host.fault("link", "offline")
    with pytest.raises(DeviceGone):
        device.observe()
    with pytest.raises(NotReady) as caught:
        wait_until_ready(device, 1)
    assert caught.value.check == "shell"
    host.calm()
    wait_until_ready(device, READY_S)


def test_a_phone_that_does_not_know_our_key_is_unauthorized(
    device: Device, host: PhoneHost, adb_server: AdbServer
) -> None:
    host.fault("link", "unauthorized")
    adb_server.disconnect(device.serial)
    with pytest.raises(DeviceError) as caught:
        adb_server.connect(device.serial, 20)
    assert caught.value.cause == "device_unauthorized"
    with pytest.raises(DeviceGone) as refused:
        device.observe()
    assert refused.value.cause in ("device_unauthorized", "device_offline", "device_not_found")
    host.calm()
    adb_server.disconnect(device.serial)
    adb_server.connect(device.serial, READY_S)
    assert device.observe().flags == ()


def test_a_half_open_link_costs_no_more_than_the_deadline(device: Device, host: PhoneHost) -> None:
    host.fault("link", "silent")
    with pytest.raises(DeviceTimeout, match=r"within 0\.5 s"):
        device.transport.shell("echo", 0.5)
    host.calm()
    wait_until_ready(device, READY_S)


def test_a_half_open_link_can_be_left_by_a_cut(device: Device, host: PhoneHost) -> None:
    host.fault("link", "silent")
    threading.Timer(0.3, device.cut).start()
    with pytest.raises(ClaimLost):
        device.transport.shell("echo", 120)


def test_a_slow_link_is_only_slow(device: Device, host: PhoneHost) -> None:
    sound = device.observe()
    device.shell("vphone latency link=0.2")
    began = time.monotonic()
    assert device.observe().image == sound.image
    assert time.monotonic() - began > 0.4  # two exchanges
    with pytest.raises(DeviceTimeout):
        device.transport.shell("echo", 0.1)


def test_a_narrow_link_is_only_slow(device: Device, host: PhoneHost) -> None:
    sound = device.screenshot()
    host.fault("bandwidth", len(sound.image) * 2)
    began = time.monotonic()
    assert device.screenshot().image == sound.image
    assert time.monotonic() - began > 0.4
    with pytest.raises(DeviceTimeout):
        device.transport.exec_out("screencap -p", 0.2)


def test_a_shell_that_hangs_ends_at_the_deadline(device: Device, host: PhoneHost) -> None:
    device.shell("vphone fault shell hang times=1")
    with pytest.raises(DeviceTimeout, match="echo"):
        device.transport.shell("echo", 0.5)
    assert device.observe().flags == ()


def test_a_hanging_shell_is_switched_off_over_the_control_channel(device: Device) -> None:
    device.shell("vphone fault shell hang")
    with pytest.raises(DeviceTimeout):
        device.transport.shell("echo", 0.3)
    device.shell("vphone fault clear")
    assert device.shell("echo well").text == "well\n"


@pytest.mark.parametrize("fault", ["screencap hang", "dump hang", "input hang", "shell hang"])
def test_whatever_hangs_can_be_cancelled(device: Device, fault: str) -> None:
    device.shell(f"vphone fault {fault}")
    threading.Timer(0.5, device.cut).start()
    with pytest.raises(ClaimLost):  # at the deadline of the call it would be DeviceTimeout
        _step(device)


@pytest.mark.parametrize("fault", ["screencap hang", "dump hang", "shell hang"])
def test_whatever_hangs_ends_at_the_deadline_of_a_call(device: Device, adb_server: AdbServer, fault: str) -> None:
    device.observe()
    with Device(device.serial, adb_server, patience=Patience(call_s=2)) as hasty:
        hasty.observe()
        device.shell(f"vphone fault {fault}")
        with pytest.raises(DeviceTimeout, match="within 2 s"):
            hasty.observe()
