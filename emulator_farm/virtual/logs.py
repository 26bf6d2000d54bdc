"""The phone's log, as `logcat` reads it: a ring of lines, and a bell for whoever follows it."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

CAPACITY = 2000
LEVELS = "VDIWEFS"
SYSTEM_PID = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `level` is one letter of `LEVELS`."""

    number: int
    """Counts up for as long as the phone exists."""
    time: datetime
    level: str
    tag: str
    message: str
    pid: int = SYSTEM_PID
    tid: int = SYSTEM_PID


class Log:
    """The latest lines. Phone thread only, but for `follow`."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque(maxlen=CAPACITY)
        self._next = 0
        self._bells: list[Callable[[], object]] = []

    def write(self, time: datetime, level: str, tag: str, message: str) -> None:
        """Add a line."""
        self._lines.append(Line(self._next, time, level, tag, message))
        self._next += 1
        for ring in [*self._bells]:
            ring()

    def clear(self) -> None:
        """Forget all lines."""
        self._lines.clear()

    def since(self, number: int) -> list[Line]:
        """The lines from a number on that are still there."""
        return [line for line in self._lines if line.number >= number]

    @property
    def end(self) -> int:
        """The number that the next line gets."""
        return self._next

    @contextmanager
    def follow(self, ring: Callable[[], object]) -> Iterator[None]:
        """Call `ring`, on the phone's thread, after each new line for as long as the block lasts."""
        self._bells.append(ring)
        try:
            yield
        finally:
            self._bells.remove(ring)
