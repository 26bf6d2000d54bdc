"""The calendar database behind `content://com.android.calendar`: `calendar.db` of the calendar storage.

Times are milliseconds since 1970; a day-long event begins and ends at midnight UTC. Repeating events have an `rrule`
and, as on Android, a `duration` in place of an end.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from emulator_farm.virtual.apps.dates import millis, moment
from emulator_farm.virtual.providers import Table, Value
from emulator_farm.virtual.stored_provider import StoredProvider
from emulator_farm.virtual.system import System

AUTHORITY = "com.android.calendar"
STORAGE = "com.android.providers.calendar"
SCHEMA = """
CREATE TABLE Calendars (
  _id INTEGER PRIMARY KEY, account_name TEXT, account_type TEXT, _sync_id TEXT, dirty INTEGER DEFAULT 0, name TEXT,
  calendar_displayName TEXT, calendar_color INTEGER, calendar_access_level INTEGER DEFAULT 700,
  visible INTEGER NOT NULL DEFAULT 1, sync_events INTEGER NOT NULL DEFAULT 1, calendar_timezone TEXT,
  ownerAccount TEXT, isPrimary INTEGER DEFAULT 1);
INSERT INTO Calendars (_id, account_name, account_type, name, calendar_displayName, calendar_color, calendar_timezone,
  ownerAccount) VALUES (1, 'Phone', 'LOCAL', 'Phone', 'Phone', -16746133, 'UTC', 'Phone');
CREATE TABLE Events (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, _sync_id TEXT, dirty INTEGER DEFAULT 0, calendar_id INTEGER NOT NULL DEFAULT 1,
  title TEXT, eventLocation TEXT, description TEXT, eventColor INTEGER, eventStatus INTEGER DEFAULT 1,
  selfAttendeeStatus INTEGER NOT NULL DEFAULT 0, dtstart INTEGER, dtend INTEGER, eventTimezone TEXT DEFAULT 'UTC',
  duration TEXT, allDay INTEGER NOT NULL DEFAULT 0, accessLevel INTEGER NOT NULL DEFAULT 0,
  availability INTEGER NOT NULL DEFAULT 0, hasAlarm INTEGER NOT NULL DEFAULT 0,
  hasExtendedProperties INTEGER NOT NULL DEFAULT 0, rrule TEXT, rdate TEXT, exrule TEXT, exdate TEXT,
  lastDate INTEGER, hasAttendeeData INTEGER NOT NULL DEFAULT 0, organizer TEXT DEFAULT 'Phone',
  deleted INTEGER NOT NULL DEFAULT 0, eventEndTimezone TEXT);
CREATE TABLE Reminders (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, event_id INTEGER, minutes INTEGER, method INTEGER NOT NULL DEFAULT 1);
CREATE TABLE Attendees (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, event_id INTEGER, attendeeName TEXT, attendeeEmail TEXT,
  attendeeStatus INTEGER, attendeeRelationship INTEGER, attendeeType INTEGER);
CREATE TRIGGER remove_event AFTER DELETE ON Events BEGIN
  DELETE FROM Reminders WHERE event_id = OLD._id; DELETE FROM Attendees WHERE event_id = OLD._id; END;
