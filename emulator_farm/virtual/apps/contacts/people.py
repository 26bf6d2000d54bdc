"""The list of contacts, with search."""

from emulator_farm.virtual.apps.contacts.card import Card
from emulator_farm.virtual.apps.contacts.editor import Editor
from emulator_farm.virtual.apps.contacts.store import Person, store
from emulator_farm.virtual.material import fab, floating, icon_button, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.theme import AVATARS, Color
from emulator_farm.virtual.widgets import (
    FILL,
    VIEW_GROUP,
    Column,
    Disc,
    Icon,
    Pad,
    Row,
    Space,
    Text,
    TextField,
    Widget,
    pad,
)

_QUERY = "search_view"


class People(Screen):
    """Everybody, A to Z."""

    searching = False
    query = ""

    def build(self) -> Widget:
        """Bar, list, add button."""
        people = store(self.system).people(self.query if self.searching else "")
        body = Column(w=FILL, h=FILL, children=(self._bar(), scrolling(self._rows(people), "list", bottom=88)))
        if self.searching:
            return body
        add = fab("add", "Create contact", lambda: self.open(Editor), "floating_action_button")
        return floating(body, add)

    def on_back(self) -> bool:
        """Back ends a search first."""
        was, self.searching, self.query = self.searching, False, ""
        self.view.blur()
        return was

    def _bar(self) -> Widget:
        if not self.searching:
            return top_bar("Contacts", actions=(icon_button("search", "Search contacts", self._search, "menu_search"),))
        field = TextField(
            id=_QUERY, value=self.query, hint="Search contacts", on_change=self._type, action="search", grow=1, size=20,
            pad=pad(0, 12),
        )  # fmt: skip
        parts: list[Widget] = [icon_button("arrow_back", "Stop searching", self._stop, "search_back_button"), field]
        if self.query:
            parts.append(icon_button("close", "Clear search", lambda: self._type(""), "search_close_button"))
        return Row(id="toolbar", view=VIEW_GROUP, w=FILL, h=64, pad=pad(4), gap=4, children=tuple(parts))

    def _rows(self, people: list[Person]) -> list[Widget]:
        if not people:
            words = "No contacts found" if self.query else "Your contacts list is empty"
            return [Text(id="message", text=words, size=16, w=FILL, align="center", pad=pad(24, 96), color="outline")]
        rows: list[Widget] = []
        last = ""
        for person in people:
            initial = person.name[:1].upper()
            rows.append(self._row(person, initial if initial != last else ""))
            last = initial
        return rows

    def _row(self, person: Person, header: str) -> Widget:
        letter = Text(id="header" if header else "", text=header, size=18, weight="medium", color="primary", w=32)
        parts: list[Widget] = [
            letter if header else Space(w=32),
            Disc(id="photo", color=avatar_color(person), letter=person.name[:1].upper(), size=40),
            Text(id="cliv_name_textview", text=person.name, size=18, grow=1, max_lines=1),
        ]
        if person.starred:
            parts.append(Icon(id="star", desc="Starred", name="star", filled=True, size=20, color="primary"))
        return Row(
            view=VIEW_GROUP, w=FILL, h=64, pad=Pad(20, 0, 24, 0), gap=16, children=tuple(parts),
            on_tap=lambda: self.open(Card, contact=str(person.id)),
        )  # fmt: skip

    def _search(self) -> None:
        self.searching = True
        self.view.scroll.clear()
        self.view.focus_on(_QUERY)

    def _stop(self) -> None:
        self.on_back()

    def _type(self, query: str) -> None:
        self.query = query
        self.view.scroll.clear()


def avatar_color(person: Person) -> Color:
    """The colour of a contact's round picture."""
    return AVATARS[sum(person.name.encode()) % len(AVATARS)]
