"""`input`: touches, keys and text."""

import asyncio
import re
from collections.abc import Callable

from emulator_farm.virtual.phone import Phone, TextNotTypeable
from emulator_farm.virtual.shell.invocation import Invocation, ToolError

from . import keycodes
from .arguments import Words, java_error

SOURCES = (
    "keyboard", "dpad", "gamepad", "touchscreen", "mouse", "stylus", "trackball", "touchpad", "touchnavigation",
    "joystick", "rotaryencoder",
)  # fmt: skip
USAGE = f"""Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are:
{"".join(f"      {name}{chr(10)}" for name in SOURCES)}
The commands are:
      text <string>
      keyevent [--longpress|--doubletap|--async|--delay <ms>] <key code number or name> ...
      tap <x> <y>
      swipe <x1> <y1> <x2> <y2> [duration(ms)]
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)]
      press
      roll <dx> <dy>
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y>
      keycombination [-t duration(ms)] <key code 1> <key code 2> ...
"""
SWIPE_MS = 300
MAX_INT = 2**31 - 1
DEFAULT_DISPLAY, INVALID_DISPLAY = 0, -1
ILLEGAL = "java.lang.IllegalArgumentException: "
JAVA_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?")
JAVA_INT = re.compile(r"[+-]?\d+")
Action = Callable[[Phone], None]


async def input_tool(run: Invocation) -> int:
    """Deliver one input event; waits the phone's input latency first."""
    args = _Arguments(run.args[0] if run.args else "", run.args)
    command = args.optional()
    if command in SOURCES:
        command = args.required()
    on_this_display = True
    if command == "-d":
        on_this_display = args.display() in (DEFAULT_DISPLAY, INVALID_DISPLAY)
        command = args.required()
    if command in ("", "help", "-h"):
        run.out(USAGE)
        return 0
    action = _parse(command, args)
    if not on_this_display:
        return 0
    match run.handset.fault("input"):
        case "drop":
            return 0
        case "error":
            text = "Injecting input events requires the caller to have the INJECT_EVENTS permission."
            raise java_error(command, f"java.lang.SecurityException: {text}")
        case "hang":
            await asyncio.Event().wait()
    if latency := run.handset.phone.latency.input_s:
        await asyncio.sleep(latency)
    try:
        await run.call(action)
    except TextNotTypeable:
        raise java_error("text", "java.lang.NullPointerException: Attempt to get length of null array") from None
    return 0


class _Arguments(Words):
    """The words of the command line, some of them numbers."""

    def display(self) -> int:
        """The next word as a display; there is only number 0."""
        text = self.required()
        names = {"INVALID_DISPLAY": INVALID_DISPLAY, "DEFAULT_DISPLAY": DEFAULT_DISPLAY}
        if text.upper() in names:
            return names[text.upper()]
        if not JAVA_INT.fullmatch(text):
            raise java_error(self.command, ILLEGAL + "Error: Invalid arguments for display ID.")
        return int(text)

    def pixel(self) -> int:
        """The next word as a coordinate."""
        text = self.required()
        if not JAVA_FLOAT.fullmatch(text):
            raise self._illegal()
        return int(max(-MAX_INT, min(MAX_INT, float(text.rstrip("fFdD")))))

    def milliseconds(self, default: int) -> int:
        """The next word as a duration; `default` where there is none or it is negative."""
        text = self.optional()
        if text and not JAVA_INT.fullmatch(text):
            raise self._illegal()
        value = int(text) if text else -1
        return min(value, MAX_INT) if value >= 0 else default

    def _illegal(self) -> ToolError:
        return java_error(self.command, f"{ILLEGAL}Error: Invalid arguments for command: {self.command}")


def _parse(name: str, args: _Arguments) -> Action:
    match name:
        case "tap":
            x, y = args.pixel(), args.pixel()
            return lambda phone: phone.tap(x, y)
        case "swipe" | "draganddrop":
            x1, y1, x2, y2 = args.pixel(), args.pixel(), args.pixel(), args.pixel()
            duration = args.milliseconds(SWIPE_MS)
            if name == "swipe":
                return lambda phone: phone.swipe(x1, y1, x2, y2, duration)
            return lambda phone: phone.drag(x1, y1, x2, y2, duration)
        case "text":
            typed = args.required().replace("%s", " ")
            return lambda phone: phone.text(typed)
        case "keyevent":
            return _keyevent(args)
        case "keycombination":
            return _keycombination(args)
        case "motionevent":
            return _motionevent(args)
        case "press":
            return lambda phone: phone.key(keycodes.NAMES["DPAD_CENTER"])
        case "roll":
            args.pixel(), args.pixel()
            return lambda phone: None
        case _:
            raise ToolError(f"Unknown command: {name}", code=0, prefix="", on_stdout=True)


def _keyevent(args: _Arguments) -> Action:
    long = double = False
    word = args.required()
    while word.startswith("--"):
        match word:
            case "--longpress":
                long = True
            case "--doubletap":
                double = True
            case "--delay" | "--duration":
                args.milliseconds(0)
        word = args.required()
    codes: list[int] = []
    while word:
        codes += [keycodes.parse(word)] * (2 if double else 1)
        word = args.optional()

    def press(phone: Phone) -> None:
        for code in codes:
            phone.key(code, long=long)

    return press


def _keycombination(args: _Arguments) -> Action:
    word = args.required()
    if word == "-t":
        args.milliseconds(0)
        word = args.required()
    codes: list[int] = []
    while word:
        codes.append(keycodes.parse(word))
        if not codes[-1]:
            raise java_error("keycombination", f"{ILLEGAL}Unknown keycode: {word}")
        word = args.optional()
    if len(codes) < 2:
        raise java_error("keycombination", f"{ILLEGAL}keycombination requires at least 2 keycodes")
    *held, last = codes
    return lambda phone: phone.key(last, meta=tuple(held))


def _motionevent(args: _Arguments) -> Action:
    action = args.required().upper()
    if action == "CANCEL":
        return lambda phone: phone.touch_cancel()
    x, y = args.pixel(), args.pixel()
    match action:
        case "DOWN":
            return lambda phone: phone.touch_down(x, y)
        case "MOVE":
            return lambda phone: phone.touch_move(x, y)
        case "UP":
            return lambda phone: phone.touch_up(x, y)
        case _:
            raise java_error("motionevent", f"{ILLEGAL}Unknown action: {action}")
