"""`agent-server serve`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from agent_server.cli.ground_flags import with_ground_flags
from agent_server.cli.judge_flags import with_judge_flags
from agent_server.cli.launch_flags import with_launch_flags
from agent_server.cli.policy_flags import with_policy_flags
from agent_server.cli.weight_flags import with_weight_flags
from agent_server.config import MIB, GroundConfig, JudgeConfig, LaunchConfig, PolicyConfig, ServerConfig, WeightsConfig
from agent_server.errors import InvalidRequest
from agent_server.launcher.command import Command
from agent_server.launcher.executable import find_vllm
from agent_server.launcher.gpus import visible_gpus
from agent_server.launcher.loading import commands, policy_settings, starts_servers
from agent_server.launcher.ports import reserved_ports
from agent_server.loader import load_grounding, load_judge, load_policy, load_weights


@dataclass(frozen=True)
class _Settings:
    policy: PolicyConfig
    launch: LaunchConfig
    ground: GroundConfig
    judge: JudgeConfig
    weights: WeightsConfig
    server: ServerConfig


class _Address(NamedTuple):
    host: str
    port: int


@with_policy_flags
@with_launch_flags
@with_ground_flags
@with_judge_flags
@with_weight_flags
def serve(
    chosen: PolicyConfig,
    launch: LaunchConfig,
    ground: GroundConfig,
    judge: JudgeConfig,
    weights: WeightsConfig,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any free one.", min=0, max=65535)] = 8100,
    token_file: Annotated[Path | None, typer.Option(help="Bearer tokens, one a line; without it all may ask.")] = None,
    admin_token_file: Annotated[
        Path | None, typer.Option(help="Bearer tokens of those who may change weights; without it nobody may.")
    ] = None,
    max_body_mib: Annotated[float, typer.Option(help="Limit of a request's body, in MiB.")] = 32,
    max_image_mib: Annotated[float, typer.Option(help="Limit of one image, in MiB.")] = 16,
    max_image_pixels: Annotated[int, typer.Option(help="Limit of one image's width times height.")] = 40_000_000,
    max_in_flight: Annotated[int, typer.Option(help="Requests answered at once; more are refused with 429.")] = 512,
    screenshot_cache_mib: Annotated[
        float, typer.Option(help="Screenshots kept for requests that name them by their digest, in MiB; 0 keeps none.")
    ] = 512,
    log_level: Annotated[Literal["debug", "info", "warning", "error"], typer.Option(help="How much to log.")] = "info",
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Use model servers unexamined, at the risk of shifted clicks.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print how vLLM would be started, and do not.")] = False,
) -> None:
    """Answer POST /act until stopped. Prints "listening on URL" once it does.

    With --model and without --backend it starts vLLM itself; flags after -- are passed on to it.
    """
    config = ServerConfig(
        token_file=token_file,
        admin_token_file=admin_token_file,
        max_body_bytes=int(max_body_mib * MIB),
        max_image_bytes=int(max_image_mib * MIB),
        max_image_pixels=max_image_pixels,
        screenshot_cache_bytes=int(screenshot_cache_mib * MIB),
        max_in_flight=max_in_flight,
        verify=not no_verify,
    )
    launched = starts_servers(chosen, launch)
    if launched and admin_token_file is not None:
        launch = launch.model_copy(update={"weight_updates": True})
    if dry_run and not launched:
        raise InvalidRequest("--dry-run shows how a model server would be started; give --model without --backend")
    with reserved_ports(launch.replicas if launched else 0) as ports:
        planned = commands(chosen, launch, _executable(launch, dry_run), ports, judge) if launched else []
        if dry_run:
            print(*planned, sep="\n")
            _tell_what_lacks(launch)
        else:
            chosen = policy_settings(chosen, launch, planned)
            _run(_Settings(chosen, launch, ground, judge, weights, config), planned, _Address(host, port), log_level)


def _executable(launch: LaunchConfig, dry_run: bool) -> str:
    try:
        return str(find_vllm(launch.vllm))
    except InvalidRequest:
        if dry_run:
            return str(launch.vllm or "vllm")
        raise


def _tell_what_lacks(launch: LaunchConfig) -> None:
    """On stderr, why what was printed would be another command elsewhere, or would not run here."""
    if not visible_gpus():
        print("agent-server: no GPU is seen here, so these are the flags for a CPU", file=sys.stderr)
    try:
        find_vllm(launch.vllm)
    except InvalidRequest as error:
        print(f"agent-server: {error}", file=sys.stderr)


def _run(settings: _Settings, planned: list[Command], address: _Address, log_level: str) -> None:
    # FastAPI and uvicorn take half a second to import, which the other commands need not wait for.
    from agent_server.app import create_app
    from agent_server.launcher.console import Console
    from agent_server.launcher.replica import Patience
    from agent_server.launcher.replicas import Replicas
    from agent_server.serving import serve as serve_app
    from agent_server.verify.guarding import load_guard, tell

    chosen, launch, server = settings.policy, settings.launch, settings.server
    patience = Patience(launch.start_timeout_s, launch.hang_timeout_s)
    replicas = Replicas(planned, patience, Console(sys.stderr)) if planned else None
    guard = load_guard(chosen, settings.ground, replicas) if server.verify else None
    policy = load_policy(chosen, guard or replicas)
    grounding = load_grounding(chosen, settings.ground, policy, guard)
    judging = load_judge(chosen, settings.judge, policy)
    tell(policy, guard)
    changes = load_weights(settings.weights, policy) if server.admin_token_file else None
    app = create_app(policy, server, grounding=grounding, judge=judging, weights=changes)
    serve_app(app, *address, lambda url: print(f"listening on {url}", flush=True), log_level, guard or replicas)
