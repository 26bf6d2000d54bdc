"""The call log: `calllog.db` of the contacts storage, behind `content://call_log/calls`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from emulator_farm.virtual.apps.dates import millis
from emulator_farm.virtual.apps.numbers import PhoneBook
from emulator_farm.virtual.providers import Table, Value
from emulator_farm.virtual.stored_provider import StoredProvider
from emulator_farm.virtual.system import System

AUTHORITY = "call_log"
INCOMING, OUTGOING, MISSED, REJECTED = 1, 2, 3, 5
"""Values of `type`."""
SCHEMA = """
CREATE TABLE calls (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, number TEXT, presentation INTEGER NOT NULL DEFAULT 1,
  post_dial_digits TEXT NOT NULL DEFAULT '', via_number TEXT NOT NULL DEFAULT '', date INTEGER, duration INTEGER
  DEFAULT 0, data_usage INTEGER, type INTEGER DEFAULT 1, features INTEGER NOT NULL DEFAULT 0,
  subscription_component_name TEXT, subscription_id TEXT, new INTEGER DEFAULT 1, name TEXT, numbertype INTEGER,
  numberlabel TEXT, countryiso TEXT, is_read INTEGER DEFAULT 1, geocoded_location TEXT, lookup_uri TEXT,
  matched_number TEXT, normalized_number TEXT, photo_id INTEGER NOT NULL DEFAULT 0, formatted_number TEXT,
  last_modified INTEGER DEFAULT 0, block_reason INTEGER NOT NULL DEFAULT 0);
"""
SHIPPED = (
    ("(555) 010-2237", OUTGOING, timedelta(days=3, hours=4), 187),
    ("(555) 010-7745", INCOMING, timedelta(days=1, hours=6), 64),
    ("(555) 014-2900", MISSED, timedelta(days=1, hours=2), 0),
    ("(555) 010-1184", MISSED, timedelta(hours=5), 0),
    ("(555) 010-1184", OUTGOING, timedelta(hours=4, minutes=30), 312),
)
"""Number, type, how long ago, seconds."""


@dataclass(frozen=True)
class Call:
    """One call of the past; `date` in milliseconds since 1970, `duration` in seconds."""

    id: int
    number: str
    type: int
    date: int
    duration: int


class CallLog(StoredProvider):
    """The provider, and the calls that the app makes."""

    def __init__(self, system: System) -> None:
        tables = {"calls": Table("calls")}
        super().__init__(system, "com.android.providers.contacts", "calllog.db", SCHEMA, tables, (AUTHORITY,))

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """As every provider; a call without a date is of now."""
        return super().insert(path, {"date": millis(self.system.now()), **values})

    def calls(self) -> list[Call]:
        """All calls, the latest first."""
        rows = self.rows("SELECT _id, number, type, date, duration FROM calls ORDER BY date DESC, _id DESC")
        return [
            Call(int(str(row["_id"])), str(row["number"] or ""), int(str(row["type"])), int(str(row["date"] or 0)),
                 int(str(row["duration"] or 0)))
            for row in rows
        ]  # fmt: skip

    def add(self, number: str, kind: int, date: int, duration: int) -> None:
        """Log a call."""
        self.run(
            "INSERT INTO calls (number, type, date, duration, name, new, is_read, countryiso) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, 'US')",
            (number, kind, date, duration, PhoneBook(self.system).name(number) or None, int(kind == MISSED),
             int(kind != MISSED)),
        )  # fmt: skip

    def seen(self) -> None:
        """Missed calls are not new any more."""
        if self.rows("SELECT 1 FROM calls WHERE new = 1"):
            self.run("UPDATE calls SET new = 0, is_read = 1")

    def remove(self, call: int) -> None:
        """Delete one entry."""
        self.run("DELETE FROM calls WHERE _id = ?", (call,))

    def clear(self) -> None:
        """Delete every entry."""
        self.run("DELETE FROM calls")

    def ship(self) -> None:
        """The calls that the phone comes with, and no others."""
        self.wipe()
        now = self.system.now()
        with self.together():
            for number, kind, ago, duration in SHIPPED:
                self.add(number, kind, millis(now - ago), duration)
        self.release()


def call_log(system: System) -> CallLog:
    """The call log of a phone."""
    provider = system.providers.get(AUTHORITY)
    assert isinstance(provider, CallLog)
    return provider
