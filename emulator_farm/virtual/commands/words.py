"""Small commands on words: names of paths, sequences, `tee`, arithmetic."""

import posixpath
from collections.abc import Callable
from functools import partial

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError

from .options import parse_options


async def basename(run: Invocation) -> int:
    """The last part of a path, without a suffix."""
    if not run.args:
        raise ToolError('Needs 1 argument (see "basename --help")')
    name = posixpath.basename(run.args[0].rstrip("/")) or "/"
    suffix = run.args[1] if len(run.args) > 1 else ""
    run.line(name.removesuffix(suffix) if name != suffix else name)
    return 0


async def dirname(run: Invocation) -> int:
    """The path without its last part."""
    if not run.args:
        raise ToolError('Needs 1 argument (see "dirname --help")')
    for path in run.args:
        run.line(posixpath.dirname(path.rstrip("/")) or ("/" if path.startswith("/") else "."))
    return 0


async def seq(run: Invocation) -> int:
    """Numbers from FIRST by STEP to LAST."""
    try:
        numbers = [int(arg) for arg in run.args]
    except ValueError:
        raise ToolError(f"bad number '{' '.join(run.args)}'") from None
    if not 1 <= len(numbers) <= 3:
        raise ToolError('Needs 1 argument (see "seq --help")')
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) > 2 else 1
    last = numbers[-1]
    if step == 0 or abs(last - first) // abs(step) > 1_000_000:
        raise ToolError("too many numbers")
    run.out("".join(f"{number}\n" for number in range(first, last + (1 if step > 0 else -1), step)))
    return 0


async def tee(run: Invocation) -> int:
    """Copy standard input to files as well: -a appends."""
    options, paths = parse_options(run, "ai")

    def create(phone: Phone) -> None:
        for path in paths:
            phone.files.append(run.writable(path), b"") if "a" in options else phone.files.write(
                run.writable(path), b""
            )

    await run.call(create)
    while data := await run.streams.stdin.read():
        run.out(data)
        await run.flush()
        await run.call(partial(_append, run, paths, data))
    return 0


def _append(run: Invocation, paths: list[str], data: bytes, phone: Phone) -> None:
    for path in paths:
        phone.files.append(run.writable(path), data)


async def yes(run: Invocation) -> int:
    """A line for ever, as long as somebody reads it."""
    line = (" ".join(run.args) or "y") + "\n"
    while True:
        run.out(line * 512)
        await run.flush()
        await run.shell.breathe()


async def expr(run: Invocation) -> int:
    """One operation on integers, or `length TEXT`: + - * / % = != < <= > >=."""
    match run.args:
        case ["length", text]:
            value = len(text)
        case [left, operator, right] if operator in OPERATORS:
            try:
                value = OPERATORS[operator](int(left), int(right))
            except (ValueError, ZeroDivisionError):
                raise ToolError("non-integer argument" if operator not in "/%" else "division by zero", 2) from None
        case _:
            raise ToolError("syntax error", 2)
    run.line(str(int(value)))
    return int(not value)


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: int(a / b),
    "%": lambda a, b: a - b * int(a / b),
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
TOOLS: dict[str, Tool] = {"basename": basename, "dirname": dirname, "expr": expr, "seq": seq, "tee": tee, "yes": yes}
