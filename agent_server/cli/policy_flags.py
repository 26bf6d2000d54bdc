"""The flags that choose a policy, written once for every command that needs one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from agent_server.cli.flags import with_flags
from agent_server.config import PolicyConfig


def _config(
    policy: Annotated[str | None, typer.Option(help="A policy without a model: baseline, random or null.")] = None,
    model: Annotated[str | None, typer.Option(help="Name or path of the model; chooses the adapter.")] = None,
    backend: Annotated[
        list[str] | None, typer.Option(help="Base URL of an OpenAI-compatible server of it; may be repeated.")
    ] = None,
    served_name: Annotated[str | None, typer.Option(help="The model's name at the backends, where it differs.")] = None,
    adapter: Annotated[str | None, typer.Option(help="Adapter in place of the one that fits the name.")] = None,
    prompts: Annotated[Path | None, typer.Option(help="Folder of templates that replace shipped ones.")] = None,
    language: Annotated[str, typer.Option(help="In which the model is asked to think.")] = "English",
    history_limit: Annotated[int | None, typer.Option(help="How many earlier steps the model is told.")] = None,
    constrained: Annotated[
        bool, typer.Option("--constrained", help="Hold replies to the model's grammar (structured output).")
    ] = False,
    min_pixels: Annotated[int | None, typer.Option(help="Lower limit of the checkpoint's image processor.")] = None,
    max_pixels: Annotated[int | None, typer.Option(help="Upper limit of the checkpoint's image processor.")] = None,
    image_format: Annotated[
        Literal["jpeg", "png"], typer.Option(help="How a screenshot is sent that had to be resized.")
    ] = "jpeg",
    jpeg_quality: Annotated[int, typer.Option(help="1 to 100.")] = 95,
    backend_token_file: Annotated[Path | None, typer.Option(help="File with the backends' API key.")] = None,
    connect_timeout: Annotated[float, typer.Option(help="Seconds to connect to a backend.")] = 5.0,
    backend_timeout: Annotated[float, typer.Option(help="Seconds until a completion must be there.")] = 120.0,
    cool_down: Annotated[float, typer.Option(help="Seconds an unreachable backend is tried last.")] = 10.0,
) -> PolicyConfig:
    return PolicyConfig(
        policy=policy,
        model=model,
        backends=tuple(backend or ()),
        served_name=served_name,
        adapter=adapter,
        prompts=prompts,
        language=language,
        history=history_limit,
        constrained=constrained,
        min_pixels=min_pixels,
        max_pixels=max_pixels,
        image_format=image_format,
        jpeg_quality=jpeg_quality,
        backend_token_file=backend_token_file,
        connect_timeout_s=connect_timeout,
        backend_timeout_s=backend_timeout,
        cool_down_s=cool_down,
    )


with_policy_flags = with_flags(_config)
"""A command with these flags in place of its parameter of type PolicyConfig."""
