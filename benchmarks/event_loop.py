"""How long the policy server's event loop is held: processor time of single callbacks, by kind of request.

    python benchmarks/event_loop.py [--requests 60]

Server, model server and client run in this process, each on a loop in a thread of its own. Every callback of the
server's loop is measured by its thread's processor time, so that a busy machine does not count as a slow callback. What
takes longer than the project's limit of 2 ms belongs into a thread.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gc
import io
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson
import uvicorn
from PIL import Image

from agent_server.app import create_app
from agent_server.config import PolicyConfig
from agent_server.http_protocol import LimitedHttpProtocol
from agent_server.loader import load_policy
from agent_server.scripted import ScriptedModel, ScriptedReply

SCREENSHOTS = Path(__file__).parent.parent / "tests/corpus/screenshots"
LIMIT_MS = 2.0
SHORT = "<think>Open it.</think><action>Click(box=(300, 400))</action><conclusion>Opened.</conclusion>"
LONG = f"<think>{'I look at the settings and think about what to do next. ' * 120}</think>" + SHORT


@dataclass
class MeasuredLoop:
    """An asyncio loop whose callbacks are timed."""

    spent_ms: list[float] = field(default_factory=list)

    def loop(self) -> asyncio.AbstractEventLoop:
        spent = self.spent_ms

        class Timed(asyncio.Handle):
            def _run(self) -> None:
                start = time.thread_time_ns()
                super()._run()
                spent.append((time.thread_time_ns() - start) / 1e6)

        class Loop(asyncio.SelectorEventLoop):
            def _call_soon(self, callback: Any, args: Any, context: Any) -> Timed:
                handle = Timed(callback, args, self, context)
                self._ready.append(handle)
                return handle

            def _add_reader(self, fd: int, callback: Any, *args: Any) -> Any:
                return super()._add_reader(fd, self._timed, callback, args)

            @staticmethod
            def _timed(callback: Any, args: tuple[Any, ...]) -> None:
                start = time.thread_time_ns()
                callback(*args)
                spent.append((time.thread_time_ns() - start) / 1e6)

        return Loop()


@contextmanager
def serving(app: Any, measured: MeasuredLoop | None = None) -> Iterator[str]:
    config = uvicorn.Config(app, http=LimitedHttpProtocol, log_level="error", access_log=False, ws="none")
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        loop = measured.loop() if measured else asyncio.new_event_loop()
        loop.run_until_complete(server.serve(sockets=[listener]))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def completion(text: str, tokens: int, n: int) -> bytes:
    choice: dict[str, Any] = {"message": {"content": text}, "finish_reason": "stop"}
    answer: dict[str, Any] = {"usage": {"prompt_tokens": tokens, "completion_tokens": tokens}}
    if tokens:
        choice["token_ids"] = list(range(tokens))
        choice["logprobs"] = {"content": [{"token": "t", "logprob": -0.5, "bytes": [116]} for _ in range(tokens)]}
        answer["prompt_token_ids"] = list(range(1500))
    answer["choices"] = [{**choice, "index": index} for index in range(n)]
    return orjson.dumps(answer)


def tall(pixels: int) -> bytes:
    """A PNG of noise: large for its size, as a photograph on the screen is."""
    out = io.BytesIO()
    side = int(pixels**0.5)
    Image.effect_noise((side, side), 60).convert("RGB").save(out, "PNG", compress_level=1)
    return out.getvalue()


@dataclass(frozen=True)
class Case:
    name: str
    model: str
    picture: bytes
    reply: bytes
    base64: bool = False
    sampling: dict[str, Any] = field(default_factory=dict)
    tokens: bool = False
    turns: int = 0


def cases() -> Iterator[Case]:
    usual = (SCREENSHOTS / "settings_root_1080x2400.png").read_bytes()
    heavy = tall(1_500_000)
    short, tokens = completion(SHORT, 0, 1), completion(SHORT, 300, 1)
    for picture, size in ((usual, f"{len(usual) // 1000} kB"), (heavy, f"{len(heavy) // 1000} kB")):
        yield Case(f"multipart, {size}, relative", "UI-Venus-1.5-8B", picture, short)
        yield Case(f"JSON, {size}, relative", "UI-Venus-1.5-8B", picture, short, base64=True)
        yield Case(f"multipart, {size}, resized", "UI-Venus-Navi-7B", picture, short)
    yield Case("40 earlier steps", "UI-Venus-Navi-7B", usual, short, turns=40)
    yield Case("long reply", "UI-Venus-1.5-8B", usual, completion(LONG, 0, 1))
    yield Case("tokens", "UI-Venus-1.5-8B", usual, tokens, tokens=True)
    yield Case("16 samples, tokens", "UI-Venus-1.5-8B", usual, completion(SHORT, 300, 16), tokens=True)
    yield Case("64 long samples", "UI-Venus-1.5-8B", usual, completion(LONG, 0, 64))


def measure(case: Case, count: int) -> tuple[float, float, float]:
    """Longest callback of a request: median, 95th percentile and maximum over the requests, in ms."""
    model = ScriptedModel(lambda _: ScriptedReply(body=case.reply), model=case.model, record=False)
    measured, worst = MeasuredLoop(), []
    request: dict[str, Any] = {"goal": "Turn on Wi-Fi", "sampling": case.sampling, "return_tokens": case.tokens}
    request["history"] = [{"step": index, "raw": SHORT, "thought": "Open it."} for index in range(case.turns)]
    with serving(model) as backend:
        policy = load_policy(PolicyConfig(model=case.model, backends=(backend,)))
        with serving(create_app(policy), measured) as url, httpx.Client(timeout=60) as client:
            for number in range(count):
                measured.spent_ms.clear()
                post(client, url, case, request)
                if number >= 5:
                    worst.append(max(measured.spent_ms))
    return statistics.median(worst), statistics.quantiles(worst, n=20)[18], max(worst)


def post(client: httpx.Client, url: str, case: Case, request: dict[str, Any]) -> None:
    if case.base64:
        answer = client.post(url + "/act", json={**request, "screenshot": base64.b64encode(case.picture).decode()})
    else:
        parts = {"request": (None, orjson.dumps(request), "application/json"), "screenshot": ("s.png", case.picture)}
        answer = client.post(url + "/act", files=parts)
    answer.raise_for_status()
    if answer.json()["action"] is None:
        raise SystemExit(f"{case.name}: {answer.text[:300]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=60)
    options = parser.parse_args()
    gc.freeze()  # as the server does: the collector would look through three programs here
    print(f"Longest callback of a request on the event loop, CPU ms; the limit is {LIMIT_MS:g} ms\n")
    print("| request | p50 | p95 | max | within the limit |")
    print("| --- | ---: | ---: | ---: | --- |")
    for case in cases():
        p50, p95, most = measure(case, options.requests)
        verdict = "yes" if p95 <= LIMIT_MS else "no"
        print(f"| {case.name} | {p50:.2f} | {p95:.2f} | {most:.2f} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
