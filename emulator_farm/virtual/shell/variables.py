"""What `$name` means in a shell, and the environment that a fresh one has."""

import random
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .interpreter import Shell

TOOL_DIRECTORIES = ("/system/bin", "/bin", "/system/xbin", "/vendor/bin")
ENVIRONMENT = {
    "ANDROID_ASSETS": "/system/app",
    "ANDROID_BOOTLOGO": "1",
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "ANDROID_STORAGE": "/storage",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": "/",
    "HOSTNAME": "virtual",
    "LOGNAME": "shell",
    "PATH": ":".join(TOOL_DIRECTORIES[:1] + TOOL_DIRECTORIES[2:]),
    "SHELL": "/system/bin/sh",
    "TERM": "dumb",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}
NO_PROCESS = 4321
"""`$$` of a shell that nobody has given a process of its own."""


class Scope:
    """The parameters of one shell: its variables, its arguments, and what it knows about itself."""

    def __init__(self, shell: "Shell") -> None:
        self._shell = shell
        self._started = time.monotonic()
        self._random = random.Random(shell.handset.phone.seed)

    def get(self, name: str) -> str | None:
        """The value of a parameter, None where it is not set."""
        shell = self._shell
        match name:
            case "?":
                return str(shell.status)
            case "$":
                return str(shell.process.pid if shell.process else NO_PROCESS)
            case "!":
                return str(shell.jobs.last) if shell.jobs.last else None
            case "0":
                return shell.name
            case "#":
                return str(len(shell.arguments))
            case "@" | "*":
                return " ".join(shell.arguments)
            case "-":
                return "e" if shell.stops_at_errors else ""
            case "PWD":
                return shell.cwd
            case "RANDOM":
                return str(self._random.randrange(32768))
            case "SECONDS":
                return str(int(time.monotonic() - self._started))
            case "USER_ID":
                return str(shell.uid)
            case _ if name.isdecimal():
                return shell.arguments[int(name) - 1] if 0 < int(name) <= len(shell.arguments) else None
            case _:
                return shell.variables.get(name)

    def set(self, name: str, value: str) -> None:
        """Give a variable a value."""
        self._shell.variables[name] = value
