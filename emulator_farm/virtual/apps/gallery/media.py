"""`content://media`: what lies on the shared storage, by kind. The files are the truth: each call looks at them."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from emulator_farm.virtual.photos import picture_size
from emulator_farm.virtual.providers import Provider, ProviderError, Row, Table, Value
from emulator_farm.virtual.system import System

AUTHORITY = "media"
STORAGE = "/storage/emulated/0"
TYPES = {
    ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".gif": "image/gif", ".webp": "image/webp",
    ".mp4": "video/mp4", ".webm": "video/webm", ".3gp": "video/3gpp", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
    ".wav": "audio/x-wav", ".m4a": "audio/mp4",
}  # fmt: skip
"""Ends of names of what is media, with the type that Android gives it."""
SCHEMA = """
CREATE TABLE files (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, _data TEXT UNIQUE NOT NULL, _size INTEGER, _display_name TEXT,
  mime_type TEXT, title TEXT, date_added INTEGER, date_modified INTEGER, datetaken INTEGER, width INTEGER,
  height INTEGER, relative_path TEXT, bucket_id INTEGER, bucket_display_name TEXT, is_favorite INTEGER DEFAULT 0,
  is_pending INTEGER DEFAULT 0, is_trashed INTEGER DEFAULT 0, volume_name TEXT DEFAULT 'external_primary',
  inode INTEGER);
"""


def _tables() -> dict[str, Table]:
    tables = {"external/file": Table("files")}
    for volume in ("external", "external_primary"):
        for kind, word in (("images", "image"), ("video", "video"), ("audio", "audio")):
            tables[f"{volume}/{kind}/media"] = Table("files", where=f"mime_type LIKE '{word}/%'")
    return tables


@dataclass(frozen=True)
class Picture:
    """An image on the phone; `date` in milliseconds since 1970."""

    id: int
    path: str
    date: int
    size: int
    width: int
    height: int
    album: str
    favorite: bool


class MediaStore(Provider):
    """The provider, and the calls that apps make."""

    def __init__(self, system: System) -> None:
        super().__init__((AUTHORITY,), SCHEMA, _tables())
        self._files = system.files

    def query(self, path: str, projection: Sequence[str] | None, where: str | None, sort: str | None) -> list[Row]:
        """Rows of the files that are there now."""
        self._scan()
        return super().query(path, projection, where, sort)

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """Nothing can be inserted: a row is there because its file is."""
        self._find(path, None)
        raise ProviderError(f"write a file below {STORAGE} and it is listed; a row alone cannot be inserted")

    def update(self, path: str, values: Mapping[str, Value], where: str | None) -> int:
        """Change what is not the file's own: `is_favorite`, `title`, `datetaken`."""
        self._scan()
        return super().update(path, values, where)

    def delete(self, path: str, where: str | None) -> int:
        """Remove rows with their files; how many."""
        rows = self.query(path, ["_data"], where, None)
        for row in rows:
            self._files.remove(str(row["_data"]))
        self._scan()
        return len(rows)

    def pictures(self, album: str = "") -> list[Picture]:
        """Images, the latest first."""
        self._scan()
        rows = self.rows("SELECT * FROM files WHERE mime_type LIKE 'image/%' ORDER BY datetaken DESC, _id DESC")
        found = [
            Picture(int(str(row["_id"])), str(row["_data"]), int(str(row["datetaken"])), int(str(row["_size"])),
                    int(str(row["width"])), int(str(row["height"])), str(row["bucket_display_name"]),
                    bool(row["is_favorite"]))
            for row in rows
        ]  # fmt: skip
        return [picture for picture in found if album in ("", picture.album)]

    def favorite(self, picture: int, on: bool) -> None:
        """Mark an image, or not."""
        self.run("UPDATE files SET is_favorite = ? WHERE _id = ?", (int(on), picture))

    def remove(self, picture: Picture) -> None:
        """Delete an image's file."""
        self._files.remove(picture.path)
        self._scan()

    # -- looking

    def _scan(self) -> None:
        known = {str(row["_data"]): row for row in self.rows("SELECT _data, inode, date_modified, _size FROM files")}
        for path in self._media():
            stat = self._files.stat(path)
            row = known.pop(path, None)
            if row is None or (row["inode"], row["date_modified"], row["_size"]) != (stat.inode, stat.mtime, stat.size):
                self._describe(path)
        for path in known:
            self.db.execute("DELETE FROM files WHERE _data = ?", (path,))

    def _media(self) -> Iterator[str]:
        if not self._files.is_dir(STORAGE):
            return
        for path in self._files.walk(STORAGE):
            if path.lower().endswith(tuple(TYPES)) and "/." not in path and not self._files.is_dir(path):
                yield path

    def _describe(self, path: str) -> None:
        stat, name = self._files.stat(path), posixpath.basename(path)
        stem, suffix = posixpath.splitext(name)
        mime_type = TYPES[suffix.lower()]
        width, height = picture_size(self._files.read(path)) if mime_type.startswith("image/") else (0, 0)
        folder = posixpath.dirname(path)
        place, bucket = f"{folder[len(STORAGE) + 1 :]}/", crc32(folder.lower().encode())
        self.db.execute(
            "INSERT INTO files (_data, _size, _display_name, mime_type, title, date_added, date_modified, datetaken, "
            "width, height, relative_path, bucket_id, bucket_display_name, inode) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6 * 1000, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (_data) DO UPDATE "
            "SET _size = ?2, mime_type = ?4, date_modified = ?6, width = ?7, height = ?8, inode = ?12",
            (
                path, stat.size, name, mime_type, stem, stat.mtime, width, height,
                place, bucket, posixpath.basename(folder), stat.inode,
            ),
        )  # fmt: skip


def media_store(system: System) -> MediaStore:
    """The media of a phone."""
    provider = system.providers.get(AUTHORITY)
    assert isinstance(provider, MediaStore)
    return provider
