"""A real adb server and a small virtual phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone


@pytest.fixture(scope="session")
def adb_server() -> Iterator[AdbServer]:
    """A real adb server of these tests' own."""
    with AdbServer.launch() as server:
        yield server


@pytest.fixture
def host() -> Iterator[PhoneHost]:
    """One small virtual phone, in factory state."""
    with PhoneHost([Phone("small", 540, 1200, 210)]) as host:
        yield host


@pytest.fixture
def serial(host: PhoneHost, adb_server: AdbServer) -> Iterator[str]:
    """The phone, connected."""
    adb_server.connect(host.addresses[0])
    yield host.addresses[0]
    adb_server.disconnect(host.addresses[0])
