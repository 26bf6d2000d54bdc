"""`logcat` and `log`: the phone's log, read at once or followed."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from emulator_farm.virtual.logs import LEVELS, Line
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone

from .options import parse_options

MAIN = ("main", "system", "default", "all")
SHORT = {
    "--buffer": "-b", "--clear": "-c", "--file": "-f", "--format": "-v", "--max-count": "-m", "--regex": "-e",
    "--dump": "-d", "--buffer-size": "-g", "--silent": "-s", "--tail": "-T",
}  # fmt: skip
WITH_VALUE = ("-b", "-e", "-m", "-r", "-n", "-T", "-t", "-v", "--pid")
NUMBER = re.compile(r"\d+")
HEARTBEAT_S = 0.5
HEAD = "--------- beginning of main"


@dataclass
class Wanted:
    """What one run of logcat shows."""

    least: dict[str, str] = field(default_factory=dict)
    """Lowest level by tag."""
    others: str = "V"
    style: str = "threadtime"
    tail: int | None = None
    count: int | None = None
    regex: re.Pattern[str] | None = None
    pid: str = ""
    follow: bool = True
    empty: bool = False
    """True for a buffer that this phone has no lines in."""

    def takes(self, line: Line) -> bool:
        """Whether a line is shown."""
        least = self.least.get(line.tag, self.others)
        return (
            not self.empty
            and least != "S"
            and LEVELS.index(line.level) >= LEVELS.index(least)
            and (self.regex is None or self.regex.search(line.message) is not None)
            and self.pid in ("", str(line.pid))
        )


async def logcat(run: Invocation) -> int:
    """Print the log and go on with each new line: -b -c -d -e -g -m --pid -s -t -T -v, and filters TAG:LEVEL."""
    words = _words(run.args)
    if "-c" in words:
        await run.call(lambda phone: run.handset.log.clear())
        return 0
    if "-g" in words:
        run.line("main: ring buffer is 256 KiB (2 KiB consumed), max entry is 5120 B, max payload is 4068 B")
        return 0
    wanted = _parse(words)
    loop, news = asyncio.get_running_loop(), asyncio.Event()
    log = run.handset.log
    with log.follow(lambda: loop.call_soon_threadsafe(news.set)):
        lines, end = await run.call(lambda phone: (log.since(0), log.end))
        lines = [line for line in lines if wanted.takes(line)]
        run.line(HEAD)
        _print(run, wanted, lines if wanted.tail is None else lines[max(0, len(lines) - wanted.tail) :])
        await run.flush()
        left = asyncio.create_task(run.wait_left())
        try:
            while wanted.follow and wanted.count != 0 and not left.done():
                if not await _rung(news, left):
                    await run.call(_heartbeat(run))
                news.clear()
                lines, end = await run.call(lambda phone, start=end: (log.since(start), log.end))  # type: ignore[misc]
                _print(run, wanted, [line for line in lines if wanted.takes(line)])
                await run.flush()
        finally:
            left.cancel()
    return 0


async def _rung(news: asyncio.Event, left: asyncio.Task[None]) -> bool:
    """Wait for news, or until the host leaves; False where the log was silent for a while."""
    waiting = asyncio.create_task(news.wait())
    try:
        done, _ = await asyncio.wait({waiting, left}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return bool(done)


def _heartbeat(run: Invocation) -> Callable[[Phone], None]:
    """A phone's log is never silent for long, and clients count on it: they look whether to stop when a line comes."""

    def write(phone: Phone) -> None:
        status = 5 if phone.battery_level == 100 else 2 if phone.charging else 3
        run.handset.write_log("I", "healthd", f"battery l={phone.battery_level} v=5000 t=25.0 h=2 st={status} c=0")

    return write


def _print(run: Invocation, wanted: Wanted, lines: list[Line]) -> None:
    if wanted.count is not None:
        lines = lines[: wanted.count]
        wanted.count -= len(lines)
    for line in lines:
        for part in line.message.split("\n"):
            run.line(_styled(line, part, wanted.style))


