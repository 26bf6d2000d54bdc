"""The shim between us and a model server: run as a script, it leads the group in which the server and its workers are.

Its last act, whatever brings it about, is to kill that whole group, itself included; so nothing of a server outlives
the end of the server's main process, nor us. It learns of our end, even by kill -9, because standard input is one end
of a socket pair whose other end only we hold. Through the same socket it tells the server's exit code before it goes.

No import but of the standard library, and few of these: every start of a server waits for it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import Never

_LIFE = 0


def keep(argv: list[str]) -> Never:
    """Run a program until it ends or we do; does not return."""
    # Signals to the group are meant for the program. A handler that does nothing is not inherited, unlike "ignore".
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    threading.Thread(target=_end_with_owner, daemon=True).start()
    try:
        code = subprocess.Popen(argv, stdin=subprocess.DEVNULL).wait()
    except OSError as error:
        sys.stderr.write(f"cannot run {argv[0]}: {error.strerror}\n")
        sys.stderr.flush()
        code = 127
    try:
        os.write(_LIFE, str(code).encode())
    finally:
        _kill_all()


def _end_with_owner() -> None:
    os.read(_LIFE, 1)
    _kill_all()


def _kill_all() -> Never:
    os.killpg(0, signal.SIGKILL)
    raise AssertionError("a group does not survive SIGKILL")


if __name__ == "__main__":
    keep(sys.argv[1:])
