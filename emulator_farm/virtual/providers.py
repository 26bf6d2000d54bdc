"""Content providers: SQLite in memory behind `content://authority/path`, so selections and sort orders are real SQL."""

import sqlite3
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from urllib.parse import unquote

Value = str | int | float | None
"""A value of a column."""
Row = dict[str, Value]


class UnknownProvider(LookupError):
    """No content provider answers to this URI."""

    def __init__(self, uri: str) -> None:
        super().__init__(f"Unknown URL {uri}")
        self.uri = uri


class ProviderError(ValueError):
    """The provider refused a column, a selection or a sort order; the message is the database's."""


@dataclass(frozen=True)
class Table:
    """A path of a provider: what is read, what is written, and what is true of every row."""

    view: str
    """Table or view for reading, with an `_id` column."""
    table: str = ""
    """Table for writing; empty = as `view`."""
    where: str = ""
    """Condition that belongs to the path."""
    values: tuple[tuple[str, Value], ...] = ()
    """Columns set on insert unless given."""
    id_column: str = "_id"

    @property
    def target(self) -> str:
        """Table that inserts, updates and deletes go to."""
        return self.table or self.view


class Provider:
    """One database under one or more authorities. `tables` maps URI paths; a trailing number selects by id."""

    def __init__(self, authorities: tuple[str, ...], schema: str, tables: Mapping[str, Table]) -> None:
        self.authorities = authorities
        self.tables = dict(tables)
        self._schema = schema
        self._db: sqlite3.Connection | None = None
        self.changed: Callable[[], None] = lambda: None
        """Called after each change; set when the provider is added to a phone."""

    @property
    def db(self) -> sqlite3.Connection:
        """The database, made when first used."""
        if self._db is None:
            self._db = _database(self._schema)
            # Python warns of a connection that nobody closed; a phone is simply dropped.
            weakref.finalize(self, self._db.close)
        return self._db

    def freeze(self) -> bytes | None:
        """What a snapshot keeps: the whole database, None where it was never used."""
        return None if self._db is None else self._db.serialize()

    def thaw(self, state: bytes | None) -> None:
        """Take on a saved database."""
        if state is None:
            self.wipe()
        else:
            self.db.deserialize(state)

    def wipe(self) -> None:
        """An empty database again."""
        if self._db is not None:
            self._db.close()
            self._db = None
        self.changed()

    def together(self) -> AbstractContextManager[object]:
        """Statements inside this context are one transaction."""
        self.db.execute("BEGIN")
        return self.db

    def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Run a query of our own."""
        return [dict(row) for row in self.db.execute(sql, parameters)]

    def run(self, sql: str, parameters: Sequence[Value] = ()) -> int:
        """Run a statement of our own; the last inserted id."""
        cursor = self.db.execute(sql, parameters)
        self.changed()
        return cursor.lastrowid or 0

    def query(self, path: str, projection: Sequence[str] | None, where: str | None, sort: str | None) -> list[Row]:
        """Rows of a path. Raises UnknownProvider, ProviderError."""
        table, condition = self._find(path, where)
        columns = self._columns(table.view)
        for name in projection or ():
            if name not in columns:
                raise ProviderError(f"Invalid column {name}")
        chosen = ", ".join(f'"{name}"' for name in projection or columns)
        sql = f"SELECT {chosen} FROM {table.view} WHERE {condition}" + (f" ORDER BY {sort}" if sort else "")
        return [dict(row) for row in self._execute(sql)]

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """Insert a row and give its id. Raises UnknownProvider, ProviderError."""
        table, _ = self._find(path, None)
        row = {**dict(table.values), **values}
        self._check(table, row)
        names = ", ".join(f'"{name}"' for name in row)
        sql = (
            f"INSERT INTO {table.target} ({names}) VALUES ({', '.join('?' * len(row))})"
            if row
            else (f"INSERT INTO {table.target} DEFAULT VALUES")
        )
        cursor = self._execute(sql, list(row.values()))
        self.changed()
        return cursor.lastrowid or 0

    def update(self, path: str, values: Mapping[str, Value], where: str | None) -> int:
        """Change rows; how many. Raises UnknownProvider, ProviderError."""
        table, condition = self._find(path, where)
        self._check(table, values)
        if not values:
            raise ProviderError("Empty values")
        pairs = ", ".join(f'"{name}" = ?' for name in values)
        ids = f"SELECT {table.id_column} FROM {table.view} WHERE {condition}"
        cursor = self._execute(f"UPDATE {table.target} SET {pairs} WHERE _id IN ({ids})", list(values.values()))
        self.changed()
        return cursor.rowcount

    def delete(self, path: str, where: str | None) -> int:
        """Remove rows; how many. Raises UnknownProvider, ProviderError."""
        table, condition = self._find(path, where)
        ids = f"SELECT {table.id_column} FROM {table.view} WHERE {condition}"
        cursor = self._execute(f"DELETE FROM {table.target} WHERE _id IN ({ids})")
        self.changed()
        return cursor.rowcount

    def _find(self, path: str, where: str | None) -> tuple[Table, str]:
        conditions = [f"({where})"] if where else []
        table = self.tables.get(path)
        if table is None:
            parent, _, last = path.rpartition("/")
            table = self.tables.get(parent)
            if table is None or not last.isdigit():
                raise UnknownProvider(f"content://{self.authorities[0]}/{path}")
            conditions.append(f"_id = {int(last)}")
        if table.where:
            conditions.append(f"({table.where})")
        return table, " AND ".join(conditions) or "1"

    def _columns(self, table: str) -> list[str]:
        return [str(row["name"]) for row in self.db.execute(f"PRAGMA table_info({table})")]

    def _check(self, table: Table, values: Mapping[str, Value]) -> None:
        known = self._columns(table.target)
        for name in values:
            if name not in known:
                raise ProviderError(f"table {table.target} has no column named {name}")

    def _execute(self, sql: str, parameters: Sequence[Value] = ()) -> sqlite3.Cursor:
        try:
            return self.db.execute(sql, parameters)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise ProviderError(str(error)) from error


def _database(schema: str) -> sqlite3.Connection:
    # Calls to one phone are serialised by its owner, but need not stay on the thread that made the phone.
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.executescript(f"BEGIN; {schema} COMMIT;")
    return db


class Providers:
    """All providers of a phone, by authority."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._by_authority: dict[str, Provider] = {}

    def add(self, provider: Provider) -> None:
        """Serve a provider's authorities."""
        provider.changed = self._changed
        for authority in provider.authorities:
            self._by_authority[authority] = provider

    def items(self) -> list[tuple[str, Provider]]:
        """Every authority with its provider, sorted."""
        return sorted(self._by_authority.items())

    def get(self, authority: str) -> Provider:
        """The provider of an authority; raises UnknownProvider."""
        if authority not in self._by_authority:
            raise UnknownProvider(f"content://{authority}")
        return self._by_authority[authority]

    def find(self, uri: str) -> tuple[Provider, str]:
        """Provider and path of a `content://` URI; raises UnknownProvider."""
        scheme, _, rest = uri.partition("://")
        authority, _, path = rest.partition("?")[0].partition("/")
        authority = authority.rpartition("@")[2]
        provider = self._by_authority.get(authority)
        if scheme != "content" or provider is None:
            raise UnknownProvider(uri)
        return provider, unquote(path.strip("/"))
