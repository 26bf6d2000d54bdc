"""Everything a command starts dies with it, even by kill -9.

On Linux the kernel does it: a process asks to be killed when its parent goes (PR_SET_PDEATHSIG). The request survives
exec, so `spawn` starts this file as a short shim that asks and then becomes the wanted program: same process id, and no
code between fork and exec of a process with threads. The kernel counts the *thread* that forked as the parent; so one
thread per process, which lives as long as the process, does all the starting.

Elsewhere the shim stays: it holds one end of a pipe, runs the program as its child and kills it when the pipe closes.
Both ways form chains: a tethered process that starts others by `spawn` takes them along.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

_PR_SET_PDEATHSIG = 1
_ORPHANED = 113
"""Exit code of a shim whose parent was gone before it could ask."""

Process = subprocess.Popen[Any]


def spawn(argv: Sequence[str], *, watchdog: bool | None = None, **popen: Any) -> Process:
    """Start a program that is killed (SIGKILL) when this process ends, however it ends.

    It gets a session of its own unless told otherwise: Ctrl-C at a terminal is for us, who stop it when we are through.
    `popen` are keywords of `subprocess.Popen`; `executable`, `shell` and `preexec_fn` cannot be used. `watchdog` forces
    the pipe instead of the kernel's signal, which is the default off Linux. Raises OSError as Popen does, except that a
    missing program is reported by exit code 127.
    """
    if refused := {"executable", "shell", "preexec_fn"} & popen.keys():
        raise TypeError(f"spawn cannot pass on {', '.join(sorted(refused))}")
    popen.setdefault("start_new_session", True)
    use_pipe = not sys.platform.startswith("linux") if watchdog is None else watchdog
    job = _Job(list(argv), popen, use_pipe)
    _spawner().put(job)
    return job.done.result()


def bind(parent: int | None = None) -> None:
    """Tie the calling process to its parent: it is killed when the parent ends.

    For processes that were not made by `spawn`: forks of a job runner, `multiprocessing` children. `parent` is the
    process id that must still be there; without it the present parent counts. A process whose parent is already gone
    kills itself.
    """
    expected = os.getppid() if parent is None else parent
    if sys.platform.startswith("linux"):
        _ask_kernel()
    else:
        threading.Thread(target=_poll_parent, args=(expected,), name="tether", daemon=True).start()
    if os.getppid() != expected:
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class _Job:
    argv: list[str]
    popen: dict[str, Any]
    use_pipe: bool
    done: Future[Process] = field(default_factory=Future)

    def run(self) -> None:
        try:
            self.done.set_result(self._start_piped() if self.use_pipe else self._start())
        except BaseException as error:  # noqa: BLE001 - handed to the caller of spawn, whatever it is
            self.done.set_exception(error)

    def _start(self) -> Process:
        return subprocess.Popen([*_shim("become", os.getpid()), *self.argv], **self.popen)

    def _start_piped(self) -> Process:
        read_end, write_end = os.pipe()
        try:
            passed = (*self.popen.pop("pass_fds", ()), read_end)
            process = subprocess.Popen([*_shim("watch", read_end), *self.argv], pass_fds=passed, **self.popen)
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        _held_open.append(write_end)
        return process


_held_open: list[int] = []
"""Write ends of watchdog pipes: closed by the end of this process and by nothing else."""
_jobs: dict[int, queue.SimpleQueue[_Job]] = {}
_lock = threading.Lock()


def _spawner() -> queue.SimpleQueue[_Job]:
    """The queue of this process's starting thread; a fork gets its own."""
    with _lock:
        jobs = _jobs.get(os.getpid())
        if jobs is None:
            jobs = _jobs[os.getpid()] = queue.SimpleQueue()
            threading.Thread(target=_serve, args=(jobs,), name="tether", daemon=True).start()
        return jobs


def _serve(jobs: queue.SimpleQueue[_Job]) -> None:
    while True:
        jobs.get().run()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for descriptor in _held_open:
        os.close(descriptor)
    _held_open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _shim(mode: str, number: int) -> list[str]:
    return [sys.executable, "-I", "-S", __file__, mode, str(number)]


def _ask_kernel() -> None:
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")


def _poll_parent(expected: int) -> None:
    pause = threading.Event()
    while os.getppid() == expected:
        pause.wait(0.5)
    os.kill(os.getpid(), signal.SIGKILL)


def _become(parent: int, argv: list[str]) -> int:
    _ask_kernel()
    if os.getppid() != parent:
        return _ORPHANED
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        sys.stderr.write(f"cannot run {argv[0]}: {error.strerror}\n")
        return 127


def _watch(descriptor: int, argv: list[str]) -> int:
    try:
        child = subprocess.Popen(argv)
    except OSError as error:
        sys.stderr.write(f"cannot run {argv[0]}: {error.strerror}\n")
        return 127

    def kill_at_end() -> None:
        os.read(descriptor, 1)
        child.kill()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _frame: child.send_signal(received))
    threading.Thread(target=kill_at_end, daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    _mode, _number, *_argv = sys.argv[1:]
    sys.exit((_become if _mode == "become" else _watch)(int(_number), _argv))
