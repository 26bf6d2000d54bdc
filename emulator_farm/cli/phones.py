"""Commands for one phone, virtual or real: `phone`, `doctor`, `prepare`, `observe`, `perform`, `ui`."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from emulator_farm.errors import CallerError, InfrastructureError

if TYPE_CHECKING:
    from agent_server.ui_tree import Node
    from emulator_farm.devices.device import Device

Serial = Annotated[str, typer.Argument(help="The phone: HOST:PORT, or a serial of `adb devices`.")]
AdbPort = Annotated[
    int | None,
    typer.Option(min=1, max=65535, help="Port of the adb server to use; without it one of our own is started."),
]
_LARGEST_PANEL = 10_000
"""Pixels on a side; no phone has more, and drawing one would take all memory."""


def register(app: typer.Typer) -> None:
    for command in (phone, doctor, prepare, observe, perform, ui):
        app.command()(command)


def phone(
    count: Annotated[int, typer.Option(min=1, max=256, help="How many phones.")] = 1,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="ADB port of the first, the others follow; 0 takes free ones.")
    ] = 0,
    size: Annotated[str, typer.Option(help="Panel in pixels, WIDTHxHEIGHT.")] = "1080x2400",
    density: Annotated[int, typer.Option(min=80, max=800, help="Dots per inch.")] = 420,
    capture_latency: Annotated[float, typer.Option(min=0, help="Seconds that a screenshot takes longer.")] = 0.0,
    input_latency: Annotated[float, typer.Option(min=0, help="Seconds that an input takes longer.")] = 0.0,
    dump_latency: Annotated[float, typer.Option(min=0, help="Seconds that a UI dump takes longer.")] = 0.0,
    faults: Annotated[
        Path | None,
        typer.Option(help="File of faults that come by themselves; docs/virtual-phone.md says what it holds."),
    ] = None,
    emulator: Annotated[
        bool,
        typer.Option("--emulator", help="Open an emulator's console and gRPC too; `getprop` on the phone says where."),
    ] = False,
) -> None:
    """Run virtual phones until Ctrl-C and print their addresses, one a line."""
    from emulator_farm.virtual.emulator import MissingExtra
    from emulator_farm.virtual.fault_plan import FaultFileError, read_faults
    from emulator_farm.virtual.fleet import FleetError, PhoneOptions, serve

    latencies = (capture_latency, input_latency, dump_latency)
    if not all(map(math.isfinite, latencies)):
        raise CallerError("a latency must be a number of seconds")
    step = 2 if emulator else 1  # an emulator's console has the port below
    if port and (port + step * (count - 1) > 65535 or port < step):
        raise CallerError(f"--port {port} leaves no room for {count} phones; ports are 1 to 65535")
    options = PhoneOptions(*_panel(size), density, *latencies, emulator=int(emulator), faults=str(faults or ""))
    ports = [port + step * index for index in range(count)] if port else None
    if faults is not None:
        try:
            read_faults(faults)
        except FaultFileError as error:
            raise CallerError(str(error)) from None
    try:
        serve(count, lambda address: print(address, flush=True), options, ports)
    except FleetError as error:
        raise InfrastructureError(f"the virtual phones failed: {error}", cause="phone_host") from None
    except MissingExtra as error:
        raise CallerError(str(error)) from None
    except OSError as error:
        raise CallerError(f"the virtual phones cannot be served: {error.strerror or error}") from None


def _panel(size: str) -> tuple[int, int]:
    from agent_server.geometry import GeometryError, Size

    try:
        width, height = Size.parse(size)
    except GeometryError as error:
        raise CallerError(f"--size: {error}") from None
    if max(width, height) > _LARGEST_PANEL:
        raise CallerError(f"--size {size}: at most {_LARGEST_PANEL} pixels on a side")
    return width, height


def doctor(serial: Serial, adb_port: AdbPort = None) -> None:
    """Check a phone from end to end and say what is wrong.

    What is only "not set" does no harm: the farm sets it before it plays.
    """
    from emulator_farm.devices.health import doctor as diagnose

    with _device(serial, adb_port) as device:
        checks = diagnose(device)
    table = Table("check", "", title=Text(serial))
    table.add_column("detail", overflow="fold")
    for check in checks:
        mark = Text("ok", "green") if check.ok else Text("FAILED", "red") if check.needed else Text("not set", "yellow")
        table.add_row(check.name, mark, Text(check.detail))
    Console().print(table)
    if not all(check.ok for check in checks if check.needed):
        raise typer.Exit(1)


def prepare(
    serial: Serial,
    reset: Annotated[
        Literal["home", "apps"], typer.Option(help="apps also wipes apps, messages, contacts, calls and calendars.")
    ] = "home",
    adb_port: AdbPort = None,
) -> None:
    """Make a phone fit for an episode, as a harvest does: awake, nothing open, no animations, the farm's keyboard."""
    from emulator_farm.devices.reset import apps, home

    with _device(serial, adb_port) as device:
        (apps if reset == "apps" else home)(device)


