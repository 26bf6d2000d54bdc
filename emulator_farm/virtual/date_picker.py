"""The dialog that asks for a day, and the grid of a month that it is made of."""

import calendar
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from .dialogs import dialog
from .material import icon_button, text_button
from .screen import Popup
from .widgets import FILL, VIEW_GROUP, Action, Column, Paint, Row, Text, Widget, pad

_WEEKS = calendar.Calendar(calendar.SUNDAY)
WEEKDAYS = "SMTWTFS"


def other_month(day: date, months: int) -> date:
    """The first day of the month that comes `months` later, or earlier where negative."""
    index = day.year * 12 + day.month - 1 + months
    return date(min(max(1, index // 12), 9999), index % 12 + 1, 1)


def same_day_of_month(day: date, months: int) -> date:
    """The same day in another month, or its last one where it is shorter."""
    first = other_month(day, months)
    return first + timedelta(days=min(day.day, calendar.monthrange(first.year, first.month)[1]) - 1)


def month_grid(day: date, cell: Callable[[date | None], Widget], name: str = "month_view") -> Widget:
    """Weekday letters, and a row for each week of the month that `day` is in; None stands for days outside it."""
    head = Row(
        w=FILL, hidden=True,
        children=tuple(Text(text=letter, size=12, grow=1, align="center", color="outline") for letter in WEEKDAYS),
    )  # fmt: skip
    weeks = [
        Row(w=FILL, view=VIEW_GROUP, children=tuple(cell(d if d.month == day.month else None) for d in week))
        for week in _WEEKS.monthdatescalendar(day.year, day.month)
    ]
    return Column(id=name, view=VIEW_GROUP, w=FILL, gap=2, children=(head, *weeks))


class DatePicker:
    """State of one open picker. `on_ok(day)` has to close the dialog."""

    def __init__(self, day: date, on_ok: Callable[[date], None], on_cancel: Action) -> None:
        self.day = self.month = day
        self._on_ok = on_ok
        self._on_cancel = on_cancel

    def popup(self) -> Popup:
        """The dialog."""
        return Popup(self._build)

    def _build(self) -> Widget:
        day, month = self.day, self.month
        head = Row(
            w=FILL,
            children=(
                Text(id="android:month_title", text=f"{month:%B} {month.year}", size=16, weight="medium", grow=1),
                icon_button("chevron_left", "Previous month", partial(self._turn, -1), "android:prev"),
                icon_button("chevron_right", "Next month", partial(self._turn, 1), "android:next"),
            ),
        )  # fmt: skip
        chosen = Text(id="android:date_picker_header_date", text=f"{day:%a}, {day:%b} {day.day}", size=28, w=FILL)
        year = Text(id="android:date_picker_header_year", text=str(day.year), size=14, color="on_surface_variant")
        no = text_button("Cancel", self._on_cancel, "android:button2")
        yes = text_button("OK", lambda: self._on_ok(self.day), "android:button1")
        grid = month_grid(month, self._cell, "android:month_view")
        return dialog("", (year, chosen, head, grid), (no, yes), w=340)

    def _cell(self, day: date | None) -> Widget:
        if day is None:
            return Text(grow=1, h=40, hidden=True)
        on = day == self.day
        face: Paint | None = "primary" if on else None
        return Text(
            view="android.view.View", text=str(day.day), desc=f"{day:%d %B %Y}", size=14, align="center", grow=1, h=40,
            bg=face, radius=20, color="on_primary" if on else "on_surface", checkable=True, checked=on, pad=pad(0, 8),
            on_tap=partial(self._choose, day),
        )  # fmt: skip

    def _choose(self, day: date) -> None:
        self.day = day

    def _turn(self, months: int) -> None:
        self.month = other_month(self.month, months)
