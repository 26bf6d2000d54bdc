"""The emulator's console on a virtual phone: by plain sockets, and by the real `adb emu`."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import adbutils
import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.smart_socket import HungUp, SmartSocket
from emulator_farm.virtual.host import PhoneHost

Talk = Callable[..., list[str]]


@pytest.fixture
def host() -> Iterator[PhoneHost]:
    with PhoneHost(1, emulator=True) as host:
        yield host


@pytest.fixture
def talk(host: PhoneHost) -> Talk:
    """Send lines, after the token unless told otherwise; the lines of the answers after the greeting."""
    endpoints = dict(host.handsets[0].endpoints)
    where, _, port = endpoints["vphone.console"].partition(":")

    def send(*lines: str, token: str | None = endpoints["vphone.token"]) -> list[str]:
        words = [f"auth {token}"] if token is not None else []
        said = b""
        with socket.create_connection((where, int(port)), timeout=60) as session:
            session.sendall("".join(f"{line}\r\n" for line in [*words, *lines, "quit"]).encode())
            while data := session.recv(65536):
                said += data
        text = said.decode()
        assert text.startswith("Android Console: Authentication required\r\n")
        assert text.count("\n") == text.count("\r\n")
        answers = text.split("\r\nOK\r\n", 1)[1].splitlines()
        return answers[2:] if token == endpoints["vphone.token"] else answers

    return send


def test_without_the_token_there_is_help_only(talk: Talk) -> None:
    assert talk("ping", token=None) == ["KO: unknown command, try 'help'"]
    assert "    ping                 Checks if the emulator is alive" in talk("help", token=None)
    refused = talk("ping", token="wrong")
    assert refused[0].startswith("KO: authentication token does not match")
    assert refused[1:] == ["KO: unknown command, try 'help'"]


def test_what_it_knows(talk: Talk) -> None:
    assert talk("ping") == ["I am alive!", "OK"]
    assert talk("avd name") == ["virtual-0", "OK"]
    assert talk("avd status", "avd stop", "avd status") == [
        "virtual device is running", "OK", "OK", "virtual device is stopped", "OK",
    ]  # fmt: skip
    assert talk("avd start", "avd start") == ["OK", "KO: virtual device already running"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "unknown command, try 'help'"),
        ("avd", "missing sub-command"),
        ("avd snapshot", "missing sub-command"),
        ("avd fly", "bad sub-command"),
        ("avd snapshot save", "missing snapshot name argument"),
        ("avd snapshot fly", "bad sub-command"),
        ("power fly", "bad sub-command or argument; try 'help'"),
        ("power capacity 101", "bad sub-command or argument; try 'help'"),
        ("auth", "missing authentication token"),
    ],
)
def test_what_it_does_not_know(talk: Talk, line: str, reason: str) -> None:
    assert talk(line, "ping") == [f"KO: {reason}", "I am alive!", "OK"]


def test_snapshots(talk: Talk, host: PhoneHost) -> None:
    assert talk("avd snapshot list") == ["There is no snapshot available.", "OK"]
    assert talk("avd snapshot save clean") == ["OK"]
    listed = talk("avd snapshot list")
    assert listed[0] == "List of snapshots present on all disks:"
    assert [line.split()[1] for line in listed[2:-1]] == ["clean"]
    host.call(lambda phone: phone.settings.put("system", "screen_brightness", "7"))
    assert talk("avd snapshot load clean") == ["OK"]
    assert host.call(lambda phone: phone.settings.get("system", "screen_brightness")) != "7"
    assert talk("avd snapshot del clean", "avd snapshot list") == ["OK", "There is no snapshot available.", "OK"]
    assert talk("avd snapshot load clean")[0].startswith("KO: no snapshot is named 'clean'")


def test_turning_shows_where_android_may_turn(talk: Talk, host: PhoneHost) -> None:
    host.call(lambda phone: phone.settings.put("system", "accelerometer_rotation", "0"))
    assert talk("rotate") == ["OK"]
    assert host.call(lambda phone: phone.rotation) == 0
    host.call(lambda phone: phone.settings.put("system", "accelerometer_rotation", "1"))
    assert host.call(lambda phone: (phone.rotation, phone.frame().size)) == (3, (2400, 1080))
    talk("rotate", "rotate", "rotate")
    assert host.call(lambda phone: phone.rotation) == 0


def test_power(talk: Talk, host: PhoneHost) -> None:
    assert talk("power capacity 40", "power ac off") == ["OK", "OK"]
    assert talk("power display") == [
        "AC: offline", "status: Discharging", "health: Good", "present: true", "capacity: 40", "OK",
    ]  # fmt: skip
    assert host.call(lambda phone: phone.battery_level) == 40


def test_kill_ends_the_phone_and_all_its_ports(talk: Talk, host: PhoneHost) -> None:
    endpoints = dict(host.handsets[0].endpoints)
    assert talk("kill") == ["OK: killing emulator, bye bye"]
    for address in (host.addresses[0], endpoints["vphone.console"], endpoints["vphone.grpc"]):
        where, _, port = address.partition(":")
        deadline = Deadline(30)
        while not deadline.passed:
            try:
                socket.create_connection((where, int(port)), timeout=10).close()
            except ConnectionRefusedError:
                break
            deadline.pause(0.02)
        assert not deadline.passed, address


def test_a_line_without_end_and_a_client_that_leaves(talk: Talk, host: PhoneHost) -> None:
    where, _, port = host.handsets[0].endpoints["vphone.console"].partition(":")
    for rubbish in (b"x" * 100_000, b"\xff\xfe\n\n\n", b"pi"):
        with socket.create_connection((where, int(port)), timeout=30) as session:
            session.sendall(rubbish)
    assert talk("ping") == ["I am alive!", "OK"]


def test_adb_emu(host: PhoneHost, tmp_path: Path) -> None:
    """adb takes hold of it as of any emulator of this host, and `adb emu` finds the console on the port below."""
    port = int(host.addresses[0].partition(":")[2])
    (tmp_path / ".emulator_console_auth_token").write_text(host.handsets[0].endpoints["vphone.token"])
    environment = os.environ | {"HOME": str(tmp_path), "ANDROID_USER_HOME": str(tmp_path)}
    with AdbServer.launch() as server:
        with SmartSocket(server.address, Deadline(30)) as stream, pytest.raises(HungUp):
            stream.request(f"host:emulator:{port}")  # what an emulator says when it starts; there is no answer
        serial = f"emulator-{port - 1}"
        server.connect(serial, 30)

        def emu(*words: str) -> str:
            command = [adbutils.adb_path(), "-P", str(server.address.port), "-s", serial, "emu", *words]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
            return done.stdout.replace("\r", "")

        assert emu("ping") == "I am alive!\nOK\n"
        assert emu("avd", "snapshot", "save", "one") == "OK\n"
        assert "one" in emu("avd", "snapshot", "list")
