"""`monkey`: mostly used to open an app by its package; with a count above one it taps at random, by seed."""

import asyncio
import random
from functools import partial

from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError

from .intent_args import LAUNCHER, MAIN

NOTHING_TO_RUN = 252
WITH_VALUE = frozenset(
    ["-p", "-c", "-s", "--throttle", "--port", "--setup", "--pkg-whitelist-file", "--pkg-blacklist-file"]
)
MAX_EVENTS = 100_000


async def monkey(run: Invocation) -> int:
    """Start one of the packages' launcher activities, then inject the other events."""
    for arg in run.args:
        run.line(f"  bash arg: {arg}")
    packages, count, seed, throttle_ms = _options(run)
    if latency := run.handset.phone.latency.launch_s:
        await asyncio.sleep(latency)

    def launch(phone: Phone) -> bool:
        names = packages or [package.name for package in phone.packages.list()]
        component = next((found for name in names if (found := phone.packages.launcher(name))), None)
        if component is None:
            return False
        phone.start_activity(Intent(MAIN, component=component, categories=(LAUNCHER,)))
        return True

    if not await run.call(launch):
        run.line("** No activities found to run, monkey aborted.")
        return NOTHING_TO_RUN
    chance = random.Random(seed)
    for _ in range(count - 1):
        await run.call(partial(_tap_somewhere, chance.random(), chance.random()))
        if throttle_ms:
            await asyncio.sleep(throttle_ms / 1000)
    run.line(f"Events injected: {count}")
    run.line("## Network stats: elapsed time=14ms (0ms mobile, 0ms wifi, 14ms not connected)")
    return 0


def _tap_somewhere(across: float, down: float, phone: Phone) -> None:
    width, height = phone.screen_size
    phone.tap(int(across * width), int(down * height))


def _options(run: Invocation) -> tuple[list[str], int, int, int]:
    packages: list[str] = []
    numbers = {"-s": 0, "--throttle": 0}
    count = ""
    args = list(run.args)
    while args:
        word = args.pop(0)
        if word in WITH_VALUE:
            if not args:
                raise ToolError(f"** Error: Unknown option: {word}", code=255, prefix="")
            value = args.pop(0)
            if word == "-p":
                packages.append(value)
            elif word in numbers:
                numbers[word] = _number(value)
        elif word.startswith("--pct-"):
            args[:1] = []
        elif not word.startswith("-"):
            count = word
    if not count:
        raise ToolError("** Error: Count not specified", code=255, prefix="")
    return packages, min(_number(count), MAX_EVENTS), numbers["-s"], numbers["--throttle"]


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ToolError(f'** Error: java.lang.NumberFormatException: For input string: "{text}"', code=255, prefix="")
    return int(text)
