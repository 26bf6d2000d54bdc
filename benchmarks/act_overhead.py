"""What `/act` adds to a model server that answers at once, for a phone's screenshot, and how many it serves a second.

    python benchmarks/act_overhead.py [--image FILE] [--requests 200] [--seconds 5] [--clients 8] [--repeats 3]

Three processes, as in production: a model server that reads a request and answers immediately, the policy server as a
user starts it, and this one, which makes the load. Latency is measured with one request at a time and has the time of
the same image sent straight to the model server subtracted; throughput with several clients. Every request carries
another image (same pixels, another comment chunk), so nothing is answered from a cache.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvloop

from agent_server.resample import HAS_SIMD

IMAGE = Path(__file__).parent.parent / "tests/corpus/screenshots/settings_root_1080x2400.png"
VENUS = "<think>Open it.</think><action>Click(box=(300, 400))</action><conclusion>Opened.</conclusion>"
TARS = "Thought: Open it.\nAction: click(point='<point>300 400</point>')"
QWEN = (
    "Thought: Open it.\nAction: Tap.\n<tool_call>\n"
    '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [300, 400]}}\n</tool_call>'
)


@dataclass(frozen=True)
class Case:
    """One model family; `goal` is what the project promises itself: (added p50 in ms, requests/s)."""

    name: str
    model: str
    reply: str
    goal: tuple[float, float]


CASES = (
    Case("pass-through", "Qwen3-VL-8B-Instruct", QWEN, (8, 250)),
    Case("pass-through", "UI-Venus-1.5-8B", VENUS, (8, 250)),
    Case("resized", "UI-Venus-Navi-7B", VENUS, (90, 18)),
    Case("full resolution", "UI-TARS-1.5-7B", TARS, (140, 12)),
)


@dataclass(frozen=True)
class Picture:
    """A PNG that can be varied without touching its pixels."""

    head: bytes
    end: bytes

    @classmethod
    def read(cls, path: Path) -> Picture:
        data = path.read_bytes()
        cut = len(data) - 12
        cut -= cut % 3  # so that the base64 of head and tail can be joined
        return cls(data[:cut], data[cut:])

    def tails(self) -> Iterator[bytes]:
        """Endless different ends: a comment, then what closes the file."""
        for number in itertools.count():
            body = b"tEXtComment\0%020d" % number
            at = len(self.end) - 12
            comment = len(body).to_bytes(4, "big")[:4] + body + zlib.crc32(body).to_bytes(4, "big")
            comment = (len(body) - 4).to_bytes(4, "big") + comment[4:]
            yield self.end[:at] + comment + self.end[at:]


Bodies = Iterator[list[bytes]]


def multipart(picture: Picture) -> tuple[str, Bodies]:
    """Content type and endless bodies of `/act`, the image as a file part."""
    before = (
        b'--X\r\nContent-Disposition: form-data; name="request"\r\nContent-Type: application/json\r\n\r\n'
        b'{"goal":"Turn on Wi-Fi"}\r\n--X\r\nContent-Disposition: form-data; name="screenshot"; filename="s.png"\r\n'
        b"Content-Type: image/png\r\n\r\n"
    )
    bodies = ([before, picture.head, tail, b"\r\n--X--\r\n"] for tail in picture.tails())
    return "multipart/form-data; boundary=X", bodies


def base64_json(picture: Picture) -> tuple[str, Bodies]:
    """Content type and endless bodies of `/act`, the image as base64."""
    head = base64.b64encode(picture.head)
    bodies = (
        [b'{"goal":"Turn on Wi-Fi","screenshot":"', head, base64.b64encode(tail), b'"}'] for tail in picture.tails()
    )
    return "application/json", bodies


def chat(picture: Picture) -> tuple[str, Bodies]:
    """Content type and endless bodies of a chat completion with the image: what a caller without `/act` sends."""
    head = base64.b64encode(picture.head)
    before = b'{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Turn on Wi-Fi"},'
    before += b'{"type":"image_url","image_url":{"url":"data:image/png;base64,'
    bodies = ([before, head, base64.b64encode(tail), b'"}}]}]}'] for tail in picture.tails())
    return "application/json", bodies


class Connection:
    """One keep-alive HTTP connection, as cheap as it can be."""

    def __init__(self, port: int, path: str, content_type: str) -> None:
        self.port = port
        self._start = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {content_type}\r\nContent-Length: ".encode()

    async def __aenter__(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def post(self, body: list[bytes]) -> bytes:
        length = sum(map(len, body))
        self._writer.writelines([self._start, b"%d\r\n\r\n" % length, *body])
        head = await self._reader.readuntil(b"\r\n\r\n")
        stated = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        answer = await self._reader.readexactly(int(stated.partition(b":")[2]))
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer.decode())
        return answer


async def latencies(port: int, path: str, kind: tuple[str, Bodies], count: int) -> list[float]:
    """Milliseconds of `count` requests, one after the other, after a tenth as many to warm up."""
    content_type, bodies = kind
    times = []
    async with Connection(port, path, content_type) as connection:
        for body in itertools.islice(bodies, count + count // 10):
            start = time.perf_counter()
            await connection.post(body)
            times.append((time.perf_counter() - start) * 1000)
    return times[count // 10 :]


async def throughput(port: int, path: str, kind: tuple[str, Bodies], clients: int, seconds: float) -> tuple[int, float]:
    """Requests that `clients` get through together, and how many that is a second."""
    content_type, bodies = kind
    deadline = time.perf_counter() + seconds
    done = 0

    async def load() -> None:
        nonlocal done
        async with Connection(port, path, content_type) as connection:
            while time.perf_counter() < deadline:
                await connection.post(next(bodies))
                done += 1

    start = time.perf_counter()
    await asyncio.gather(*(load() for _ in range(clients)))
    return done, done / (time.perf_counter() - start)


class InstantModel(asyncio.Protocol):
    """A model server that reads each request to its end and answers with a fixed completion."""

    def __init__(self, reply: str, model: str) -> None:
        usage = {"prompt_tokens": 1, "completion_tokens": 1}
        choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
        self._completion = _response({"choices": [choice], "usage": usage})
        self._models = _response({"data": [{"id": model}]})
        self._head = b""
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._body(len(data))
            return
        self._head += data
        head, found, rest = self._head.partition(b"\r\n\r\n")
        if not found:
            return
        self._head = b""
        if head.startswith(b"GET"):
            self._transport.write(self._models)
            return
        stated = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        self._missing = int(stated.partition(b":")[2])
        self._body(len(rest))

    def _body(self, received: int) -> None:
        self._missing -= received
        if self._missing <= 0:
            self._missing = 0
            self._transport.write(self._completion)


def _response(body: dict[str, object]) -> bytes:
    content = json.dumps(body).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content) + content


async def serve_instantly(reply: str, model: str) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: InstantModel(reply, model), "127.0.0.1", 0)
    print(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


@contextmanager
def started(command: list[str]) -> Iterator[tuple[int, int]]:
    """Run a server that prints where it listens; yields its port and process id, and ends it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("listening on"):
            raise SystemExit(f"{command[0]} did not start: {line!r}")
        yield int(line.strip().rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.wait(20)


def cpu_ms(process: int) -> float:
    """Processor time that a process has used, all threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def measure(case: Case, form: Callable[[Picture], tuple[str, Bodies]], options: argparse.Namespace) -> list[float]:
    """Added p50 and p99, direct p50, CPU of the policy server for a request (all ms), requests/s; medians."""
    picture = Picture.read(options.image)
    own = [sys.executable, __file__, "--serve-instantly", case.reply, "--model", case.model]
    rows = []
    with started(own) as (backend, _):
        command = [sys.executable, "-m", "agent_server", "serve", "--model", case.model, "--port", "0"]
        command += ["--backend", f"http://127.0.0.1:{backend}", "--log-level", "warning", "--no-verify"]
        with started(command) as (server, process):
            asked = form(picture)  # one for all, so that no image comes twice
            for _ in range(options.repeats):
                direct = uvloop.run(latencies(backend, "/v1/chat/completions", chat(picture), options.requests))
                times = uvloop.run(latencies(server, "/act", asked, options.requests))
                used = cpu_ms(process)
                done, rate = uvloop.run(throughput(server, "/act", asked, options.clients, options.seconds))
                used = (cpu_ms(process) - used) / done
                floor = statistics.median(direct)
                p99 = statistics.quantiles(times, n=100)[98]
                rows.append((statistics.median(times) - floor, p99 - floor, floor, used, rate))
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", type=Path, default=IMAGE)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="a part of a case's or model's name")
    parser.add_argument("--serve-instantly", metavar="REPLY", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve_instantly:
        uvloop.run(serve_instantly(options.serve_instantly, options.model))
        return
    resampler = "cykooz-resizer (SIMD)" if HAS_SIMD else "Pillow"
    print(
        f"{options.image.name}, {os.cpu_count()} cores, resampler {resampler}, load before {os.getloadavg()[0]:.1f}\n"
    )
    print("| case | model | form | p50 added ms | p99 added ms | direct p50 ms | CPU ms/request | requests/s | goal |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for case in CASES:
        if options.only not in case.name + case.model:
            continue
        for form in (multipart, base64_json):
            *times, rate = measure(case, form, options)
            goal = f"< {case.goal[0]:g} ms, >= {case.goal[1]:g}/s"
            cells = (case.name, case.model, form.__name__, *(f"{value:.1f}" for value in times), f"{rate:.0f}", goal)
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
