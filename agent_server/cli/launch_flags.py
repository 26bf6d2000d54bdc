"""The flags that say how model servers are started here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from agent_server.cli.flags import with_flags
from agent_server.config import LaunchConfig


def _config(
    vllm: Annotated[Path | None, typer.Option(help="The vllm executable, where it is installed elsewhere.")] = None,
    replicas: Annotated[int, typer.Option(help="Model servers to start; they share the visible GPUs.", min=1)] = 1,
    tensor_parallel_size: Annotated[
        int | None, typer.Option(help="GPUs that each model server spreads the model over.", min=1)
    ] = None,
    logprobs_mode: Annotated[
        Literal["raw", "processed"], typer.Option(help="Log-probabilities before or after temperature and the like.")
    ] = "raw",
    weight_updates: Annotated[
        bool, typer.Option("--weight-updates", help="Let weights be changed while they serve.")
    ] = False,
    start_timeout: Annotated[float, typer.Option(help="Seconds until a model server must be up.")] = 1800.0,
    hang_timeout: Annotated[float, typer.Option(help="Seconds without a sign of health until one is killed.")] = 60.0,
    vllm_flags: Annotated[
        list[str] | None, typer.Argument(metavar="[-- VLLM_FLAGS]...", help="Flags for vllm serve.", show_default=False)
    ] = None,
) -> LaunchConfig:
    return LaunchConfig(
        vllm=vllm,
        replicas=replicas,
        tensor_parallel_size=tensor_parallel_size,
        logprobs_mode=logprobs_mode,
        weight_updates=weight_updates,
        start_timeout_s=start_timeout,
        hang_timeout_s=hang_timeout,
        vllm_flags=tuple(vllm_flags or ()),
    )


with_launch_flags = with_flags(_config)
"""A command with these flags in place of its parameter of type LaunchConfig."""
