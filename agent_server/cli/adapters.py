"""`agent-server adapters`, `parse` and `prompts`: the families, one by one, without a model."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.table import Table

from agent_server.actions import action_to_json
from agent_server.adapters import ADAPTERS, Absolute, Adapter, Relative, Space, adapter_named, write_shipped
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
    """List the model families and what their adapters declare."""
    if as_json:
        declared = [asdict(adapter.declaration) for adapter in ADAPTERS.values()]
        print(orjson.dumps(declared, option=orjson.OPT_INDENT_2).decode())
        return
    table = Table("adapter", "coordinates", "images", "history", "scroll", "answer in", "sampling", title="Adapters")
    for adapter in ADAPTERS.values():
        table.add_row(*_row(adapter))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def prompts(out: Annotated[Path, typer.Option(help="Folder to write them to.")]) -> None:
    """Write the shipped prompt templates into a folder, as a starting point for `serve --prompts`."""
    try:
        written = write_shipped(out)
    except OSError as error:
        raise InvalidRequest(f"cannot write templates to {out}: {error.strerror or error}") from error
    for path in written:
        print(path)


def _row(adapter: Adapter) -> tuple[str, ...]:
    declared = adapter.declaration
    spaces = [_space(declared.space), *(f"{pattern}: {_space(space)}" for pattern, space in declared.space_by_model)]
    sampling = " ".join(f"{name}={value:g}" for name, value in declared.sampling.items())
    told = declared.history if declared.history_limit is None else f"{declared.history}, last {declared.history_limit}"
    scroll, answer = declared.scroll or "-", declared.answer_in or "-"
    return declared.name, "\n".join(spaces), str(declared.images), told, scroll, answer, sampling


def _space(space: Space) -> str:
    match space:
        case Absolute(factor, low, high):
            return f"pixels, /{factor}, {low}..{high}"
        case Relative(divisor, longest_side):
            return f"0..{divisor:g}" + (f", longest side {longest_side}" if longest_side else "")