"""
TABLES = {name.lower(): Table(name) for name in ("Calendars", "Events", "Reminders", "Attendees")}
REPEATS = (("Does not repeat", ""), ("Every day", "DAILY"), ("Every week", "WEEKLY"), ("Every month", "MONTHLY"))
"""What the editor offers, with the frequency of the rule."""
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")
_SECONDS = (604800, 86400, 3600, 60, 1)


@dataclass(frozen=True)
class Event:
    """One event; `begin` and `end` are moments of its first occurrence, `end` is not part of it."""

    begin: datetime
    end: datetime
    id: int = 0
    title: str = ""
    location: str = ""
    description: str = ""
    all_day: bool = False
    repeat: str = ""
    """DAILY, WEEKLY, MONTHLY or empty."""
    reminder: int | None = None
    """Minutes before it begins."""

    def on(self, day: date) -> "Event | None":
        """The occurrence that touches a day, None where there is none."""
        last = (self.end - timedelta(microseconds=1)).date() if self.end > self.begin else self.begin.date()
        for back in range((last - self.begin.date()).days + 1):
            first = day - timedelta(days=back)
            if self._starts(first):
                shift = first - self.begin.date()
                return replace(self, begin=self.begin + shift, end=self.end + shift)
        return None

    def _starts(self, day: date) -> bool:
        first = self.begin.date()
        match self.repeat:
            case "DAILY":
                return day >= first
            case "WEEKLY":
                return day >= first and day.weekday() == first.weekday()
            case "MONTHLY":
                return day >= first and day.day == first.day
            case _:
                return day == first


class CalendarStore(StoredProvider):
    """The provider, and the calls that the app makes."""

    def __init__(self, system: System) -> None:
        super().__init__(system, STORAGE, "calendar.db", SCHEMA, TABLES, (AUTHORITY,))

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """As every provider; a reminder sets its event's alarm flag."""
        row = super().insert(path, values)
        if path == "reminders":
            self.run("UPDATE Events SET hasAlarm = 1 WHERE _id = ?", (values.get("event_id"),))
        return row

    def events(self) -> list[Event]:
        """All events."""
        rows = self.rows(
            "SELECT e.*, (SELECT minutes FROM Reminders WHERE event_id = e._id ORDER BY _id LIMIT 1) AS reminder "
            "FROM Events e WHERE deleted = 0 AND dtstart IS NOT NULL ORDER BY dtstart, _id"
        )
        return [_event(row) for row in rows]

    def event(self, event: int) -> Event | None:
        """One event by id, None where it is gone."""
        return next((each for each in self.events() if each.id == event), None)

    def save(self, event: Event) -> int:
        """Store a new (`id` 0) or changed event; its id."""
        seconds = int((event.end - event.begin).total_seconds())
        length = f"P{seconds // 86400}D" if event.all_day else f"P{seconds}S"
        values: dict[str, Value] = {
            "title": event.title,
            "eventLocation": event.location,
            "description": event.description,
            "dtstart": millis(event.begin),
            "dtend": None if event.repeat else millis(event.end),
            "duration": length if event.repeat else None,
            "allDay": int(event.all_day),
            "rrule": f"FREQ={event.repeat}" if event.repeat else None,
            "hasAlarm": int(event.reminder is not None),
        }
        if event.id:
            pairs = ", ".join(f"{name} = ?" for name in values)
            self.run(f"UPDATE Events SET {pairs} WHERE _id = ?", (*values.values(), event.id))
            self.run("DELETE FROM Reminders WHERE event_id = ?", (event.id,))
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        row = event.id or self.run(f"INSERT INTO Events ({names}) VALUES ({marks})", tuple(values.values()))
        if event.reminder is not None:
            self.run("INSERT INTO Reminders (event_id, minutes) VALUES (?, ?)", (row, event.reminder))
        return row

    def remove(self, event: int) -> None:
        """Delete an event."""
        self.run("DELETE FROM Events WHERE _id = ?", (event,))

    def ship(self) -> None:
        """The events that the phone comes with, and no others; they lie around today."""
        self.wipe()
        today = self.system.now().date()
        with self.together():
            for event in _shipped(today):
                self.save(event)
        self.release()


def happening(events: Sequence[Event], day: date) -> list[Event]:
    """What happens on a day: day-long events first, then by time."""
    found = [occurrence for event in events if (occurrence := event.on(day)) is not None]
    return sorted(found, key=lambda event: (not event.all_day, event.begin))


def calendar_store(system: System) -> CalendarStore:
    """The calendar of a phone."""
    provider = system.providers.get(AUTHORITY)
    assert isinstance(provider, CalendarStore)
    return provider


def at(day: date, hour: int = 0, minute: int = 0) -> datetime:
    """A moment of a day."""
    return datetime.combine(day, time(hour, minute), UTC)


def _shipped(today: date) -> tuple[Event, ...]:
    def later(days: int) -> date:
        return today + timedelta(days=days)

    return (
        Event(at(today, 12, 30), at(today, 13, 30), title="Team lunch", location="Olive & Thyme", reminder=10),
        Event(at(later(1), 9), at(later(1), 10), title="Dentist", location="12 Elm Street", reminder=60),
        Event(at(later(-5), 17), at(later(-5), 18), title="Piano lesson", repeat="WEEKLY", reminder=30),
        Event(at(later(4)), at(later(5)), title="Library books due", all_day=True),
        Event(
            at(later(6), 7, 40), at(later(6), 11, 5), title="Flight to Lisbon", location="Terminal 2, gate B14",
            description="Booking code K7QX2M", reminder=60,
        ),
    )  # fmt: skip


def _event(row: Mapping[str, Value]) -> Event:
    begin = moment(int(str(row["dtstart"])))
    length = _DURATION.fullmatch(str(row["duration"] or ""))
    if row["dtend"] is not None:
        end = moment(int(str(row["dtend"])))
    else:
        parts = length.groups() if length else ()
        end = begin + timedelta(seconds=sum(int(n or 0) * unit for n, unit in zip(parts, _SECONDS, strict=False)))
    rule = re.search(r"FREQ=(\w+)", str(row["rrule"] or ""))
    return Event(
        begin, end, int(str(row["_id"])), str(row["title"] or ""), str(row["eventLocation"] or ""),
        str(row["description"] or ""), bool(row["allDay"]), rule[1] if rule else "",
        None if row["reminder"] is None else int(str(row["reminder"])),
    )  # fmt: skip
