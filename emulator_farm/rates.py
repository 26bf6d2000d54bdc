"""The little statistics that a report needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""


@dataclass(frozen=True)
class Rate:
    """How often something came out well, with Wilson's 95 % interval, which is sound for few trials too."""

    successes: int
    trials: int

    @property
    def share(self) -> float | None:
        """From 0 to 1; None without a trial."""
        return self.successes / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end, from 0 to 1; everything without a trial."""
        if not self.trials:
            return (0.0, 1.0)
        share, square = self.successes / self.trials, _Z * _Z / self.trials
        middle = (share + square / 2) / (1 + square)
        reach = _Z / (1 + square) * math.sqrt(share * (1 - share) / self.trials + square / 4 / self.trials)
        low = 0.0 if self.successes == 0 else max(0.0, middle - reach)
        high = 1.0 if self.successes == self.trials else min(1.0, middle + reach)
        return (low, high)

    def __str__(self) -> str:
        if self.share is None:
            return "–"
        low, high = self.interval
        return f"{100 * self.share:.0f} % [{100 * low:.0f}–{100 * high:.0f}]"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of them lie, interpolated. Raises ValueError for none."""
    if not values:
        raise ValueError("no values, so no percentile")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
