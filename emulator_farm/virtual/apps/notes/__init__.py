"""Notes, an app of our own: each note is a text file `/sdcard/Notes/<title>.txt`, so the shell sees and changes it."""

from emulator_farm.virtual.apps.notes.editor import NoteEditor
from emulator_farm.virtual.apps.notes.folder import Folder
from emulator_farm.virtual.apps.notes.listing import NoteList
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System


def _ship(system: System) -> None:
    Folder(system.files).ship()


APP = App(
    package="org.virtual.notes",
    label="Notes",
    icon="description",
    color=(249, 171, 0),
    version="1.0",
    apk="/product/app/Notes/Notes.apk",
    provision=_ship,
    permissions=("android.permission.POST_NOTIFICATIONS",),
    entries=(
        Entry(".MainActivity", NoteList, launcher=True),
        Entry(".EditorActivity", NoteEditor, ("android.intent.action.SEND",), ("text/plain",)),
    ),
)
