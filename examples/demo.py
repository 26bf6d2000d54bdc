"""The whole job on one machine: a policy server, four virtual phones, a real queue, a filtered dataset.

    python examples/demo.py [OUT]

Every line that starts with $ is a command you can type yourself.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
POLICY = "baseline"
READY = "listening on "


def main() -> int:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-out")
    run, parquet, sharegpt = out / "run", out / "dataset", out / "llamafactory"
    for made in (run, parquet, sharegpt):
        shutil.rmtree(made, ignore_errors=True)
    began = time.monotonic()
    server, url = start_server()
    try:
        # Above 0 the baseline varies what it tries, so that the two samples of a task differ.
        options = ("--devices", "virtual:4", "--samples", "2", "--temperature", "0.7")
        farm("harvest", "phone", "--out", run, "--policy", url, *options)
    finally:
        server.terminate()
        server.wait(10)
    farm("export", run, "--format", "parquet", "--out", parquet)
    farm("export", run, "--format", "llamafactory", "--adapter", "ui-venus-1.5", "--out", sharegpt)
    print(f"\nDone in {time.monotonic() - began:.0f} s.")
    print(f"  report    {run}/report.html")
    print(f"  dataset   {parquet}   datasets.load_dataset({str(parquet)!r})")
    print(f"  SFT rows  {sharegpt}   dataset_dir of LLaMA-Factory")
    print(f"  episodes  {run}/episodes   emulator-farm show {run}/episodes/ID.parquet --out page.html")
    return 0


def start_server() -> tuple[subprocess.Popen[str], str]:
    """Start the policy server on a free port; the process and its URL."""
    argv = [BIN / "agent-server", "serve", "--policy", POLICY, "--port", "0"]
    print("$", shlex.join(["agent-server", *map(str, argv[1:])]), flush=True)
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        print(line, end="", flush=True)
        if line.startswith(READY):
            return server, line.removeprefix(READY).strip()
    raise SystemExit(f"the policy server ended with code {server.wait()}")


def farm(*words: object) -> None:
    """Run one emulator-farm command; end with its exit code where it fails."""
    argv = [str(word) for word in words]
    print("\n$", shlex.join(["emulator-farm", *argv]), flush=True)
    code = subprocess.run([BIN / "emulator-farm", *argv], check=False).returncode
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    sys.exit(main())
