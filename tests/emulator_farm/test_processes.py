"""A process is named by pid and birth; killing it is certain."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from emulator_farm import processes


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    if process.stdin:
        process.stdin.close()


def test_a_living_process_is_alive_under_its_own_birth_only() -> None:
    process = sleeper()
    birth = processes.born(process.pid)
    assert birth.isdecimal()
    assert processes.alive(process.pid, birth)
    assert processes.alive(process.pid, "")
    assert not processes.alive(process.pid, "1")
    finish(process)
    assert not processes.alive(process.pid, birth)
    assert processes.born(process.pid) == ""


def test_a_zombie_is_dead() -> None:
    process = sleeper()
    birth = processes.born(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not processes.alive(process.pid, birth)
    finish(process)


def test_kill_reaches_a_stopped_process() -> None:
    process = sleeper()
    os.kill(process.pid, signal.SIGSTOP)
    assert processes.kill(process.pid, processes.born(process.pid))
    finish(process)


def test_kill_spares_a_process_of_another_birth() -> None:
    process = sleeper()
    assert processes.kill(process.pid, "1"), "that process is gone already"
    assert process.poll() is None
    finish(process)
