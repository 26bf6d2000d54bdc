"""`agent-server serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from agent_server.cli.policy_flags import with_policy_flags
from agent_server.config import MIB, PolicyConfig, ServerConfig
from agent_server.loader import load_policy


@with_policy_flags
def serve(
    chosen: PolicyConfig,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any free one.", min=0, max=65535)] = 8100,
    token_file: Annotated[Path | None, typer.Option(help="Bearer tokens, one a line; without it all may ask.")] = None,
    max_body_mib: Annotated[float, typer.Option(help="Limit of a request's body, in MiB.")] = 32,
    max_image_mib: Annotated[float, typer.Option(help="Limit of one image, in MiB.")] = 16,
    max_image_pixels: Annotated[int, typer.Option(help="Limit of one image's width times height.")] = 40_000_000,
    max_in_flight: Annotated[int, typer.Option(help="Requests answered at once; more are refused with 429.")] = 512,
    screenshot_cache_mib: Annotated[
        float, typer.Option(help="Screenshots kept for requests that name them by their digest, in MiB; 0 keeps none.")
    ] = 512,
    log_level: Annotated[Literal["debug", "info", "warning", "error"], typer.Option(help="How much to log.")] = "info",
) -> None:
    """Answer POST /act until stopped. Prints "listening on URL" once it does."""
    # FastAPI and uvicorn take half a second to import, which the other commands need not wait for.
    from agent_server.app import create_app
    from agent_server.serving import serve as serve_app

    config = ServerConfig(
        token_file=token_file,
        max_body_bytes=int(max_body_mib * MIB),
        max_image_bytes=int(max_image_mib * MIB),
        max_image_pixels=max_image_pixels,
        screenshot_cache_bytes=int(screenshot_cache_mib * MIB),
        max_in_flight=max_in_flight,
    )
    app = create_app(load_policy(chosen), config)
    serve_app(app, host, port, lambda url: print(f"listening on {url}", flush=True), log_level)
