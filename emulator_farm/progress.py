"""Where a run stands, and how that is shown while it goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

_LINE_EVERY_S = 10.0


class Watcher(Protocol):
    """Who is told how the run goes; called at every tick."""

    def __call__(self, progress: Progress) -> None: ...


@dataclass
class Progress:
    """Where a run stands."""

    total: int
    held: int
    """Episodes that the store held before this command."""
    published: int = 0
    """Episodes that this command added."""
    successes: int = 0
    steps: int = 0
    episode_seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)
    """Attempts without an episode, by cause."""
    holes: dict[str, str] = field(default_factory=dict)
    """Episodes given up for now, and why."""
    playing: int = 0
    phones: int = 0
    ways: dict[str, int] = field(default_factory=dict)
    """How the phones are reached: a line each, and how many phones it is true of."""
    resets: dict[str, int] = field(default_factory=dict)
    """Resets before episodes that were published, by level."""
    waiting_for: str = ""
    """What the run is paused for, empty while it runs."""
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        return self.total - self.held - self.published - len(self.holes)

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self.started

    @property
    def eta_s(self) -> float | None:
        """Seconds until nothing is left at the speed so far; None before the first episode."""
        return self.left * self.seconds / self.published if self.published else None


@dataclass(frozen=True)
class Outcome:
    """How a harvest ended."""

    progress: Progress
    stopped: bool = False
    fault: str = ""
    """Why the run gave up early, empty where it did not."""

    @property
    def complete(self) -> bool:
        return not self.stopped and not self.fault and not self.progress.holes


class ProgressDisplay:
    """Shows progress: a live panel on a terminal, a line now and then elsewhere. A `Watcher`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=5, transient=True) if console.is_terminal else None
        self._said = 0.0
        self._last = ""

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        if self._live is not None:
            self._live.update(_panel(progress))
            return
        line = summary(progress)
        now = time.monotonic()
        if line != self._last and now - self._said >= _LINE_EVERY_S:
            self._console.print(line, highlight=False, soft_wrap=True, markup=False)
            self._said, self._last = now, line


def summary(progress: Progress) -> str:
    """One line: episodes, success rate, speed, failures, time left."""
    done = progress.held + progress.published
    parts = [f"{done}/{progress.total} episodes"]
    if progress.published:
        parts.append(f"{progress.successes} of {progress.published} played successful")
    parts.append(f"{progress.playing} playing on {progress.phones} phones")
    parts.append(f"{progress.steps / max(progress.seconds, 1e-9):.1f} steps/s")
    if progress.failures:
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(progress.failures.items()))
        parts.append(f"failed attempts: {causes}")
    if progress.resets:
        parts.append("resets: " + ", ".join(f"{level} {count}" for level, count in sorted(progress.resets.items())))
    if progress.holes:
        parts.append(f"{len(progress.holes)} holes")
    if progress.waiting_for:
        parts.append(f"waiting for {progress.waiting_for}")
    parts.append(f"ETA {_clock(progress.eta_s)}" if progress.left else f"took {_clock(progress.seconds)}")
    return " · ".join(parts)


def reached(progress: Progress) -> str:
    """One line: how the phones were reached; empty where that is not known."""
    counted = sorted(progress.ways.items(), key=lambda way: -way[1])
    return "; ".join(f"{count} {'phone' if count == 1 else 'phones'}: {told}" for told, count in counted)


def _panel(progress: Progress) -> Table:
    table = Table.grid(padding=(0, 1))
    done = progress.held + progress.published
    table.add_row(ProgressBar(total=max(progress.total, 1), completed=done, width=50))
    table.add_row(Text(summary(progress)))
    return table


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
