"""`agent-server adapters` and `parse`: the families, one by one, without a model."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent_server.actions import action_to_json
from agent_server.adapters import ADAPTERS, adapter_named
from agent_server.catalogue import HEADS, rows
from agent_server.errors import InvalidRequest
from agent_server.geometry import GeometryError, Size


def parse(
    adapter: Annotated[str, typer.Option(help="Whose grammar to read.")],
    size: Annotated[str, typer.Option(help="Of the screenshot: WIDTHxHEIGHT in pixels.")],
    model: Annotated[str, typer.Option(help="Name of the model, where limits depend on it.")] = "",
) -> None:
    """Read a model's raw text on stdin; print the action or the parse error, thought and summary as one JSON object."""
    grammar = adapter_named(adapter)
    try:
        frame = grammar.frame(Size.parse(size), model)
    except GeometryError as error:
        raise InvalidRequest(str(error)) from error
    parsed = grammar.parse(sys.stdin.buffer.read().decode("utf-8", "replace"), frame.map)
    answer = {
        "action": json.loads(action_to_json(parsed.action)) if parsed.action else None,
        "parse_error": parsed.parse_error.model_dump() if parsed.parse_error else None,
        "thought": parsed.thought,
        "summary": parsed.summary,
        "extra_actions": parsed.extra_actions,
    }
    print(json.dumps(answer, ensure_ascii=False))


def adapters(as_json: Annotated[bool, typer.Option("--json", help="Everything declared, as JSON.")] = False) -> None:
    """List the models: what to pick one by, and how each is asked and read (docs/models.md is this table)."""
    if as_json:
        declared = [asdict(adapter.declaration) for adapter in ADAPTERS.values()]
        print(orjson.dumps(declared, option=orjson.OPT_INDENT_2).decode())
        return
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    for name, *cells in rows():
        facts = Table.grid(padding=(0, 2))
        for head, cell in zip(HEADS[1:], cells, strict=True):
            facts.add_row(Text(f"  {head}", style="dim"), Text(cell.replace("`", "")))
        console.print(Text(name, style="bold"), facts, Text(), sep="\n")
