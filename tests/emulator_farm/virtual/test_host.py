"""Phones in this process and in processes of their own, their restarts, and what ends them."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from emulator_farm.virtual import __main__ as command
from emulator_farm.virtual.fleet import Fleet, FleetError, PhoneOptions, process_count, serve
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

Wired = Any
Adb = Any


def _answers(address: str) -> bool:
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port)), 5):
            return True
    except OSError:
        return False


def _is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class TestHost:
    def test_every_phone_has_its_own_port_and_state(self, adb: Adb) -> None:
        with PhoneHost(3) as host:
            assert len(set(host.addresses)) == 3
            for address in host.addresses:
                adb("connect", address)
            adb("-s", host.addresses[1], "shell", "echo mine > /sdcard/x")
            assert adb("-s", host.addresses[1], "shell", "cat /sdcard/x").out == "mine\n"
            assert adb("-s", host.addresses[2], "shell", "cat /sdcard/x").code == 1
            serials = [adb("-s", address, "shell", "getprop ro.serialno").out.strip() for address in host.addresses]
            assert serials == ["virtual-0", "virtual-1", "virtual-2"]
            for address in host.addresses:
                adb("disconnect", address)

    def test_phones_of_your_own_making(self, wired: Wired) -> None:
        with PhoneHost([Phone("mine", width=720, height=1280, density=320)]) as host:
            wired.adb("connect", host.addresses[0])
            assert wired.adb("-s", host.addresses[0], "shell", "wm size").out == "Physical size: 720x1280\n"
            wired.adb("disconnect", host.addresses[0])

    def test_calls_run_on_the_phones_own_thread(self) -> None:
        with PhoneHost(2) as host:
            names = {host.call(lambda phone: threading.current_thread().name, index) for index in (0, 1, 0)}
            assert len(names) == 2
            assert threading.current_thread().name not in names
            with pytest.raises(ZeroDivisionError):
                host.call(lambda phone: phone.width // 0)

    def test_leaving_closes_the_ports(self) -> None:
        with PhoneHost(1) as host:
            address = host.addresses[0]
            assert _answers(address)
        assert not _answers(address)

    def test_a_port_that_is_taken(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="address"):
            PhoneHost(1, ports=[taken.getsockname()[1]]).__enter__()

    def test_a_wanted_port(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        with PhoneHost(1, ports=[port]) as host:
            assert host.addresses == [f"127.0.0.1:{port}"]

    def test_closing_twice_or_before_the_start_is_fine(self) -> None:
        host = PhoneHost(1)
        host.close()
        with PhoneHost(1) as started:
            started.close()


class TestRestarts:
    def test_root_and_back(self, wired: Wired) -> None:
        assert wired.shell("id -u").out == "2000\n"
        assert wired("root").out == "restarting adbd as root\n"
        wired("wait-for-device")
        assert wired.shell("whoami; getprop service.adb.root; ls /data").out.startswith("root\n1\nadb\n")
        assert wired("root").out == "adbd is already running as root\n"
        assert "remount succeeded" in wired("remount").out
        assert wired.shell("echo x > /system/x; cat /system/x").out == "x\n"
        assert wired("unroot").out == "restarting adbd as non root\n"
        wired("wait-for-device")
        assert wired.shell("id -un; cat /data/data/x").out == "shell\n"
        assert wired("unroot").out == "adbd not running as root\n"
        assert "Not running as root" in wired("remount").out + wired("remount").err

    @pytest.mark.parametrize("how", ["service", "command", "svc"])
    def test_reboot_keeps_what_is_stored_and_closes_apps(self, wired: Wired, how: str) -> None:
        wired.shell(
            "echo kept > /sdcard/x; settings put system font_scale 1.3; am start -n com.android.settings/.Settings"
        )
        assert "com.android.settings" in wired.shell("dumpsys window | grep mCurrentFocus").out
        boot = wired.shell("cat /proc/sys/kernel/random/boot_id").out
        assert re.fullmatch(r"[0-9a-f-]{36}\n", boot)
        uptime = wired.host.phones[0].clock.uptime_s()
        match how:
            case "service":
                wired("reboot")
            case "command":
                wired.shell("reboot")
            case _:
                wired.shell("svc power reboot")
        wired.adb.wait(lambda: wired.host.phones[0].clock.uptime_s() < uptime)
        wired.adb.wait(lambda: wired.shell("echo up").out == "up\n")
        assert wired.shell("cat /sdcard/x; settings get system font_scale").out == "kept\n1.3\n"
        assert wired.shell("cat /proc/sys/kernel/random/boot_id").out != boot
        assert "com.android.settings" not in wired.shell("dumpsys window | grep mCurrentFocus").out

    def test_reset_returns_to_the_factory_state(self, wired: Wired) -> None:
        wired.shell("echo x > /sdcard/x; settings put system font_scale 1.3; setprop debug.x 1")
        assert wired.shell("vphone reset").code == 0
        after = wired.shell(
            "ls /sdcard/x 2>/dev/null; settings get system font_scale; getprop debug.x; ls -d /sdcard/DCIM"
        )
        assert after.out == "1.0\n\n/sdcard/DCIM\n"

    def test_a_lost_link_comes_back(self, wired: Wired) -> None:
        wired.host.drop_connections()
        wired.adb.wait(lambda: wired.shell("echo back").out == "back\n")


class TestOffline:
    def test_a_phone_that_vanishes_and_is_let_back(self, wired: Wired) -> None:
        wired.shell("vphone fault offline_after 2")
        assert wired.shell("echo 1").out == "1\n"
        assert wired.shell("echo 2").out == "2\n"
        assert wired.shell("echo 3").code != 0
        wired.adb.wait(lambda: "offline" in wired.adb("devices").out or wired.serial not in wired.adb("devices").out)
        assert "failed to connect" in wired.adb("connect", wired.serial).out or wired.shell("echo 4").code != 0
        wired.host.phones[0].faults.clear()
        wired.adb("disconnect", wired.serial)
        wired.adb.wait(lambda: "connected to" in wired.adb("connect", wired.serial).out)
        wired.adb.wait(lambda: wired.shell("echo again").out == "again\n")

    def test_it_may_come_back_by_itself_after_some_tries(self, wired: Wired) -> None:
        wired.shell("vphone fault count 1; vphone fault offline_after 1")
        wired.shell("echo 1")
        assert wired.shell("echo 2").code != 0
        wired.adb("disconnect", wired.serial)

        def is_back() -> bool:
            wired.adb("connect", wired.serial)
            return bool(wired.shell("echo back").out == "back\n")

        wired.adb.wait(is_back)


class TestReverse:
    def test_forwards_are_remembered(self, wired: Wired) -> None:
        opened = wired("reverse", "tcp:9001", "tcp:9002")
        assert (opened.code, opened.out) == (0, "9001\n")  # as the genuine adbd 34 answers
        assert "tcp:9001 tcp:9002" in wired("reverse", "--list").out
        assert "cannot rebind" in wired("reverse", "--no-rebind", "tcp:9001", "tcp:1").err
        assert wired("reverse", "--remove", "tcp:9001").code == 0
        assert "not found" in wired("reverse", "--remove", "tcp:9001").err
        assert "cannot choose a port" in wired("reverse", "tcp:0", "tcp:1").err
        assert (
            wired("reverse", "localabstract:x", "tcp:1").code,
            wired("reverse", "--remove", "localabstract:x").out,
        ) == (0, "")
        assert wired("reverse", "--remove-all").code == 0
        assert wired("reverse", "--list").out.strip() == ""

    @pytest.mark.parametrize("request_text", ["forward:x", "forward:tcp:1;y"])
    def test_bad_requests_fail(self, wired: Wired, request_text: str) -> None:
        with wired.open(f"reverse:{request_text}") as connection:
            assert connection.recv(4, socket.MSG_WAITALL) == b"FAIL"


class TestFleet:
    def test_phones_in_two_processes(self, adb: Adb) -> None:
        with Fleet(3, PhoneOptions(width=720, height=1280), processes=2) as fleet:
            assert len(fleet.pids) == 2
            assert len(set(fleet.addresses)) == 3
            for number, address in enumerate(fleet.addresses):
                adb("connect", address)
                assert adb("-s", address, "shell", "getprop ro.serialno; wm size").out == (
                    f"virtual-{number}\nPhysical size: 720x1280\n"
                )
                adb("disconnect", address)
            pids = fleet.pids
        assert not any(_is_alive(pid) for pid in pids)

    @pytest.mark.parametrize(("count", "expected"), [(1, 1), (4, 1), (5, 2), (9, 3), (400, 100)])
    def test_processes_by_count(self, count: int, expected: int) -> None:
        assert process_count(count) == min(expected, os.cpu_count() or 1)

    def test_no_phones_is_a_mistake(self) -> None:
        with pytest.raises(ValueError, match="at least one phone, not 0"):
            Fleet(0)

    def test_a_host_that_cannot_start_is_named(self) -> None:
        with pytest.raises(FleetError, match=r"host process \d+ of 1 virtual phones ended with status"):
            Fleet(1, PhoneOptions(width=-1)).__enter__()

    def test_a_host_that_dies_is_noticed(self) -> None:
        with Fleet(1) as fleet:
            os.kill(fleet.pids[0], signal.SIGKILL)
            with pytest.raises(FleetError, match="ended with status -9"):
                fleet.wait()

    def test_killing_the_parent_ends_the_hosts(self) -> None:
        program = (
            "import sys\nfrom emulator_farm.virtual.fleet import Fleet\n"
            "with Fleet(1) as fleet:\n    print(fleet.pids[0], flush=True)\n    sys.stdin.read()\n"
        )
        parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert parent.stdout is not None
        assert parent.stdin is not None
        child = int(parent.stdout.readline())
        assert _is_alive(child)
        parent.kill()
        parent.wait()
        parent.stdout.close()
        parent.stdin.close()
        _wait(lambda: not _is_alive(child))


def _wait(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1000):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError("the condition did not come true in time")


class TestServe:
    @pytest.mark.parametrize("count", [2, 5])
    def test_in_the_foreground_until_told(self, count: int) -> None:
        stop = threading.Event()
        announced: list[str] = []

        def announce(address: str) -> None:
            announced.append(address)
            if len(announced) == count:
                assert all(_answers(each) for each in announced)
                stop.set()

        serve(count, announce, stop=stop)
        assert len(set(announced)) == count
        assert not any(_answers(each) for each in announced)

    def test_the_module_as_a_program(self) -> None:
        program = [sys.executable, "-m", "emulator_farm.virtual", "--count", "2", "--first", "7"]
        process = subprocess.Popen(program, stdout=subprocess.PIPE)
        assert process.stdout is not None
        addresses = [process.stdout.readline().decode().strip() for _ in range(2)]
        assert all(_answers(address) for address in addresses)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        process.stdout.close()

    def test_a_child_leaves_when_its_input_closes(self) -> None:
        program = [sys.executable, "-m", "emulator_farm.virtual", "--child"]
        process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(20) == 0
        process.stdout.close()

    def test_options_that_make_no_sense(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            command.main(["--count", "many"])
        assert caught.value.code == 2
        assert "invalid int value: 'many'" in capsys.readouterr().err


def test_frames_stay_in_the_heap_of_a_host_process() -> None:
    program = "from emulator_farm.virtual.memory import keep_frames_in_heap as keep; import sys; sys.exit(not keep())"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == int(sys.platform != "linux")


def test_latency_of_the_options_reaches_the_phone() -> None:
    phone = PhoneOptions(capture_s=0.5, launch_s=2.0).make(3)
    assert (phone.serial, phone.seed) == ("virtual-3", 3)
    assert (phone.latency.capture_s, phone.latency.input_s, phone.latency.launch_s) == (0.5, 0.0, 2.0)
