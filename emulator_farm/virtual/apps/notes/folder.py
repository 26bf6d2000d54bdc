"""The folder of notes on the shared storage."""

from dataclasses import dataclass

from emulator_farm.virtual.files import FileTree

PATH = "/storage/emulated/0/Notes"
SUFFIX = ".txt"
UNTITLED = "Untitled"
_NAME_BYTES = 240
SHIPPED = (
    ("Shopping list", "Oat milk\nTomatoes\nBrown rice\nDish soap\nBirthday candles"),
    ("Book club", "Next meeting: Thursday at 7 PM, Elena's place.\nBring the map and three questions."),
    ("Bike repair", "Rear tire 28-622\nBrake pads, both sides\nAsk Jonah about the chain tool"),
)


@dataclass(frozen=True)
class Note:
    """A note as stored."""

    title: str
    body: str


class Folder:
    """Reads and writes notes; titles are file names, so they are unique and hold no slash."""

    def __init__(self, files: FileTree) -> None:
        self._files = files

    def notes(self, words: str = "") -> list[Note]:
        """Notes that hold `words` in title or body, by title."""
        if not self._files.is_dir(PATH):
            return []
        names = [name for name in self._files.list(PATH) if name.endswith(SUFFIX)]
        found = [self.read(name.removesuffix(SUFFIX)) for name in names if not self._files.is_dir(f"{PATH}/{name}")]
        wanted = words.lower()
        notes = [note for note in found if note and wanted in f"{note.title}\n{note.body}".lower()]
        return sorted(notes, key=lambda note: note.title.lower())

    def read(self, title: str) -> Note | None:
        """One note, None where there is none."""
        path = self._path(title)
        if not self._files.exists(path):
            return None
        return Note(title, self._files.read(path).decode("utf-8", "replace"))

    def save(self, title: str, body: str, old: str = "") -> str:
        """Store a note, under another name than `old` where the title changed; gives the title it really got."""
        title = self._free(_file_name(title) or UNTITLED, old)
        self._files.mkdir(PATH, parents=True)
        if old and old != title:
            self.remove(old)
        self._files.write(self._path(title), body.encode("utf-8"))
        return title

    def remove(self, title: str) -> None:
        """Delete a note; nothing happens where there is none."""
        if self._files.exists(self._path(title)):
            self._files.remove(self._path(title))

    def ship(self) -> None:
        """The notes that the phone comes with, and no others."""
        for note in self.notes():
            self.remove(note.title)
        for title, body in SHIPPED:
            self.save(title, body)

    def _free(self, title: str, old: str) -> str:
        number, free = 2, title
        while free != old and self._files.exists(self._path(free)):
            free = f"{title} ({number})"
            number += 1
        return free

    def _path(self, title: str) -> str:
        return f"{PATH}/{title}{SUFFIX}"


def _file_name(title: str) -> str:
    clean = " ".join(title.replace("/", "-").replace("\0", "").split())
    return clean.encode("utf-8")[:_NAME_BYTES].decode("utf-8", "ignore").strip()
