"""The phone's own clock: wall time that `date` may set, and uptime that nothing but a reboot resets.

Both advance with one monotonic source, so a test that passes its own source owns time completely.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class Clock:
    """Wall clock (timezone-aware, UTC) and uptime of one phone."""

    def __init__(self, start: datetime | None = None, source: Callable[[], float] = time.monotonic) -> None:
        """`start` is the wall time now (default: the host's); `source` counts seconds and never goes back."""
        self._raw = source
        self._shift = 0.0
        self._held: float | None = None
        self._wall_offset = (start or datetime.now(UTC)).timestamp() - source()
        self._network_offset = self._wall_offset
        """The wall time of the world outside, against the source."""
        self._booted_at = source()

    def now(self) -> datetime:
        """Wall time of the phone, UTC."""
        return datetime.fromtimestamp(self._source() + self._wall_offset, UTC)

    def hold(self, on: bool = True) -> None:
        """Stop time, or let it go on from where it stands: for pictures that must not differ by the minute."""
        now = self._source()
        self._held = None
        self._shift += now - self._source()
        self._held = now if on else None

    @property
    def held(self) -> bool:
        """Whether time stands still."""
        return self._held is not None

    def set_time(self, value: datetime) -> None:
        """Move the wall clock; uptime and running timers do not jump."""
        if value.tzinfo is None:
            raise ValueError(f"phone time must carry a timezone, got {value!r}")
        self._wall_offset = value.timestamp() - self._source()

    @property
    def offset(self) -> float:
        """Seconds from the steady clock to the wall clock: another after the wall clock was set."""
        return self._wall_offset

    def synchronize(self) -> None:
        """Take the time from the network: what it was set to since is forgotten, a snapshot's delay too."""
        if self._held is None:
            self._wall_offset = self._network_offset - self._shift

    def monotonic(self) -> float:
        """Seconds of the source; only differences mean anything."""
        return self._source()

    def uptime_s(self) -> float:
        """Seconds since the last boot."""
        return self._source() - self._booted_at

    @property
    def boot_time(self) -> datetime:
        """Wall time of the last boot, on today's setting of the clock."""
        return self.now() - timedelta(seconds=self.uptime_s())

    def mark_boot(self) -> None:
        """Restart uptime at zero."""
        self._booted_at = self._source()

    def freeze(self) -> tuple[float, float, float, bool]:
        """What a snapshot keeps: the steady clock, the wall clock's distance to it, the time of boot, whether held."""
        return self._source(), self._wall_offset, self._booted_at, self.held

    def thaw(self, state: tuple[float, float, float, bool]) -> None:
        """Go on from a saved moment; running timers do not notice."""
        moment, self._wall_offset, self._booted_at, held = state
        self._held = None
        self._shift += moment - self._source()
        self._held = moment if held else None

    def _source(self) -> float:
        return self._raw() + self._shift if self._held is None else self._held
