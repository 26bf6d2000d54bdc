"""Commands on a record: `filter`, `export`, `report`, `show`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from emulator_farm.errors import CallerError

if TYPE_CHECKING:
    from emulator_farm.filters import RuleSettings
    from emulator_farm.store import Store

Record = Annotated[str, typer.Argument(help="Folder or fsspec URI of a harvest's record.")]
Controls = Annotated[
    list[str] | None, typer.Option("--control", help="Record of a null or random run to compare with; repeatable.")
]


class Format(StrEnum):
    parquet = "parquet"
    llamafactory = "llamafactory"


def register(app: typer.Typer) -> None:
    app.command(name="filter")(filter_record)
    app.command()(export)
    app.command()(report)
    app.command()(show)
