"""`/act` in front of a real vLLM, beside what people do without it: same model, same machine, one run.

    python benchmarks/serving.py [--requests 8] [--repeats 3] [--concurrency 1 4 8 16] [--max-tokens 48]

The model is a tiny random Qwen2.5-VL with UI-Venus 7B's pixel limits on the CPU. vLLM, the policy server and the
clients share its cores, so every millisecond that the policy server burns is one that the model lacks.

- bare: an asynchronous client of vLLM's chat completions. It decodes, resizes and encodes the screenshot itself
  (Pillow, in threads) and sends the very prompt that `/act` sends.
- script: how the model authors' own scripts work: prompt, resize, request, parse, one step after the other.

Ratios come from phases of one run that take turns; every request carries pixels that nobody has seen. Beside the
latencies stands the processor time of all processes together: on a machine that the three fill it decides how many
requests there are a second, and other work on the machine hardly moves it. The second table
plays trajectories and compares vLLM's prefix cache with the best that its blocks allow for these prompts.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import orjson
from PIL import Image
from vllm_bench import (
    NAME,
    built_checkpoint,
    counters,
    cpu_ms,
    fresh_screenshots,
    policy_serving,
    session_cpu_ms,
    vllm_serving,
)

from agent_server.actions import Click
from agent_server.adapters import ADAPTERS, PromptInput, PromptSet, TextPart
from agent_server.client import PolicyClient
from agent_server.geometry import Point, Size
from agent_server.schemas import HistoryTurn, Sampling

SIZE = Size(1080, 2400)
GOAL = "Turn on Wi-Fi and connect to the network called Guest"
JSON = {"content-type": "application/json"}
BLOCK = 128
"""Tokens in a block of vLLM's KV cache on a CPU; prefixes are found in whole blocks."""
VENUS = ADAPTERS["ui-venus-1.0"]
Ask = Callable[[bytes], Awaitable[None]]


@dataclass(frozen=True)
class Phase:
    """One way of asking, at one concurrency."""

    latencies_ms: list[float]
    per_s: float
    server_cpu_ms: float = 0.0
    """Of the policy server, for one request."""
    all_cpu_ms: float = 0.0
    """Of vLLM, policy server and client together, for one request."""


class Bare:
    """The client that does without a policy server."""

    def __init__(self, url: str, max_tokens: int) -> None:
        self._url = f"{url}/v1/chat/completions"
        self._http = httpx.AsyncClient(timeout=300, limits=httpx.Limits(max_connections=64))
        self._threads = ThreadPoolExecutor(os.cpu_count())
        self._max_tokens = max_tokens
        self._prompts = PromptSet.load()

    async def ask(self, png: bytes) -> None:
        body = await asyncio.get_running_loop().run_in_executor(self._threads, self.body, png)
        answer = await self._http.post(self._url, content=body, headers=JSON)
        answer.raise_for_status()
        VENUS.parse(answer.json()["choices"][0]["message"]["content"], VENUS.frame(SIZE).map)

    def body(self, png: bytes) -> bytes:
        """The request: the adapter's own messages, the picture brought to its size as a script would."""
        resized = VENUS.frame(SIZE).resized
        assert resized is not None
        out = io.BytesIO()
        picture = Image.open(io.BytesIO(png)).convert("RGB").resize(tuple(resized), Image.Resampling.BICUBIC)
        picture.save(out, "JPEG", quality=95, subsampling=0)
        url = "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()
        messages = [
            {
                "role": message.role,
                "content": [
                    {"type": "text", "text": part.text}
                    if isinstance(part, TextPart)
                    else {"type": "image_url", "image_url": {"url": url}}
                    for part in message.parts
                ],
            }
            for message in VENUS.messages(PromptInput(goal=GOAL, size=SIZE), self._prompts)
        ]
        sampling = {**VENUS.declaration.sampling, "max_tokens": self._max_tokens}
        return orjson.dumps({"model": NAME, "messages": messages, **sampling})


