"""`vphone`: what only a virtual phone has: faults, latency, a return to the factory state."""

from dataclasses import asdict, fields

from emulator_farm.virtual.faults import Faults, Latency
from emulator_farm.virtual.shell.invocation import Invocation, ToolError

USAGE = """vphone: the virtual phone's own command
  faults                     print the armed faults
  fault NAME VALUE           arm one: screencap, dump, input, offline_after, count
  fault clear                disarm all
  latency                    print the latencies in seconds
  latency NAME=SECONDS...    set some of: capture, input, dump, launch
  reset                      return to the factory state
"""
KNOWN = {
    "screencap": ("", "truncated", "empty", "black", "warning", "crlf", "wrong_size", "stale", "status"),
    "dump": ("", "idle_error", "null_root", "stale"),
    "input": ("", "drop", "hang"),
}
NUMBERS = ("offline_after", "count")
LATENCIES = tuple(field.name.removesuffix("_s") for field in fields(Latency))


async def vphone(run: Invocation) -> int:
    """Run one subcommand."""
    phone = run.handset.phone
    match run.args:
        case ["faults"]:
            for name, value in asdict(phone.faults).items():
                run.line(f"{name}={value}")
        case ["fault", "clear"]:
            phone.faults.clear()
        case ["fault", name, *values]:
            _arm(phone.faults, name, values[0] if values else "")
        case ["latency"]:
            for name, value in asdict(phone.latency).items():
                run.line(f"{name.removesuffix('_s')}={value:g}")
        case ["latency", *pairs]:
            _set_latency(phone.latency, pairs)
        case ["reset"]:
            await run.handset.reset()
        case _:
            run.err(USAGE)
            return 1
    return 0


def _arm(faults: Faults, name: str, value: str) -> None:
    value = "" if value in ("off", "none") else value
    if name in KNOWN:
        if value not in KNOWN[name]:
            raise ToolError(f"unknown {name} fault {value!r}; known: {', '.join(filter(None, KNOWN[name]))}")
        setattr(faults, name, value)
    elif name in NUMBERS:
        if not value.isdecimal():
            raise ToolError(f"{name} needs a number, not {value!r}")
        setattr(faults, name, int(value))
    else:
        raise ToolError(f"unknown fault {name!r}; known: {', '.join([*KNOWN, *NUMBERS])}")


def _set_latency(latency: Latency, pairs: list[str]) -> None:
    for pair in pairs:
        name, _, text = pair.partition("=")
        if name not in LATENCIES:
            raise ToolError(f"unknown latency {name!r}; known: {', '.join(LATENCIES)}")
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < 3600:
            raise ToolError(f"latency {name} needs seconds, not {text!r}")
        setattr(latency, f"{name}_s", seconds)
