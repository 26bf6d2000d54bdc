"""`vphone`: what only a virtual phone has: faults, latency, snapshots, its state as JSON, a return to the factory."""

import json
from dataclasses import asdict, fields

from emulator_farm.virtual.apps.messages.store import messages
from emulator_farm.virtual.faults import NUMBERS, WORDS, Latency
from emulator_farm.virtual.graph import NotState
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.packages import PackageNotFound
from emulator_farm.virtual.packing import pack, unpack
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shelf import NoSnapshot, Saved
from emulator_farm.virtual.shell.invocation import Invocation, ToolError
from emulator_farm.virtual.snapshot import WrongPhone
from emulator_farm.virtual.state import state_of

USAGE = """vphone: the virtual phone's own command
  faults                     print the armed faults
  fault NAME VALUE [times=N] [seconds=N]
                             arm one, for so many firings or so long; `faults` lists the names; VALUE off disarms
  fault clear                disarm all, and end the plan of a fault file
  latency                    print the latencies in seconds
  latency NAME=SECONDS...    set some of: capture, input, dump, launch, grpc, u2, link, boot
  reset                      return to the factory state
  sms NUMBER TEXT            have a message arrive, with its notification
  ask PACKAGE PERMISSION     have the app ask for a permission, in front of what shows now
  state                      print everything that is on the phone as JSON
  clock hold|run             stop the phone's clock, or let it go on
  snapshot save NAME         keep the phone's whole state; NAME may begin with shared/, for all phones of this process
  snapshot load NAME         return to it
  snapshot list              print the names
  snapshot delete NAME       forget it
  snapshot export            write the state to standard output, for a phone elsewhere
  snapshot import            take on the state that is read from standard input
"""
LATENCIES = tuple(field.name.removesuffix("_s") for field in fields(Latency))


async def vphone(run: Invocation) -> int:
    """Run one subcommand."""
    phone = run.handset.phone
    match run.args:
        case ["faults"]:
            for name in (*WORDS, *NUMBERS):
                run.line(f"{name}={getattr(phone.faults, name)}")
        case ["fault", "clear"]:
            run.handset.calm()
        case ["fault", name, *words]:
            _arm(run.handset, name, words)
        case ["latency"]:
            for name, value in asdict(phone.latency).items():
                run.line(f"{name.removesuffix('_s')}={value:g}")
        case ["latency", *pairs]:
            _set_latency(phone.latency, pairs)
        case ["reset"]:
            await run.handset.reset()
        case ["sms", number, *text] if text:
            await run.call(lambda phone: messages(phone.system).receive(number, " ".join(text)))
        case ["ask", package, permission]:
            try:
                await run.call(lambda phone: phone.ask_permission(package, permission))
            except PackageNotFound as error:
                raise ToolError(str(error)) from error
        case ["state"]:
            state = await run.call(state_of)
            run.line(json.dumps(state, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
        case ["clock", "hold" | "run" as what]:
            await run.call(lambda phone: phone.clock.hold(what == "hold"))
        case ["snapshot", *words]:
            return await _snapshot(run, words)
        case _:
            run.err(USAGE)
            return 1
    return 0


async def _snapshot(run: Invocation, words: list[str]) -> int:
    handset = run.handset
    try:
        match words:
            case ["save", name]:
                await handset.save(name)
            case ["load", name]:
                await handset.load(name)
            case ["list"]:
                run.out("".join(f"{name}\n" for name in handset.shelf.names(handset.phone.serial)))
            case ["delete", name]:
                handset.shelf.delete(handset.phone.serial, name)
            case ["export"]:
                run.out(pack((await handset.saved()).snapshot))
            case ["import"]:
                received = unpack(await run.read_stdin(), _modules(handset.phone))
                await handset.become(Saved(received, handset.uid, handset.remounted))
            case _:
                run.err(USAGE)
                return 1
    except (NoSnapshot, NotState, WrongPhone) as error:
        raise ToolError(str(error)) from error
    return 0


def _modules(phone: Phone) -> frozenset[str]:
    """Where the screens of this phone's apps come from."""
    return frozenset(entry.screen.__module__ for app in phone.system.apps.values() for entry in app.entries)


def _arm(handset: Handset, name: str, words: list[str]) -> None:
    value, limit = (words[0] if words else ""), dict(word.partition("=")[::2] for word in words[1:])
    value = "" if value in ("off", "none") else value
    if unknown := limit.keys() - {"times", "seconds"}:
        raise ToolError(f"unknown limit {', '.join(sorted(unknown))}; known: times=N, seconds=N")
    if name in WORDS:
        if value not in ("", *WORDS[name]):
            raise ToolError(f"unknown {name} fault {value!r}; known: {', '.join(WORDS[name])}")
        times = _number("times", limit.get("times", "0"))
        handset.arm(name, value, int(times), _number("seconds", limit["seconds"]) if "seconds" in limit else None)
    elif name in NUMBERS:
        if not value.isdecimal():
            raise ToolError(f"{name} needs a number, not {value!r}")
        handset.arm(name, int(value))
    else:
        raise ToolError(f"unknown fault {name!r}; known: {', '.join([*WORDS, *NUMBERS])}")


def _number(what: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 3600:
        raise ToolError(f"{what} needs a number below 3600, not {text!r}")
    return number


def _set_latency(latency: Latency, pairs: list[str]) -> None:
    for pair in pairs:
        name, _, text = pair.partition("=")
        if name not in LATENCIES:
            raise ToolError(f"unknown latency {name!r}; known: {', '.join(LATENCIES)}")
        setattr(latency, f"{name}_s", _number(f"latency {name}", text))
