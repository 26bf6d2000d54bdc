"""The command line `emulator-farm`. Flags are read here and nowhere else; failures become one line and an exit code.

Exit codes: 0 done; 1 a machine failed or episodes are missing; 2 the caller erred; 130 stopped by the user.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import agent_server
from emulator_farm.cli import campaigns, certify, phones, records
from emulator_farm.errors import CallerError, FarmError, TaskFileError


def _print_version(asked: bool) -> None:
    if asked:
        print(f"emulator-farm {agent_server.__version__}")
        raise typer.Exit


app = typer.Typer(
    name="emulator-farm",
    help="Make phones, play tasks, keep what is good.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Make phones, play tasks, keep what is good."""


campaigns.register(app)
records.register(app)
phones.register(app)
certify.register(app)


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point. `argv` are the words after the program's name, by default this process's; ends in SystemExit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a text on a phone may not fit into the terminal's encoding
    try:
        app(args=argv, prog_name="emulator-farm")
    except CallerError as error:
        _complain(error, 2)
    except FarmError as error:
        _complain(error, 1)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(error: FarmError, code: int) -> None:
    """One line on standard error; a task file gets one for each of its problems."""
    lines = str(error).splitlines()
    for line in lines if isinstance(error, TaskFileError) else [" ".join(line.strip() for line in lines)]:
        print(f"error: {_printable(line)}", file=sys.stderr)
    sys.exit(code)


def _printable(text: str) -> str:
    """Text without what would steer a terminal; some of it was written by servers and phones."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
