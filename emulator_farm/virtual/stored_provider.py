"""Databases of apps: SQLite files in the phone's own file tree, as under `/data/data/<package>/databases` on Android.

The file is the truth. Each change is written to it at once, and a file that somebody else changed (`sqlite3`,
`adb push` as root, a snapshot that was loaded) is read again before the next statement.
"""

import sqlite3
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from .providers import Provider, Table, Value

if TYPE_CHECKING:
    from .system import System


class StoredProvider(Provider):
    """A provider whose database is the file `path`; without authorities it is an app's private database."""

    def __init__(
        self,
        system: "System",
        package: str,
        name: str,
        schema: str,
        tables: Mapping[str, Table] | None = None,
        authorities: tuple[str, ...] = (),
    ) -> None:
        """`package` owns the file `name`."""
        super().__init__(authorities or (f"{package}.{name}",), schema, tables or {})
        self.system = system
        self.path = f"/data/data/{package}/databases/{name}"
        self._package = package
        self._image = b""
        self._closer: weakref.finalize[..., StoredProvider] | None = None

    @property
    def db(self) -> sqlite3.Connection:
        """The database as the file has it now."""
        if self._db is not None and self._db.in_transaction:
            return self._db
        image = self._read()
        if self._db is None or image is not self._image:
            self.release()
            self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._closer = weakref.finalize(self, self._db.close)
            self._db.row_factory = sqlite3.Row
            self._db.deserialize(image)
            self._image = image
        return self._db

    @property
    def stamp(self) -> int:
        """Differs whenever the content does; what a screen that shows rows gives as its `moment()`."""
        return hash(self._read())

    def release(self) -> None:
        """Close the connection, which the next use opens again. Content stays."""
        if self._closer is not None:
            self._closer()
        self._db = self._closer = None

    def freeze(self) -> None:
        """Nothing that a snapshot keeps beside the files."""

    def thaw(self, state: bytes | None) -> None:
        """Other files are in place: read again."""
        self.release()
        self._image = b""

    def wipe(self) -> None:
        """An empty database again."""
        self.release()
        self._write(_empty(self._schema))
        self.changed()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Statements inside this context are one transaction."""
        with super().together():
            yield
        self._store()

    def run(self, sql: str, parameters: Sequence[Value] = ()) -> int:
        """Run a statement of our own; the last inserted id."""
        inserted = super().run(sql, parameters)
        self._store()
        return inserted

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """Insert a row and give its id. Raises UnknownProvider, ProviderError."""
        inserted = super().insert(path, values)
        self._store()
        return inserted

    def update(self, path: str, values: Mapping[str, Value], where: str | None) -> int:
        """Change rows; how many. Raises UnknownProvider, ProviderError."""
        count = super().update(path, values, where)
        self._store()
        return count

    def delete(self, path: str, where: str | None) -> int:
        """Remove rows; how many. Raises UnknownProvider, ProviderError."""
        count = super().delete(path, where)
        self._store()
        return count

    # -- the file

    def _read(self) -> bytes:
        files = self.system.files
        if files.exists(self.path):
            image = files.read(self.path)
            if image is self._image or _holds(image, self._schema):
                return image
        # What Android's SQLiteOpenHelper does with a file that is missing or no database of the app's: a new one.
        image = _empty(self._schema)
        self._write(image)
        return image

    def _store(self) -> None:
        if self._db is not None and not self._db.in_transaction:
            self._image = self._db.serialize()
            self._write(self._image)

    def _write(self, image: bytes) -> None:
        files = self.system.files
        if not files.exists(self.path):
            folder = self.path.rpartition("/")[0]
            files.mkdir(folder, parents=True)
            package = self.system.packages.find(self._package)
            owner = package.uid if package else 0
            for path in (folder.rpartition("/")[0], folder):
                files.chown(path, owner, owner)
        files.write(self.path, image, 0o660)


@lru_cache(maxsize=64)
def _empty(schema: str) -> bytes:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        db.executescript(f"BEGIN; {schema} COMMIT;")
        return db.serialize()
    finally:
        db.close()


def _holds(image: bytes, schema: str) -> bool:
    """Whether a file is a database with at least the tables of a schema."""
    return _tables(_empty(schema)) <= _tables(image)


@lru_cache(maxsize=8)
def _tables(image: bytes) -> frozenset[str]:
    if not image:
        return frozenset()
    db = sqlite3.connect(":memory:")
    try:
        db.deserialize(image)
        return frozenset(str(row[0]) for row in db.execute("SELECT name FROM sqlite_master WHERE type != 'index'"))
    except sqlite3.DatabaseError:
        return frozenset()
    finally:
        db.close()
