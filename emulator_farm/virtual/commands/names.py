"""Small questions about the machine: `nproc`, `hostname`, `logname`, `groups`, `clear`, `mktemp`."""

import secrets

from emulator_farm.virtual.shell.invocation import Invocation, Tool, on_phone

from .options import parse_options
from .owners import owner_name


async def answer(run: Invocation) -> int:
    """One line that is always the same, or depends on the user alone."""
    user = owner_name(run.shell.uid)
    run.line({"nproc": "4", "hostname": "localhost", "logname": user, "groups": user}[run.name])
    return 0


async def clear(run: Invocation) -> int:
    """Empty the terminal."""
    run.out("\x1b[2J\x1b[H")
    return 0


@on_phone
def mktemp(run: Invocation) -> int:
    """Make a file, or with -d a folder, of a new name, and print it: -p FOLDER, TEMPLATE ending in XXXXXX."""
    options, operands = parse_options(run, "dqtu", "p")
    template = operands[0] if operands else "tmp.XXXXXXXXXX"
    name = template.rstrip("X") + secrets.token_hex(8)[: len(template) - len(template.rstrip("X"))]
    folder = options.values.get("p") or run.shell.variables.get("TMPDIR", "/data/local/tmp")
    path = run.writable(name if "/" in name else f"{folder}/{name}")
    if "u" not in options and "d" in options:
        run.files.mkdir(path, mode=0o700)
    elif "u" not in options:
        run.files.write(path, b"", 0o600)
    run.line(path)
    return 0


TOOLS: dict[str, Tool] = {
    "clear": clear, "groups": answer, "hostname": answer, "logname": answer, "mktemp": mktemp, "nproc": answer,
}  # fmt: skip
