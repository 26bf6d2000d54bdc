"""The calendar itself: a month with the chosen day's events, or the events of the coming weeks as a list."""

from collections.abc import Hashable
from datetime import date, timedelta
from functools import partial

from emulator_farm.virtual.apps.calendar.edit import EditEvent
from emulator_farm.virtual.apps.calendar.info import EventInfo, day_name, when
from emulator_farm.virtual.apps.calendar.store import Event, calendar_store, happening
from emulator_farm.virtual.apps.dates import moment
from emulator_farm.virtual.date_picker import month_grid, same_day_of_month
from emulator_farm.virtual.dialogs import menu
from emulator_farm.virtual.material import fab, floating, icon_button, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Column, Paint, Row, Space, Text, Widget, pad

AGENDA_DAYS = 35
VIEWS = (("month", "Month"), ("day", "Day"), ("agenda", "Schedule"))


class CalendarHome(Screen):
    """Month, day or schedule around the chosen day."""

    mode = "month"

    def created(self) -> None:
        """Start with today, or with the moment of `content://com.android.calendar/time/MILLISECONDS`."""
        self.day: date = self.system.now().date()
        stamp = self.intent.data.rpartition("/time/")[2]
        if stamp.isdigit():
            self.day = moment(int(stamp)).date()

    def moment(self) -> Hashable:
        """The database may change behind the app's back; today changes at midnight."""
        return calendar_store(self.system).stamp, self.system.now().date()

    def build(self) -> Widget:
        """Bar, the view, create button."""
        title = day_name(self.day) if self.mode == "day" else f"{self.day:%B} {self.day.year}"
        step = "day" if self.mode == "day" else "month"
        turn = (
            icon_button("chevron_left", f"Previous {step}", partial(self._turn, -1), "action_previous"),
            icon_button("chevron_right", f"Next {step}", partial(self._turn, 1), "action_next"),
        )
        today = icon_button("today", "Today", self._today, "action_today")
        views = icon_button("view_agenda", "Change view", self._choose_view, "action_view")
        bar = top_bar(title, actions=(*(turn if self.mode != "agenda" else ()), today, views))
        match self.mode:
            case "month":
                body = self._month()
            case "day":
                body = Column(w=FILL, h=FILL, children=(self._list(self._events(self.day), "day_view"),))
            case _:
                body = self._list(self._agenda(), "agenda_events_list")
        page = Column(w=FILL, h=FILL, children=(bar, body), on_fling=self._fling)
        return floating(page, fab("add", "Create new event and more", self._create, "floating_action_button"))

    # -- views

    def _month(self) -> Widget:
        cells = partial(self._cell, calendar_store(self.system).events())
        grid = Column(w=FILL, pad=pad(8, 0), children=(month_grid(self.day, cells),))
        head = Text(id="day_header", text=day_name(self.day), size=16, weight="medium", w=FILL, pad=pad(24, 10))
        events = self._list(self._events(self.day), "day_events_list")
        return Column(w=FILL, h=FILL, children=(grid, Space(w=FILL, h=1, bg="outline_variant"), head, events))

    def _cell(self, all_events: list[Event], day: date | None) -> Widget:
        height = 30 if self.system.display.low else 48
        if day is None:
            return Space(grow=1, h=height)
        count = len(happening(all_events, day))
        chosen, today = day == self.day, day == self.system.now().date()
        face: Paint | None = "primary" if chosen else "primary_container" if today else None
        events = f"{count} events" if count > 1 else "1 event" if count else "No events"
        words = Text(text=str(day.day), size=15, color="on_primary" if chosen else "on_surface", hidden=True)
        mark: Paint = "on_primary" if chosen else "primary"
        dot = Space(w=6, h=6, radius=3, bg=mark) if count else Space(w=6, h=6)
        return Column(
            view="android.view.View", caption=str(day.day), desc=f"{day_name(day)}, {events}", grow=1, h=height,
            gap=2 if height == 48 else 0, align="center", justify="center", bg=face, radius=height / 2,
            selected=chosen, children=(words, dot), on_tap=partial(self._show_day, day),
        )  # fmt: skip

    def _agenda(self) -> list[Widget]:
        rows: list[Widget] = []
        all_events = calendar_store(self.system).events()
        for number in range(AGENDA_DAYS):
            day = self.day + timedelta(days=number)
            if events := [self._event(event) for event in happening(all_events, day)]:
                rows += [Text(id="day_header", text=day_name(day), size=14, weight="medium", pad=pad(24, 10)), *events]
        return rows

    def _events(self, day: date) -> list[Widget]:
        return [self._event(event) for event in happening(calendar_store(self.system).events(), day)]

    def _list(self, rows: list[Widget], name: str) -> Widget:
        nothing = Text(id="no_events", text="No events", w=FILL, align="center", pad=pad(24, 32), color="outline")
        return scrolling(rows or [nothing], name, bottom=88)

    def _event(self, event: Event) -> Widget:
        lines: list[Widget] = [
            Text(id="event_title", text=event.title or "(No title)", size=17, color="on_secondary_container"),
            Text(id="event_when", text=when(self.system, event, short=True), size=13, color="on_secondary_container"),
        ]
        if event.location:
            lines.append(Text(id="event_where", text=event.location, size=13, color="on_secondary_container"))
        card = Column(
            id="event_card", w=FILL, bg="secondary_container", radius=12, pad=pad(16, 10), gap=2, children=tuple(lines),
            on_tap=lambda: self.open(EventInfo, event=str(event.id), day=str(event.begin.date())),
        )  # fmt: skip
        return Row(w=FILL, pad=pad(16, 4), children=(card,))

    # -- moving about

    def _turn(self, by: int) -> None:
        self._show_day(self.day + timedelta(days=by) if self.mode == "day" else same_day_of_month(self.day, by))

    def _fling(self, direction: str) -> bool:
        if self.mode == "agenda" or direction not in ("left", "right"):
            return False
        self._turn(1 if direction == "left" else -1)
        return True

    def _show_day(self, day: date) -> None:
        self.day = day
        self.view.scroll.clear()

    def _today(self) -> None:
        self._show_day(self.system.now().date())

    def _choose_view(self) -> None:
        self.show(menu([(label, partial(self._set_view, key)) for key, label in VIEWS]))

    def _set_view(self, mode: str) -> None:
        self.dismiss()
        self.mode = mode
        self.view.scroll.clear()

    def _create(self) -> None:
        self.open(EditEvent, day=str(self.day))
