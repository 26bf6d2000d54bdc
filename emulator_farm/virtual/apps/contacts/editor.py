"""The form that creates or changes a contact."""

from collections.abc import Callable
from dataclasses import replace

from emulator_farm.virtual.apps.contacts.store import Person, store
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.material import filled_button, outlined_field, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Column, Icon, Row, Space, Widget, pad

FIELDS = (
    ("first", "first_name", "First name", "person"),
    ("last", "last_name", "Last name", ""),
    ("phone", "phone", "Phone", "call"),
    ("email", "email", "Email", "mail"),
)
"""Attribute of a Person, resource id, label, icon."""


class Editor(Screen):
    """A new contact, or the one that the extra `contact` names. Extras `name`, `phone`, `email` fill a new one in."""

    activity = ".activities.ContactEditorActivity"

    def created(self) -> None:
        """Start from the stored contact or from the intent."""
        extras = self.intent.extras
        contact = extras.get("contact") or self.intent.data.rstrip("/").rpartition("/")[2]
        stored = store(self.system).person(int(contact)) if contact.isdigit() else None
        first, _, last = extras.get("name", "").strip().partition(" ")
        filled = Person(first=first, last=last, phone=extras.get("phone", ""), email=extras.get("email", ""))
        self.before = stored or Person()
        self.person = stored or filled
        if stored is None:
            self.view.focus_on("first_name")

    def build(self) -> Widget:
        """Bar with Save, fields."""
        title = "Edit contact" if self.before.id else "Create contact"
        save = filled_button("Save", self._save, "editor_menu_save_button")
        bar = top_bar(title, up=self._leave, up_icon="close", up_desc="Cancel", actions=(save, Space(w=8)))
        rows = [self._field(*each) for each in FIELDS]
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows, "contact_editor_fragment")))

    def _field(self, attribute: str, name: str, label: str, icon: str) -> Widget:
        action = "done" if attribute == "email" else "next"
        box = outlined_field(
            name, label, getattr(self.person, attribute), self._setter(attribute), self.view.focus == name,
            action="done" if action == "done" else "next",
        )  # fmt: skip
        mark: Widget = Icon(name=icon, color="on_surface_variant") if icon else Space(w=24)
        return Row(w=FILL, pad=pad(16, 6), gap=16, children=(mark, Column(grow=1, children=(box,))))

    def _setter(self, attribute: str) -> Callable[[str], None]:
        def change(value: str) -> None:
            values = {name: getattr(self.person, name) for name, *_ in FIELDS} | {attribute: value}
            self.person = Person(id=self.person.id, starred=self.person.starred, **values)

        return change

    @property
    def _changed(self) -> bool:
        return _entered(self.person) != _entered(self.before)

    def on_back(self) -> bool:
        """Back asks before it throws changes away."""
        if self._changed:
            self._leave()
            return True
        return False

    def _leave(self) -> None:
        if self._changed:
            self.show(confirm("Discard your changes?", "Discard", self._discard, self.dismiss, negative="Keep editing"))
        else:
            self.close()

    def _discard(self) -> None:
        self.dismiss()
        self.close()

    def _save(self) -> None:
        values = _entered(self.person)
        if any(values):
            first, last, phone, email = values
            store(self.system).save(replace(self.person, first=first, last=last, phone=phone, email=email))
            self.system.toast("Contact saved")
        self.close()


def _entered(person: Person) -> tuple[str, ...]:
    return tuple(getattr(person, attribute).strip() for attribute, *_ in FIELDS)
