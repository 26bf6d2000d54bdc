"""Policies that need no model: the rule-based baseline and the two controls."""

from __future__ import annotations

from agent_server.baselines.chance import RandomPolicy
from agent_server.baselines.explorer import ExplorerPolicy
from agent_server.baselines.null import NullPolicy

__all__ = ["BASELINES", "ExplorerPolicy", "NullPolicy", "RandomPolicy"]

BASELINES: dict[str, type[ExplorerPolicy | RandomPolicy | NullPolicy]] = {
    "baseline": ExplorerPolicy,
    "random": RandomPolicy,
    "null": NullPolicy,
}
"""Every policy without a model by the name that the command line takes."""
