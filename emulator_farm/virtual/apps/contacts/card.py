"""One contact: names, numbers, addresses; star, edit, delete."""

from emulator_farm.virtual.apps.contacts.editor import Editor
from emulator_farm.virtual.apps.contacts.store import Person, store
from emulator_farm.virtual.dialogs import confirm, menu
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import icon_button, list_item, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.theme import AVATARS
from emulator_farm.virtual.widgets import FILL, Column, Disc, Text, Widget, pad


class Card(Screen):
    """The contact whose id is the extra `contact`, or ends the intent's data URI."""

    activity = ".quickcontact.QuickContactActivity"

    @property
    def contact(self) -> int:
        """The contact's id; 0 where the intent names none."""
        text = self.intent.extras.get("contact") or self.intent.data.rstrip("/").rpartition("/")[2]
        return int(text) if text.isdigit() else 0

    def build(self) -> Widget:
        """Bar, picture, name, details."""
        person = store(self.system).person(self.contact)
        if person is None:
            gone = Text(
                id="message", text="The contact doesn't exist.", size=16, w=FILL, align="center", pad=pad(24, 96)
            )
            return Column(w=FILL, h=FILL, children=(top_bar(up=self.close), gone))
        return Column(w=FILL, h=FILL, children=(self._bar(person), scrolling(self._rows(person), "multiscroller")))

    def _bar(self, person: Person) -> Widget:
        star = icon_button(
            "star", "Remove from favorites" if person.starred else "Add to favorites", lambda: self._star(person),
            "menu_star", filled=person.starred,
        )  # fmt: skip
        edit = icon_button("edit", "Edit contact", lambda: self.open(Editor, contact=str(person.id)), "menu_edit")
        more = icon_button("more_vert", "More options", self._more)
        return top_bar(up=self.close, actions=(star, edit, more))

    def _rows(self, person: Person) -> tuple[Widget, ...]:
        color = AVATARS[sum(person.name.encode()) % len(AVATARS)]
        face = Disc(id="photo", color=color, letter=person.name[:1].upper(), size=112)
        name = Text(id="large_title", text=person.name, size=28, align="center")
        rows: list[Widget] = [Column(w=FILL, align="center", gap=16, pad=pad(24, 16), children=(face, name))]
        if person.phone:
            rows.append(self._phone(person.phone))
        if person.email:
            rows.append(list_item(person.email, "Home", "mail", title_id="header", summary_id="sub_header"))
        if not person.phone and not person.email:
            rows.append(Text(id="message", text="No phone number or email", size=16, color="outline", pad=pad(24, 16)))
        return tuple(rows)

    def _phone(self, number: str) -> Widget:
        write = icon_button("chat", "Text", lambda: self._start("SENDTO", f"smsto:{number}"), "icon_alternate")
        return list_item(
            number, "Mobile", "call", title_id="header", summary_id="sub_header", trailing=write,
            on_tap=lambda: self._start("CALL", f"tel:{number}"),
        )  # fmt: skip

    def _start(self, action: str, data: str) -> None:
        self.system.tasks.start(Intent(f"android.intent.action.{action}", data=data))

    def _star(self, person: Person) -> None:
        store(self.system).star(person.id, not person.starred)

    def _more(self) -> None:
        self.show(menu([("Delete", self._ask), ("Share", self._share)]))

    def _share(self) -> None:
        self.dismiss()
        self.system.toast("No apps can perform this action.")

    def _ask(self) -> None:
        self.show(confirm("Delete this contact?", "Delete", self._delete, self.dismiss))

    def _delete(self) -> None:
        self.dismiss()
        store(self.system).remove(self.contact)
        self.close()
        self.system.toast("Contact deleted")
