"""What one exchange with a phone costs: our transport beside adbutils, over the same adb server.

    python benchmarks/device_paths.py [--repeats 100]

The phone is virtual, in a process of its own, and answers at once: what is measured is the way, not the phone. `bare`
is the same exchange without any checking, the floor of what can be had.
"""

from __future__ import annotations

import argparse
import os
import platform
import socket
import statistics
import time
from collections.abc import Callable

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.capture import read_frame, read_raw_frame
from emulator_farm.devices.device import Device
from emulator_farm.phones import start_virtual

LOOK = "uiautomator dump /sdcard/x.xml; cat /sdcard/x.xml; dumpsys window displays"
Call = Callable[[], object]


def bare(port: int, serial: str, service: str) -> int:
    """One service of a phone by plain sockets; the bytes it sent."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        for request in (f"host:transport:{serial}", service):
            data = request.encode()
            connection.sendall(b"%04x" % len(data) + data)
            if connection.recv(4, socket.MSG_WAITALL) != b"OKAY":
                raise ConnectionError(f"{service[:60]} was refused")
        received = 0
        while data := connection.recv(1 << 20):
            received += len(data)
        return received


def median_ms(call: Call, repeats: int) -> float:
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def rows(device: Device, port: int) -> list[tuple[str, Call, Call, Call | None]]:
    """What is done, and how each of bare, ours and adbutils does it."""
    phone = device.server.adb().device(device.serial)
    transport, serial = device.transport, device.serial

    def ours_png() -> object:
        return read_frame(transport.shell("screencap -p").stdout, serial=serial)

    def ours_raw() -> object:
        return read_raw_frame(transport.shell("screencap").stdout, serial=serial)

    def users_look() -> object:
        return phone.dump_hierarchy(), phone.app_current(), phone.shell("screencap -p", encoding=None)

    def bare_look() -> object:
        return bare(port, serial, f"shell,v2,raw:{LOOK}"), bare(port, serial, "shell,v2,raw:screencap -p")

    return [
        (
            "`input tap`, exit code",
            lambda: bare(port, serial, "shell,v2,raw:input tap 540 5"),
            lambda: transport.run("input tap 540 5"),
            lambda: phone.shell2("input tap 540 5", v2=True),
        ),
        (
            "`screencap -p`, checked",
            lambda: bare(port, serial, "shell,v2,raw:screencap -p"),
            ours_png,
            lambda: phone.shell("screencap -p", encoding=None),
        ),
        (
            "raw frame by exec, 10.4 MB",
            lambda: bare(port, serial, "exec:screencap"),
            lambda: transport.exec_out("screencap"),
            lambda: phone.shell("screencap", encoding=None),
        ),
        (
            "raw frame by shell v2",
            lambda: bare(port, serial, "shell,v2,raw:screencap"),
            lambda: transport.shell("screencap"),
            lambda: phone.shell2("screencap", v2=True, encoding=None),
        ),
        (
            "raw frame, checked, as PNG",
            lambda: bare(port, serial, "shell,v2,raw:screencap"),
            ours_raw,
            None,
        ),
        ("frame, UI tree, app in front", bare_look, lambda: device.observe(), users_look),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=100)
    repeats: int = parser.parse_args().repeats
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; medians of {repeats}\n")
    print("| exchange | bare | transport | adbutils | adbutils / transport |")
    print("| --- | --- | --- | --- | --- |")
    with AdbServer.launch() as server:
        (host,) = start_virtual(1)
        try:
            server.connect(host.serials[0])
            with Device(host.serials[0], server) as device:
                device.prepare()
                for name, floor, ours, users in rows(device, server.address.port):
                    least, cost = median_ms(floor, repeats), median_ms(ours, repeats)
                    high = median_ms(users, max(5, repeats // 10)) if users else None
                    theirs = f"{high:.1f} ms | {high / cost:.0f}x" if high else "- | -"
                    print(f"| {name} | {least:.2f} ms | {cost:.2f} ms | {theirs} |", flush=True)
        finally:
            host.stop()


if __name__ == "__main__":
    main()
