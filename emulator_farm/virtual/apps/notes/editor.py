"""Writing one note. It is stored when Save is tapped and when the screen is left."""

from emulator_farm.virtual.apps.notes.folder import Folder
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import icon_button, scrolling, top_bar
from emulator_farm.virtual.notifications import Notification
from emulator_farm.virtual.permission_dialog import request_permission
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Column, TextField, Widget, pad


class NoteEditor(Screen):
    """The note that the extra `title` names, or a new one. A SEND intent brings text for a new one."""

    activity = ".EditorActivity"

    def created(self) -> None:
        """Read the note, or start an empty one with the keyboard up."""
        extras = self.intent.extras
        self.folder = Folder(self.system.files)
        self.stored = extras.get("title", "")
        note = self.folder.read(self.stored) if self.stored else None
        self.title = note.title if note else extras.get("android.intent.extra.SUBJECT", "")
        self.body = note.body if note else extras.get("android.intent.extra.TEXT", "")
        self.saved = (self.title, self.body) if note else ("", "")
        if note is None:
            self.stored = ""
            self.view.focus_on("edit_title")

    def build(self) -> Widget:
        """Bar, title, body."""
        actions = [icon_button("check", "Save", self._save_and_close, "action_save")]
        if self.stored:
            actions.insert(0, icon_button("delete", "Delete", self._ask, "action_delete"))
            actions.insert(0, icon_button("push_pin", "Pin to notifications", self._ask_to_pin, "action_pin"))
        title = TextField(
            id="edit_title", value=self.title, hint="Title", on_change=self._set_title, action="next", size=24,
            weight="medium", w=FILL, pad=pad(24, 12), max_length=120,
        )  # fmt: skip
        body = TextField(
            id="edit_body", value=self.body, hint="Note", on_change=self._set_body, multiline=True, min_lines=12,
            size=18, w=FILL, pad=pad(24, 8),
        )  # fmt: skip
        bar = top_bar(up=self._save_and_close, actions=actions)
        return Column(w=FILL, h=FILL, children=(bar, title, scrolling((body,), "note_scroll")))

    def on_pause(self) -> None:
        """Leaving stores the note."""
        self._save()

    def _set_title(self, value: str) -> None:
        self.title = value

    def _set_body(self, value: str) -> None:
        self.body = value

    def _save(self) -> None:
        if (self.title, self.body) == self.saved or not (self.title.strip() or self.body.strip()):
            return
        self.stored = self.title = self.folder.save(self.title, self.body, self.stored)
        self.saved = (self.title, self.body)

    def _save_and_close(self) -> None:
        self._save()
        self.close()

    def _ask_to_pin(self) -> None:
        request_permission(self, "android.permission.POST_NOTIFICATIONS", self._pin)

    def _pin(self, allowed: bool) -> None:
        if not allowed:
            self.system.toast("Notes may not send notifications")
            return
        self._save()
        opens = Intent(component=self.component, extras={"title": self.stored})
        self.system.notifications.post(
            Notification(
                self.package, 1, self.stored, self.body, self.system.now(), tag=self.stored, icon="push_pin",
                uid=self.system.packages.get(self.package).uid, intent=opens, channel="pinned",
            )
        )  # fmt: skip
        self.system.toast("Pinned")

    def _ask(self) -> None:
        self.show(confirm(f'"{self.stored}" will be deleted.', "Delete", self._delete, self.dismiss, "Delete note?"))

    def _delete(self) -> None:
        self.dismiss()
        self.folder.remove(self.stored)
        self.title, self.body = self.saved
        self.close()