def _styled(line: Line, message: str, style: str) -> str:
    stamp = line.time.strftime("%m-%d %H:%M:%S.%f")[:-3]
    match style:
        case "brief":
            return f"{line.level}/{line.tag:<8}({line.pid:5}): {message}"
        case "process":
            return f"{line.level}({line.pid:5}) {message}  ({line.tag})"
        case "tag":
            return f"{line.level}/{line.tag:<8}: {message}"
        case "thread":
            return f"{line.level}({line.pid:5}:{line.tid:5}) {message}"
        case "raw":
            return message
        case "time":
            return f"{stamp} {line.level}/{line.tag:<8}({line.pid:5}): {message}"
        case "long":
            return f"[ {stamp} {line.pid:5}:{line.tid:5} {line.level}/{line.tag:<8} ]\n{message}\n"
        case _:
            return f"{stamp} {line.pid:5} {line.tid:5} {line.level} {line.tag}: {message}"


def _words(args: list[str]) -> list[str]:
    """The arguments with long options made short and values apart."""
    words: list[str] = []
    for arg in args:
        name, equals, value = arg.partition("=")
        if name.startswith("--"):
            words += [SHORT.get(name, name)] + ([value] if equals else [])
        elif arg[:2] in WITH_VALUE and len(arg) > 2 and not arg.startswith("--"):
            words += [arg[:2], arg[2:]]
        else:
            words.append(arg)
    return words


def _parse(words: list[str]) -> Wanted:
    wanted = Wanted()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in WITH_VALUE and not rest:
            raise ToolError(f"option requires an argument -- '{word.lstrip('-')}'")
        match word:
            case "-d":
                wanted.follow = False
            case "-s":
                wanted.others = "S"
            case "-b":
                wanted.empty = not set(rest.pop(0).split(",")) & set(MAIN)
            case "-v":
                _set_style(wanted, rest.pop(0))
            case "-e":
                wanted.regex = _pattern(rest.pop(0))
            case "-m":
                wanted.count = _number(rest.pop(0), word)
            case "--pid":
                wanted.pid = rest.pop(0)
            case "-t" | "-T":
                wanted.follow = wanted.follow and word == "-T"
                value = rest.pop(0)
                wanted.tail = int(value) if NUMBER.fullmatch(value) else None
            case "-r" | "-n":
                rest.pop(0)
            case _ if word.startswith("-"):
                if word not in ("-B", "-D", "-L", "--wrap", "--print"):
                    raise ToolError(f"invalid option -- '{word.lstrip('-')}'\nTry -h for help.")
            case _:
                _filter(wanted, word)
    return wanted


def _set_style(wanted: Wanted, name: str) -> None:
    """The last word that is a format counts; the rest are modifiers."""
    for word in name.split(","):
        if word in ("brief", "process", "tag", "thread", "raw", "time", "threadtime", "long"):
            wanted.style = word


def _filter(wanted: Wanted, word: str) -> None:
    tag, _, level = word.rpartition(":") if ":" in word else (word, "", "V")
    level = "S" if level == "*" else level.upper() or "V"
    if level not in LEVELS:
        raise ToolError(f"Invalid filter expression '{word}'")
    if tag == "*":
        wanted.others = level
    else:
        wanted.least[tag] = level


def _number(text: str, option: str) -> int:
    if not NUMBER.fullmatch(text):
        raise ToolError(f"{option} {text}: must be a number")
    return int(text)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ToolError(f"bad regular expression {text!r}: {error}") from None


@on_phone
def log(run: Invocation) -> int:
    """Write a line to the log: -p LEVEL, -t TAG."""
    options, operands = parse_options(run, "", "pt", stop_at_operand=True)
    level = options.values.get("p", "I").upper()[:1]
    run.handset.write_log(level if level in LEVELS else "I", options.values.get("t", "log"), " ".join(operands))
    return 0


TOOLS: dict[str, Tool] = {"log": log, "logcat": logcat}
