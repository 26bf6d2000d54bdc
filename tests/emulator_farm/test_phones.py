"""Where phones come from."""

from __future__ import annotations

import os
import signal

import pytest

from emulator_farm.devices import health
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.errors import CallerError, DeviceGone, DeviceTimeout, InfrastructureError
from emulator_farm.phones import DevicesSpec, VirtualHost, start_virtual


def test_what_devices_says() -> None:
    assert DevicesSpec.parse("virtual:4") == DevicesSpec("virtual", 4)
    assert DevicesSpec.parse("adb:a, b,a") == DevicesSpec("adb", 2, ("a", "b"))


@pytest.mark.parametrize("text", ["", "virtual", "virtual:", "virtual:0", "virtual:65", "virtual:-1", "adb:", "usb:1"])
def test_what_it_may_not_say(text: str) -> None:
    with pytest.raises(CallerError, match="--devices"):
        DevicesSpec.parse(text)


def test_phones_are_spread_over_processes() -> None:
    hosts = start_virtual(3)
    try:
        assert sum(host.count for host in hosts) == 3
        assert len(hosts) == min(3, os.cpu_count() or 1)
        serials = [serial for host in hosts for serial in host.serials]
        assert len(set(serials)) == 3
        assert all(serial.startswith("127.0.0.1:") for serial in serials)
        os.kill(hosts[0].process.pid, signal.SIGKILL)
        hosts[0].process.wait()
        assert not hosts[0].alive()
        assert hosts[-1].alive()
    finally:
        for host in hosts:
            host.stop()


def test_a_host_that_does_not_start_says_why() -> None:
    with pytest.raises(InfrastructureError, match="unrecognized arguments"):
        VirtualHost.start(1, options=["--no-such-option"])


def test_one_phone_of_a_host_is_started_anew_at_its_address() -> None:
    host = VirtualHost.start(2)
    try:
        with AdbServer.launch() as server:
            devices = [Device(serial, server) for serial in host.serials]
            for device in devices:
                server.connect(device.serial)
                device.shell("echo here > /sdcard/mark.txt")
            devices[1].shell("vphone snapshot save one; vphone fault loads 1")
            with pytest.raises(DeviceGone):  # it dies of it
                devices[1].transport.shell("vphone snapshot load one")
            with pytest.raises((DeviceGone, DeviceTimeout)):
                server.connect(host.serials[1], 0.5)
            host.restart(host.serials[1])
            health.wait_until_ready(devices[1], 60)
            assert devices[1].file_read("/sdcard/mark.txt") is None
            assert devices[0].file_read("/sdcard/mark.txt") == b"here\n"
    finally:
        host.stop()
