"""The phones that the device contract runs on: a virtual one always, a real one with `--serial`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.virtual.host import PhoneHost

VIRTUAL = "virtual"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "phone" in metafunc.fixturenames:
        serials = metafunc.config.getoption("--serial")
        real = [pytest.param(serial, marks=pytest.mark.device) for serial in serials]
        metafunc.parametrize("phone", [VIRTUAL, *real], indirect=True, scope="module")


@pytest.fixture(scope="module")
def phone(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A prepared phone. What a test changes on it, it puts back."""
    if request.param == VIRTUAL:
        with PhoneHost(1) as host, AdbServer.launch() as server:
            server.connect(host.addresses[0])
            yield from _prepared(Device(host.addresses[0], server))
    else:
        with AdbServer.launch(scan_emulators=True, usb=True) as server:
            server.connect(request.param, deadline_s=30)
            yield from _prepared(Device(request.param, server))


def _prepared(device: Device) -> Iterator[Device]:
    with device:
        device.prepare()
        yield device
        device.keyboard.restore()
