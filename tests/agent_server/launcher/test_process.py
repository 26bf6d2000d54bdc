from __future__ import annotations

import asyncio
import signal
import sys
import time

import pytest

from agent_server.launcher.process import TAIL_LINES, ModelProcess, described


def lives(code, act=None):
    """Run a Python program to its end: exit code, lines, and seconds that `act` took on the process."""
    lines: list[str] = []

    async def main():
        process = await ModelProcess.start([sys.executable, "-c", code], {"WORD": "hello"}, lines.append)
        took = 0.0
        if act is not None:
            while not lines:
                await asyncio.sleep(0.01)
            began = time.monotonic()
            await act(process)
            took = time.monotonic() - began
        ended = await process.ended()
        await process.stop(0)
        await process.stop(0)
        assert list(process.tail) == lines[-TAIL_LINES:]
        return ended, took

    ended, took = asyncio.run(main())
    return ended, lines, took


def test_output_and_exit_code():
    ended, lines, _ = lives("import os, sys; print(os.environ['WORD']); print('two', file=sys.stderr); sys.exit(3)")
    assert (ended, sorted(lines)) == (3, ["hello", "two"])


def test_lines_end_with_carriage_returns_too_and_are_never_endless():
    _, lines, _ = lives(r"print('a\rb\r\n\nc' + 'd' * 10000, end='\nlast')")
    assert lines[:2] == ["a", "b"]
    assert set(map(len, lines[2:-1])) <= {1, 4000, 2001} | set(range(4001))
    assert lines[-1] == "last"
    assert max(map(len, lines)) == 4000


def test_bytes_that_are_no_text():
    _, lines, _ = lives(r"import sys; sys.stdout.buffer.write(b'\xff\xfe\n')")
    assert lines == ["\ufffd\ufffd"]


def test_the_tail_is_short():
    _, lines, _ = lives("for n in range(200): print(n)")
    assert len(lines) == 200


def test_a_program_that_is_not_there():
    lines: list[str] = []

    async def main():
        process = await ModelProcess.start(["/no/such/program"], {}, lines.append)
        ended = await process.ended()
        await process.stop(0)
        return ended

    assert asyncio.run(main()) == 127
    assert lines == ["cannot run /no/such/program: No such file or directory"]


def test_killed_from_outside():
    ended, _, _ = lives("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert ended == -signal.SIGKILL


def test_stop_is_sigterm_first():
    code = (
        "import signal, time; signal.signal(15, lambda *_: exit(print('bye'))); print('on', flush=True); time.sleep(60)"
    )
    _, lines, took = lives(code, lambda process: process.stop(10))
    assert lines == ["on", "bye"]
    assert took < 5


def test_stop_is_sigkill_after_the_grace():
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
    _, _, took = lives(code, lambda process: process.stop(0.5))
    assert 0.5 <= took < 5


@pytest.mark.parametrize("how", ["ends", "is killed", "keeper is killed"])
def test_workers_go_with_the_main_process(stand_in, eventually, how):
    worker = f"import subprocess, sys, os; subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(99)'])"
    end = {
        "ends": "; print('on')",
        "is killed": "; print('on', flush=True); os.kill(os.getpid(), 9)",
        "keeper is killed": "; print('on', flush=True); os.kill(os.getppid(), 9); import time; time.sleep(99)",
    }[how]

    async def main():
        process = await ModelProcess.start([sys.executable, "-c", worker + end], stand_in.environment, lambda _: None)
        await process.ended()
        eventually(lambda: stand_in.processes() == [], 5)
        await process.stop(0)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "ended with exit code 0"), (-9, "was killed by SIGKILL"), (-77, "was killed by signal 77")],
)
def test_described(code, words):
    assert described(code) == words
