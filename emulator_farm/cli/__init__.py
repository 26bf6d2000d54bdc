"""The command line `emulator-farm`. Flags are read here and nowhere else; failures become one line and an exit code.

Exit codes: 0 done; 1 a machine failed or episodes are missing; 2 the caller erred; 130 stopped by the user.
"""

from __future__ import annotations

import sys

import typer

from emulator_farm.cli import campaigns, phones, records
from emulator_farm.errors import CallerError, FarmError

app = typer.Typer(
    name="emulator-farm",
    help="Make phones, play tasks, keep what is good.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
campaigns.register(app)
records.register(app)
phones.register(app)


def main() -> None:
    """Entry point."""
    try:
        app()
    except CallerError as error:
        _complain(error, 2)
    except FarmError as error:
        _complain(error, 1)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(error: FarmError, code: int) -> None:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(code)
