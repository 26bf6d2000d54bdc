"""Alarms, timers and the stopwatch behind `content://com.android.deskclock`.

A running timer or stopwatch is stored as what it showed when it was started and the reading of the phone's steady
clock at that moment, so setting the date does not disturb it; the provider reports what it shows now.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from emulator_farm.virtual.providers import Provider, Row, Table
from emulator_farm.virtual.system import System

AUTHORITY = "com.android.deskclock"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""Bit n of `daysofweek` is DAYS[n]."""
WORKDAYS, WEEKEND, EVERY_DAY = 0x1F, 0x60, 0x7F
SHIPPED = ((8, 30, WORKDAYS), (9, 0, WEEKEND))

SCHEMA = """
CREATE TABLE alarms (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, hour INTEGER NOT NULL, minutes INTEGER NOT NULL,
  daysofweek INTEGER NOT NULL DEFAULT 0, enabled INTEGER NOT NULL DEFAULT 1, vibrate INTEGER NOT NULL DEFAULT 1,
  label TEXT NOT NULL DEFAULT '', ringtone TEXT, delete_after_use INTEGER NOT NULL DEFAULT 0);
CREATE TABLE timer_table (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, length_ms INTEGER NOT NULL, remaining_ms INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'reset', label TEXT NOT NULL DEFAULT '', since REAL NOT NULL DEFAULT 0,
  base_ms INTEGER NOT NULL DEFAULT 0);
CREATE VIEW timers AS SELECT _id, length_ms, remaining_ms, state, label FROM timer_table;
CREATE TABLE stopwatch_table (
  _id INTEGER PRIMARY KEY, state TEXT NOT NULL, elapsed_ms INTEGER NOT NULL, since REAL NOT NULL DEFAULT 0,
  base_ms INTEGER NOT NULL DEFAULT 0);
INSERT INTO stopwatch_table (_id, state, elapsed_ms) VALUES (1, 'reset', 0);
CREATE VIEW stopwatch AS SELECT s._id, s.state, s.elapsed_ms, (SELECT count(*) FROM laps) AS laps
  FROM stopwatch_table s;
CREATE TABLE laps (_id INTEGER PRIMARY KEY AUTOINCREMENT, total_ms INTEGER NOT NULL);
"""


@dataclass(frozen=True)
class Alarm:
    """One alarm."""

    id: int
    hour: int
    minute: int
    days: int
    enabled: bool
    vibrate: bool
    label: str


@dataclass(frozen=True)
class Timer:
    """One timer; `state` is running, paused, reset or expired."""

    id: int
    length_ms: int
    remaining_ms: int
    state: str
    label: str


