"""Write-once files in a local (or mounted) folder.

A file is written under a temporary name in the folder where it will live, flushed to disk, and then given its name by
a hard link. The link fails where the name exists, which makes it the one atomic "create if absent" of POSIX that also
never shows a half-written file; a rename would replace the winner.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from emulator_farm.errors import CallerError, StoreError
from emulator_farm.files.protocol import FileTaken

_UNFINISHED = ".tmp"


class LocalFiles:
    """A folder, made when the first file is written."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser()
        self.uri = str(self.root)

    def claim(self, marker: str) -> None:
        if self.root.exists() and not self.root.is_dir():
            raise CallerError(f"{self.uri} is a file; name a folder, it will be made")
        if self.root.is_dir() and not (self.root / marker).exists():
            found = self.names("")
            if found:
                some = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
                raise CallerError(f"{self.uri} holds something that is no run ({some}); name a new or an empty folder")
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            probe = self._unfinished(self.root / marker)
            probe.touch(exist_ok=False)
            probe.unlink()
        except OSError as error:
            raise CallerError(f"{self.uri} cannot be written to: {error.strerror or error}") from error

    def create(self, name: str, data: bytes) -> None:
        final = self.root / name
        if final.exists():
            raise FileTaken(name)
        with _failures(f"{final} could not be written"):
            final.parent.mkdir(parents=True, exist_ok=True)
            unfinished = self._unfinished(final)
            try:
                with unfinished.open("xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                link(unfinished, final)
            finally:
                unfinished.unlink(missing_ok=True)
            _sync_folder(final.parent)

    def read(self, name: str) -> bytes:
        with _failures(f"{self.root / name} could not be read", absent=True):
            return (self.root / name).read_bytes()

    def open(self, name: str) -> BinaryIO:
        with _failures(f"{self.root / name} could not be read", absent=True):
            return (self.root / name).open("rb")

    def exists(self, name: str) -> bool:
        return (self.root / name).exists()

    def names(self, folder: str) -> list[str]:
        with _failures(f"{self.root / folder} could not be listed"):
            try:
                return sorted(name for name in os.listdir(self.root / folder) if not name.startswith("."))
            except FileNotFoundError:
                return []

    def sweep(self, older_than_s: float) -> int:
        limit = time.time() - older_than_s
        swept = 0
        for path in self.root.rglob(f".*{_UNFINISHED}"):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < limit:
                    path.unlink()
                    swept += 1
        return swept

    def path(self, name: str) -> Path:
        """Where a file is, for those who open it themselves."""
        return self.root / name

    @staticmethod
    def _unfinished(final: Path) -> Path:
        return final.with_name(f".{final.name}.{secrets.token_hex(6)}{_UNFINISHED}")


@contextlib.contextmanager
def _failures(what: str, *, absent: bool = False) -> Iterator[None]:
    """Turn OSError into StoreError; with `absent`, FileNotFoundError passes, also where a parent is a file."""
    try:
        yield
    except OSError as error:
        if absent and isinstance(error, FileNotFoundError | NotADirectoryError):
            raise FileNotFoundError(error.errno, error.strerror, error.filename) from error
        raise StoreError(f"{what}: {error.strerror or error}") from error


def link(source: Path, target: Path) -> None:
    """Give a file its name. Raises FileTaken where the name exists, StoreError where there are no hard links."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise FileTaken(target.name) from None
    except OSError as error:
        if error.errno in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
            raise StoreError(
                f"{target.parent} is on a file system without hard links, so files cannot be created atomically there; "
                "use another disk or an object store"
            ) from error
        raise


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
