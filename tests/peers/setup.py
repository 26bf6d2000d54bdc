"""Prepare environments of their own for public agents' device layers, and Debian's adb; prints their folder.

    python tests/peers/setup.py

Made once in `$XDG_CACHE_HOME/android-rollout-farm/peers` (two minutes, 300 MB); an environment whose pins below
changed is made anew. A device layer needs a small part of what its agent needs, so the agent, unchanged, is installed
without its requirements (models, clouds, phones of other makers) and these are named here.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Peer:
    """One environment: the agent, unchanged, and the requirements of its device layer."""

    agent: str
    requirements: tuple[str, ...]


PEERS = {
    "phone_agent": Peer("phone-agent==0.1.1", ("openai==2.54.0", "pillow==13.0.0", "requests==2.34.2")),
    "autoglm_gui": Peer("autoglm-gui==1.5.21", ("httpx==0.28.1", "loguru==0.7.3", "pillow==13.0.0", "zeroconf>=0.148")),
    "mobilerun": Peer(
        "mobilerun-core-local==0.7.1", ("async-adbutils==0.1.1", "httpx==0.28.1", "requests==2.34.2", "rich")
    ),
    "mobile_use": Peer(
        "minitap-mobile-use==4.0.0",
        ("adbutils==2.9.3", "colorama==0.4.6", "pillow==13.0.0", "pydantic==2.14.4", "uiautomator2==3.5.0"),
    ),
}
ADB = "debian-adb"


def folder() -> Path:
    """Where the environments are, one folder each."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "android-rollout-farm" / "peers"


def main() -> None:
    """Make what is not there yet."""
    folder().mkdir(parents=True, exist_ok=True)
    with open(folder() / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name, peer in PEERS.items():
            _prepare(folder() / name, peer)
        _unpack_adb(folder() / ADB)
    print(folder())


def _prepare(venv: Path, peer: Peer) -> None:
    pins, made = json.dumps([peer.agent, *peer.requirements]), venv / "made"
    if made.exists() and made.read_text() == pins:
        return
    shutil.rmtree(venv, ignore_errors=True)
    _run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q", "install")
    _run(*pip, *peer.requirements)
    # Two of them ask for Python 3.12; their device layers run on 3.11 too.
    _run(*pip, "--no-deps", "--ignore-requires-python", peer.agent)
    made.write_text(pins)


def _unpack_adb(target: Path) -> None:
    """Debian's packages unpacked, not installed: nothing outside of the folder changes."""
    if (target / "made").exists():
        return
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    plan = subprocess.run(
        ["apt-get", "install", "-s", "--no-install-recommends", "--reinstall", "adb"], capture_output=True, text=True
    )
    packages = [line.split()[1] for line in plan.stdout.splitlines() if line.startswith("Inst ")]
    if not packages:
        sys.exit(f"apt-get knows no package adb; `apt-get update` may help: {plan.stderr.strip()}")
    _run("apt-get", "download", "-q", *packages, cwd=target)
    for package in sorted(target.glob("*.deb")):
        _run("dpkg-deb", "-x", str(package), str(target))
        package.unlink()
    (target / "made").touch()


def _run(*command: str, cwd: Path | None = None) -> None:
    print(" ".join(command), file=sys.stderr)
    if code := subprocess.run(command, stdout=sys.stderr, cwd=cwd).returncode:
        sys.exit(f"{command[0]} ended with {code}; see above")


if __name__ == "__main__":
    main()
