"""Where the program `vllm` is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from agent_server.errors import InvalidRequest

_PROGRAM = "vllm"


def find_vllm(named: Path | None = None) -> Path:
    """The executable: the one named, else `vllm` beside the Python that runs this, else the one on PATH.

    Raises InvalidRequest, which says how to get one.
    """
    if named is not None:
        if not _runs(named):
            raise InvalidRequest(f"--vllm {named} is not an executable file")
        return named
    beside = Path(sys.executable).with_name(_PROGRAM)
    if _runs(beside):
        return beside
    found = shutil.which(_PROGRAM)
    if found is not None:
        return Path(found)
    raise InvalidRequest(
        "no vLLM is installed here, and --model without --backend starts one; install it beside this program with "
        "pip install 'android-rollout-farm[vllm]' (from a clone: '.[vllm]'), or name one in another environment with "
        "--vllm PATH, or use a server that runs elsewhere with --backend URL"
    )


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