class Served:
    """The client of `/act`."""

    def __init__(self, url: str, max_tokens: int) -> None:
        self._url = f"{url}/act"
        self._http = httpx.AsyncClient(timeout=300, limits=httpx.Limits(max_connections=64))
        self._request = orjson.dumps({"goal": GOAL, "sampling": {"max_tokens": max_tokens}})

    async def ask(self, png: bytes) -> None:
        parts = {"request": (None, self._request, "application/json"), "screenshot": ("s.png", png, "image/png")}
        (await self._http.post(self._url, files=parts)).raise_for_status()


async def phase(ask: Ask, pictures: Sequence[bytes], concurrency: int) -> Phase:
    """Ask about every picture, `concurrency` at a time."""
    waiting, latencies = iter(pictures), []

    async def client() -> None:
        for picture in waiting:
            start = time.perf_counter()
            await ask(picture)
            latencies.append((time.perf_counter() - start) * 1000)

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(concurrency)))
    return Phase(latencies, len(pictures) / (time.perf_counter() - start))


def scripted(bare: Bare, url: str, pictures: Sequence[bytes]) -> Phase:
    """One thread, one step after the other."""
    latencies = []
    start = time.perf_counter()
    with httpx.Client(timeout=300) as http:
        for picture in pictures:
            began = time.perf_counter()
            answer = http.post(f"{url}/v1/chat/completions", content=bare.body(picture), headers=JSON)
            answer.raise_for_status()
            VENUS.parse(answer.json()["choices"][0]["message"]["content"], VENUS.frame(SIZE).map)
            latencies.append((time.perf_counter() - began) * 1000)
    return Phase(latencies, len(pictures) / (time.perf_counter() - start))


async def compare(vllm: str, session: int, server: str, process: int, options: argparse.Namespace) -> None:
    def used() -> tuple[float, float]:
        """Of the server, and of all."""
        own = cpu_ms(process)
        return own, own + session_cpu_ms(session) + time.process_time() * 1000

    bare, served = Bare(vllm, options.max_tokens), Served(server, options.max_tokens)
    await phase(bare.ask, fresh_screenshots(4), 2)
    await phase(served.ask, fresh_screenshots(4), 2)
    print(
        "| concurrency | way | p50 ms | p95 ms | requests/s | of bare | p50 over bare "
        "| CPU ms/request, all | of bare | policy server |"
    )
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for concurrency in options.concurrency:
        found: dict[str, list[Phase]] = {"bare": [], "/act": [], "script": []}
        for turn in range(options.repeats):
            count = max(options.requests, 2 * concurrency)
            order = ["bare", "/act"] if turn % 2 == 0 else ["/act", "bare"]
            for way in order + (["script"] if concurrency == 1 else []):
                pictures = fresh_screenshots(count)
                before = used()
                if way == "script":
                    done = await asyncio.to_thread(scripted, bare, vllm, pictures)
                else:
                    done = await phase(bare.ask if way == "bare" else served.ask, pictures, concurrency)
                spent = [(after - start) / count for after, start in zip(used(), before, strict=True)]
                found[way].append(Phase(done.latencies_ms, done.per_s, *spent))
        for way, phases in found.items():
            if phases:
                print(row(concurrency, way, phases, found["bare"]), flush=True)


def row(concurrency: int, way: str, phases: list[Phase], bare: list[Phase]) -> str:
    p50s = [statistics.median(one.latencies_ms) for one in phases]
    ratio = statistics.median(one.per_s / base.per_s for one, base in zip(phases, bare, strict=True))
    added = statistics.median(
        p50 / statistics.median(base.latencies_ms) - 1 for p50, base in zip(p50s, bare, strict=True)
    )
    cpu_ratio = statistics.median(one.all_cpu_ms / base.all_cpu_ms for one, base in zip(phases, bare, strict=True))
    every = sorted(itertools.chain.from_iterable(one.latencies_ms for one in phases))
    cells = [
        str(concurrency),
        way,
        f"{statistics.median(p50s):.0f}",
        f"{every[int(len(every) * 0.95)]:.0f}",
        f"{statistics.median(one.per_s for one in phases):.2f}",
        f"{ratio:.0%}",
        f"{added:+.1%}",
        f"{statistics.median(one.all_cpu_ms for one in phases):.0f}",
        f"{cpu_ratio:.1%}",
        f"{statistics.median(one.server_cpu_ms for one in phases):.0f}" if way == "/act" else "",
    ]
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Prompt:
    """One step's prompt as the cache sees it: token ids, those of an image told apart by the image."""

    tokens: tuple[object, ...]


