"""A text file, and what is known about a file."""

import posixpath
from collections.abc import Hashable

from emulator_farm.virtual.apps.dates import day_text, time_text
from emulator_farm.virtual.apps.files.storage import Storage, size_text
from emulator_farm.virtual.material import list_item, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Column, Text, Widget, pad

SHOWN_CHARACTERS = 20_000


class TextFile(Screen):
    """The file at the extra `path`, or of the intent's data `file://PATH`, to read."""

    activity = ".files.TextActivity"

    @property
    def path(self) -> str:
        """Where the file is."""
        return self.intent.extras.get("path") or self.intent.data.removeprefix("file://") or "/"

    def moment(self) -> Hashable:
        """The file may change behind the app's back."""
        return Storage(self.system.files).text(self.path)

    def build(self) -> Widget:
        """Name and content."""
        text = Storage(self.system.files).text(self.path)[:SHOWN_CHARACTERS]
        body = Text(id="text_view", text=text, size=16, w=FILL, pad=pad(24, 8))
        bar = top_bar(posixpath.basename(self.path), up=self.close)
        return Column(w=FILL, h=FILL, children=(bar, scrolling((body,), "scroll_view")))


class FileInfo(Screen):
    """Name, kind, size and time of the file at the extra `path`."""

    activity = ".inspector.InspectorActivity"

    def build(self) -> Widget:
        """The facts."""
        storage, path = Storage(self.system.files), self.intent.extras["path"]
        if not self.system.files.is_there(path):
            gone = Text(id="message", text="The file is gone.", w=FILL, align="center", pad=pad(24, 96))
            return Column(w=FILL, h=FILL, children=(top_bar("Get info", up=self.close), gone))
        entry = storage.entry(path)
        modified = entry.modified * 1000
        facts = [
            ("Type", entry.kind),
            ("Modified", f"{day_text(self.system, modified)}, {time_text(self.system, modified)}"),
        ]
        if entry.folder:
            facts.append(("Items", str(len(storage.entries(path, hidden=True)))))
        else:
            facts.append(("Size", size_text(entry.size)))
        facts.append(("Location", posixpath.dirname(path)))
        rows = tuple(
            list_item(label, value, title_id="table_row_title", summary_id="table_row_value") for label, value in facts
        )
        return Column(w=FILL, h=FILL, children=(top_bar(entry.name, up=self.close), scrolling(rows, "inspector_root")))