def observe(
    serial: Serial,
    out: Annotated[Path, typer.Option(help="Folder for frame.png, ui.xml and observation.json.")],
    adb_port: AdbPort = None,
) -> None:
    """Look at a phone once and keep what was seen."""
    from emulator_farm.devices.health import observe_to

    with _device(serial, adb_port) as device:
        try:
            observe_to(device, out)
        except OSError as error:
            raise CallerError(f"cannot write to {out}: {error.strerror}") from None
    print(json.dumps(json.loads((out / "observation.json").read_text())))


def perform(
    serial: Serial,
    action: Annotated[str, typer.Argument(help="JSON as in docs/actions.md, or - for standard input.")],
    adb_port: AdbPort = None,
) -> None:
    """Execute one action on a phone and print what became of it, as JSON.

    The status is ok, rejected (the phone has nothing to do it with, say no such app; exit code 1) or none (it touches
    no phone).
    """
    from pydantic import ValidationError

    from agent_server.actions import action_from_json

    data = sys.stdin.buffer.read() if action == "-" else action.encode("utf-8", "surrogateescape")
    try:
        wanted = action_from_json(data)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        text = repr(data.decode("utf-8", "replace"))
        shown = text if len(text) <= 200 else f"{text[:199]}…"
        raise CallerError(f"{shown} is no action: {place + ': ' if place else ''}{problem['msg']}") from None
    with _device(serial, adb_port) as device:
        outcome = device.perform(wanted)
    print(json.dumps({"status": outcome.status, "detail": outcome.detail, "command": outcome.command}))
    if outcome.status == "rejected":
        raise typer.Exit(1)


def ui(
    file: Annotated[Path, typer.Argument(help="A uiautomator dump.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a node.")] = False,
) -> None:
    """Print a UI hierarchy as an indented list."""
    from agent_server.errors import InvalidUiTree
    from agent_server.ui_tree import parse_ui_tree

    try:
        tree = parse_ui_tree(file.read_bytes())
    except OSError as error:
        raise CallerError(f"cannot read {file}: {error.strerror}") from None
    except InvalidUiTree as error:
        raise CallerError(f"{file}: {error}") from None
    if not as_json:
        size = tree.size
        print(f"rotation {tree.rotation}, {len(tree)} nodes, {size or 'no size'}, {', '.join(tree.packages)}")
    for node in tree:
        print(json.dumps(_facts(node), ensure_ascii=False) if as_json else _line(node))


_FLAGS = ("clickable", "long_clickable", "scrollable", "checkable", "checked", "focused", "selected", "password")


def _line(node: Node) -> str:
    left, top, right, bottom = node.bounds
    words = [f"{'  ' * node.depth}{node.class_name.rpartition('.')[2] or '?'}", f"[{left},{top}][{right},{bottom}]"]
    words += [repr(node.text)] if node.text else []
    words += [f"desc={node.content_desc!r}"] if node.content_desc else []
    words += [f"id={node.resource_id}"] if node.resource_id else []
    words += [name for name in _FLAGS if getattr(node, name)]
    words += [] if node.enabled else ["disabled"]
    return " ".join(words)


def _facts(node: Node) -> dict[str, object]:
    return {
        "depth": node.depth,
        "class": node.class_name,
        "package": node.package,
        "text": node.text,
        "content_desc": node.content_desc,
        "resource_id": node.resource_id,
        "bounds": list(node.bounds),
        "enabled": node.enabled,
        **{name: getattr(node, name) for name in _FLAGS},
    }


@contextmanager
def _device(serial: str, adb_port: int | None) -> Iterator[Device]:
    """The phone, connected; the adb server is ours unless a port names another."""
    from emulator_farm.devices.adb_server import AdbServer
    from emulator_farm.devices.device import Device

    if not serial.strip():
        raise CallerError("the phone has no name; give HOST:PORT or a serial of `adb devices`")
    own = AdbServer.launch_for([serial]) if adb_port is None else None
    server = own or AdbServer(port=adb_port or 0)
    try:
        server.connect(serial)
        with Device(serial, server) as device:
            yield device
    finally:
        if own is not None:
            own.close()
