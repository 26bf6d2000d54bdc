"""Real processes, really killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from emulator_farm import tether

_PARENT = """
import sys, threading
from emulator_farm import tether
kids = []
argv = [sys.executable, "-c", "import time; time.sleep(60)"]
watchdog = {watchdog!r}
threading.Thread(target=lambda: kids.append(tether.spawn(argv, watchdog=watchdog)), name="short-lived").start()
while not kids:
    pass
print(kids[0].pid, flush=True)
import time; time.sleep(60)
"""


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _within(seconds: float, condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("watchdog", [False, True])
def test_a_child_dies_with_a_killed_parent_though_the_starting_thread_is_gone(watchdog: bool) -> None:
    code = _PARENT.format(watchdog=watchdog)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        family = [child]
        if watchdog:
            assert _within(5, lambda: bool(_children(child)))
            family += _children(child)
        time.sleep(0.2)
        assert all(_alive(pid) for pid in family)
        parent.kill()
    assert _within(5, lambda: not any(_alive(pid) for pid in family))


@pytest.mark.parametrize("watchdog", [False, True])
def test_output_exit_code_and_environment_are_the_programs_own(watchdog: bool) -> None:
    process = tether.spawn(
        [sys.executable, "-c", "import os,sys; print(os.environ['COLOUR']); sys.exit(3)"],
        watchdog=watchdog,
        stdout=subprocess.PIPE,
        env=os.environ | {"COLOUR": "teal"},
    )
    output, _ = process.communicate(timeout=20)
    assert output.strip() == b"teal"
    assert process.returncode == 3


def test_the_process_id_is_the_programs_own() -> None:
    process = tether.spawn([sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE)
    output, _ = process.communicate(timeout=20)
    assert int(output) == process.pid


@pytest.mark.parametrize("watchdog", [False, True])
def test_a_missing_program_is_named(watchdog: bool) -> None:
    process = tether.spawn(["/nowhere/program"], watchdog=watchdog, stderr=subprocess.PIPE, text=True)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 127
    assert "/nowhere/program" in errors


def test_terminating_a_watched_program_reaches_it() -> None:
    code = "import time; print('up', flush=True); time.sleep(60)"
    process = tether.spawn([sys.executable, "-c", code], watchdog=True, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM


def test_keywords_that_would_undo_the_tether_are_refused() -> None:
    with pytest.raises(TypeError, match="preexec_fn"):
        tether.spawn(["true"], preexec_fn=os.setsid)


def test_what_popen_refuses_is_raised_to_the_caller() -> None:
    for watchdog in (False, True):
        with pytest.raises(FileNotFoundError):
            tether.spawn(["true"], watchdog=watchdog, cwd="/no/such/folder")


def test_many_threads_may_spawn_at_once() -> None:
    processes: list[tether.Process] = []
    threads = [threading.Thread(target=lambda: processes.append(tether.spawn(["true"]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(timeout=20) for process in processes] == [0] * 8


_FORKING_PARENT = """
import os, sys, time
from emulator_farm import tether
tether.spawn(["true"]).wait()
me = os.getpid()
if os.fork() == 0:
    tether.bind(me)
    kid = tether.spawn([sys.executable, "-c", "import time; time.sleep(60)"])
    print(os.getpid(), kid.pid, flush=True)
    time.sleep(60)
time.sleep(60)
"""


def test_a_bound_fork_and_its_own_child_die_with_the_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", _FORKING_PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        fork, grandchild = map(int, parent.stdout.readline().split())
        assert _alive(fork)
        assert _alive(grandchild)
        parent.kill()
    assert _within(5, lambda: not _alive(fork) and not _alive(grandchild))


def test_binding_to_a_parent_that_is_gone_kills() -> None:
    code = "from emulator_farm import tether; tether.bind(999999999); print('still here')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == ""


def _in_a_child(code: str) -> subprocess.CompletedProcess[str]:
    lines = f"import os, sys\nfrom emulator_farm import tether\n{code}"
    return subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=20, check=False)


class TestShim:
    """The two modes of the shim, each in a process of its own."""

    def test_becoming_a_program_under_another_parent_is_refused(self) -> None:
        assert _in_a_child("sys.exit(tether._become(1, ['true']))").returncode == tether._ORPHANED

    def test_becoming_a_program_that_is_not_there(self) -> None:
        done = _in_a_child("sys.exit(tether._become(os.getppid(), ['/nowhere/program']))")
        assert done.returncode == 127
        assert "/nowhere/program" in done.stderr

    @pytest.mark.parametrize(
        ("argv", "code"),
        [
            (["sh", "-c", "exit 3"], 3),
            (["sh", "-c", "kill -9 $$"], 128 + signal.SIGKILL),
            (["/nowhere/program"], 127),
        ],
    )
    def test_watching_gives_the_programs_code(self, argv: list[str], code: int) -> None:
        assert _in_a_child(f"read, write = os.pipe()\nsys.exit(tether._watch(read, {argv!r}))").returncode == code

    def test_watching_ends_the_program_when_the_pipe_closes(self) -> None:
        code = "read, write = os.pipe()\nos.close(write)\nsys.exit(tether._watch(read, ['sleep', '60']))"
        began = time.monotonic()
        assert _in_a_child(code).returncode == 128 + signal.SIGKILL
        assert time.monotonic() - began < 10

    def test_without_the_kernels_help_a_lost_parent_is_noticed_by_looking(self) -> None:
        assert _in_a_child("tether._poll_parent(1)").returncode == -signal.SIGKILL


def test_a_fork_lets_go_of_the_pipes_of_its_parent() -> None:
    """Else a fork that lives on would keep the parent's children alive."""
    code = (
        "kid = tether.spawn(['sleep', '60'], watchdog=True)\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    import time; time.sleep(6); os._exit(0)\n"
        "print(kid.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", f"import os\nfrom emulator_farm import tether\n{code}"],
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        shim = int(parent.stdout.readline())
        parent.wait(10)
        assert _within(5, lambda: not _alive(shim))