def prompt_of(ids: Sequence[int], images: Sequence[str], image_token: int) -> Prompt:
    tokens: list[object] = []
    seen, inside = -1, False
    for token in ids:
        if token != image_token:
            inside = False
            tokens.append(token)
            continue
        seen += not inside
        inside = True
        tokens.append((images[seen], token))
    return Prompt(tuple(tokens))


def best_hits(prompts: Sequence[Prompt]) -> int:
    """Tokens that a cache of whole blocks could have found, each prompt against those before it."""
    total = 0
    for index, prompt in enumerate(prompts):
        common = 0
        for earlier in prompts[:index]:
            length = next(
                (at for at, (a, b) in enumerate(zip(prompt.tokens, earlier.tokens, strict=False)) if a != b),
                min(len(prompt.tokens), len(earlier.tokens)),
            )
            common = max(common, length)
        # The last token is always computed: it is what the next one is sampled from.
        total += min(common, len(prompt.tokens) - 1) // BLOCK * BLOCK
    return total


def trajectory(vllm: str, server: str, adapter: str, steps: int) -> str:
    """Play one trajectory of `steps` and compare what was cached with what could have been."""
    httpx.post(f"{vllm}/reset_prefix_cache").raise_for_status()
    shown = ADAPTERS[adapter].declaration.images
    pictures = fresh_screenshots(steps)
    before, prompts, sent = counters(vllm), [], 0
    history: list[HistoryTurn] = []
    with PolicyClient(server, timeout_s=300) as client:
        for step in range(steps):
            past = range(max(0, step - shown + 1), step)
            answer = client.act(
                GOAL, pictures[step], history, session=f"bench-{adapter}", return_tokens=True,
                sampling=Sampling(max_tokens=32), history_screenshots={index: pictures[index] for index in past},
            )  # fmt: skip
            assert answer.tokens is not None
            assert answer.tokens.prompt_ids is not None
            ids = answer.tokens.prompt_ids
            names = [str(index) for index in past] + [str(step)]
            prompts.append(prompt_of(ids, names, max(set(ids), key=ids.count)))
            sent += len(names)
            thought = f"Step {step}: the switch that I look for is below, so I go on with the next entry."
            action = Click(point=Point(100 + step, 900))
            history.append(HistoryTurn(step=step, thought=thought, action=action))
    after = counters(vllm)

    def grown(name: str) -> float:
        return after.get(f"vllm:{name}_total", 0) - before.get(f"vllm:{name}_total", 0)

    best, hits, total = best_hits(prompts), grown("prefix_cache_hits"), sum(len(prompt.tokens) for prompt in prompts)
    encoded = grown("mm_cache_queries") - grown("mm_cache_hits")
    cells = (adapter, steps, total, best, f"{hits:.0f}", f"{hits / best:.0%}" if best else "", sent, f"{encoded:.0f}")
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 4, 8, 16])
    parser.add_argument("--max-tokens", type=int, default=48)
    parser.add_argument("--steps", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        venus = built_checkpoint(Path(folder) / "venus", 830_000, 937_664)
        flags = ("--max-model-len", "32768", "--limit-mm-per-prompt", '{"image": 5, "video": 0}')
        with vllm_serving(venus, *flags) as (vllm, session):
            common = ("--model", str(venus), "--served-name", NAME, "--backend", vllm, "--backend-timeout", "600")
            print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}\n")
            with policy_serving(*common, "--adapter", "ui-venus-1.0") as (server, process):
                asyncio.run(compare(vllm, session, server, process, options))
            print(
                "\n| adapter | steps | prompt tokens | best hits | hits | of the best | images in prompts | encoded |"
            )
            print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
            for adapter in ("ui-venus-1.0", "ui-tars-1.5"):
                with policy_serving(*common, "--adapter", adapter) as (server, _):
                    print(trajectory(vllm, server, adapter, options.steps), flush=True)


if __name__ == "__main__":
    main()
