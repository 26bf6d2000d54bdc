"""docs/policy-server.md names everything that can be called, sent, received or set."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from agent_server.app import create_app
from agent_server.baselines import NullPolicy
from agent_server.cli import app as command_line
from agent_server.metrics import Metrics
from agent_server.schemas import ActRequest, ActResponse, HistoryTurn, ModelCard, ParseError, Sampling, Tokens, Usage

TEXT = (Path(__file__).parents[2] / "docs" / "policy-server.md").read_text()
NAMED = set(re.findall(r"`([^`\n]+)`", TEXT))


def routes() -> list[str]:
    described = create_app(NullPolicy()).openapi()["paths"]
    return [f"{method.upper()} {path}" for path, methods in described.items() for method in methods]


@pytest.mark.parametrize("route", routes())
def test_routes(route):
    assert route in NAMED


@pytest.mark.parametrize("model", [ActRequest, ActResponse, Sampling, Usage, Tokens, ParseError])
def test_fields(model):
    assert model.model_fields.keys() <= NAMED


def test_fields_of_history_and_cards():
    assert {f"history[].{name}" for name in HistoryTurn.model_fields} <= NAMED
    assert ModelCard.model_fields.keys() - {"object", "owned_by"} <= NAMED


def flags() -> list[tuple[str, str]]:
    group = typer.main.get_command(command_line)
    commands = dict(group.commands)
    for name, inner in group.commands.items():
        if hasattr(inner, "commands"):
            commands |= {f"{name} {verb}": command for verb, command in inner.commands.items()}
    return [
        (name, flag)
        for name, command in commands.items()
        for parameter in command.params
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag.startswith("--") and flag not in ("--help", "--no-return-tokens")
    ]


@pytest.mark.parametrize(("command", "flag"), flags())
def test_flags(command, flag):
    assert command in NAMED
    assert flag in NAMED


def test_no_flag_is_invented():
    real = {flag for _, flag in flags()} | {"--served-model-name"}
    assert {flag for name in NAMED for flag in re.findall(r"--[a-z-]+", name)} <= real


def test_metrics():
    samples = {metric.name for metric in Metrics().registry.collect()}
    for name in samples:
        bare = name.removeprefix("agent_server_")
        assert bare in NAMED or f"{bare}_total" in NAMED, name


@pytest.mark.parametrize("status", [401, 404, 405, 413, 415, 422, 500, 502, 503])
def test_statuses(status):
    assert f"\n| {status} |" in TEXT
