"""From settings to commands: the one place that knows all parts of a launch."""

from __future__ import annotations

from collections.abc import Sequence

from agent_server.config import JudgeConfig, LaunchConfig, PolicyConfig
from agent_server.errors import InvalidRequest
from agent_server.launcher.checkpoint import read_checkpoint
from agent_server.launcher.command import Command, Served, plan
from agent_server.launcher.gpus import visible_gpus
from agent_server.launcher.passed import Passed
from agent_server.loader import load_adapter

_FLAGS = {
    "vllm_flags": "flags after --",
    "start_timeout_s": "--start-timeout",
    "hang_timeout_s": "--hang-timeout",
}
_LOGPROBS_MODES = {"raw_logprobs": "raw", "processed_logprobs": "processed"}


def starts_servers(chosen: PolicyConfig, config: LaunchConfig) -> bool:
    """Whether there is a model without a backend. Raises InvalidRequest for settings of a launch where there is not."""
    if chosen.model is not None and chosen.policy is None and not chosen.backends:
        return True
    default = LaunchConfig()
    given = [name for name in LaunchConfig.model_fields if getattr(config, name) != getattr(default, name)]
    if given:
        what = ", ".join(_FLAGS.get(name) or f"--{name.replace('_', '-')}" for name in given)
        raise InvalidRequest(f"{what}: no model server is started here; give --model without --backend for that")
    return False


def commands(
    chosen: PolicyConfig, config: LaunchConfig, executable: str, ports: Sequence[int], judge: JudgeConfig | None = None
) -> list[Command]:
    """What to start for a model on this machine's GPUs, one for each port; `judge` says whether it judges episodes too.

    Raises InvalidRequest.
    """
    assert chosen.model is not None, "starts_servers says when there is one"
    asked = {"min_pixels": chosen.min_pixels, "max_pixels": chosen.max_pixels}
    served = Served(
        model=chosen.model,
        name=_name(chosen, config),
        adapter=load_adapter(chosen),
        checkpoint=read_checkpoint(chosen.model),
        frames=(judge.frames or 0) if judge is not None and judge.model is None else 0,
        pixels_asked={name: value for name, value in asked.items() if value is not None},
    )
    return plan(served, config, executable, ports, visible_gpus())


def policy_settings(chosen: PolicyConfig, config: LaunchConfig, started: Sequence[Command]) -> PolicyConfig:
    """The same policy with the servers that were started as its backends; unchanged where none was."""
    if not started:
        return chosen
    written = Passed(config.vllm_flags).value("logprobs-mode")
    facts = {
        "backends": tuple(command.url for command in started),
        "served_name": _name(chosen, config),
        "logprobs_mode": config.logprobs_mode if written is None else _LOGPROBS_MODES.get(written),
    }
    return chosen.model_copy(update=facts)


def _name(chosen: PolicyConfig, config: LaunchConfig) -> str:
    """Under which the model is served: as given after `--`, else as asked for, else the model's own."""
    return Passed(config.vllm_flags).value("served-model-name") or chosen.served_name or chosen.model or ""
