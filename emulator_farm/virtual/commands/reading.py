"""Where filters get their bytes from: files, devices and standard input, as a stream or whole."""

import os
import posixpath
from collections.abc import AsyncIterator

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation
from emulator_farm.virtual.shell.pipes import BytesSource, EndlessSource, Source, read_all


async def open_source(run: Invocation, path: str) -> Source:
    """A file, `-` or a device to read from. Raises OSError."""
    if path in ("-", "/dev/stdin", "/dev/tty"):
        return run.streams.stdin
    device = endless(posixpath.join(run.shell.cwd, path))
    if device is not None:
        return device

    def read(phone: Phone) -> bytes:
        return phone.files.read(run.readable(path))

    return BytesSource(await run.call(read))


def endless(path: str) -> Source | None:
    """A device that never ends, None where the path is none."""
    match path:
        case "/dev/zero":
            return EndlessSource(bytes)
        case "/dev/urandom" | "/dev/random":
            return EndlessSource(os.urandom)
        case _:
            return None


async def opened(run: Invocation, paths: list[str]) -> AsyncIterator[tuple[str, Source]]:
    """(name, source) of every operand, none at all meaning standard input; one that cannot be read is told."""
    for path in paths or ["-"]:
        try:
            source = await open_source(run, path)
        except OSError as error:
            run.complain(f"{path}: {error.strerror}")
            continue
        yield ("-" if path == "/dev/stdin" else path), source


async def lines_from(source: Source) -> AsyncIterator[list[bytes]]:
    """Lines without their ends, as many at a time as have come."""
    rest = b""
    while data := await source.read():
        *lines, rest = (rest + data).split(b"\n")
        if lines:
            yield lines
    if rest:
        yield [rest]


async def read_inputs(run: Invocation, paths: list[str]) -> tuple[list[tuple[str, bytes]], int]:
    """(name, content) of every operand that can be read, and 1 where one could not be."""
    found = [(name, await read_all(source)) async for name, source in opened(run, paths)]
    return found, int(len(found) < len(paths or ["-"]))


def lines_of(data: bytes) -> list[bytes]:
    """Lines without their ends."""
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines
