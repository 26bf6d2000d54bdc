"""The flags that say how weights are changed while they serve."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from agent_server.cli.flags import with_flags
from agent_server.config import WeightsConfig


def _config(
    weights_policy: Annotated[
        Literal["pinned", "step"],
        typer.Option(help="pinned: a session keeps its weights until it ends; step: each request gets the newest."),
    ] = "pinned",
    session_idle: Annotated[float, typer.Option(help="Seconds after which an unheard session is over.")] = 600.0,
    session_deadline: Annotated[
        float, typer.Option(help="Seconds for which a session may keep its weights at most.")
    ] = 1800.0,
    keep_adapters: Annotated[int, typer.Option(help="LoRA revisions that stay loaded at least.", min=1)] = 2,
    load_timeout: Annotated[float, typer.Option(help="Seconds for a model server to load weights.")] = 600.0,
    remote_weights: Annotated[
        bool,
        typer.Option("--remote-weights", help="Folders of weights are the model servers' own: not looked at here."),
    ] = False,
) -> WeightsConfig:
    return WeightsConfig(
        policy=weights_policy,
        session_idle_s=session_idle,
        session_deadline_s=session_deadline,
        keep_adapters=keep_adapters,
        load_timeout_s=load_timeout,
        remote=remote_weights,
    )


with_weight_flags = with_flags(_config)
"""A command with these flags in place of its parameter of type WeightsConfig."""
