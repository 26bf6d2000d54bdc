"""Where phones come from."""

from __future__ import annotations

import os
import signal

import pytest

from emulator_farm.errors import CallerError, InfrastructureError
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
