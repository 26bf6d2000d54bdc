"""A long crowd in front of a slow model: nothing lost, nothing crossed, memory flat, overload refused.

    python benchmarks/load.py [--seconds 120] [--clients 256] [--delay 12] [--model UI-Venus-1.5-8B]

Three processes: a scripted model server that answers every request after `--delay` seconds with a text made from that
very request (its goal and the bytes of its image), the policy server, and this one with `--clients` callers at once.
Each caller checks that the answer is the one to its own question. The first run is within the server's limit; in the
second the server admits half as many as ask: refusals must come with a Retry-After and leave the others in peace.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import uvicorn
from vllm_bench import fresh_screenshots, policy_serving, rss_mib

from agent_server.scripted import RecordedRequest, ScriptedModel, ScriptedReply


def answer_to(goal: str, image: bytes) -> str:
    return f"{goal} {hashlib.sha256(image).hexdigest()[:16]}"


def serve_model(model: str, delay_s: float) -> None:
    """A model server whose answers name what it was asked."""

    def reply(body: dict[str, object]) -> ScriptedReply:
        request = RecordedRequest({}, body)
        text = request.text()
        app.requests.clear()
        goal = text[text.index("goal-") :].split()[0]
        said = answer_to(goal, request.images()[0][1])
        return ScriptedReply(f"<action>Type(content='{said}')</action>", delay_s=delay_s * random.uniform(0.5, 1.5))

    app = ScriptedModel(reply, model=model)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws="none")).run(sockets=[listener])


@contextmanager
def model_serving(model: str, delay_s: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve-model", "--model", model, "--delay", str(delay_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(30)


@dataclass
class Outcome:
    statuses: Counter[int] = field(default_factory=Counter)
    crossed: int = 0
    lost: int = 0
    without_retry_after: int = 0
    latencies_s: list[float] = field(default_factory=list)
    memory_mib: list[float] = field(default_factory=list)


async def crowd(url: str, process: int, options: argparse.Namespace) -> Outcome:
    outcome, pictures, numbers = Outcome(), fresh_screenshots(32), itertools.count()
    deadline = time.monotonic() + options.seconds
    limits = httpx.Limits(max_connections=options.clients, max_keepalive_connections=options.clients)

    async def caller(http: httpx.AsyncClient) -> None:
        while time.monotonic() < deadline:
            goal, picture = f"goal-{next(numbers)}", random.choice(pictures)
            request = json.dumps({"goal": goal}).encode()
            parts = {"request": (None, request, "application/json"), "screenshot": ("s.png", picture, "image/png")}
            start = time.perf_counter()
            try:
                answer = await http.post(f"{url}/act", files=parts)
            except httpx.TransportError:
                outcome.lost += 1
                continue
            outcome.statuses[answer.status_code] += 1
            if answer.status_code == 200:
                outcome.latencies_s.append(time.perf_counter() - start)
                outcome.crossed += answer.json()["action"]["text"] != answer_to(goal, picture)
            elif answer.status_code == 429:
                outcome.without_retry_after += "retry-after" not in answer.headers
                await asyncio.sleep(float(answer.headers.get("retry-after", 1)))

    async def watch() -> None:
        while time.monotonic() < deadline:
            outcome.memory_mib.append(rss_mib(process))
            await asyncio.sleep(1)

    async with httpx.AsyncClient(timeout=300, limits=limits) as http:
        await asyncio.gather(watch(), *(caller(http) for _ in range(options.clients)))
    return outcome


def by_quarter(memory: list[float]) -> str:
    """The median of each quarter of the run, MiB."""
    quarter = max(1, len(memory) // 4)
    return " ".join(f"{statistics.median(memory[at : at + quarter]):.0f}" for at in range(0, 4 * quarter, quarter))


def row(name: str, outcome: Outcome, seconds: float) -> str:
    good = outcome.statuses[200]
    other = sum(count for status, count in outcome.statuses.items() if status not in (200, 429))
    cells = (
        name,
        good,
        f"{good / seconds:.0f}",
        outcome.statuses[429],
        other,
        outcome.lost,
        outcome.crossed,
        outcome.without_retry_after,
        f"{statistics.median(outcome.latencies_s):.2f}",
        f"{max(outcome.latencies_s):.2f}",
        f"{max(outcome.memory_mib):.0f}",
        by_quarter(outcome.memory_mib),
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--clients", type=int, default=256)
    parser.add_argument("--delay", type=float, default=12.0)
    parser.add_argument("--model", default="UI-Venus-1.5-8B")
    parser.add_argument("--serve-model", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve_model:
        serve_model(options.model, options.delay)
        return
    print(
        f"{options.clients} callers, {options.seconds:g} s, model takes {options.delay:g} s, {os.cpu_count()} cores\n"
    )
    print(
        "| server | answered | a second | 429 | other errors | lost | crossed | 429 without Retry-After | p50 s "
        "| max s | peak MiB | MiB by quarter |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with model_serving(options.model, options.delay) as backend:
        for name, limit in (("within its limit", 2 * options.clients), ("overloaded", options.clients // 2)):
            arguments = ("--model", options.model, "--backend", backend, "--max-in-flight", str(limit), "--no-verify")
            with policy_serving(*arguments) as (url, process):
                print(row(name, asyncio.run(crowd(url, process, options)), options.seconds), flush=True)


if __name__ == "__main__":
    main()
