"""The alarm tab: cards that open to show label, days, vibration and delete."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from emulator_farm.virtual.apps.clock.store import DAYS, EVERY_DAY, Alarm, store
from emulator_farm.virtual.dialogs import TextPrompt
from emulator_farm.virtual.material import fab, floating, icon_button, scrolling
from emulator_farm.virtual.time_picker import TimePicker
from emulator_farm.virtual.widgets import (
    FILL,
    VIEW_GROUP,
    WRAP,
    Check,
    Column,
    Icon,
    Paint,
    Row,
    Stack,
    Switch,
    Text,
    Widget,
    pad,
)

if TYPE_CHECKING:
    from emulator_farm.virtual.screen import Screen

_WEEK = (6, 0, 1, 2, 3, 4, 5)
"""Order of the day buttons, Sunday first; indexes into DAYS."""
_LONG = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class AlarmTab:
    """The list of alarms; `expanded` is the id of the open card."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen
        self.expanded = 0

    def build(self) -> Widget:
        """Cards and the add button."""
        alarms = store(self._screen.system).alarms()
        rows: list[Widget] = [self._card(alarm) for alarm in alarms]
        if not alarms:
            rows = [Text(id="alarms_empty_view", text="No Alarms", size=18, w=FILL, align="center", pad=pad(24, 120))]
        return floating(scrolling(rows, "alarms_recycler_view", bottom=112), fab("add", "Add alarm", self._ask_new), 20)

    def next_alarm(self) -> str:
        """Day and time of the alarm that rings next; empty where none is on."""
        now = self._screen.system.now()
        minute = now.hour * 60 + now.minute
        waits = [(_minutes_until(alarm, now.weekday(), minute), alarm) for alarm in self._enabled()]
        if not waits:
            return ""
        minutes, alarm = min(waits, key=lambda wait: wait[0])
        day = (now.weekday() + (minute + minutes) // 1440) % 7
        return f"{DAYS[day]} {self._screen.system.clock_text(alarm.hour, alarm.minute)}"

    def _enabled(self) -> list[Alarm]:
        return [alarm for alarm in store(self._screen.system).alarms() if alarm.enabled]

    def _card(self, alarm: Alarm) -> Widget:
        clock, system = store(self._screen.system), self._screen.system
        ink: Paint = "on_surface" if alarm.enabled else "on_surface_variant"
        opened = self.expanded == alarm.id
        time = Text(
            id="digital_clock", text=system.clock_text(alarm.hour, alarm.minute), size=44, color=ink,
            on_tap=lambda: self._ask_time(alarm),
        )  # fmt: skip
        arrow = icon_button(
            "expand_less" if opened else "expand_more", "Collapse alarm" if opened else "Expand alarm",
            lambda: self._expand(0 if opened else alarm.id), "arrow",
        )  # fmt: skip
        switch = Switch(
            id="onoff", checked=alarm.enabled, desc="Alarm",
            on_tap=lambda: clock.set_alarm(alarm.id, enabled=int(not alarm.enabled)),
        )  # fmt: skip
        days = Text(id="days_of_week", text=self._days(alarm), size=14, color="on_surface_variant", grow=1)
        parts: list[Widget] = []
        if alarm.label and not opened:
            parts.append(Text(id="label", text=alarm.label, size=14, color="on_surface_variant", max_lines=1))
        if opened:
            parts.append(self._label_row(alarm))
        parts.append(Row(w=FILL, children=(Column(grow=1, children=(time,)), arrow)))
        parts.append(Row(w=FILL, min_h=40, children=(days, switch)))
        if opened:
            parts.extend(self._details(alarm))
        face: Paint = "surface_high" if opened else "surface_container"
        card = Column(
            id="alarm_card", view=VIEW_GROUP, w=FILL, bg=face, radius=24, pad=pad(20, 14), gap=2,
            on_tap=lambda: self._expand(0 if opened else alarm.id), children=tuple(parts),
        )  # fmt: skip
        return Column(w=FILL, pad=pad(16, 6), children=(card,))

    def _label_row(self, alarm: Alarm) -> Widget:
        text = alarm.label or "Add label"
        return Row(
            w=FILL, gap=12, min_h=44, on_tap=lambda: self._ask_label(alarm),
            children=(Icon(name="label", size=20), Text(id="edit_label", text=text, size=16, max_lines=1, grow=1)),
        )  # fmt: skip

    def _details(self, alarm: Alarm) -> list[Widget]:
        clock = store(self._screen.system)
        buttons = Row(
            w=FILL, justify="start", gap=8, pad=pad(0, 8), children=tuple(self._day(alarm, day) for day in _WEEK)
        )
        vibrate = Row(
            w=FILL, min_h=48, gap=12, on_tap=lambda: clock.set_alarm(alarm.id, vibrate=int(not alarm.vibrate)),
            children=(
                Icon(name="mobile_vibrate", size=20), Text(text="Vibrate", size=16, grow=1),
                Check(id="vibrate_onoff", checked=alarm.vibrate),
            ),
        )  # fmt: skip
        delete = Row(
            id="delete", view="Button", caption="Delete", w=WRAP, min_h=48, gap=12, on_tap=lambda: self._delete(alarm),
            children=(Icon(name="delete", size=20, hidden=True), Text(text="Delete", size=16, hidden=True)),
        )  # fmt: skip
        return [buttons, vibrate, delete]

    def _day(self, alarm: Alarm, day: int) -> Widget:
        on = bool(alarm.days & (1 << day))
        letter = Text(
            text=_LONG[day][0],
            size=14,
            weight="medium",
            color="on_primary" if on else "on_surface",
            anchor=(0.5, 0.5),
            hidden=True,
        )
        return Stack(
            id=f"day_button_{_WEEK.index(day)}", view="CheckBox", desc=_LONG[day], caption=_LONG[day][0], w=36, h=36,
            radius=18, bg="primary" if on else "outline_variant", checkable=True, checked=on,
            on_tap=lambda: store(self._screen.system).set_alarm(alarm.id, daysofweek=alarm.days ^ (1 << day)),
            children=(letter,),
        )  # fmt: skip

    def _days(self, alarm: Alarm) -> str:
        if alarm.days == EVERY_DAY:
            return "Every day"
        if alarm.days:
            return ", ".join(DAYS[day] for day in _WEEK if alarm.days & (1 << day))
        now = self._screen.system.now()
        later = (alarm.hour, alarm.minute) > (now.hour, now.minute)
        return ("Today" if later else "Tomorrow") if alarm.enabled else "Not scheduled"

    def _expand(self, alarm: int) -> None:
        self.expanded = alarm

    def _delete(self, alarm: Alarm) -> None:
        store(self._screen.system).remove_alarm(alarm.id)
        self._screen.system.toast("Alarm deleted")

    # -- dialogs

    def _ask_new(self) -> None:
        now = self._screen.system.now()
        self._ask(now.hour, now.minute, self._create)

    def _ask_time(self, alarm: Alarm) -> None:
        self._ask(alarm.hour, alarm.minute, lambda hour, minute: self._move(alarm, hour, minute))

    def _ask(self, hour: int, minute: int, on_ok: Callable[[int, int], None]) -> None:
        picker = TimePicker(self._screen.system, hour, minute, on_ok, self._screen.dismiss)
        self._screen.show(picker.popup())

    def _create(self, hour: int, minute: int) -> None:
        self.expanded = store(self._screen.system).add_alarm(hour, minute)
        self._announce(hour, minute)

    def _move(self, alarm: Alarm, hour: int, minute: int) -> None:
        store(self._screen.system).set_alarm(alarm.id, hour=hour, minutes=minute, enabled=1)
        self._announce(hour, minute)

    def _announce(self, hour: int, minute: int) -> None:
        self._screen.dismiss()
        now = self._screen.system.now()
        minutes = (hour * 60 + minute - now.hour * 60 - now.minute) % 1440 or 1440
        self._screen.system.toast(f"Alarm set for {minutes // 60} hr {minutes % 60} min from now.")

    def _ask_label(self, alarm: Alarm) -> None:
        def named(text: str) -> None:
            store(self._screen.system).set_alarm(alarm.id, label=text)
            self._screen.dismiss()

        self._screen.show(TextPrompt("Label", alarm.label, named, self._screen.dismiss, optional=True).popup())


def _minutes_until(alarm: Alarm, weekday: int, minute: int) -> int:
    """Minutes from now until the alarm rings, 1 to a week."""
    at = alarm.hour * 60 + alarm.minute
    days = [day for day in range(8) if not alarm.days or alarm.days & (1 << ((weekday + day) % 7))]
    return min(day * 1440 + at - minute for day in days if day * 1440 + at > minute)
