"""From settings to the guard of a server."""

from __future__ import annotations

import logging

from agent_server.config import GroundConfig, PolicyConfig
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Policy
from agent_server.verify.guard import Guard, Launched
from agent_server.verify.loading import examinees
from agent_server.verify.report import Report

_LOG = logging.getLogger("uvicorn.error")


def load_guard(config: PolicyConfig, ground: GroundConfig, launched: Launched | None) -> Guard | None:
    """The guard of every model server that the settings name; None where they name none. Raises InvalidRequest."""
    if not config.backends and not ground.backends:
        return None
    return Guard(examinees(config, ground, launched), launched)


def tell(policy: Policy, guard: Guard | None) -> None:
    """Let the policy know what the guard finds; without one, say how things are."""
    if not isinstance(policy, ModelPolicy):
        return
    if guard is None:
        policy.examined(False)
        _LOG.warning("NOT VERIFIED (--no-verify): clicks are shifted if a model server resizes images differently")
        return

    def hear(report: Report) -> None:
        if report.ok and report.url in policy.backend.urls:
            policy.examined(True, report.logprobs_mode)

    guard.heard = hear
