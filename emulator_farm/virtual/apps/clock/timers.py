"""The timer tab: a keypad for a new one, and a card for each that exists."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from emulator_farm.virtual.apps.clock.store import Timer, store
from emulator_farm.virtual.dialogs import TextPrompt
from emulator_farm.virtual.material import CENTER, fab, filled_button, floating, icon_button, scrolling
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Icon, Paint, Row, Space, Stack, Text, Widget, pad

if TYPE_CHECKING:
    from emulator_farm.virtual.screen import Screen

MAX_DIGITS = 6
_KEYS = (("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9"), ("00", "0", ""))
_MINUTE_MS = 60_000
_GAP = 10
_BARS_DP = 200
"""Height taken by system bars, title and tabs."""
_ABOVE_DP = _BARS_DP + 48 + 170
"""The same in portrait, with buttons, time and start as well."""


class TimerTab:
    """`digits` is what was keyed in, at most six: hhmmss."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen
        self.digits = ""
        self.adding = False

    def moment(self) -> Hashable:
        """What the running timers show."""
        return tuple((timer.state, _seconds_left(timer)) for timer in store(self._screen.system).timers())

    def leave_keypad(self) -> bool:
        """Return to the list; False where there is nothing to return to."""
        was = self.adding and bool(store(self._screen.system).timers())
        self.adding, self.digits = False, ""
        return was

    def build(self) -> Widget:
        """Keypad or cards."""
        timers = store(self._screen.system).timers()
        if self.adding or not timers:
            return self._keypad()
        rows = [self._card(timer) for timer in timers]
        return floating(scrolling(rows, "timers_list", bottom=112), fab("add", "Add timer", self._add), 20)

    def _add(self) -> None:
        self.adding, self.digits = True, ""

    # -- keypad

    def _keypad(self) -> Widget:
        width, height = self._screen.system.display.size_dp
        wide = width > height
        key_height = min(72.0, max(32.0, (height - (_BARS_DP if wide else _ABOVE_DP)) / len(_KEYS) - _GAP))
        shown = self.digits.rjust(MAX_DIGITS, "0")
        color: Paint = "primary" if self.digits else "on_surface_variant"
        text = f"{shown[:2]}h {shown[2:4]}m {shown[4:]}s"
        size = min(48.0, (width / 2 if wide else width) / 7)
        time = Text(id="timer_setup_time", text=text, size=size, color=color, w=FILL, align="center", pad=pad(8, 16))
        keys = Column(
            w=FILL, gap=_GAP, align="center",
            children=tuple(
                Row(
                    w=FILL, justify="center", gap=16, ltr=True,
                    children=tuple(self._key(key, key_height) for key in line),
                )
                for line in _KEYS
            ),
        )  # fmt: skip
        start = fab("play_arrow", "Start", self._start, "fab", 72) if int(self.digits or "0") else Space(w=72, h=72)
        if not wide:
            return Column(w=FILL, h=FILL, gap=_GAP, align="center", children=(time, keys, start))
        left = Column(grow=1, gap=16, align="center", children=(time, start))
        return Row(w=FILL, h=FILL, children=(left, Column(grow=1, children=(keys,))))

    def _key(self, key: str, height: float) -> Widget:
        if not key:
            glyph = Icon(name="backspace", color="on_surface", anchor=CENTER, hidden=True)
            return Stack(
                id="timer_setup_delete", view="ImageButton", desc="Delete last digit", w=84, h=height,
                radius=height / 2, bg="surface_container", on_tap=self._erase, children=(glyph,),
            )  # fmt: skip
        return Text(
            id=f"timer_setup_digit_{key}", view="Button", text=key, size=min(28.0, height * 0.5), align="center", w=84,
            h=height, radius=height / 2, bg="surface_container", on_tap=lambda: self._press(key),
        )  # fmt: skip

    def _press(self, key: str) -> None:
        self.digits = (self.digits + key).lstrip("0")[:MAX_DIGITS]

    def _erase(self) -> None:
        self.digits = self.digits[:-1]

    def _start(self) -> None:
        shown = self.digits.rjust(MAX_DIGITS, "0")
        seconds = int(shown[:2]) * 3600 + int(shown[2:4]) * 60 + int(shown[4:])
        store(self._screen.system).add_timer(1000 * seconds)
        self.adding, self.digits = False, ""

    # -- cards

    def _card(self, timer: Timer) -> Widget:
        clock = store(self._screen.system)
        name = timer.label or f"{spell(timer.length_ms // 1000)} timer"
        label = Text(
            id="timer_label", text=name, size=16, grow=1, max_lines=1, on_tap=lambda: self._ask_label(timer),
        )  # fmt: skip
        close = icon_button("close", "Delete", lambda: clock.remove_timer(timer.id), "close")
        ink: Paint = "error" if timer.state == "expired" else "on_surface"
        time = Text(id="timer_time_text", text=countdown(_seconds_left(timer)), size=56, color=ink, w=FILL)
        running = timer.state == "running"
        main = {"running": "Pause", "paused": "Resume", "reset": "Start", "expired": "Stop"}[timer.state]
        act = {
            "running": lambda: clock.pause_timer(timer.id),
            "expired": lambda: clock.reset_timer(timer.id),
        }.get(timer.state, lambda: clock.start_timer(timer.id))
        buttons: list[Widget] = [filled_button(main, act, "play_pause", tonal=running)]
        if timer.state != "reset":
            buttons.append(
                filled_button("+1:00", lambda: clock.lengthen_timer(timer.id, _MINUTE_MS), "add_one_min", tonal=True)
            )
            buttons.append(filled_button("Reset", lambda: clock.reset_timer(timer.id), "reset", tonal=True))
        card = Column(
            id="timer_card", view=VIEW_GROUP, w=FILL, bg="surface_container", radius=24, pad=pad(20, 12), gap=8,
            children=(Row(w=FILL, children=(label, close)), time, Row(w=FILL, gap=12, children=tuple(buttons))),
        )  # fmt: skip
        return Column(w=FILL, pad=pad(16, 6), children=(card,))

    def _ask_label(self, timer: Timer) -> None:
        def named(text: str) -> None:
            store(self._screen.system).label_timer(timer.id, text)
            self._screen.dismiss()

        self._screen.show(TextPrompt("Label", timer.label, named, self._screen.dismiss, optional=True).popup())


def _seconds_left(timer: Timer) -> int:
    return -(-timer.remaining_ms // 1000)


def countdown(seconds: int) -> str:
    """`1:02:03`, `4:05` or `0:07`."""
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02d}:{seconds % 60:02d}" if hours else f"{minutes}:{seconds % 60:02d}"


def spell(seconds: int) -> str:
    """`1h 2m 3s` without the parts that are zero."""
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return " ".join(f"{value}{unit}" for value, unit in parts if value) or "0s"
