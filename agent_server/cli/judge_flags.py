"""The flags that say which model judges, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent_server.cli.flags import with_flags
from agent_server.config import JudgeConfig


def _config(
    judge_model: Annotated[str | None, typer.Option(help="Model that judges, in place of the policy's own.")] = None,
    judge_backend: Annotated[
        list[str] | None, typer.Option(help="Base URL of a server of it; may be repeated.")
    ] = None,
    judge_served_name: Annotated[str | None, typer.Option(help="Its name at those servers.")] = None,
    judge_backend_token_file: Annotated[Path | None, typer.Option(help="File with those servers' API key.")] = None,
    judge_frames: Annotated[int | None, typer.Option(help="Images that it is shown at most.", min=1)] = None,
    judge_frame_pixels: Annotated[
        int, typer.Option(help="Frames with more pixels are scaled down to so many.", min=1)
    ] = 1_048_576,
    judge_scale: Annotated[int, typer.Option(help="The best score; the worst is 0.", min=1)] = 10,
) -> JudgeConfig:
    return JudgeConfig(
        model=judge_model,
        backends=tuple(judge_backend or ()),
        served_name=judge_served_name,
        backend_token_file=judge_backend_token_file,
        frames=judge_frames,
        frame_pixels=judge_frame_pixels,
        scale=judge_scale,
    )


with_judge_flags = with_flags(_config)
"""A command with these flags in place of its parameter of type JudgeConfig."""
