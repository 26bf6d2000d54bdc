"""The flags that choose a model of its own for grounding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent_server.cli.flags import with_flags
from agent_server.config import GroundConfig


def _config(
    ground_model: Annotated[
        str | None, typer.Option(help="Model that says where elements are, in place of the policy's own.")
    ] = None,
    ground_backend: Annotated[
        list[str] | None, typer.Option(help="Base URL of a server of it; may be repeated.")
    ] = None,
    ground_served_name: Annotated[str | None, typer.Option(help="Its name at those servers.")] = None,
    ground_adapter: Annotated[str | None, typer.Option(help="Adapter in place of the one that fits its name.")] = None,
    ground_backend_token_file: Annotated[Path | None, typer.Option(help="File with those servers' API key.")] = None,
) -> GroundConfig:
    return GroundConfig(
        model=ground_model,
        backends=tuple(ground_backend or ()),
        served_name=ground_served_name,
        adapter=ground_adapter,
        backend_token_file=ground_backend_token_file,
    )


with_ground_flags = with_flags(_config)
"""A command with these flags in place of its parameter of type GroundConfig."""
