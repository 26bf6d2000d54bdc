"""The state of a phone as JSON: what automation can read of it by other ways, under keys that stay the same.

Six sections last: `settings`, `props`, `content` (rows of every provider, by authority, table and `_id`), `files` (of
users and apps by path, databases as their rows, but those behind `content`), `packages`, `device`. Three pass: `clock`,
`notifications` and `screen`.
"""

import hashlib
import sqlite3
from collections.abc import Mapping
from typing import TypeAlias

from .files import FileTree
from .phone import Phone
from .providers import Row
from .settings_db import NAMESPACES
from .stored_provider import StoredProvider

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
SHARED_STORAGE, SDCARD = "/storage/emulated/0", "/sdcard"
TOPS = (SHARED_STORAGE, "/data/app", "/data/data", "/data/local/tmp")
"""Folders whose files are state; the rest is the system's."""
TEXT_LIMIT = 4096
"""Longer texts are given by their digest."""
_SQLITE = b"SQLite format 3\0"


def state_of(phone: Phone) -> dict[str, Json]:
    """Everything, as plain data."""
    return {
        "clock": {"now": phone.clock.now().isoformat(), "uptime_s": round(phone.clock.uptime_s(), 3)},
        "content": _content(phone),
        "device": {
            "battery": phone.battery_level,
            "charging": phone.charging,
            "density_override": phone.density_override,
            "screen_on": phone.screen_on,
            "size_override": None if phone.size_override is None else "{}x{}".format(*phone.size_override),
        },
        "files": _files(phone.files, _told_as_content(phone)),
        "notifications": {
            each.key: {"package": each.package, "text": each.text, "title": each.title}
            for each in phone.system.notifications.list()
        },
        "packages": {
            package.name: _language(phone, package.name)
            | {
                "permissions": {name: True for name in sorted(package.permissions)},
                "version_code": package.version_code,
                "version_name": package.version_name,
            }
            for package in phone.packages.list()
        },
        "props": dict(phone.props),
        "screen": _screen(phone),
        "settings": {namespace: dict(phone.settings.items(namespace)) for namespace in NAMESPACES},
    }


def _language(phone: Phone, package: str) -> dict[str, Json]:
    """The language chosen for an app alone; nothing where none is."""
    locale = phone.system.app_locales.get(package)
    return {"locale": locale} if locale else {}


def _screen(phone: Phone) -> dict[str, Json]:
    screen = phone.screen
    view = screen.popup.view if screen.popup is not None else screen.view
    return {
        "dialog": screen.popup is not None,
        "focus": view.focus,
        "foreground": phone.foreground().short,
        "keyboard": phone.ime.shown,
        "locked": phone.ui.locked,
        "rotation": phone.rotation,
        "scroll": dict(view.scroll),
        "shade": phone.ui.expanded,
        "tasks": [[component.short for component in task.activities] for task in phone.tasks()],
    }


def _content(phone: Phone) -> dict[str, Json]:
    """Tables that are written to; what only combines them would say the same thing twice."""
    found: dict[str, Json] = {}
    for authority, provider in phone.system.providers.items():
        if authority != provider.authorities[0] or authority == "settings":
            continue
        paths: dict[str, str] = {}
        for path, table in sorted(provider.tables.items()):
            if not table.where and (table.target not in paths or path == table.target):
                paths[table.target] = path
        if paths:
            found[authority] = {path: _rows(provider.query(path, None, None, None)) for path in sorted(paths.values())}
    return found


def _told_as_content(phone: Phone) -> frozenset[str]:
    """Files of providers whose rows are under `content`."""
    stored = (provider for _, provider in phone.system.providers.items() if isinstance(provider, StoredProvider))
    return frozenset(provider.path for provider in stored if provider.tables)


def _rows(rows: list[Row]) -> Json:
    return {str(row.get("_id", number)): _row(row) for number, row in enumerate(rows)}


def _row(row: Mapping[str, object]) -> Json:
    return {name: _value(value) for name, value in row.items() if name != "_id" and value is not None}


def _value(value: object) -> Json:
    if isinstance(value, bytes):
        return _digest(value)
    return value if isinstance(value, str | int | float) else str(value)


def _files(files: FileTree, left_out: frozenset[str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for top in TOPS:
        for path in files.walk(top) if files.is_dir(top) else ():
            if path != top and path not in left_out:
                found[path.replace(SHARED_STORAGE, SDCARD, 1)] = _file(files, path)
    return found


def _file(files: FileTree, path: str) -> Json:
    stat = files.stat(path, follow=False)
    if stat.mode & 0o170000 == 0o040000:
        return "folder"
    if stat.mode & 0o170000 == 0o120000:
        return f"link to {files.readlink(path)}"
    data = files.read(path)
    if data.startswith(_SQLITE):
        return _database(data)
    if len(data) <= TEXT_LIMIT:
        try:
            return data.decode()
        except UnicodeDecodeError:
            pass
    return _digest(data)


def _database(data: bytes) -> Json:
    db = sqlite3.connect(":memory:")
    try:
        db.deserialize(data)
        db.row_factory = sqlite3.Row
        names = [row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: _table(db, name) for name in names if not name.startswith("sqlite_")}
    except sqlite3.Error:
        return _digest(data)
    finally:
        db.close()


def _table(db: sqlite3.Connection, name: str) -> Json:
    quoted = name.replace('"', '""')
    rows = db.execute(f'SELECT * FROM "{quoted}"').fetchall()
    return {str(row[0]): _row(dict(zip(row.keys()[1:], row[1:], strict=True))) for row in rows}


def _digest(data: bytes) -> str:
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
