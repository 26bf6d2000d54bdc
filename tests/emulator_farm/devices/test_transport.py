"""Exchanges with a phone over the real adb server, and every way they can end."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.device import Device
from emulator_farm.devices.smart_socket import AdbAddress, HungUp, SmartSocket
from emulator_farm.devices.transport import Transport, shell_line
from emulator_farm.errors import (
    AdbServerGone,
    CallerError,
    ClaimLost,
    CommandFailed,
    DeviceError,
    DeviceGone,
    DeviceTimeout,
)
from emulator_farm.virtual.host import PhoneHost

Scripted = Callable[..., Any]


def test_output_errors_and_exit_code_come_apart(device: Device) -> None:
    completed = device.transport.shell("echo out; echo err >&2; exit 7")
    assert (completed.stdout, completed.stderr, completed.exit_code) == (b"out\n", b"err\n", 7)
    assert not completed.ok


def test_words_are_quoted_so_that_none_means_anything_to_the_shell(device: Device) -> None:
    words = ["echo", "a  b", "$(reboot)", "`x`", "'\"'", "; rm -rf /sdcard", "&& y", "|z", ">f", "\\n", "%s", "日本"]
    assert device.transport.run(words).text == " ".join(words[1:]) + "\n"
    assert shell_line(["a b", "c"]) == "'a b' c"
    assert shell_line("a b; c") == "a b; c"


def test_a_failing_command_raises_with_what_was_said(device: Device) -> None:
    with pytest.raises(CommandFailed, match=r"no-such-tool.*127.*not found") as caught:
        device.transport.run("no-such-tool")
    assert caught.value.exit_code == 127
    assert caught.value.serial == device.serial
    assert caught.value.cause == "command_failed"


def test_large_output_arrives_whole(device: Device, host: PhoneHost) -> None:
    """10 MB of pixels, by both ways."""
    raw = device.transport.exec_out("screencap")
    assert len(raw) == 16 + 1080 * 2400 * 4
    assert device.transport.shell("screencap").stdout == raw


def test_bytes_are_not_touched_on_the_way(scripted: Scripted, adb_server: AdbServer) -> None:
    data = random.Random(1).randbytes(3_000_001)
    phone = scripted({"blob": data})
    transport = Transport(phone.address, adb_server.address)
    assert transport.exec_out("blob") == data
    assert transport.shell("blob").stdout == data


def test_many_threads_share_one_transport(device: Device) -> None:
    results: list[str] = []

    def ask(number: int) -> None:
        results.extend(device.transport.run(["echo", f"{number}.{turn}"]).text.strip() for turn in range(10))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(f"{number}.{turn}" for number in range(8) for turn in range(10))


class TestWithoutShellV2:
    """Phones before Android 7 send no exit code; it is asked for."""

    def test_the_exit_code_is_read_from_the_output(self, scripted: Scripted, adb_server: AdbServer) -> None:
        phone = scripted({"(ls": "a\nb\n:adb-exit:3\n"}, shell_v2=False)
        completed = Transport(phone.address, adb_server.address).shell("ls")
        assert (completed.text, completed.exit_code) == ("a\nb", 3)
        assert phone.commands == ["(ls\n) 2>&1; s=$?; echo; echo :adb-exit:$s"]

    def test_the_line_that_asks_works_in_a_shell(self, device: Device) -> None:
        """The virtual phone has shell v2; its `exec:` runs the same line an old phone would get."""
        for line, code in (("echo hi", 0), ("echo hi; exit 5", 5), ("nonsense # comment", 127)):
            output = device.transport.exec_out(f"({line}\n) 2>&1; s=$?; echo; echo :adb-exit:$s")
            assert output.endswith(f"\n:adb-exit:{code}\n".encode())

    def test_an_answer_that_breaks_off_is_a_lost_phone(self, scripted: Scripted, adb_server: AdbServer) -> None:
        phone = scripted({"(ls": "a\nb"}, shell_v2=False)
        with pytest.raises(DeviceGone, match="hung up"):
            Transport(phone.address, adb_server.address).shell("ls")


class TestLostPhones:
    def test_a_serial_nobody_knows(self, adb_server: AdbServer) -> None:
        with pytest.raises(DeviceGone, match="not found") as caught:
            Transport("nobody", adb_server.address).shell("echo")
        assert caught.value.cause == "device_not_found"

    def test_a_phone_that_vanishes_between_calls(self, device: Device, host: PhoneHost) -> None:
        device.shell("echo")
        host.phones[0].faults.offline_after = 1
        device.shell("echo")
        with pytest.raises(DeviceGone):
            device.shell("echo")
        with pytest.raises(DeviceGone, match=r"offline|not found"):
            device.shell("echo")

    def test_a_phone_that_hangs_up_in_the_middle(self, scripted: Scripted, adb_server: AdbServer) -> None:
        conftest_answer = scripted({"ok": "fine"})
        phone = scripted({"half": "half an answer"})
        phone.answers["half"] = phone.answers["half"]._replace(hang_up=True)
        with pytest.raises(DeviceGone, match="hung up during `half`"):
            Transport(phone.address, adb_server.address).shell("half")
        assert Transport(conftest_answer.address, adb_server.address).shell("ok").text == "fine"

    def test_a_phone_whose_process_dies_in_the_middle(self, adb_server: AdbServer) -> None:
        with PhoneHost(1) as host:
            host.phones[0].faults.input = "hang"
            adb_server.connect(host.addresses[0])
            transport = Transport(host.addresses[0], adb_server.address)
            caught: list[DeviceError] = []

            def tap() -> None:
                with pytest.raises(DeviceError) as error:
                    transport.shell("input tap 1 1", 20)
                caught.append(error.value)

            thread = threading.Thread(target=tap)
            thread.start()
            time.sleep(0.3)
            began = time.monotonic()
        thread.join()
        assert isinstance(caught[0], DeviceGone)
        assert time.monotonic() - began < 5
        adb_server.disconnect(host.addresses[0])


class TestDeadlines:
    def test_a_command_that_hangs_ends_at_its_deadline(self, device: Device, host: PhoneHost) -> None:
        host.phones[0].faults.input = "hang"
        began = time.monotonic()
        with pytest.raises(DeviceTimeout, match=r"input tap 1 1.*0\.3 s"):
            device.transport.shell("input tap 1 1", 0.3)
        assert 0.25 < time.monotonic() - began < 1.5
        host.phones[0].faults.clear()
        assert device.transport.shell("input tap 1 1").ok

    def test_a_server_that_accepts_and_says_nothing(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = AdbAddress("127.0.0.1", listener.getsockname()[1])
            with pytest.raises(DeviceTimeout):
                Transport("phone", address).shell("echo", 0.2)

    def test_a_deadline_that_passed_between_two_steps(self, adb_server: AdbServer) -> None:
        with SmartSocket(adb_server.address, Deadline(0.1)) as stream:
            time.sleep(0.15)
            with pytest.raises(TimeoutError):
                stream.send(b"x")

    def test_within_gives_the_earlier_one(self) -> None:
        assert Deadline(10).within(1).seconds == 1
        assert Deadline(1).within(10).seconds <= 1
        assert Deadline(0).passed


class TestLostServer:
    def test_nobody_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = AdbAddress("127.0.0.1", listener.getsockname()[1])
        with pytest.raises(AdbServerGone, match=str(address.port)):
            Transport("phone", address).shell("echo")

    def test_it_is_killed_in_the_middle_of_a_call(self) -> None:
        with AdbServer.launch() as server, PhoneHost(1) as host:
            host.phones[0].faults.input = "hang"
            server.connect(host.addresses[0])
            transport = Transport(host.addresses[0], server.address)
            timer = threading.Timer(0.3, server.close)
            timer.start()
            with pytest.raises(AdbServerGone, match="went away"):
                transport.shell("input tap 1 1", 10)
            timer.join()

    @pytest.mark.parametrize("reply", [b"", b"OK", b"WHAT", b"FAILzzzz", b"FAIL0010abc"])
    def test_something_else_listens_on_the_port(self, reply: bytes) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def answer() -> None:
                for _ in range(2):
                    client, _ = listener.accept()
                    with client:
                        client.recv(100)
                        client.sendall(reply)

            thread = threading.Thread(target=answer, daemon=True)
            thread.start()
            with pytest.raises(AdbServerGone):
                Transport("phone", AdbAddress("127.0.0.1", listener.getsockname()[1])).shell("echo", 5)
            thread.join()

    def test_a_request_that_is_too_long_is_the_callers_mistake(self, device: Device) -> None:
        with pytest.raises(CallerError, match="65535"):
            device.transport.exec_out("x" * 70_000)


class TestCut:
    def test_later_calls_raise_claim_lost(self, device: Device) -> None:
        device.shell("echo")
        device.cut()
        with pytest.raises(ClaimLost, match=device.serial):
            device.shell("echo")

    def test_a_running_call_is_broken_off(self, device: Device, host: PhoneHost) -> None:
        host.phones[0].faults.input = "hang"
        threading.Timer(0.3, device.cut).start()
        began = time.monotonic()
        with pytest.raises(ClaimLost):
            device.transport.shell("input tap 1 1", 20)
        assert time.monotonic() - began < 5

    def test_waiting_is_broken_off(self, device: Device) -> None:
        threading.Timer(0.2, device.cut).start()
        began = time.monotonic()
        with pytest.raises(ClaimLost):
            device.transport.wait(20)
        assert time.monotonic() - began < 5

    def test_the_gate_is_asked_before_every_exchange(self, device: Device, adb_server: AdbServer) -> None:
        rights = [True]

        def gate() -> None:
            if not rights[0]:
                raise ClaimLost("expired")

        with Device(device.serial, adb_server, gate=gate) as held:
            held.shell("echo")
            rights[0] = False
            with pytest.raises(ClaimLost, match="expired"):
                held.shell("echo")
            with pytest.raises(ClaimLost, match="expired"):
                held.transport.wait(5)


def test_a_reply_in_crumbs_is_understood() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def crumbs() -> None:
            client, _ = listener.accept()
            with client:
                assert client.recv(100) == b"000dhost:whatever"
                for byte in b"OKAY0005hellox":
                    client.sendall(bytes([byte]))

        thread = threading.Thread(target=crumbs)
        thread.start()
        address = AdbAddress("127.0.0.1", listener.getsockname()[1])
        with SmartSocket(address, Deadline(5)) as stream:
            stream.request("host:whatever")
            assert stream.block() == "hello"
            with pytest.raises(HungUp, match="3 of 4 bytes"):
                stream.exactly(4)
        thread.join()
