"""The shared storage as the Files app sees it: entries of a folder, and what can be done to them."""

import posixpath
from dataclasses import dataclass

from emulator_farm.virtual.files import FileTree

ROOT = "/storage/emulated/0"
HIDDEN = "."
SHIPPED = {
    "Documents/Packing list.txt": "Passport\nRain jacket\nCharger\nThree books\nHeadlamp\n",
    "Documents/Work/Minutes 12 May.txt": "Present: Amara, Mei\nBudget approved: 4,150\nNext: 26 May, 10:00\n",
    "Documents/Work/Targets.txt": "Q1 120\nQ2 135\nQ3 150\nQ4 180\n",
    "Download/receipt-2417.txt": "Corner Books\n2 items\nTotal 31.40\nPaid by card\n",
    "Download/router manual.txt": "Default address: 192.168.8.1\nReset: hold the button for 10 seconds\n",
}
_UNITS = ("B", "kB", "MB", "GB")


@dataclass(frozen=True)
class Entry:
    """A file or folder; `size` in bytes, `modified` in seconds since 1970."""

    path: str
    folder: bool
    size: int
    modified: int

    @property
    def name(self) -> str:
        """Last part of the path."""
        return posixpath.basename(self.path)

    @property
    def kind(self) -> str:
        """`TXT file`, as the list says it."""
        if self.folder:
            return "Folder"
        suffix = posixpath.splitext(self.name)[1][1:]
        return f"{suffix.upper()} file" if suffix else "File"


class Storage:
    """Files below `ROOT`. Every method that changes something raises OSError as the file tree does."""

    def __init__(self, files: FileTree) -> None:
        self._files = files

    def entries(self, folder: str, hidden: bool = False) -> list[Entry]:
        """Entries of a folder by name; nothing where it is gone."""
        if not self._files.is_dir(folder):
            return []
        names = [name for name in self._files.list(folder) if hidden or not name.startswith(HIDDEN)]
        return sorted((self.entry(f"{folder}/{name}") for name in names), key=lambda entry: entry.name.lower())

    def search(self, folder: str, words: str) -> list[Entry]:
        """Everything below a folder whose name holds `words`."""
        found = [path for path in self._files.walk(folder) if words.lower() in posixpath.basename(path).lower()]
        return [self.entry(path) for path in found if path != folder]

    def entry(self, path: str) -> Entry:
        """What is at a path."""
        found = self._files.stat(path, follow=False)
        return Entry(path, self._files.is_dir(path), found.size, found.mtime)

    def text(self, path: str) -> str:
        """A file's content as text, empty where it is gone."""
        return self._files.read(path).decode("utf-8", "replace") if self._files.exists(path) else ""

    def make_folder(self, folder: str, name: str) -> None:
        """A new folder."""
        self._files.mkdir(f"{folder}/{file_name(name)}")

    def rename(self, path: str, name: str) -> None:
        """Another name; FileExistsError where it is taken."""
        target = f"{posixpath.dirname(path)}/{file_name(name)}"
        if target != path and self._files.is_there(target):
            raise FileExistsError(17, "File exists", target)
        self._files.rename(path, target)

    def move(self, path: str, folder: str) -> None:
        """Into another folder, under a free name."""
        if posixpath.dirname(path) != folder:
            self._files.rename(path, self._free(folder, posixpath.basename(path)))

    def copy(self, path: str, folder: str) -> None:
        """A copy in a folder, under a free name."""
        target = self._free(folder, posixpath.basename(path))
        for each in list(self._files.walk(path)):
            place = target + each[len(path) :]
            if self._files.is_dir(each):
                self._files.mkdir(place)
            else:
                self._files.write(place, self._files.read(each))

    def remove(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it."""
        self._files.remove(path, recursive=True)

    def ship(self) -> None:
        """Put the files that the phone comes with in place; others stay."""
        for name, text in SHIPPED.items():
            path = f"{ROOT}/{name}"
            self._files.mkdir(posixpath.dirname(path), parents=True)
            self._files.write(path, text.encode())

    def _free(self, folder: str, name: str) -> str:
        stem, suffix = posixpath.splitext(name)
        number, free = 1, name
        while self._files.is_there(f"{folder}/{free}"):
            free = f"{stem} ({number}){suffix}"
            number += 1
        return f"{folder}/{free}"


def file_name(text: str) -> str:
    """What may be a name."""
    return text.strip().replace("/", "_").replace("\0", "_") or "_"


def size_text(size: float) -> str:
    """`1.23 kB`."""
    unit = 0
    while size >= 900 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    if unit == 0:
        return f"{size:.0f} B"
    return f"{size:.2f} {_UNITS[unit]}" if size < 100 else f"{size:.0f} {_UNITS[unit]}"
