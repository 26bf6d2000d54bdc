"""Saved snapshots by name, in the memory of the process that runs the phones."""

from dataclasses import dataclass

from .snapshot import Snapshot

MAX_SAVED = 64
SHARED = "shared/"
"""Names that begin with this are seen by every phone of the process."""


class NoSnapshot(LookupError):
    """Nothing is saved under this name, or nothing more may be."""


@dataclass(frozen=True)
class Saved:
    """A phone's state and what its adbd was: run as root, and the system partitions writable."""

    snapshot: Snapshot
    uid: int
    remounted: bool


class Shelf:
    """Snapshots of all phones of one process. Each phone has its own names, and all have the shared ones."""

    def __init__(self) -> None:
        self._saved: dict[tuple[str, str], Saved] = {}

    def save(self, owner: str, name: str, saved: Saved) -> None:
        """Keep a snapshot, in place of one with this name. Raises NoSnapshot where there are too many."""
        key = self._key(owner, name)
        if key not in self._saved and sum(other[0] == key[0] for other in self._saved) >= MAX_SAVED:
            raise NoSnapshot(f"there are {MAX_SAVED} snapshots already; delete one first")
        self._saved[key] = saved

    def get(self, owner: str, name: str) -> Saved:
        """The snapshot of this name. Raises NoSnapshot."""
        found = self._saved.get(self._key(owner, name))
        if found is None:
            raise NoSnapshot(f"no snapshot is named {name!r}; saved are: {', '.join(self.names(owner)) or 'none'}")
        return found

    def delete(self, owner: str, name: str) -> None:
        """Forget a snapshot. Raises NoSnapshot."""
        self.get(owner, name)
        del self._saved[self._key(owner, name)]

    def names(self, owner: str) -> list[str]:
        """The names that this phone can load, sorted."""
        return sorted(name for keeper, name in self._saved if keeper in ("", owner))

    def _key(self, owner: str, name: str) -> tuple[str, str]:
        if not name.removeprefix(SHARED) or "\n" in name or len(name) > 200:
            raise NoSnapshot(f"{name!r:.80} is no name for a snapshot")
        return ("" if name.startswith(SHARED) else owner, name)
