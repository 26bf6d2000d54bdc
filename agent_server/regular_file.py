"""Files that somebody else put there: opened only where they are files, so that a pipe or a device holds nobody up."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from agent_server.errors import InvalidRequest

_KINDS = (
    (stat.S_ISDIR, "directory"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


def open_regular(path: Path) -> BinaryIO:
    """The file, to be read; never waits for whoever writes into a pipe.

    Raises InvalidRequest where it cannot be opened, or is anything but a regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read here: {error.strerror}") from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = next((name for holds, name in _KINDS if holds(mode)), "special file")
        raise InvalidRequest(f"{path} is a {kind}; put a regular file there")
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path) -> bytes:
    """The content of the file. Raises InvalidRequest as `open_regular` does."""
    try:
        with open_regular(path) as file:
            return file.read()
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read here: {error.strerror}") from error
