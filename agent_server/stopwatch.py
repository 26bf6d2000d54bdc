"""Wall time of one answer, by stage."""

from __future__ import annotations

import time


class Stopwatch:
    """Milliseconds by stage, since it was made."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """The time since the last lap goes to `stage`."""
        now = time.perf_counter()
        self.stages[stage] = round((now - self._last) * 1000, 3)
        self._last = now

    def total(self) -> dict[str, float]:
        """All stages, and how long it has been in all."""
        return {**self.stages, "total": round((time.perf_counter() - self._start) * 1000, 3)}
