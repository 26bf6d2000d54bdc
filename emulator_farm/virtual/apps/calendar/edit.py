"""The form that creates or changes an event."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from emulator_farm.virtual.apps.calendar.store import REPEATS, Event, at, calendar_store
from emulator_farm.virtual.apps.dates import moment
from emulator_farm.virtual.date_picker import DatePicker
from emulator_farm.virtual.dialogs import choice, confirm
from emulator_farm.virtual.material import filled_button, list_item, scrolling, switch_item, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.time_picker import TimePicker
from emulator_farm.virtual.widgets import FILL, Column, Icon, Row, Space, Text, TextField, Widget, pad

REMINDERS = (None, 0, 10, 30, 60, 1440)
"""Minutes before the event that the form offers."""
_TITLE = "title"


class EditEvent(Screen):
    """The event that the extra `event` names, or a new one on `day`. An INSERT intent's extras fill a new one in."""

    activity = ".event.EditEventActivity"

    def created(self) -> None:
        """Start from the stored event or from the intent."""
        extras = self.intent.extras
        text = extras.get("event") or self.intent.data.rstrip("/").rpartition("/")[2]
        stored = calendar_store(self.system).event(int(text)) if text.isdigit() else None
        begin, end = self._suggested()
        filled = Event(
            begin, end, title=extras.get("title", ""), location=extras.get("eventLocation", ""),
            description=extras.get("description", ""), all_day=extras.get("allDay") == "true", reminder=10,
        )  # fmt: skip
        self.event = self.before = stored or filled
        if stored is None and not filled.title:
            self.view.focus_on(_TITLE)

    def _suggested(self) -> tuple[datetime, datetime]:
        extras, now = self.intent.extras, self.system.now()
        day = date.fromisoformat(extras["day"]) if "day" in extras else now.date()
        hour = at(day, now.hour) + timedelta(hours=1)
        begin = moment(int(extras["beginTime"])) if extras.get("beginTime", "").isdigit() else hour
        end = moment(int(extras["endTime"])) if extras.get("endTime", "").isdigit() else begin + timedelta(hours=1)
        return begin, end

    def build(self) -> Widget:
        """Bar with Done, fields."""
        event = self.event
        done = filled_button("Save", self._save, "action_done")
        title = "Edit event" if event.id else "New event"
        bar = top_bar(title, up=self._leave, up_icon="close", up_desc="Cancel", actions=(done, Space(w=8)))
        last = event.end - timedelta(days=1) if event.all_day else event.end
        rows = (
            self._text(_TITLE, "Event name", event.title, "title", "edit"),
            switch_item("All day", event.all_day, self._set_all_day, icon="schedule"),
            self._moment("From", "start", event.begin, self._set_begin),
            self._moment("To", "end", last, self._set_end),
            list_item(_repeat_text(event.repeat), icon="sync", on_tap=self._ask_repeat, title_id="repeats"),
            self._text("location", "Location", event.location, "location", "place"),
            list_item(
                reminder_text(event.reminder), icon="notifications", on_tap=self._ask_reminder, title_id="reminder"
            ),
            self._text("description", "Description", event.description, "description", "description"),
        )
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows, "edit_event")))

    def _text(self, name: str, hint: str, value: str, attribute: str, icon: str) -> Widget:
        def change(text: str) -> None:
            self.event = replace(self.event, **{attribute: text})  # type: ignore[arg-type]

        large = name == _TITLE
        field = TextField(
            id=name, value=value, hint=hint, on_change=change, grow=1, size=22 if large else 18, pad=pad(0, 14),
            action="next",
        )  # fmt: skip
        return Row(w=FILL, pad=pad(24, 2), gap=24, children=(Icon(name=icon), field))

    def _moment(self, label: str, name: str, value: datetime, change: Callable[[datetime], None]) -> Widget:
        def set_date(day: date) -> None:
            self.dismiss()
            change(datetime.combine(day, value.time(), UTC))

        def set_time(hour: int, minute: int) -> None:
            self.dismiss()
            change(datetime.combine(value.date(), time(hour, minute), UTC))

        def ask_date() -> None:
            self.show(DatePicker(value.date(), set_date, self.dismiss).popup())

        def ask_time() -> None:
            self.show(TimePicker(self.system, value.hour, value.minute, set_time, self.dismiss).popup())

        day_text = f"{value:%a}, {value:%b} {value.day}, {value.year}"
        parts: list[Widget] = [
            Text(id=f"{name}_label", text=label, size=16, w=56, color="on_surface_variant"),
            Text(id=f"{name}_date", view="Button", text=day_text, size=16, grow=1, pad=pad(8, 14), on_tap=ask_date),
        ]
        if not self.event.all_day:
            clock = self.system.clock_text(value.hour, value.minute)
            parts.append(Text(id=f"{name}_time", view="Button", text=clock, size=16, pad=pad(8, 14), on_tap=ask_time))
        return Row(w=FILL, pad=pad(24, 2), gap=8, children=(Space(w=32), *parts))

    # -- changing the event

    def _set_all_day(self, on: bool) -> None:
        begin, end = self.event.begin, self.event.end
        if on:
            begin, end = at(begin.date()), at(max(begin, end - timedelta(microseconds=1)).date() + timedelta(days=1))
        else:
            begin = at(begin.date(), self.system.now().hour)
            end = begin + timedelta(hours=1)
        self.event = replace(self.event, all_day=on, begin=begin, end=end)

    def _set_begin(self, begin: datetime) -> None:
        self.event = replace(self.event, begin=begin, end=begin + (self.event.end - self.event.begin))

    def _set_end(self, end: datetime) -> None:
        if self.event.all_day:
            end += timedelta(days=1)
        self.event = replace(self.event, end=end, begin=min(self.event.begin, end))

    def _ask_repeat(self) -> None:
        def choose(index: int) -> None:
            self.dismiss()
            self.event = replace(self.event, repeat=REPEATS[index][1])

        now = next((index for index, (_, key) in enumerate(REPEATS) if key == self.event.repeat), -1)
        self.show(choice("Repeat", [label for label, _ in REPEATS], now, choose, self.dismiss))

    def _ask_reminder(self) -> None:
        def choose(index: int) -> None:
            self.dismiss()
            self.event = replace(self.event, reminder=REMINDERS[index])

        now = REMINDERS.index(self.event.reminder) if self.event.reminder in REMINDERS else -1
        self.show(choice("Reminder", [reminder_text(each) for each in REMINDERS], now, choose, self.dismiss))

    # -- leaving

    def on_back(self) -> bool:
        """Back asks before it throws changes away."""
        if self.event != self.before:
            self._leave()
            return True
        return False

    def _leave(self) -> None:
        if self.event != self.before:
            self.show(confirm("Discard this event?", "Discard", self._discard, self.dismiss, negative="Keep editing"))
        else:
            self.close()

    def _discard(self) -> None:
        self.dismiss()
        self.close()

    def _save(self) -> None:
        event = self.event
        text = {name: getattr(event, name).strip() for name in ("title", "location", "description")}
        calendar_store(self.system).save(replace(event, **text))
        self.system.toast("Event saved" if event.id else "Event created")
        self.close()


def reminder_text(minutes: int | None) -> str:
    """`10 minutes before`."""
    match minutes:
        case None:
            return "No reminder"
        case 0:
            return "At time of event"
        case 60:
            return "1 hour before"
        case 1440:
            return "1 day before"
        case _:
            return f"{minutes} minutes before"


def _repeat_text(repeat: str) -> str:
    return next((label for label, key in REPEATS if key == repeat), repeat.capitalize())
