"""`date`: the phone's clock, shown and (by root) set."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

DEFAULT_FORMAT = "%a %b %e %H:%M:%S %Z %Y"
POSIX = re.compile(r"(\d\d)(\d\d)(\d\d)(\d\d)(?:(\d\d)?(\d\d))?(?:\.(\d\d))?")
ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?")
FIELD = re.compile(r"%(-|_|0)?([a-zA-Z%])")


@on_phone
def date(run: Invocation) -> int:
    """Show or set: [-u] [-d DATE] [+FORMAT] [-s DATE | @EPOCH | MMDDhhmm[[CC]YY][.ss]]."""
    zone = UTC if "-u" in run.args or run.shell.variables.get("TZ") == "UTC" else time_zone(run.phone)
    args = [arg for arg in run.args if arg != "-u"]
    now = run.phone.clock.now()
    shown, new, text = now, None, DEFAULT_FORMAT
    while args:
        word = args.pop(0)
        if word in ("-d", "-s", "-r", "-D") and not args:
            raise ToolError(f'Missing argument to {word} (see "date --help")')
        if word == "-d":
            shown = parse_date(args.pop(0), now, zone)
        elif word == "-s":
            new = parse_date(args.pop(0), now, zone)
        elif word == "-r":
            stamp = run.files.stat(run.readable(args.pop(0))).mtime
            shown = datetime.fromtimestamp(stamp, UTC)
        elif word == "-D":
            args.pop(0)
        elif word.startswith("+"):
            text = word[1:]
        elif word.startswith("-"):
            raise ToolError(f"Unknown option '{word.lstrip('-')}' (see \"date --help\")")
        else:
            new = parse_date(word, now, zone)
    if new is not None:
        if run.shell.uid != 0:
            raise ToolError("cannot set date: Operation not permitted")
        run.phone.clock.set_time(new)
        run.phone.invalidate()
        shown = new
    run.line(format_time(shown.astimezone(zone), text))
    return 0


def time_zone(phone: Phone) -> tzinfo:
    """The zone of `persist.sys.timezone`; UTC where that is unknown."""
    try:
        return ZoneInfo(phone.props.get("persist.sys.timezone") or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def parse_date(text: str, now: datetime, zone: tzinfo) -> datetime:
    """`@EPOCH`, `MMDDhhmm[[CC]YY][.ss]` or ISO; what is missing is taken from `now`. Raises ToolError."""
    if re.fullmatch(r"@-?\d+(\.\d+)?", text):
        return datetime.fromtimestamp(float(text[1:]), UTC)
    try:
        if found := POSIX.fullmatch(text):
            month, day, hour, minute, century, year, second = (int(part) if part else None for part in found.groups())
            full = now.year if year is None else (century * 100 if century else (1900 if year > 68 else 2000)) + year
            return datetime(full, month or 0, day or 0, hour or 0, minute or 0, second or 0, tzinfo=zone)
        if found := ISO.fullmatch(text.removesuffix("Z")):
            full, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
            where = UTC if text.endswith("Z") else zone
            return datetime(full, month, day, hour, minute, second, tzinfo=where)
    except ValueError:
        pass
    raise ToolError(f"bad date '{text}'")


def format_time(when: datetime, text: str) -> str:
    """strftime with the letters that toybox knows; `%-d` and `%_d` pad with nothing and with blanks."""
    twelve = when.hour % 12 or 12
    letters = {
        "s": str(int(when.timestamp())), "N": f"{when.microsecond * 1000:09d}", "e": f"{when.day:2d}",
        "k": f"{when.hour:2d}", "l": f"{twelve:2d}", "n": "\n", "t": "\t", "%": "%",
        "Z": when.tzname() or "UTC", "z": when.strftime("%z"), "F": when.strftime("%Y-%m-%d"),
        "T": when.strftime("%H:%M:%S"), "D": when.strftime("%m/%d/%y"), "R": when.strftime("%H:%M"),
        "P": when.strftime("%p").lower(), "c": f"{when.strftime('%a %b')} {when.day:2d} {when.strftime('%H:%M:%S %Y')}",
    }  # fmt: skip

    def replace(found: re.Match[str]) -> str:
        padding, letter = found.groups()
        value = letters[letter] if letter in letters else when.strftime(f"%{letter}")
        if padding == "-":
            return value.lstrip("0 ") or "0"
        return value.lstrip("0").rjust(len(value)) if padding == "_" else value

    return FIELD.sub(replace, text)
