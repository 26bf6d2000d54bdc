"""The one screen of the Clock: a tab's body over the navigation bar."""

from collections.abc import Hashable

from emulator_farm.virtual.apps.clock.alarms import AlarmTab
from emulator_farm.virtual.apps.clock.stopwatch import StopwatchTab
from emulator_farm.virtual.apps.clock.store import store
from emulator_farm.virtual.apps.clock.timers import TimerTab
from emulator_farm.virtual.material import bottom_bar, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Column, Stack, Text, Widget, pad

TABS = (
    ("alarm", "Alarm", "alarm"),
    ("clock", "Clock", "schedule"),
    ("timer", "Timer", "hourglass_bottom"),
    ("stopwatch", "Stopwatch", "timer"),
)
_ALARM, _EXTRA = "android.intent.action.", "android.intent.extra.alarm."


class DeskClock(Screen):
    """Alarm, Clock, Timer and Stopwatch. SET_ALARM and SET_TIMER intents take effect at once."""

    bar_backdrop = "surface_container"

    def created(self) -> None:
        """Choose the tab, do what the intent asks."""
        self.tab = "alarm"
        self.alarms = AlarmTab(self)
        self.timers = TimerTab(self)
        self.stopwatch = StopwatchTab(self)
        extras, clock = self.intent.extras, store(self.system)
        label = extras.get(_EXTRA + "MESSAGE", "")
        match self.intent.action.removeprefix(_ALARM):
            case "SET_ALARM" if _EXTRA + "HOUR" in extras:
                hour, minute = _number(extras, "HOUR"), _number(extras, "MINUTES")
                self.alarms.expanded = clock.add_alarm(hour % 24, minute % 60, label)
            case "SET_TIMER" | "SHOW_TIMERS":
                self.tab = "timer"
                if _EXTRA + "LENGTH" in extras:
                    clock.add_timer(1000 * _number(extras, "LENGTH"), label)

    def moment(self) -> Hashable:
        """Running things show another second."""
        match self.tab:
            case "timer":
                return self.timers.moment()
            case "stopwatch":
                return self.stopwatch.moment()
            case _:
                return None

    def on_back(self) -> bool:
        """Back leaves the timer keypad where timers exist."""
        return self.tab == "timer" and self.timers.leave_keypad()

    def build(self) -> Widget:
        """Title, body, tabs."""
        title = next(label for key, label, _ in TABS if key == self.tab)
        match self.tab:
            case "alarm":
                body = self.alarms.build()
            case "clock":
                body = self._clock()
            case "timer":
                body = self.timers.build()
            case _:
                body = self.stopwatch.build()
        main = Stack(id="desk_clock_pager", view="FrameLayout", w=FILL, h=FILL, children=(body,))
        return Column(w=FILL, h=FILL, children=(top_bar(title), main, bottom_bar(TABS, self.tab, self._choose)))

    def _choose(self, tab: str) -> None:
        self.tab = tab
        self.timers.adding = False
        self.view.blur()

    def _clock(self) -> Widget:
        now = self.system.now()
        time = Text(
            id="digital_clock", text=self.system.clock_text(now.hour, now.minute), size=72, w=FILL, align="center"
        )
        date = Text(id="date", text=f"{now:%a}, {now:%b} {now.day}", size=18, w=FILL, align="center", color="primary")
        soon = self.alarms.next_alarm()
        parts: tuple[Widget, ...] = (time, date)
        if soon:
            parts = (*parts, Text(id="nextAlarm", text=f"Next alarm {soon}", size=16, w=FILL, align="center"))
        return Column(w=FILL, h=FILL, gap=8, pad=pad(16, 120), children=parts)


def _number(extras: dict[str, str], name: str) -> int:
    text = extras.get(_EXTRA + name, "0")
    return int(text) if text.isdigit() else 0
