"""`wm` (and `cmd window`): size, density and rotation of the display."""

import re

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

from .arguments import unknown_command

MIN_DENSITY = 72
MAX_SIDE = 8192
USAGE = """Window manager (window) commands:
  help
      Print this help text.
  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]
    Return or override display size.
    width and height in pixels unless suffixed with 'dp'.
  density [reset|DENSITY] [-d DISPLAY_ID] [-u UNIQUE_ID]
    Return or override display density.
  user-rotation [-d DISPLAY_ID] [free|lock] [rotation]
    Print or set user rotation mode and user rotation.
  dismiss-keyguard
    Dismiss the keyguard, prompting user for auth if necessary.
"""


@on_phone
def wm(run: Invocation) -> int:
    """Run one subcommand."""
    args = _without_display(run.args)
    match args[:1]:
        case ["size"]:
            return _size(run, run.phone, args[1:])
        case ["density"]:
            return _density(run, run.phone, args[1:])
        case ["user-rotation"]:
            return _rotation(run, run.phone, args[1:])
        case ["dismiss-keyguard"]:
            run.phone.ui.dismiss_lock()
            return 0
        case ["scaling"] | ["fixed-to-user-rotation"] | ["set-ignore-orientation-request"]:
            return 0
        case [] | ["help"] | ["-h"]:
            run.out(USAGE)
            return 0 if args else 255
        case _:
            raise unknown_command(args[0])


def _without_display(args: list[str]) -> list[str]:
    if "-d" in args[:-1]:
        index = args.index("-d")
        if args[index + 1] != "0":
            raise ToolError(f"Error: unknown display {args[index + 1]}", code=255, prefix="")
        return args[:index] + args[index + 2 :]
    return args


def _size(run: Invocation, phone: Phone, args: list[str]) -> int:
    if not args:
        run.line(f"Physical size: {phone.physical_width}x{phone.physical_height}")
        if phone.size_override is not None:
            run.line("Override size: {}x{}".format(*phone.size_override))
        return 0
    if args[0] == "reset":
        phone.set_size_override(None)
        return 0
    found = re.fullmatch(r"(\d+)(dp)?x(\d+)(dp)?", args[0])
    if not found:
        raise ToolError(f"Error: bad size '{args[0]}'", code=255, prefix="")
    width, width_dp, height, height_dp = found.groups()
    sides = [
        int(value) * phone.density // 160 if dp else int(value)
        for value, dp in ((width, width_dp), (height, height_dp))
    ]
    if not all(0 < side <= MAX_SIDE for side in sides):
        raise ToolError(f"Error: bad size '{args[0]}'", code=255, prefix="")
    size = (sides[0], sides[1])
    phone.set_size_override(None if size == (phone.physical_width, phone.physical_height) else size)
    return 0


def _density(run: Invocation, phone: Phone, args: list[str]) -> int:
    if not args:
        run.line(f"Physical density: {phone.physical_density}")
        if phone.density_override is not None:
            run.line(f"Override density: {phone.density_override}")
        return 0
    if args[0] == "reset":
        phone.set_density_override(None)
        return 0
    if not args[0].isdecimal():
        raise ToolError(f"Error: bad number '{args[0]}'", code=255, prefix="")
    density = int(args[0])
    if density < MIN_DENSITY:
        raise ToolError(f"Error: density must be >= {MIN_DENSITY}", code=255, prefix="")
    phone.set_density_override(None if density == phone.physical_density else density)
    return 0


def _rotation(run: Invocation, phone: Phone, args: list[str]) -> int:
    if not args:
        free = phone.settings.get("system", "accelerometer_rotation") == "1"
        run.line("free" if free else f"lock {phone.settings.get('system', 'user_rotation') or 0}")
        return 0
    if args[0] not in ("free", "lock") or (args[1:] and args[1] not in ("0", "1", "2", "3")):
        raise ToolError(f"Error: argument needs to be either 'free' or 'lock' and 0-3, not '{' '.join(args)}'", 255, "")
    phone.settings.put("system", "accelerometer_rotation", str(int(args[0] == "free")))
    if args[1:]:
        phone.settings.put("system", "user_rotation", args[1])
    return 0
