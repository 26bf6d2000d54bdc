"""What a shell runs in the background: each job is a process that `ps` lists and `kill` ends."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from emulator_farm.virtual.processes import Processes

SIGTERM = 15


def killed_by(signal: int) -> int:
    """The exit status of a program that a signal ended."""
    return 128 + signal


class Jobs:
    """The background jobs of one shell."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._tasks: dict[int, asyncio.Task[int]] = {}
        self.last = 0
        """Process id of the job that was started last, `$!`; 0 where none was."""

    def start(self, uid: int, words: list[str], body: Coroutine[Any, Any, int]) -> None:
        """Run `body` beside the shell; `words` are the command line that `ps` shows."""
        task = asyncio.get_running_loop().create_task(body)
        process = self._processes.start(uid, words, task.cancel)
        self._tasks[process.pid] = task
        task.add_done_callback(lambda done: self._processes.end(process))
        self.last = process.pid

    async def wait(self, pid: int | None = None) -> int:
        """Wait for one job, or until none is left; the status of the one, 127 where there is no such."""
        if pid is not None:
            task = self._tasks.pop(pid, None)
            return 127 if task is None else await _status(task)
        try:
            while self._tasks:
                await _status(next(iter(self._tasks.values())))
                del self._tasks[next(iter(self._tasks))]
        finally:
            self.cancel()
        return 0

    def cancel(self) -> None:
        """End what still runs."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()


async def _status(task: asyncio.Task[int]) -> int:
    await asyncio.wait({task})
    return killed_by(SIGTERM) if task.cancelled() else task.result()
