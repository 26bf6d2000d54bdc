"""The command `agent-server`. Flags are read in this folder and nowhere else.

Exit codes: 0 done, 2 the command or its input makes no sense, 1 it failed for another reason. A failure is one line on
stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Never

import typer
from pydantic import ValidationError

from agent_server import __version__
from agent_server.cli.act import act
from agent_server.cli.adapters import adapters, parse
from agent_server.cli.ground import ground
from agent_server.cli.judge import judge
from agent_server.cli.prompts import prompts
from agent_server.cli.serve import serve
from agent_server.cli.verify import verify
from agent_server.cli.weights import weights
from agent_server.errors import AgentServerError, InvalidRequest, PolicyRejected
from agent_server.wrong_field import explained


def _print_version(asked: bool) -> None:
    if asked:
        print(f"agent-server {__version__}")
        raise typer.Exit


app = typer.Typer(
    help="Given a goal, a history and a screenshot of a phone, choose one action.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Given a goal, a history and a screenshot of a phone, choose one action."""


for _command in (serve, verify, act, ground, judge, parse, adapters):
    app.command()(_command)
app.add_typer(prompts, name="prompts")
app.add_typer(weights, name="weights")

# typer brings its own copy of click in newer versions; this is the base of every complaint about flags in both.
_UsageError: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")


def main(arguments: Sequence[str] | None = None) -> Never:
    """Run one command and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(args=given or ["--help"], prog_name="agent-server", standalone_mode=False)
    except _UsageError as error:
        _fail(getattr(error, "format_message", error.__str__)(), 2)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        _fail(f"{'.'.join(map(str, first['loc']))}: {explained(first)}", 2)
    except (InvalidRequest, PolicyRejected) as error:
        _fail(str(error), 2)
    except AgentServerError as error:
        _fail(str(error), 1)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted", 130)
    sys.exit(code or 0)


def _fail(message: str, code: int) -> Never:
    print(f"agent-server: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
