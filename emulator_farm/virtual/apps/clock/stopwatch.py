"""The stopwatch tab. It shows whole seconds while running, so that a screen between two seconds is at rest."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from emulator_farm.virtual.apps.clock.store import store
from emulator_farm.virtual.material import fab, filled_button, scrolling
from emulator_farm.virtual.widgets import FILL, Column, Row, Space, Text, Widget, pad

if TYPE_CHECKING:
    from emulator_farm.virtual.screen import Screen


class StopwatchTab:
    """Time, laps, and the three buttons."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen

    def moment(self) -> Hashable:
        """The second that shows."""
        state, elapsed = store(self._screen.system).stopwatch()
        return state, elapsed // 1000

    def build(self) -> Widget:
        """Time above laps above buttons."""
        clock = store(self._screen.system)
        state, elapsed = clock.stopwatch()
        running = state == "running"
        text = clock_face(elapsed, hundredths=not running)
        low = self._screen.system.display.low
        size, around, button = (36, 4, 56) if low else (64, 40, 80)
        time = Text(id="stopwatch_time_text", text=text, size=size, w=FILL, align="center", pad=pad(16, around))
        laps = clock.laps()
        rows = [self._lap(number, laps) for number in range(len(laps), 0, -1)]
        left: Widget = Space(w=96)
        right: Widget = Space(w=96)
        if state != "reset":
            left = filled_button("Reset", clock.reset_stopwatch, "stopwatch_reset", tonal=True, w=96)
        if running:
            right = filled_button("Lap", clock.lap, "stopwatch_lap", tonal=True, w=96)
        main = fab(
            "pause" if running else "play_arrow", "Pause" if running else "Start",
            clock.pause_stopwatch if running else clock.start_stopwatch, "fab", button,
        )  # fmt: skip
        buttons = Row(w=FILL, justify="center", gap=24, pad=pad(16, 4 if low else 20), children=(left, main, right))
        return Column(w=FILL, h=FILL, children=(time, scrolling(rows, "laps_list"), buttons))

    def _lap(self, number: int, laps: list[int]) -> Widget:
        total = laps[number - 1]
        own = total - (laps[number - 2] if number > 1 else 0)
        return Row(
            w=FILL, h=48, pad=pad(48, 0),
            children=(
                Text(id="lap_number", text=f"# {number}", size=16, w=64),
                Text(id="lap_time", text=clock_face(own, True), size=16, grow=1, align="center"),
                Text(id="lap_total", text=clock_face(total, True), size=16),
            ),
        )  # fmt: skip


def clock_face(milliseconds: int, hundredths: bool) -> str:
    """`00:05`, `00:05.37` or `1:00:05`."""
    seconds = milliseconds // 1000
    hours = seconds // 3600
    text = f"{hours}:" if hours else ""
    text += f"{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{milliseconds // 10 % 100:02d}" if hundredths else text
