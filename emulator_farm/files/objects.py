"""Write-once files on any fsspec file system, meant for object stores.

An object appears whole when its upload completes, so only "create if absent" needs care: fsspec's `mode="create"`,
which drivers turn into a conditional write (S3: `If-None-Match: *`) that the server decides.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from emulator_farm.errors import CallerError, StoreError
from emulator_farm.files.protocol import FileTaken


class ObjectFiles:
    """Objects under a prefix of an fsspec file system."""

    def __init__(self, filesystem: Any, root: str, uri: str) -> None:
        self._filesystem = filesystem
        self._root = root.rstrip("/")
        self.uri = uri.rstrip("/")

    def claim(self, marker: str) -> None:
        try:
            if self.exists(marker):
                return
            found = self.names("")
        except StoreError as error:
            raise CallerError(f"{self.uri} cannot be used: {error}") from error
        if found:
            some = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
            raise CallerError(f"{self.uri} holds something that is no run ({some}); name a new or an empty place")

    def create(self, name: str, data: bytes) -> None:
        path = self._path(name)
        with self._failures(f"{self.uri}/{name} could not be written"):
            if not _flat(self._filesystem):
                self._filesystem.makedirs(path.rpartition("/")[0], exist_ok=True)
            try:
                self._filesystem.pipe_file(path, data, mode="create")
            except FileExistsError:
                raise FileTaken(name) from None

    def read(self, name: str) -> bytes:
        with self._failures(f"{self.uri}/{name} could not be read", absent=True):
            return bytes(self._filesystem.cat_file(self._path(name)))

    def open(self, name: str) -> BinaryIO:
        with self._failures(f"{self.uri}/{name} could not be read", absent=True):
            return cast(BinaryIO, self._filesystem.open(self._path(name), "rb"))

    def exists(self, name: str) -> bool:
        with self._failures(f"{self.uri}/{name} could not be looked up"):
            self._filesystem.invalidate_cache()
            return bool(self._filesystem.exists(self._path(name)))

    def names(self, folder: str) -> list[str]:
        path = self._path(folder).rstrip("/")
        with self._failures(f"{self.uri}/{folder} could not be listed"):
            self._filesystem.invalidate_cache()
            try:
                found = self._filesystem.ls(path, detail=False)
            except FileNotFoundError:
                return []
        names = (str(entry).rstrip("/").rpartition("/")[2] for entry in found if str(entry).rstrip("/") != path)
        return sorted(name for name in names if name and not name.startswith("."))

    def sweep(self, older_than_s: float) -> int:
        """Nothing to do: an interrupted upload leaves no object."""
        return 0

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    @contextlib.contextmanager
    def _failures(self, what: str, *, absent: bool = False) -> Iterator[None]:
        """Turn what drivers raise into StoreError; with `absent`, FileNotFoundError passes.

        The one place that catches everything: each driver brings its vendor's own error classes, which share no base.
        """
        try:
            yield
        except FileTaken:
            raise
        except Exception as error:
            if absent and isinstance(error, FileNotFoundError):
                raise
            raise StoreError(f"{what}: {error}") from error


def _flat(filesystem: Any) -> bool:
    """Whether folders exist only as prefixes of names."""
    protocol = filesystem.protocol
    names = {protocol} if isinstance(protocol, str) else set(protocol)
    return bool(names & {"s3", "s3a", "gs", "gcs", "abfs", "az"})
