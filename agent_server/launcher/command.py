"""What to run: `vllm serve` with the flags that a family, a checkpoint and this machine call for."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from agent_server.adapters import Absolute, Adapter
from agent_server.config import LaunchConfig
from agent_server.errors import InvalidRequest
from agent_server.launcher.checkpoint import Checkpoint
from agent_server.launcher.context import context_length
from agent_server.launcher.gpus import parallel_size, split
from agent_server.launcher.passed import Passed

_HOST = "127.0.0.1"
_ANYWHERE = ("0.0.0.0", "::")
_SEVERAL_LORAS = "8"
_PARALLEL = {"tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size"}


@dataclass(frozen=True)
class Command:
    """One model server to start."""

    argv: tuple[str, ...]
    host: str
    port: int
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Variables that it gets beside our own."""

    @property
    def url(self) -> str:
        """The base URL of its OpenAI interface, as `ChatBackend` spells it."""
        return f"http://{self.host}:{self.port}/v1"

    def __str__(self) -> str:
        """As one line for a shell."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        return " ".join([*variables, shlex.join(self.argv)])


@dataclass(frozen=True)
class Served:
    """What is to be served."""

    model: str
    """Name or folder of the checkpoint."""
    name: str
    """Under which it is served."""
    adapter: Adapter
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    frames: int = 0
    """How many images it is shown as a judge of episodes, which may be more than its family takes for a decision."""
    pixels_asked: Mapping[str, int] = field(default_factory=dict)
    """`min_pixels`, `max_pixels` as the user gave them: also a model with relative coordinates is told these."""


def plan(
    served: Served, config: LaunchConfig, executable: str, ports: Sequence[int], gpus: Sequence[str]
) -> list[Command]:
    """One command for each replica. Raises InvalidRequest for what this machine or vLLM cannot do."""
    passed = Passed(config.vllm_flags)
    if config.replicas > 1 and "port" in passed:
        raise InvalidRequest("--port after -- cannot hold for several replicas; leave it out, free ports are taken")
    flags = _family_flags(served) | _weight_update_flags(config)
    flags["logprobs-mode"] = f"{config.logprobs_mode}_logprobs"
    if not gpus:
        flags |= _cpu_flags(flags, passed)
    commands = []
    for port, share in zip(ports, split(gpus, config.replicas), strict=True):
        own = flags | _parallel_flags(served, config, passed, len(share)) | {"host": _HOST, "port": str(port)}
        argv = [executable, "serve", served.model, *_written(own, passed), *passed.tokens]
        host = passed.value("host") or _HOST
        commands.append(
            Command(
                tuple(argv),
                _HOST if host in _ANYWHERE else host,
                passed.number("port") or port,
                MappingProxyType(_environment(config, share)),
            )
        )
    return commands


def _family_flags(served: Served) -> dict[str, str | None]:
    images = max(served.adapter.declaration.images, served.frames)
    flags: dict[str, str | None] = {
        "served-model-name": served.name,
        "dtype": "bfloat16",
        "max-model-len": str(context_length(served.adapter, served.model, images, served.checkpoint.positions)),
        "limit-mm-per-prompt": json.dumps({"image": images, "video": 0}),
        # What neither request nor adapter says is neutral then, and not what the checkpoint's authors had in mind: a
        # record of the sampling would otherwise not say how was sampled.
        "generation-config": "vllm",
        "enable-prefix-caching": None,
        "enable-prompt-tokens-details": None,
        "disable-uvicorn-access-log": None,
    }
    if limits := _pixel_limits(served):
        flags["mm-processor-kwargs"] = json.dumps(limits)
    return flags


def _pixel_limits(served: Served) -> Mapping[str, int]:
    space = served.adapter.space(served.model)
    if isinstance(space, Absolute):
        return {"min_pixels": space.min_pixels, "max_pixels": space.max_pixels}
    return served.pixels_asked


def _weight_update_flags(config: LaunchConfig) -> dict[str, str | None]:
    return {"enable-lora": None, "max-loras": _SEVERAL_LORAS} if config.weight_updates else {}


def _parallel_flags(served: Served, config: LaunchConfig, passed: Passed, gpus: int) -> dict[str, str | None]:
    if config.tensor_parallel_size is not None:
        if 0 < gpus < config.tensor_parallel_size:
            raise InvalidRequest(
                f"--tensor-parallel-size {config.tensor_parallel_size} needs as many GPUs for each replica, "
                f"and {gpus} can be had; give a smaller one or fewer --replicas"
            )
        return {"tensor-parallel-size": str(config.tensor_parallel_size)}
    if gpus == 0 or any(name in passed for name in _PARALLEL):
        return {}
    return {"tensor-parallel-size": str(parallel_size(gpus, served.checkpoint.heads))}


def _cpu_flags(flags: Mapping[str, str | None], passed: Passed) -> dict[str, str | None]:
    """Prompts are computed whole: on a CPU vLLM's engine dies of one that has a seed and is computed in parts, and all
    steps of a harvest have a seed. And the start is not spent on encoding images to see how much memory that takes,
    which is minutes here: what a CPU has for the KV cache is a setting."""
    start: dict[str, str | None] = {"skip-mm-profiling": None}
    if "enable-chunked-prefill" in passed:
        return start
    longest = passed.value("max-model-len") or flags["max-model-len"]
    return start | {"no-enable-chunked-prefill": None, "max-num-batched-tokens": longest}


def _environment(config: LaunchConfig, gpus: Sequence[str]) -> dict[str, str]:
    environment = {}
    if gpus and config.replicas > 1:
        environment["CUDA_VISIBLE_DEVICES"] = ",".join(gpus)
    if config.weight_updates:
        environment |= {"VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1", "VLLM_SERVER_DEV_MODE": "1"}
    return environment


def _written(flags: Mapping[str, str | None], passed: Passed) -> list[str]:
    kept = {name: value for name, value in flags.items() if name not in passed}
    return [word for name, value in kept.items() for word in ([f"--{name}"] if value is None else [f"--{name}", value])]
