"""Opening the targets of redirections."""

import os
import posixpath
from typing import TYPE_CHECKING

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.phone import Phone

from .invocation import describe
from .pipes import BytesSource, CallSink, EndlessSource, NullSink, Sink, Source

if TYPE_CHECKING:
    from .interpreter import Shell


class ShellError(Exception):
    """A command could not even be started; the message goes after the shell's name, the status is 1."""


async def open_input(shell: "Shell", target: str, stdin: Source) -> Source:
    """What `< target` reads from. Raises ShellError."""
    path = posixpath.join(shell.cwd, target)
    match path:
        case "/dev/null":
            return BytesSource()
        case "/dev/stdin" | "/dev/tty":
            return stdin
        case "/dev/zero":
            return EndlessSource(bytes)
        case "/dev/urandom" | "/dev/random":
            return EndlessSource(os.urandom)

    def read(phone: Phone) -> bytes:
        rootfs.check_read(phone.files, path, shell.uid)
        return phone.files.read(path)

    try:
        return BytesSource(await shell.handset.call(read))
    except OSError as error:
        raise ShellError(f"can't open {describe(error)}") from error


async def open_output(shell: "Shell", target: str, append: bool, sinks: dict[int, Sink]) -> Sink:
    """What `> target` or `>> target` writes to; the file exists from now on. Raises ShellError."""
    path = posixpath.join(shell.cwd, target)
    match path:
        case "/dev/null" | "/dev/zero":
            return NullSink()
        case "/dev/stdout" | "/dev/tty":
            return sinks[1]
        case "/dev/stderr":
            return sinks[2]

    def create(phone: Phone) -> None:
        rootfs.check_write(phone.files, path, shell.uid, shell.handset.remounted)
        if append:
            phone.files.append(path, b"")
        else:
            phone.files.write(path, b"")

    async def write(data: bytes) -> None:
        await shell.handset.call(lambda phone: phone.files.append(path, data))

    try:
        await shell.handset.call(create)
    except OSError as error:
        raise ShellError(f"can't create {describe(error)}") from error
    return CallSink(write)
