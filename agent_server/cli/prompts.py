"""`agent-server prompts`: templates as a starting point, and vendors' own ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent_server.adapters import write_shipped
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.vendor_prompts.fetch import fetch
from agent_server.vendor_prompts.recipes import RECIPES

prompts = typer.Typer(
    help="Write prompt templates into a folder for `serve --prompts`.", no_args_is_help=True, rich_markup_mode=None
)


@prompts.command("write")
def write_templates(out: Annotated[Path, typer.Option(help="Folder to write them to.")]) -> None:
    """Write the shipped templates, as a starting point."""
    try:
        written = write_shipped(out)
    except OSError as error:
        raise InvalidRequest(f"cannot write templates to {out}: {error.strerror or error}") from error
    for path in written:
        print(path)


@prompts.command("fetch")
def fetch_templates(
    name: Annotated[str, typer.Argument(help=f"Whose: {', '.join(RECIPES)}.", show_default=False)],
    out: Annotated[Path, typer.Option(help="New or empty folder to write them to.")],
    source: Annotated[
        str | None,
        typer.Option(help="URL in the place of https://github.com, or of the package index for ui-tars."),
    ] = None,
) -> None:
    """Fetch a vendor's own prompts from where it publishes them, at a pinned state, and write them as templates."""
    if name not in RECIPES:
        raise UnknownName("prompts", name, RECIPES)
    recipe = RECIPES[name]
    for path in fetch(recipe, out, source):
        print(path)
    typer.echo(f"{recipe.source.title}; the texts are under the vendor's licence ({recipe.licence})", err=True)
    for difference in recipe.differences:
        typer.echo(f"not as the vendor sends it: {difference}", err=True)
