"""`agent-server verify`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from agent_server.cli.policy_flags import with_policy_flags
from agent_server.config import PolicyConfig
from agent_server.errors import BackendError
from agent_server.model_policy import ModelPolicy
from agent_server.verify.examination import examine
from agent_server.verify.loading import examinees
from agent_server.verify.report import Probe, Report


@with_policy_flags
def verify(
    chosen: PolicyConfig,
    as_json: Annotated[bool, typer.Option("--json", help="The reports, one JSON object a line.")] = False,
) -> None:
    """Check that each model server sees the images that coordinates are counted on; exit code 1 where one does not."""
    if not asyncio.run(_verified(examinees(chosen), as_json)):
        raise typer.Exit(1)


async def _verified(policies: Mapping[str, ModelPolicy], as_json: bool) -> bool:
    """Examine one after the other, show each report as it comes, and say whether all are well."""
    well = True
    for url, policy in policies.items():
        try:
            report = await examine(policy)
        except BackendError as error:
            well = False
            print(f"agent-server: not examined: {error}", file=sys.stderr)
            if as_json:
                print(json.dumps({"url": url, "error": str(error)}), flush=True)
        else:
            well = well and report.ok
            print(report.model_dump_json(), flush=True) if as_json else _show(report)
        finally:
            await policy.aclose()
    return well


def _show(report: Report) -> None:
    console = Console(width=None if sys.stdout.isatty() else 160)
    table = Table("screen", "size", "sent", "tokens expected", "counted", "seen by the model", "", title=report.url)
    for probe in report.probes:
        table.add_row(*_row(probe))
    console.print(table)
    facts = {
        "adapter": report.adapter,
        "max_model_len": _or_unknown(report.max_model_len),
        "longest first step": _or_unknown(report.needed_len),
        "images": f"{report.images}, {_accepted(report.images_accepted)}",
        "log-probabilities": (report.logprobs_mode or "mode unknown") if report.logprobs else "no",
        "token ids": "yes" if report.token_ids else "no",
        "structured output": "yes" if report.structured_outputs else "no",
    }
    for name, value in facts.items():
        console.print(f"{name}: {value}", markup=False, highlight=False)
    for finding in report.findings:
        console.print(f"{finding.severity.upper()}: {finding}", markup=False, highlight=False, soft_wrap=True)
    console.print("verified" if report.ok else "NOT VERIFIED", markup=False)


def _row(probe: Probe) -> tuple[str, ...]:
    counted = _or_unknown(probe.counted) if probe.agrees else f"{_or_unknown(probe.counted)} !"
    seen = str(probe.seen) if probe.seen else ""
    expected = _or_unknown(probe.expected)
    return probe.name, str(probe.screen), str(probe.sent), expected, counted, seen, probe.remark


def _accepted(accepted: bool | None) -> str:
    return "not tried" if accepted is None else "accepted" if accepted else "REFUSED"


def _or_unknown(value: int | None) -> str:
    return "unknown" if value is None else str(value)
