"""Our own adb server, the real binary."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import adbutils
import pytest

from emulator_farm.devices.adb_server import PORT_VARIABLE, AdbServer
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.device import Device
from emulator_farm.errors import AdbServerGone, CallerError, DeviceGone, DeviceTimeout
from emulator_farm.virtual.host import PhoneHost


def _gone(pid: int, within_s: float = 5) -> bool:
    deadline = Deadline(within_s)
    while not deadline.passed:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        deadline.pause(0.01)
    return False


def test_it_answers_on_its_own_port_and_ends_with_the_block() -> None:
    with AdbServer.launch() as server:
        assert server.version() >= 40
        assert server.address.port != 5037
        pid = server.pid
        assert pid is not None
    assert server.pid is None
    assert _gone(pid)
    with pytest.raises(AdbServerGone):
        server.version()


def test_phones_connect_and_are_listed(adb_server: AdbServer) -> None:
    with PhoneHost(2) as host:
        for address in host.addresses:
            adb_server.connect(address)
            adb_server.connect(address)  # connecting again is fine
        listed = dict(adb_server.devices())
        assert all(listed[address] == "device" for address in host.addresses)
        adb_server.disconnect(host.addresses[0])
        adb_server.disconnect(host.addresses[0])
        assert host.addresses[0] not in dict(adb_server.devices())
        adb_server.disconnect(host.addresses[1])


def test_nothing_listens_where_a_phone_should_be(adb_server: AdbServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serial = f"127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(DeviceGone, match="refused") as caught:
        adb_server.connect(serial)
    assert caught.value.cause == "device_unreachable"


def test_a_serial_that_never_appears(adb_server: AdbServer) -> None:
    with pytest.raises(DeviceTimeout, match="absent") as caught:
        adb_server.connect("R58N12ABCDE", deadline_s=0.2)
    assert caught.value.cause == "device_absent"


def test_something_that_is_no_phone(adb_server: AdbServer) -> None:
    """A listener that never speaks ADB is offline for ever, or refused; it is not hung upon."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serial = f"127.0.0.1:{listener.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises((DeviceTimeout, DeviceGone)):
            adb_server.connect(serial, deadline_s=1)
        assert time.monotonic() - began < 5
    adb_server.disconnect(serial)


def test_kill_server_is_refused_by_the_server(adb_server: AdbServer) -> None:
    adb = [adbutils.adb_path(), "-P", str(adb_server.address.port), "kill-server"]
    done = subprocess.run(adb, capture_output=True, text=True, check=False)
    assert "rejected" in done.stderr
    assert adb_server.version() >= 40


def test_a_killed_server_comes_back_with_its_phones() -> None:
    with AdbServer.launch() as server, PhoneHost(2) as host:
        for address in host.addresses:
            server.connect(address)
        host.drop_connections(0)
        first = server.pid
        assert first is not None
        server.ensure()
        assert server.pid == first
        os.kill(first, signal.SIGKILL)
        assert _gone(first)
        port = server.address.port
        with Device(host.addresses[0], server) as device:
            with pytest.raises(AdbServerGone):
                device.shell("echo hi")
            server.ensure()
            assert server.address.port == port
            assert device.shell("echo hi").text == "hi\n"
        assert len(server.devices()) == 2


def test_coming_back_without_a_phone_that_is_gone() -> None:
    with AdbServer.launch() as server:
        with PhoneHost(1) as host:
            server.connect(host.addresses[0])
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        assert _gone(server.pid)
        server.ensure()
        assert "device" not in dict(server.devices()).values()


def test_someone_elses_server_is_used_and_left_alone() -> None:
    with AdbServer.launch() as owner:
        with AdbServer(port=owner.address.port) as guest:
            guest.ensure()
            assert guest.version() == owner.version()
            assert guest.pid is None
        assert owner.version()
    with pytest.raises(AdbServerGone):
        guest.ensure()


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(AdbServerGone, match=r"ended|answer"):
        AdbServer.launch(listener.getsockname()[1])


_PARENT = """
from emulator_farm.devices.adb_server import AdbServer
server = AdbServer.launch()
print(server.pid, flush=True)
import time; time.sleep(60)
"""


def test_it_dies_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert _gone(pid)


_CHILD = """
import sys
from emulator_farm.devices.adb_server import AdbServer
print(AdbServer.from_environment().address.port)
"""


def test_children_find_it_by_the_environment(adb_server: AdbServer) -> None:
    environment = os.environ | {PORT_VARIABLE: str(adb_server.address.port)}
    done = subprocess.run([sys.executable, "-c", _CHILD], env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) == adb_server.address.port


@pytest.mark.parametrize("value", ["", " 5037", "abc", "0", "70000"])
def test_a_bad_port_in_the_environment_is_refused_loudly(value: str) -> None:
    """adb itself falls back to 5037 without a word for some of these."""
    environment = os.environ | {PORT_VARIABLE: value}
    done = subprocess.run([sys.executable, "-c", _CHILD], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"{PORT_VARIABLE} is {value!r}" in done.stderr


def test_exporting_names_it_for_everything_started_later(adb_server: AdbServer) -> None:
    before = os.environ.get(PORT_VARIABLE)
    try:
        adb_server.export()
        assert AdbServer.from_environment().address == adb_server.address
        os.environ[PORT_VARIABLE] = "no number"
        with pytest.raises(CallerError, match="no number"):
            AdbServer.from_environment()
    finally:
        os.environ.pop(PORT_VARIABLE)
        if before is not None:
            os.environ[PORT_VARIABLE] = before


def test_adbutils_works_on_it(device: Device, adb_server: AdbServer) -> None:
    assert adb_server.adb().device(device.serial).shell("echo hi") == "hi"


def test_adbutils_is_not_let_near_a_dead_server() -> None:
    """It would start a daemon of its own, which nobody ends."""
    with AdbServer.launch() as server:
        pass
    with pytest.raises(AdbServerGone):
        server.adb()


def test_a_server_that_does_not_answer_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent = AdbServer(port=listener.getsockname()[1])
        with pytest.raises(AdbServerGone, match=r"0\.2 s"):
            silent._ask("host:version", Deadline(0.2))
