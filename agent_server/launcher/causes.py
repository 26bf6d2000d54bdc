"""Known reasons why a model server does not start, by what its log says, and what helps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    pattern: str
    """Of a line of the log, case ignored."""
    hint: str
    lasting: bool = True
    """Whether it would be the same at the next try."""


CAUSES = (
    Cause(
        r"address already in use",
        "another program took its port meanwhile",
        lasting=False,
    ),
    Cause(
        r"larger than the (available KV cache|maximum number of tokens)|KV cache is needed, which is larger",
        "the KV cache is too small for the longest context: give `-- --max-model-len N` with a smaller N, spread the "
        "model over more GPUs (--tensor-parallel-size), or let vLLM use more of each (`-- --gpu-memory-utilization`)",
    ),
    Cause(
        r"out of memory|OutOfMemoryError|less than desired .* memory utilization|no available memory for the cache",
        "not enough memory: something else may hold it (nvidia-smi shows what); spread the model over more GPUs "
        "(--tensor-parallel-size), give fewer --replicas, or `-- --max-model-len N` with a smaller N",
        lasting=False,
    ),
    Cause(
        r"must be divisible by tensor parallel size",
        "the model's attention heads cannot be divided over so many GPUs: give a smaller --tensor-parallel-size, and "
        "more --replicas for the GPUs that are left",
    ),
    Cause(
        r"max_model_len \(\d+\) is greater than the derived",
        "the model has a shorter context than its screenshots would need: give `-- --max-model-len N`",
    ),
    Cause(
        r"architectures .* are not supported|does not recognize this architecture",
        "this vLLM is too old for the model's architecture: upgrade vllm and transformers",
    ),
    Cause(
        r"not a valid model identifier|repository not found|invalid repository id or local directory",
        "there is neither a folder nor a model in the hub of that name (a private one needs HF_TOKEN)",
    ),
    Cause(
        r"unrecognized arguments|error: argument |invalid choice: ",
        "this vLLM does not know one of the flags: see `--dry-run`; a flag after `--` replaces the planned one",
    ),
)


def cause_of(lines: Iterable[str]) -> Cause | None:
    """The first cause of CAUSES that a line of a log names."""
    text = "\n".join(lines)
    return next((cause for cause in CAUSES if re.search(cause.pattern, text, re.IGNORECASE)), None)
