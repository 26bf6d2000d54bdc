"""What a store needs of the place where it keeps its files."""

from __future__ import annotations

from typing import BinaryIO, Protocol


class FileTaken(Exception):
    """`create` found the name in use; nothing was written."""


class Files(Protocol):
    """A tree of files that are written once. Names are relative, parts separated by `/`.

    Every method raises StoreError, with the place and the reason, where the storage itself fails.
    """

    uri: str

    def claim(self, marker: str) -> None:
        """Make sure that a run can be kept here, before anything is written.

        Raises CallerError where the place is a file, cannot be written to, or holds something and no file `marker`.
        """
        ...

    def create(self, name: str, data: bytes) -> None:
        """Write a new file, whole or not at all. Raises FileTaken where the name is in use."""
        ...

    def read(self, name: str) -> bytes:
        """The content of a file. Raises FileNotFoundError."""
        ...

    def open(self, name: str) -> BinaryIO:
        """A file for reading at any position; the caller closes it. Raises FileNotFoundError."""
        ...

    def exists(self, name: str) -> bool: ...

    def names(self, folder: str) -> list[str]:
        """Names in a folder, sorted, without hidden and unfinished ones; empty where it is missing."""
        ...

    def sweep(self, older_than_s: float) -> int:
        """Remove what killed writers left unfinished more than so many seconds ago; how many there were."""
        ...
