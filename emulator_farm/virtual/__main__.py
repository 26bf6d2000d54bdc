"""`python -m emulator_farm.virtual`: virtual phones in this process, addresses on standard output, one a line."""

import argparse
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import fields
from functools import partial

from .fleet import PhoneOptions
from .host import PhoneHost
from .memory import keep_frames_in_heap
from .phone import Phone

PR_SET_PDEATHSIG = 1


def main(arguments: list[str] | None = None) -> int:
    """Serve until standard input closes (`--child`) or a signal comes; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m emulator_farm.virtual", description=__doc__)
    parser.add_argument("--count", type=int, default=1, help="how many phones")
    parser.add_argument("--first", type=int, default=0, help="number of the first phone")
    parser.add_argument("--child", action="store_true", help="end when standard input closes or the parent dies")
    parser.add_argument(
        "--restarts", action="store_true", help="start the phone anew whose number a line of input says"
    )
    for field in fields(PhoneOptions):
        flag = f"--{field.name.replace('_', '-')}"
        parser.add_argument(flag, type=type(field.default), default=field.default)
    given = vars(parser.parse_args(arguments))
    options = PhoneOptions(**{field.name: given[field.name] for field in fields(PhoneOptions)})
    if given["child"]:
        die_with_parent()
    keep_frames_in_heap()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signum, frame: stop.set())
    first, count = given["first"], given["count"]
    phones = [options.make(index) for index in range(first, first + count)]
    with PhoneHost(phones, emulator=bool(options.emulator)) as host:
        sys.stdout.write("".join(f"{address}\n" for address in host.addresses))
        sys.stdout.flush()
        if given["child"]:
            threading.Thread(target=_watch_stdin, args=(stop,), name="watch-stdin", daemon=True).start()
        if given["restarts"]:
            renew = partial(_renew, host, lambda index: options.make(first + index))
            threading.Thread(target=renew, name="restarts", daemon=True).start()
        stop.wait()
    return 0


def die_with_parent() -> None:
    """Ask the kernel to kill this process when the thread that started it ends; nothing on other systems than Linux."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _watch_stdin(stop: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    stop.set()


def _renew(host: PhoneHost, make: Callable[[int], Phone]) -> None:
    """Each line of standard input is the number of a phone of this process, from 0."""
    for line in sys.stdin:
        host.replace(int(line), make(int(line)))


if __name__ == "__main__":
    sys.exit(main())
