"""The list of notes, with search."""

from collections.abc import Hashable

from emulator_farm.virtual.apps.notes.editor import NoteEditor
from emulator_farm.virtual.apps.notes.folder import Folder, Note
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.material import fab, floating, scrolling, search_box, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Text, Widget, pad


class NoteList(Screen):
    """Cards with title and first lines."""

    query = ""

    def moment(self) -> Hashable:
        """Files may change behind the app's back."""
        return tuple(Folder(self.system.files).notes())

    def on_back(self) -> bool:
        """Back ends a search first."""
        was, self.query = bool(self.query), ""
        self.view.blur()
        return was

    def build(self) -> Widget:
        """Title, search, cards, add button."""
        notes = Folder(self.system.files).notes(self.query)
        search = Column(
            w=FILL, pad=pad(16, 4), children=(search_box(self.query, self._type, "Search notes", "search_box"),)
        )
        rows: list[Widget] = [self._card(note) for note in notes]
        if not notes:
            words = "No matching notes" if self.query else "No notes yet"
            rows = [Text(id="empty", text=words, size=16, w=FILL, align="center", pad=pad(24, 96), color="outline")]
        body = Column(w=FILL, h=FILL, children=(top_bar("Notes"), search, scrolling(rows, "notes_list", bottom=96)))
        add = fab("add", "New note", lambda: self.open(NoteEditor), "new_note")
        return floating(body, add)

    def _card(self, note: Note) -> Widget:
        parts: list[Widget] = [Text(id="note_title", text=note.title, size=18, weight="medium", max_lines=1)]
        if note.body.strip():
            parts.append(Text(id="note_text", text=note.body.strip(), size=14, color="on_surface_variant", max_lines=3))
        card = Column(
            id="note_card", view=VIEW_GROUP, w=FILL, bg="surface_container", radius=16, pad=pad(16, 14), gap=4,
            children=tuple(parts), on_tap=lambda: self.open(NoteEditor, title=note.title),
            on_long=lambda: self._ask(note),
        )  # fmt: skip
        return Column(w=FILL, pad=pad(16, 6), children=(card,))

    def _type(self, query: str) -> None:
        self.query = query
        self.view.scroll.clear()

    def _ask(self, note: Note) -> None:
        self.show(
            confirm(
                f'"{note.title}" will be deleted.', "Delete", lambda: self._delete(note), self.dismiss, "Delete note?"
            )
        )

    def _delete(self, note: Note) -> None:
        self.dismiss()
        Folder(self.system.files).remove(note.title)
