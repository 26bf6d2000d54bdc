"""Files: the shared storage, `/sdcard` of the shell."""

from emulator_farm.virtual.apps.files.folder import Folder
from emulator_farm.virtual.apps.files.storage import Storage
from emulator_farm.virtual.apps.files.viewer import TextFile
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System


def _ship(system: System) -> None:
    Storage(system.files).ship()


APP = App(
    package="com.android.documentsui",
    label="Files",
    icon="folder",
    color=(0, 121, 107),
    apk="/system/priv-app/DocumentsUI/DocumentsUI.apk",
    provision=_ship,
    entries=(
        Entry(".files.FilesActivity", Folder, launcher=True),
        Entry(".files.TextActivity", TextFile, ("android.intent.action.VIEW",), ("text/",)),
    ),
)
