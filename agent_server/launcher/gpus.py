"""Which GPUs a child may use, and how many of them a model is spread over."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from agent_server.errors import InvalidRequest

_ASK_S = 20.0
_NVIDIA_SMI_LINE = re.compile(r"^GPU (\d+):", re.MULTILINE)


def visible_gpus(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The GPUs as CUDA_VISIBLE_DEVICES names them: from that variable, else what `nvidia-smi -L` lists, else none."""
    named = environment.get("CUDA_VISIBLE_DEVICES")
    if named is not None:
        return _listed(named)
    program = shutil.which("nvidia-smi", path=environment.get("PATH"))
    if program is None:
        return ()
    try:
        done = subprocess.run(
            [program, "-L"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(_NVIDIA_SMI_LINE.findall(done.stdout)) if done.returncode == 0 else ()


def _listed(named: str) -> tuple[str, ...]:
    """CUDA itself stops at the first entry that names no device."""
    devices: list[str] = []
    for device in (part.strip() for part in named.split(",")):
        if not device or device.startswith("-"):
            break
        devices.append(device)
    return tuple(devices)


def split(gpus: Sequence[str], replicas: int) -> list[tuple[str, ...]]:
    """As many equal shares as there are replicas, in order. Raises InvalidRequest for fewer GPUs than replicas.

    Without GPUs every share is empty: the replicas run on the CPU.
    """
    if not gpus:
        return [()] * replicas
    size = len(gpus) // replicas
    if size == 0:
        raise InvalidRequest(f"{replicas} replicas need a GPU each, and {len(gpus)} can be seen; give fewer --replicas")
    return [tuple(gpus[index * size : (index + 1) * size]) for index in range(replicas)]


def parallel_size(gpus: int, heads: int | None) -> int:
    """Over how many of `gpus` to spread a model whose attention has `heads` heads, which must divide evenly.

    Where the heads are not known: the greatest power of two. Powers of two are preferred for known heads too, because
    the vision tower has heads of its own.
    """
    fits = [size for size in range(1, gpus + 1) if size & (size - 1) == 0 and (heads is None or heads % size == 0)]
    return max(fits, default=1)
