"""A moment by which something must have happened."""

from __future__ import annotations

import time


class Deadline:
    """A moment on the monotonic clock, `seconds` from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        return self.remaining == 0.0

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and one `seconds` from now."""
        return Deadline(min(seconds, self.remaining))

    def pause(self, seconds: float) -> None:
        """Wait between two looks at a condition, not beyond the deadline."""
        time.sleep(min(seconds, self.remaining))
