"""`content://settings/<namespace>`: the settings as rows of name and value."""

from collections.abc import Mapping, Sequence

from emulator_farm.virtual.providers import Provider, ProviderError, Row, Table, Value
from emulator_farm.virtual.settings_db import NAMESPACES
from emulator_farm.virtual.system import System

_SCHEMA = "".join(
    f'CREATE TABLE "{name}" (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE ON CONFLICT REPLACE, value TEXT);'
    for name in NAMESPACES
)


class SettingsProvider(Provider):
    """Copies the settings into tables before each call and writes what changed back."""

    def __init__(self, system: System) -> None:
        super().__init__(("settings",), _SCHEMA, {name: Table(f'"{name}"') for name in NAMESPACES})
        self._settings = system.settings

    def query(self, path: str, projection: Sequence[str] | None, where: str | None, sort: str | None) -> list[Row]:
        """Rows of a namespace, or of one name under it (`system/font_scale`)."""
        path, where = self._named(path, where)
        self._load()
        return super().query(path, projection, where, sort)

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """Set one value; needs `name` and `value`."""
        if "name" not in values:
            raise ProviderError("a setting needs a name")
        self._load()
        row = super().insert(path, values)
        self._store()
        return row

    def update(self, path: str, values: Mapping[str, Value], where: str | None) -> int:
        """Change values; how many."""
        path, where = self._named(path, where)
        self._load()
        count = super().update(path, values, where)
        self._store()
        return count

    def delete(self, path: str, where: str | None) -> int:
        """Unset values; how many."""
        path, where = self._named(path, where)
        self._load()
        count = super().delete(path, where)
        self._store()
        return count

    def _named(self, path: str, where: str | None) -> tuple[str, str | None]:
        namespace, _, name = path.partition("/")
        if not name or name.isdigit():
            return path, where
        quoted = name.replace("'", "''")
        condition = f"name = '{quoted}'"
        return namespace, f"({where}) AND {condition}" if where else condition

    def _load(self) -> None:
        with self.together():
            for namespace in NAMESPACES:
                self.db.execute(f'DELETE FROM "{namespace}"')
                rows = self._settings.items(namespace)
                self.db.executemany(f'INSERT INTO "{namespace}" (name, value) VALUES (?, ?)', rows)

    def _store(self) -> None:
        for namespace in NAMESPACES:
            rows = {row["name"]: row["value"] for row in self.rows(f'SELECT name, value FROM "{namespace}"')}
            for name, _ in self._settings.items(namespace):
                if name not in rows:
                    self._settings.delete(namespace, name)
            for key, value in rows.items():
                if value is not None:
                    self._settings.put(namespace, str(key), str(value))
