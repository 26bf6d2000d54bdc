"""What the browser remembers: `browser.db` in its data folder."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from emulator_farm.virtual.apps.dates import millis
from emulator_farm.virtual.providers import Table
from emulator_farm.virtual.stored_provider import StoredProvider
from emulator_farm.virtual.system import System

PACKAGE = "org.virtual.browser"
SCHEMA = """
CREATE TABLE history (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, title TEXT, visits INTEGER NOT NULL DEFAULT 1,
  date INTEGER NOT NULL);
CREATE TABLE bookmarks (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, title TEXT, created INTEGER NOT NULL DEFAULT 0);
CREATE TABLE submissions (_id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL, fields TEXT, date INTEGER);
"""
TABLES = {name: Table(name) for name in ("history", "bookmarks", "submissions")}
SHIPPED = (("https://library.example/", "City Library"), ("https://news.example/", "Daily Tern"))


@dataclass(frozen=True)
class Place:
    """An address that is remembered; `date` in milliseconds since 1970."""

    id: int
    url: str
    title: str
    date: int


class BrowserStore(StoredProvider):
    """History, bookmarks, and the forms that were sent (`fields` is a JSON object)."""

    def __init__(self, system: System) -> None:
        super().__init__(system, PACKAGE, "browser.db", SCHEMA, TABLES, (PACKAGE,))

    def visit(self, url: str, title: str) -> None:
        """A page was opened."""
        self.run(
            "INSERT INTO history (url, title, date) VALUES (?1, ?2, ?3) "
            "ON CONFLICT (url) DO UPDATE SET visits = visits + 1, title = ?2, date = ?3",
            (url, title, millis(self.system.now())),
        )

    def history(self) -> list[Place]:
        """Pages that were opened, the latest first."""
        return self._places("SELECT _id, url, title, date FROM history ORDER BY date DESC, _id DESC")

    def bookmarks(self) -> list[Place]:
        """Bookmarks, the oldest first."""
        return self._places("SELECT _id, url, title, created AS date FROM bookmarks ORDER BY _id")

    def is_marked(self, url: str) -> bool:
        """Whether there is a bookmark for an address."""
        return bool(self.rows("SELECT 1 FROM bookmarks WHERE url = ?", (url,)))

    def mark(self, url: str, title: str, on: bool) -> None:
        """Add or remove a bookmark."""
        self.run("DELETE FROM bookmarks WHERE url = ?", (url,))
        if on:
            now = millis(self.system.now())
            self.run("INSERT INTO bookmarks (url, title, created) VALUES (?, ?, ?)", (url, title, now))

    def forget(self, table: str, row: int | None = None) -> None:
        """Remove one row of `history` or `bookmarks`, or all."""
        self.run(f"DELETE FROM {table}" + ("" if row is None else f" WHERE _id = {int(row)}"))

    def submit(self, url: str, fields: Mapping[str, str]) -> None:
        """A form was sent."""
        text = json.dumps(dict(fields), ensure_ascii=False)
        now = millis(self.system.now())
        self.run("INSERT INTO submissions (url, fields, date) VALUES (?, ?, ?)", (url, text, now))

    def ship(self) -> None:
        """Two bookmarks, no history."""
        self.wipe()
        with self.together():
            for url, title in SHIPPED:
                self.mark(url, title, True)
        self.release()

    def _places(self, sql: str) -> list[Place]:
        return [
            Place(int(str(row["_id"])), str(row["url"]), str(row["title"] or row["url"]), int(str(row["date"] or 0)))
            for row in self.rows(sql)
        ]


def browser_store(system: System) -> BrowserStore:
    """The browser's memory on a phone."""
    provider = system.providers.get(PACKAGE)
    assert isinstance(provider, BrowserStore)
    return provider
