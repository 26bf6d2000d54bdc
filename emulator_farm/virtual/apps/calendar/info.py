"""One event: when, where, what; edit and delete."""

from collections.abc import Hashable
from datetime import date, timedelta

from emulator_farm.virtual.apps.calendar.edit import EditEvent, reminder_text
from emulator_farm.virtual.apps.calendar.store import REPEATS, Event, calendar_store
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.material import icon_button, list_item, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.system import System
from emulator_farm.virtual.widgets import FILL, Column, Text, Widget, pad


class EventInfo(Screen):
    """The event whose id is the extra `event`, or ends the intent's data URI."""

    activity = ".EventInfoActivity"

    @property
    def event(self) -> int:
        """The event's id; 0 where the intent names none."""
        text = self.intent.extras.get("event") or self.intent.data.rstrip("/").rpartition("/")[2]
        return int(text) if text.isdigit() else 0

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return calendar_store(self.system).stamp

    def build(self) -> Widget:
        """Bar, title, details."""
        event = calendar_store(self.system).event(self.event)
        if event is None:
            gone = Text(id="message", text="Event not found", w=FILL, align="center", pad=pad(24, 96))
            return Column(w=FILL, h=FILL, children=(top_bar(up=self.close, up_icon="close", up_desc="Close"), gone))
        day = self.intent.extras.get("day")
        shown = event.on(date.fromisoformat(day)) if day else None
        edit = icon_button("edit", "Edit", lambda: self.open(EditEvent, event=str(event.id)), "info_action_edit")
        delete = icon_button("delete", "Delete", self._ask, "info_action_delete")
        bar = top_bar(up=self.close, up_icon="close", up_desc="Close", actions=(edit, delete))
        return Column(w=FILL, h=FILL, children=(bar, scrolling(self._rows(shown or event), "event_info_scroll_view")))

    def _rows(self, event: Event) -> list[Widget]:
        rows: list[Widget] = [Text(id="title", text=event.title or "(No title)", size=28, w=FILL, pad=pad(24, 16))]
        rows.append(list_item(when(self.system, event), icon="schedule", title_id="when_datetime"))
        if event.repeat:
            text = next((label for label, key in REPEATS if key == event.repeat), event.repeat.capitalize())
            rows.append(list_item(text, icon="sync", title_id="when_repeat"))
        if event.location:
            rows.append(list_item(event.location, icon="place", title_id="where"))
        if event.description:
            rows.append(list_item(event.description, icon="description", title_id="description"))
        rows.append(list_item(reminder_text(event.reminder), icon="notifications", title_id="reminder"))
        return rows

    def _ask(self) -> None:
        self.show(confirm("Delete this event?", "OK", self._delete, self.dismiss))

    def _delete(self) -> None:
        self.dismiss()
        calendar_store(self.system).remove(self.event)
        self.close()


def day_name(day: date) -> str:
    """`Thursday, October 15`."""
    return f"{day:%A}, {day:%B} {day.day}"


def when(system: System, event: Event, short: bool = False) -> str:
    """The time of an event in words; without the day where `short`."""
    last = event.end - timedelta(days=1) if event.all_day else event.end
    first_day, last_day = event.begin.date(), max(last.date(), event.begin.date())
    begin, end = (system.clock_text(each.hour, each.minute) for each in (event.begin, event.end))
    if event.all_day:
        days = day_name(first_day) if first_day == last_day else f"{day_name(first_day)} – {day_name(last_day)}"
        return "All day" if short else days
    if first_day != last_day:
        return f"{day_name(first_day)}, {begin} – {day_name(last_day)}, {end}"
    return f"{begin} – {end}" if short else f"{day_name(first_day)}, {begin} – {end}"
