"""Model servers through many runs, with the stand-in in their place and pauses of hundredths of a second."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import signal
import time
from contextlib import asynccontextmanager

import pytest

from agent_server.errors import LaunchError
from agent_server.launcher.command import Command
from agent_server.launcher.console import Console
from agent_server.launcher.ports import reserved_ports
from agent_server.launcher.replica import MOST_FAILURES, Patience
from agent_server.launcher.replicas import Replicas


def command(stand_in, port):
    flags = ("--served-model-name", "venus", "--host", "127.0.0.1", "--port", str(port))
    return Command((str(stand_in.executable), "serve", "m", *flags), "127.0.0.1", port, stand_in.environment)


@asynccontextmanager
async def running(stand_in, count=1, patience=None, out=None):
    """Replicas that run, stopped at the end; also the task in which they do."""
    with reserved_ports(count) as ports:
        commands = [command(stand_in, port) for port in ports]
        patience = patience or Patience(start_s=30, hang_s=30, first_pause_s=0.01)
        replicas = Replicas(commands, patience, Console(out or io.StringIO()))
        task = asyncio.create_task(replicas.run())
        try:
            yield replicas, task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await replicas.stop(2)
            assert stand_in.processes() == []


async def until(holds, patience_s=20.0):
    deadline = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def test_starting_up_and_stopped(stand_in):
    stand_in.plan(boot_s=0.5)
    out = io.StringIO()

    async def main():
        async with running(stand_in, out=out) as (replicas, _):
            [url] = replicas.urls
            await until(stand_in.starts)
            assert replicas.refusal(url).startswith("the model server is starting (")
            await replicas.ready()
            assert replicas.refusal(url) is None
            assert replicas.refusal("http://elsewhere/v1") is None
            assert await replicas.fate("http://elsewhere/v1") is None
            assert replicas.starts(url) == 1
        assert replicas.refusal(url) == "the model server is being stopped"

    asyncio.run(main())
    assert "[vllm] stand-in: loading\n" in out.getvalue()
    assert "agent-server: vllm is up after " in out.getvalue()


def test_on_a_terminal_one_line_tells_how_far_it_is(stand_in):
    stand_in.plan(boot_s=1.5)
    ours, theirs = pty.openpty()

    async def main(out):
        async with running(stand_in, out=out) as (replicas, _):
            await replicas.ready()

    with open(theirs, "w") as out:
        asyncio.run(main(out))
        written = os.read(ours, 65536).decode()
    os.close(ours)
    assert "agent-server: vllm is starting, 1 s: stand-in: loading\r\x1b[2K" in written


@pytest.mark.parametrize(
    ("victim", "number", "words"),
    [
        ("pid", signal.SIGKILL, "the model server was killed by SIGKILL"),
        ("engine", signal.SIGKILL, "the model server lost its engine (health answers 503)"),
        ("pid", signal.SIGSTOP, "the model server hung (no sign of health for "),
    ],
)
def test_whatever_happens_to_it_is_noticed_and_it_is_started_again(stand_in, victim, number, words):
    patience = Patience(start_s=30, hang_s=1.0, first_pause_s=0.01)

    async def main():
        async with running(stand_in, patience=patience) as (replicas, _):
            [url] = replicas.urls
            await replicas.ready()
            [first] = stand_in.starts()
            os.kill(first[victim], number)
            began = time.monotonic()
            fate = await replicas.fate(url)
            if number == signal.SIGKILL:
                assert time.monotonic() - began < 2
            assert fate.startswith(words)
            assert fate.endswith(", and the request with it")
            await until(lambda: replicas.refusal(url) is None)
            assert replicas.starts(url) == 2
            left = stand_in.processes()
            assert first["pid"] not in left
            assert first["engine"] not in left

    asyncio.run(main())


def test_a_server_that_lives_has_no_fate(stand_in):
    async def main():
        async with running(stand_in) as (replicas, _):
            await replicas.ready()
            began = time.monotonic()
            assert await replicas.fate(replicas.urls[0]) is None
            assert time.monotonic() - began < 5

    asyncio.run(main())


def test_a_few_failures_are_survived(stand_in):
    stand_in.plan(fail=MOST_FAILURES - 1)

    async def main():
        async with running(stand_in) as (replicas, _):
            await replicas.ready()
            assert replicas.starts(replicas.urls[0]) == MOST_FAILURES

    asyncio.run(main())


def fails(stand_in, out):
    async def main():
        async with running(stand_in, out=out) as (replicas, task):
            with pytest.raises(LaunchError) as caught:
                await asyncio.wait_for(task, 60)
            assert replicas.refusal(replicas.urls[0]).endswith("it is not started again")
            return str(caught.value)

    return asyncio.run(main())


def test_too_many_failures_are_the_end_and_the_log_is_quoted(stand_in):
    stand_in.plan(fail=-1, code=7, say="one\ntwo")
    out = io.StringIO()
    assert fails(stand_in, out) == "vllm ended with exit code 7; its last 3 lines are above"
    assert len(stand_in.starts()) == MOST_FAILURES
    assert out.getvalue().endswith("[vllm] | stand-in: loading\n[vllm] | one\n[vllm] | two\n")


def test_a_cause_that_lasts_is_the_end_at_the_first_start(stand_in):
    stand_in.plan(fail=-1, say="ValueError: Model architectures ['X'] are not supported for now.")
    words = "vllm ended with exit code 1: this vLLM is too old for the model's architecture: upgrade vllm"
    assert fails(stand_in, io.StringIO()).startswith(words)
    assert len(stand_in.starts()) == 1


def test_a_start_that_takes_too_long_is_a_failure(stand_in):
    stand_in.plan(boot_s=60)
    out = io.StringIO()

    async def main():
        async with running(stand_in, patience=Patience(0.5, 30, 0.01), out=out):
            await until(lambda: len(stand_in.starts()) >= 2)

    asyncio.run(main())
    assert (
        "s and was killed; --start-timeout sets how long it may take; it is started again in 0.01 s" in out.getvalue()
    )


def test_pauses_grow(stand_in):
    stand_in.plan(fail=4, say="no")
    out = io.StringIO()

    async def main():
        async with running(stand_in, out=out) as (replicas, _):
            await replicas.ready()

    asyncio.run(main())
    for pause in ("0.01", "0.02", "0.04", "0.08"):
        assert f"agent-server: vllm ended with exit code 1; it is started again in {pause} s\n" in out.getvalue()


def test_one_of_several_may_fail_as_long_as_another_is_up(stand_in):
    async def main():
        async with running(stand_in, count=2) as (replicas, task):
            one, two = replicas.urls
            await until(lambda: replicas.refusal(one) is None and replicas.refusal(two) is None)
            stand_in.plan(fail=-1)
            port = two.split(":")[2].removesuffix("/v1")
            [victim] = [start for start in stand_in.starts() if port in start["argv"]]
            os.kill(victim["pid"], signal.SIGKILL)
            await until(lambda: replicas.starts(two) > MOST_FAILURES + 1)
            assert not task.done()
            assert replicas.refusal(one) is None
            assert replicas.refusal(two) is not None

    asyncio.run(main())
