"""Not a vLLM: takes the command line of `vllm serve` and serves an `agent_server.scripted.ScriptedModel`.

Like a vLLM it has an engine in a process of its own, without which its health is 503, and it writes a log. What it does
beyond that is said by `plan.json` in the folder STAND_IN, where it also notes how it was started, a file a start:

    fail      how many starts fail (-1: all), with the exit code `code` after printing `say`
    delay_s   seconds until a completion is there
    boot_s    seconds until it listens
    deaf      whether it ignores SIGTERM
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ["STAND_IN"])
VENUS = "<think>Tap.</think><action>Click(box=(500, 500))</action><conclusion>Tapped.</conclusion>"
TOLD = ("CUDA_VISIBLE_DEVICES", "VLLM_ALLOW_RUNTIME_LORA_UPDATING", "VLLM_SERVER_DEV_MODE")


def main() -> None:
    assert sys.argv[1] == "serve", sys.argv
    flags = dict(zip(sys.argv, sys.argv[1:], strict=False))
    plan = json.loads((FOLDER / "plan.json").read_text())
    earlier = len(list(FOLDER.glob("start-*.json")))
    print("stand-in: loading", file=sys.stderr, flush=True)
    if plan.get("fail", 0) < 0 or earlier < plan.get("fail", 0):
        _note(earlier, 0)
        print(plan.get("say", "stand-in: no luck"), file=sys.stderr, flush=True)
        sys.exit(plan.get("code", 1))
    engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    _note(earlier, engine.pid)
    print("(EngineCore pid=7)   warnings.warn(\n  and more of it", file=sys.stderr, flush=True)
    time.sleep(plan.get("boot_s", 0))
    _serve(flags, plan, engine)
    engine.kill()


def _serve(flags: dict[str, str], plan: dict[str, object], engine: subprocess.Popen[bytes]) -> None:
    import uvicorn  # only now: a start that fails does so at once

    from agent_server.scripted import ScriptedModel, ScriptedReply

    reply = ScriptedReply(VENUS, delay_s=plan.get("delay_s", 0))
    model = ScriptedModel(lambda _: reply, model=flags["--served-model-name"], root=sys.argv[2])

    async def app(scope, receive, send):
        if scope.get("path") == "/health" and engine.poll() is not None:
            await send({"type": "http.response.start", "status": 503, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
        else:
            await model(scope, receive, send)

    server = uvicorn.Server(uvicorn.Config(app, host=flags["--host"], port=int(flags["--port"]), log_level="info"))
    if plan.get("deaf"):
        server.handle_exit = lambda *_: None
    server.run()


def _note(number: int, engine: int) -> None:
    told = {name: os.environ[name] for name in TOLD if name in os.environ}
    note = {"argv": sys.argv[1:], "pid": os.getpid(), "engine": engine, "environment": told}
    draft = FOLDER / f"draft-{os.getpid()}"
    draft.write_text(json.dumps(note))
    draft.rename(FOLDER / f"start-{number}-{os.getpid()}.json")


main()
