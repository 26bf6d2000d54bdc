"""Debian's adb 29, five years older than the adb of the adbutils wheel: the same commands, the same answers."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbutils
import pytest

DEADLINE_S = 120.0


class Client:
    """An adb with its own server, and the phone connected: `client("shell", "id")` gives code, output, errors."""

    def __init__(self, server: Any, phone: str) -> None:
        self.server, self.phone = server, phone
        assert f"connected to {phone}" in server.adb("connect", phone)

    def __call__(self, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
        command = ["adb", "-s", self.phone, *arguments]
        done = subprocess.run(
            command, env=self.server.environment, input=stdin, capture_output=True, timeout=DEADLINE_S, check=False
        )
        return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="session")
def debian(peers: Path, start_server: Any) -> Any:
    """The server of Debian's adb."""
    root = peers / "debian-adb"
    libraries = next(root.glob("usr/lib/*/android"))
    server = start_server(str(root / "usr/lib/android-sdk/platform-tools/adb"), str(libraries))
    assert "-debian" in server.adb("version")
    return server


@pytest.fixture
def both(debian: Any, server: Any, host: Any) -> Iterator[tuple[Client, Client]]:
    """Debian's adb and Google's, at the same phone."""
    clients = Client(debian, host.addresses[0]), Client(server, host.addresses[0])
    yield clients
    for client in clients:
        client.server.adb("disconnect", client.phone)


def test_it_names_the_phone_alike(both: tuple[Client, Client]) -> None:
    for client in both:
        assert client("get-state") == (0, b"device\n", b"")
        assert client("wait-for-device", "shell", "echo here") == (0, b"here\n", b"")
        listed = client.server.adb("devices", "-l")
        line = next(line for line in listed.splitlines() if line.startswith(client.phone))
        assert re.search(r"device product:virtual_phone model:Virtual_Phone device:virtual transport_id:\d+$", line)


@pytest.mark.parametrize(
    "command",
    [
        ("shell", "echo out; echo err >&2; exit 7"),
        ("shell", "getprop ro.product.model; wm size; pm list packages -3"),
        ("shell", "am start -n com.android.contacts/.activities.PeopleActivity"),
        ("shell", "dumpsys window | grep -m 1 mCurrentFocus"),
        ("exec-out", "screencap -p"),
        ("exec-out", "uiautomator dump /dev/tty"),
        ("shell", "nosuch"),
    ],
    ids=lambda command: command[1][:12],
)
def test_both_get_the_same_answer(both: tuple[Client, Client], command: tuple[str, ...]) -> None:
    both[0]("shell", "vphone clock hold; am start -W -n com.android.settings/.Settings")
    first = both[0](*command)
    both[0]("shell", "am force-stop com.android.contacts; am start -W -n com.android.settings/.Settings")
    assert first == both[1](*command)
    assert first[1] or first[2]


def test_standard_input_reaches_the_phone(both: tuple[Client, Client]) -> None:
    for client in both:
        assert client("shell", "cat | wc -c", stdin=b"x" * 300_000)[1].strip() == b"300000"


def test_folders_go_there_and_back(both: tuple[Client, Client], tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep" / "er").mkdir(parents=True)
    (source / "big.bin").write_bytes(os.urandom(700_000))
    (source / "deep" / "é 世.txt").write_text("text")
    (source / "deep" / "er" / "empty").touch()
    for number, client in enumerate(both):
        code, out, err = client("push", str(source), f"/sdcard/there{number}")
        assert code == 0, (out, err)
        code, out, err = client("pull", f"/sdcard/there{number}", str(tmp_path / f"back{number}"))
        assert code == 0, (out, err)
        assert contents(tmp_path / f"back{number}") == contents(source)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_app_is_installed_and_removed(both: tuple[Client, Client], uiautomator_apk: Path) -> None:
    package = "com.github.uiautomator"
    for client in both:
        assert b"Success" in client("uninstall", package)[1]
        assert client("shell", "pm list packages -3") == (0, b"", b"")
        code, out, err = client("install", "-r", str(uiautomator_apk))
        assert (code, b"Success" in out) == (0, True), (out, err)
        assert client("shell", "pm list packages -3") == (0, f"package:{package}\n".encode(), b"")


def test_a_forward_reaches_a_server_on_the_phone(both: tuple[Client, Client]) -> None:
    for client in both:
        code, port, err = client("forward", "tcp:0", "tcp:9008")
        assert code == 0, err
        assert port.strip().isdigit()
        assert f"{client.phone} tcp:{port.decode().strip()} tcp:9008" in client.server.adb("forward", "--list")
        client("forward", "--remove-all")
        assert client("reverse", "tcp:7000", "tcp:7001")[0] == 0
        assert b"tcp:7000 tcp:7001" in client("reverse", "--list")[1]
        assert client("reverse", "--remove-all")[0] == 0


def test_the_log_is_read(both: tuple[Client, Client]) -> None:
    both[0]("shell", "log -t Here one")
    first, second = (client("logcat", "-d", "-v", "brief", "Here:V", "*:S") for client in both)
    assert first == second
    assert b"I/Here" in first[1]


def test_the_two_are_not_the_same(debian: Any, server: Any) -> None:
    assert server.environment["PATH"].startswith(str(Path(adbutils.adb_path()).parent))
    assert debian.adb("version") != server.adb("version")
