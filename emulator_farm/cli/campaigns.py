"""Commands that play: `harvest` and `work`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from emulator_farm.errors import CallerError

if TYPE_CHECKING:
    from pydantic import ValidationError

    from emulator_farm.campaign import Campaign
    from emulator_farm.progress import Outcome
    from emulator_farm.rule_settings import RuleSettings

DEVICES_HELP = "virtual:N, or adb:SERIAL,SERIAL,…"


def register(app: typer.Typer) -> None:
    app.command()(harvest)
    app.command()(work)


def harvest(
    tasks: Annotated[str, typer.Argument(help="Built-in suite (phone), a YAML or a JSONL file.")],
    out: Annotated[str, typer.Option(help="Folder or fsspec URI of the record.")],
    policy: Annotated[str, typer.Option(help="URL of the policy server.")],
    devices: Annotated[str, typer.Option(help=DEVICES_HELP)] = "virtual:4",
    samples: Annotated[int, typer.Option("--samples", "-k", help="Episodes per task.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the task instances.")] = 0,
    redis: Annotated[str | None, typer.Option(help="Redis or Valkey URL; an embedded Valkey without it.")] = None,
    policy_token_file: Annotated[str | None, typer.Option(help="File with the policy server's bearer token.")] = None,
    policy_timeout: Annotated[float, typer.Option(help="Seconds to wait for one decision.")] = 120.0,
    model: Annotated[str | None, typer.Option(help="Which of the server's models; its first without it.")] = None,
    temperature: Annotated[float | None, typer.Option(help="The adapter's default without it.")] = None,
    top_p: Annotated[float | None, typer.Option(help="The adapter's default without it.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="The adapter's default without it.")] = None,
    top_k: Annotated[int | None, typer.Option(help="The adapter's default without it.")] = None,
    repetition_penalty: Annotated[float | None, typer.Option(help="The adapter's default without it.")] = None,
    constrained: Annotated[
        bool | None,
        typer.Option(
            "--constrained/--unconstrained", help="Hold replies to the model's grammar; else as the server does."
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Record token ids and log-probabilities of every step.")
    ] = False,
    max_steps: Annotated[int | None, typer.Option(help="Replaces every task's own step limit.")] = None,
    episode_timeout: Annotated[float, typer.Option(help="Seconds after which an episode is truncated.")] = 1800.0,
    ui_tree: Annotated[bool, typer.Option(help="Capture the UI tree with every frame.")] = True,
    frames: Annotated[
        Literal["png", "jpeg95"], typer.Option(help="Record frames as they are, or as JPEG of quality 95.")
    ] = "png",
    reset: Annotated[
        Literal["auto", "home", "apps", "snapshot", "recycle"],
        typer.Option(help="What is done to a phone before each episode; docs/devices.md says what each does."),
    ] = "auto",
    base: Annotated[
        str | None, typer.Option("--base-snapshot", help="What --reset snapshot loads; one of its own without it.")
    ] = None,
    snapshot_loads: Annotated[int, typer.Option(help="Snapshot loads after which a phone is restarted.")] = 50,
    allow_reboot: Annotated[
        bool, typer.Option("--allow-reboot", help="Restart phones that are not virtual where nothing else helps.")
    ] = False,
    patience: Annotated[
        float, typer.Option(help="Seconds to wait for a dead policy server, Redis or last phone.")
    ] = 60.0,
    log_dir: Annotated[str | None, typer.Option(help="Where workers log; OUT/logs without it.")] = None,
    rules: Annotated[Path | None, typer.Option(help="YAML file with the settings of the rule filters.")] = None,
) -> None:
    """Play every task K times and keep the record; run again, it fills in what is missing.

    Afterwards the rule filters run and OUT/report.html is written. Exit codes: 0 every episode is there, 1 a machine
    failed or episodes are missing, 2 the command was wrong, 130 stopped.
    """
    from pydantic import ValidationError

    from emulator_farm.campaign import Campaign
    from emulator_farm.cli.records import load_rules
    from emulator_farm.config import HarvestConfig

    settings = load_rules(rules)
    try:
        config = HarvestConfig.model_validate(
            {
                "tasks": tasks,
                "out": out,
                "policy": policy,
                "devices": devices,
                "samples": samples,
                "seed": seed,
                "redis": redis,
                "policy_token_file": policy_token_file,
                "policy_timeout_s": policy_timeout,
                "model": model,
                "sampling": {
                    "temperature": temperature,
                    "top_p": top_p,
                    "max_tokens": max_tokens,
                    "top_k": top_k,
                    "repetition_penalty": repetition_penalty,
                    "constrained": constrained,
                },
                "tokens": tokens,
                "limits": {"max_steps": max_steps, "episode_s": episode_timeout, "ui_tree": ui_tree, "frames": frames},
                "patience_s": patience,
                "log_dir": log_dir,
                "reset": {"level": reset, "base": base, "loads": snapshot_loads, "reboot": allow_reboot},
            }
        )
    except ValidationError as error:
        raise CallerError(_flags(error)) from None
    _play(Campaign(config), settings)


def _play(campaign: Campaign, settings: RuleSettings) -> None:
    from emulator_farm.cli.records import filter_and_report
    from emulator_farm.progress import ProgressDisplay, reached, summary

    console = Console(stderr=True)
    missing = campaign.missing()
    total = len(campaign.planned)
    _say(console, f"run {campaign.manifest.run}: {total} episodes, {total - missing} there, {missing} to play")
    if campaign.copies:
        samples = campaign.config.samples
        _say(console, f"warning: {samples} samples a task at temperature 0 are the same; give --temperature", "yellow")
    if missing:
        _say(console, f"starting phones and workers ({campaign.config.devices})")
    with ProgressDisplay(console) as display:
        outcome = campaign.run(display)
    _say(console, summary(outcome.progress))
    if ways := reached(outcome.progress):
        _say(console, ways)
    try:
        if not outcome.stopped and campaign.store.episode_ids():
            filter_and_report(campaign.store, settings, renew=missing > 0)
    finally:  # what is wrong is said last, and said even where the report fails too
        _say_how_it_ended(console, outcome)
    if not outcome.complete:
        raise typer.Exit(130 if outcome.stopped else 1)


def _say_how_it_ended(console: Console, outcome: Outcome) -> None:
    if outcome.fault:
        _say(console, f"error: {outcome.fault}", "red")
    holes = outcome.progress.holes
    for episode_id, reason in holes.items():
        _say(console, f"hole: {episode_id}" + (f" ({reason})" if reason != outcome.fault else ""), "red")
    if outcome.stopped:
        _say(console, "stopped; the same command goes on from here")
    elif holes:
        missing = "1 episode is missing" if len(holes) == 1 else f"{len(holes)} episodes are missing"
        _say(console, f"{missing}; the same command plays what is missing")


def _say(console: Console, line: str, style: str | None = None) -> None:
    console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)


def work(
    redis: Annotated[str, typer.Option(help="URL of the Redis that the harvest uses.")],
    out: Annotated[str, typer.Option(help="The harvest's --out, reachable from here.")],
    devices: Annotated[str, typer.Option(help=DEVICES_HELP)] = "virtual:4",
    policy_token_file: Annotated[str | None, typer.Option(help="File with the policy server's bearer token.")] = None,
    log_dir: Annotated[str | None, typer.Option(help="Where workers log; OUT/logs without it.")] = None,
    until_idle: Annotated[bool, typer.Option("--until-idle", help="End when no run is left.")] = False,
    patience: Annotated[float, typer.Option(min=0, help="Seconds to wait for a dead Redis.")] = 60.0,
) -> None:
    """Join running harvests with this host's phones, until Ctrl-C or SIGTERM."""
    from emulator_farm.joining import join

    console = Console(stderr=True)
    join(
        redis_url=redis,
        out=out,
        devices=devices,
        policy_token_file=policy_token_file,
        log_dir=log_dir,
        until_idle=until_idle,
        patience_s=patience,
        announce=lambda line: _say(console, line),
    )


def _flags(error: ValidationError) -> str:
    """Name the flags of a failed validation."""
    names = {
        "limits.episode_s": "episode-timeout",
        "reset.base": "base-snapshot",
        "reset.loads": "snapshot-loads",
    }
    texts = []
    for problem in error.errors():
        field = ".".join(str(part) for part in problem["loc"])
        flag = names.get(field, field.rpartition(".")[2].removesuffix("_s").replace("_", "-"))
        texts.append(f"--{flag} {problem['input']!r}: {problem['msg'].lower()}")
    return "; ".join(texts)
