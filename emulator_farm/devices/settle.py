"""When a screen is at rest: change detection on pictures, with an end, and blind to what never rests.

After an action the screen may take a moment before it changes, or before it changes for good (a button lights up
first); then it is at rest once nothing changed for a while. A spinner, a running stopwatch, a video go on for ever: a
screen on which only a small part moved for some time is at rest beside it, and one on which a large part moves is taken
as it is after a longer time.
"""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageChops

CELL = 10
"""Pixels of a side of a cell, the unit in which change is told; glances are about 600 pixels high."""


@dataclass(frozen=True)
class Pace:
    """How screens move, in seconds."""

    onset_s: float = 0.4
    """How long after an action its effect may take to show."""
    quiet_s: float = 0.2
    """Without a change for this long a screen is at rest."""
    habit_s: float = 0.8
    """Where only a small part moved for this long, and moves still, it will go on, and the rest is at rest."""
    large_habit_s: float = 2.0
    """The same for a large part: a page that slides in is over by then."""
    small: float = 0.15
    """Share of the screen up to which a part is small."""


class Rest:
    """Sees pictures one after another and says when the screen is at rest. Times are seconds of any steady clock."""

    def __init__(self, pace: Pace, acted_at: float | None = None, before: Image.Image | None = None) -> None:
        """`acted_at` is when the last action was done, None where nothing was; `before` the picture before it."""
        self._pace = pace
        self._acted_at = acted_at
        self._last = before
        self._since = acted_at
        self._changes: list[tuple[float, frozenset[tuple[int, int]]]] = []
        self._pairs = 0
        self.animated = False
        """Whether something moves that was left out of account."""

    def see(self, picture: Image.Image, began: float, ended: float) -> bool:
        """Whether the screen is at rest, now that this picture was taken between two moments."""
        last, self._last = self._last, picture
        if self._since is None:
            self._since = began
        if last is None:
            return False
        fresh = _changed(last, picture)
        self._pairs += 1
        if fresh:
            self._changes.append((ended, fresh))
        quiet = began - (self._changes[-1][0] if self._changes else self._since)
        if self._acted_at is None:
            still = not fresh
        else:
            waited = began - self._acted_at >= self._pace.onset_s and self._pairs > 1
            still = waited and (quiet >= self._pace.quiet_s or not self._changes)
        self.animated = not still and self._habit(began - self._since, began, picture.size)
        return still or self.animated

    def _habit(self, watched: float, now: float, size: tuple[int, int]) -> bool:
        """Whether what moves has moved for so long that it will go on."""
        pace = self._pace
        if watched >= pace.large_habit_s:
            return True
        if watched < pace.habit_s:
            return False
        recent, earlier = set[tuple[int, int]](), set[tuple[int, int]]()
        for at, cells in self._changes:
            if now - at <= pace.habit_s:
                (recent if now - at <= pace.quiet_s else earlier).update(cells)
        whole = size[0] * size[1] / CELL**2
        return len(recent | earlier) <= pace.small * whole and all(_near(cell, earlier) for cell in recent)


def _near(place: tuple[int, int], cells: set[tuple[int, int]]) -> bool:
    """Whether a cell is one of these, or beside one."""
    column, row = place
    return any((column + dx, row + dy) in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1))


def _changed(last: Image.Image, picture: Image.Image) -> frozenset[tuple[int, int]]:
    """The cells in which two pictures differ; all of them where their sizes do."""
    columns, rows = -(-picture.width // CELL), -(-picture.height // CELL)
    if last.size != picture.size:
        return frozenset((column, row) for row in range(rows) for column in range(columns))
    bands = ImageChops.difference(last, picture).split()
    difference = bands[0]
    for band in bands[1:]:
        difference = ImageChops.lighter(difference, band)
    marks = difference.point(lambda value: 255 if value else 0)
    if marks.getbbox() is None:
        return frozenset()
    lit = marks.reduce(CELL).tobytes()  # one pixel of a cell's hundred is 255/100, which is not 0
    return frozenset((index % columns, index // columns) for index, value in enumerate(lit) if value)