class ClockStore(Provider):
    """The provider, and the calls that the app makes."""

    def __init__(self, system: System) -> None:
        tables = {name: Table(name) for name in ("alarms", "laps")} | {
            "timers": Table("timers", "timer_table"),
            "stopwatch": Table("stopwatch", "stopwatch_table"),
        }
        self._clock = system.clock
        super().__init__((AUTHORITY,), SCHEMA, tables)

    def query(self, path: str, projection: Sequence[str] | None, where: str | None, sort: str | None) -> list[Row]:
        """Rows as they are now."""
        self._advance()
        return super().query(path, projection, where, sort)

    def ship(self) -> None:
        """The alarms that the phone comes with, and nothing else."""
        self.wipe()
        for hour, minute, days in SHIPPED:
            self.run(
                "INSERT INTO alarms (hour, minutes, daysofweek, enabled) VALUES (?, ?, ?, 0)", (hour, minute, days)
            )

    # -- alarms

    def alarms(self) -> list[Alarm]:
        """All alarms by time of day."""
        rows = self.rows("SELECT * FROM alarms ORDER BY hour, minutes, _id")
        return [
            Alarm(
                _number(row["_id"]), _number(row["hour"]), _number(row["minutes"]), _number(row["daysofweek"]),
                bool(row["enabled"]), bool(row["vibrate"]), str(row["label"] or ""),
            )
            for row in rows
        ]  # fmt: skip

    def add_alarm(self, hour: int, minute: int, label: str = "") -> int:
        """A new alarm, on; its id."""
        return self.run("INSERT INTO alarms (hour, minutes, label) VALUES (?, ?, ?)", (hour, minute, label))

    def set_alarm(self, alarm: int, **values: int | str) -> None:
        """Change columns of an alarm."""
        pairs = ", ".join(f"{name} = ?" for name in values)
        self.run(f"UPDATE alarms SET {pairs} WHERE _id = ?", (*values.values(), alarm))

    def remove_alarm(self, alarm: int) -> None:
        """Delete an alarm."""
        self.run("DELETE FROM alarms WHERE _id = ?", (alarm,))

    # -- timers

    def timers(self) -> list[Timer]:
        """All timers as they are now, the newest first."""
        self._advance()
        rows = self.rows("SELECT * FROM timers ORDER BY _id DESC")
        return [
            Timer(
                _number(row["_id"]), _number(row["length_ms"]), _number(row["remaining_ms"]), str(row["state"]),
                str(row["label"] or ""),
            )
            for row in rows
        ]  # fmt: skip

    def add_timer(self, length_ms: int, label: str = "") -> int:
        """A new timer, running; its id."""
        timer = self.run(
            "INSERT INTO timer_table (length_ms, remaining_ms, label) VALUES (?, ?, ?)", (length_ms, length_ms, label)
        )
        self.start_timer(timer)
        return timer

    def start_timer(self, timer: int) -> None:
        """Start or go on."""
        self._advance()
        sql = "UPDATE timer_table SET state = 'running', base_ms = remaining_ms, since = ? WHERE _id = ?"
        self.run(sql, (self._clock.monotonic(), timer))

    def pause_timer(self, timer: int) -> None:
        """Hold."""
        self._advance()
        self.run("UPDATE timer_table SET state = 'paused' WHERE _id = ? AND state = 'running'", (timer,))

    def reset_timer(self, timer: int) -> None:
        """Back to its full length, not running."""
        self.run("UPDATE timer_table SET state = 'reset', remaining_ms = length_ms WHERE _id = ?", (timer,))

    def lengthen_timer(self, timer: int, by_ms: int) -> None:
        """Add time to what remains; an expired timer runs again."""
        self._advance()
        self.run(
            "UPDATE timer_table SET remaining_ms = remaining_ms + ?1, base_ms = remaining_ms + ?1, since = ?2, "
            "state = CASE state WHEN 'expired' THEN 'running' ELSE state END WHERE _id = ?3",
            (by_ms, self._clock.monotonic(), timer),
        )

    def label_timer(self, timer: int, label: str) -> None:
        """Name a timer."""
        self.run("UPDATE timer_table SET label = ? WHERE _id = ?", (label, timer))

    def remove_timer(self, timer: int) -> None:
        """Delete a timer."""
        self.run("DELETE FROM timer_table WHERE _id = ?", (timer,))

    # -- stopwatch

    def stopwatch(self) -> tuple[str, int]:
        """State (running, paused, reset) and elapsed milliseconds."""
        self._advance()
        row = self.rows("SELECT state, elapsed_ms FROM stopwatch")[0]
        return str(row["state"]), _number(row["elapsed_ms"])

    def start_stopwatch(self) -> None:
        """Start or go on."""
        sql = "UPDATE stopwatch_table SET state = 'running', base_ms = elapsed_ms, since = ?"
        self.run(sql, (self._clock.monotonic(),))

    def pause_stopwatch(self) -> None:
        """Hold."""
        self._advance()
        self.run("UPDATE stopwatch_table SET state = 'paused' WHERE state = 'running'")

    def reset_stopwatch(self) -> None:
        """Zero, no laps."""
        self.run("UPDATE stopwatch_table SET state = 'reset', elapsed_ms = 0")
        self.run("DELETE FROM laps")

    def lap(self) -> None:
        """Note the time of a lap."""
        _, elapsed = self.stopwatch()
        self.run("INSERT INTO laps (total_ms) VALUES (?)", (elapsed,))

    def laps(self) -> list[int]:
        """Elapsed milliseconds at the end of each lap, oldest first."""
        return [_number(row["total_ms"]) for row in self.rows("SELECT total_ms FROM laps ORDER BY _id")]

    def _advance(self) -> None:
        now = self._clock.monotonic()
        self.db.execute(
            "UPDATE timer_table SET remaining_ms = max(0, base_ms - CAST((?1 - since) * 1000 AS INTEGER)), "
            "state = CASE WHEN base_ms - CAST((?1 - since) * 1000 AS INTEGER) <= 0 THEN 'expired' ELSE state END "
            "WHERE state = 'running'",
            (now,),
        )
        self.db.execute(
            "UPDATE stopwatch_table SET elapsed_ms = base_ms + CAST((?1 - since) * 1000 AS INTEGER) "
            "WHERE state = 'running'",
            (now,),
        )


def store(system: System) -> ClockStore:
    """The clock data of a phone."""
    provider = system.providers.get(AUTHORITY)
    assert isinstance(provider, ClockStore)
    return provider


def _number(value: object) -> int:
    return int(str(value))
