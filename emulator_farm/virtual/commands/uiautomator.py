"""`uiautomator dump`: the UI tree, with the failures that stock tools print at exit status 0."""

import asyncio

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError

DEFAULT_TARGET = "/sdcard/window_dump.xml"
USAGE = """Usage: uiautomator <subcommand> [options]

Available subcommands:

help: displays help message

runtest: executes UI automation tests
    runtest <class spec> [options]
    <class spec>: <JARS> < -c <CLASSES> | -e class <CLASSES> >

dump: creates an XML dump of current UI hierarchy
    dump [--verbose][file]
      [--compressed]: dumps compressed layout information.
      [--windows]: dumps all windows, with system UI included
      [file]: the location where the dumped XML should be stored, default is
      /sdcard/window_dump.xml

events: prints out accessibility events until terminated
"""


async def uiautomator(run: Invocation) -> int:
    """Only `dump` is there; waits the phone's dump latency first."""
    if not run.args or run.args[0] == "help":
        run.out(USAGE)
        return 0 if run.args else 1
    if run.args[0] != "dump":
        raise ToolError(f"Error: this phone cannot run 'uiautomator {run.args[0]}'", prefix="")
    targets = [arg for arg in run.args[1:] if not arg.startswith("-")]
    target = targets[0] if targets else DEFAULT_TARGET
    if latency := run.handset.phone.latency.dump_s:
        await asyncio.sleep(latency)
    fault = run.handset.fault("dump")
    match fault:
        case "idle_error":
            run.err("ERROR: could not get idle state.\n")
            return 0
        case "null_root":
            run.err("ERROR: null root node returned by UiTestAutomationBridge.\n")
            return 0
        case "nothing":
            return 0
        case "hang":
            await asyncio.Event().wait()
        case "stale" if run.handset.last_dump:
            xml = run.handset.last_dump
        case _:
            xml = await run.call(lambda phone: phone.hierarchy())
    run.handset.last_dump = xml
    if target == "/dev/tty":
        run.out(f"{xml}UI hierchary dumped to: {target}\n")
        return 0

    def save(phone: Phone) -> None:
        phone.files.write(run.writable(target), xml.encode("utf-8", "surrogateescape"), mode=0o660)

    await run.call(save)
    run.line(f"UI hierchary dumped to: {target}")
    return 137 if fault == "exit_code" else 0
