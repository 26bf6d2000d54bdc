"""`agent-server weights`: ask a running server which weights it serves, and have it serve others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from agent_server.cli.files import read_token
from agent_server.client import PolicyClient
from agent_server.errors import InvalidRequest
from agent_server.schemas.weights import LoadWeights, WeightsState

_READ_S = 30.0

weights = typer.Typer(help="The weights of a running server.", rich_markup_mode=None)

_Url = Annotated[str, typer.Option(help="The policy server.")]
_TokenFile = Annotated[Path | None, typer.Option(help="File with an administrator's token.")]
_Json = Annotated[bool, typer.Option("--json", help="The whole answer, as JSON.")]


@weights.command("load")
def load(
    revision: Annotated[str, typer.Option(help="Name that replies will carry; never used before.")],
    path: Annotated[Path, typer.Option(help="Folder of the weights, as the model servers see it.")],
    kind: Annotated[
        Literal["lora", "checkpoint"],
        typer.Option(help="An adapter beside what is served, or full weights instead."),
    ] = "lora",
    drain: Annotated[float | None, typer.Option(help="Seconds to wait for sessions that keep to old weights.")] = None,
    vision: Annotated[bool, typer.Option("--vision", help="Model servers apply adapters to the vision tower.")] = False,
    url: _Url = "http://127.0.0.1:8100",
    token_file: _TokenFile = None,
    timeout: Annotated[float, typer.Option(help="Seconds until the weights must be served.")] = 3600.0,
    as_json: _Json = False,
) -> None:
    """Have other weights served; returns when new requests get them."""
    order = LoadWeights(kind=kind, revision=revision, path=str(path.absolute()), drain_s=drain, vision=vision)
    with _client(url, token_file, timeout) as client:
        loaded = client.load_weights(order)
    if as_json:
        print(loaded.model_dump_json(indent=2))
        return
    before = loaded.previous or "the first weights"
    print(f"{loaded.revision} is served after {loaded.seconds:.1f} s, in place of {before}")
    if loaded.moved_sessions:
        print(f"{loaded.moved_sessions} sessions were moved to it")
    if loaded.unloaded:
        print(f"unloaded: {', '.join(loaded.unloaded)}")


@weights.command("list")
def show(url: _Url = "http://127.0.0.1:8100", token_file: _TokenFile = None, as_json: _Json = False) -> None:
    """Which weights are served, and how many sessions keep to each."""
    with _client(url, token_file, _READ_S) as client:
        state = client.weights()
    if as_json:
        print(state.model_dump_json(indent=2))
        return
    Console(width=160).print(_table(state))
    if state.loading is not None:
        going_on = state.loading
        print(f"loading {going_on.revision} for {going_on.seconds:.0f} s; {going_on.waiting_for} sessions to wait for")


def _table(state: WeightsState) -> Table:
    table = Table("revision", "kind", "current", "sessions", "in flight", "servers", "path", title="Weights")
    for one in state.revisions:
        current = "yes" if one.current else ""
        counts = (one.sessions, one.in_flight, len(one.backends))
        table.add_row(one.revision or "(not told)", one.kind, current, *map(str, counts), one.path or "")
    return table


def _client(url: str, token_file: Path | None, timeout_s: float) -> PolicyClient:
    try:
        return PolicyClient(url, read_token(token_file), timeout_s)
    except ValueError as error:
        raise InvalidRequest(str(error)) from error
