"""The list of conversations."""

from collections.abc import Hashable

from emulator_farm.virtual.apps.dates import short_text
from emulator_farm.virtual.apps.messages.conversation import Conversation, Recipient
from emulator_farm.virtual.apps.messages.store import Thread, messages
from emulator_farm.virtual.apps.numbers import PhoneBook, avatar
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.fonts import Weight
from emulator_farm.virtual.material import fab, floating, icon_button, scrolling, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Row, Text, TextField, Widget, pad

_QUERY = "search_src_text"


class Conversations(Screen):
    """Everybody with whom messages were exchanged, the latest first."""

    searching = False
    query = ""

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return messages(self.system).stamp

    def on_back(self) -> bool:
        """Back ends a search first."""
        was, self.searching, self.query = self.searching, False, ""
        self.view.blur()
        return was

    def build(self) -> Widget:
        """Bar, list, start button."""
        book = PhoneBook(self.system)
        rows: list[Widget] = [
            self._row(thread, book)
            for thread in messages(self.system).threads()
            if self.query.lower() in f"{book.label(thread.address)}\n{self._texts(thread)}".lower()
        ]
        if not rows:
            words = "No matching messages" if self.query else "Once you start a new conversation, you'll see it here"
            rows = [Text(id="empty_text_hint", text=words, w=FILL, align="center", pad=pad(48, 96), color="outline")]
        body = Column(w=FILL, h=FILL, children=(self._bar(), scrolling(rows, "list", bottom=88)))
        add = fab("add", "Start new conversation", lambda: self.open(Recipient), "start_new_conversation_button")
        return body if self.searching else floating(body, add)

    def _texts(self, thread: Thread) -> str:
        return "\n".join(each.body for each in messages(self.system).messages(thread.id)) if self.query else ""

    def _bar(self) -> Widget:
        if not self.searching:
            return top_bar(
                "Messages", actions=(icon_button("search", "Search messages", self._search, "action_search"),)
            )
        field = TextField(
            id=_QUERY, value=self.query, hint="Search messages", on_change=self._type, action="search", grow=1, size=20,
            pad=pad(0, 12),
        )  # fmt: skip
        back = icon_button("arrow_back", "Stop searching", self._stop)
        return Row(id="search_bar", view=VIEW_GROUP, w=FILL, h=64, pad=pad(4), gap=4, children=(back, field))

    def _row(self, thread: Thread, book: PhoneBook) -> Widget:
        name = book.label(thread.address)
        weight: Weight = "regular" if thread.read else "bold"
        snippet = f"You: {thread.snippet}" if thread.outgoing else thread.snippet
        head = Row(
            w=FILL, gap=8,
            children=(
                Text(id="conversation_name", text=name, size=18, weight=weight, grow=1, max_lines=1),
                Text(id="conversation_timestamp", text=short_text(self.system, thread.date), size=13,
                     color="on_surface_variant"),
            ),
        )  # fmt: skip
        text = Text(
            id="conversation_snippet", text=snippet, size=14, max_lines=1, w=FILL,
            color="on_surface_variant" if thread.read else "on_surface", weight=weight,
        )  # fmt: skip
        return Row(
            id="swipeableContainer", view=VIEW_GROUP, w=FILL, min_h=76, pad=pad(16, 10), gap=16,
            on_tap=lambda: self.open(Conversation, address=thread.address), on_long=lambda: self._ask(thread, name),
            children=(avatar(name, 44), Column(grow=1, gap=2, children=(head, text))),
        )  # fmt: skip

    def _search(self) -> None:
        self.searching = True
        self.view.focus_on(_QUERY)

    def _stop(self) -> None:
        self.on_back()

    def _type(self, query: str) -> None:
        self.query = query

    def _ask(self, thread: Thread, name: str) -> None:
        self.show(
            confirm(
                f"The conversation with {name} will be deleted.",
                "Delete",
                lambda: self._delete(thread),
                self.dismiss,
                "Delete this conversation?",
            )
        )

    def _delete(self, thread: Thread) -> None:
        self.dismiss()
        messages(self.system).remove_thread(thread.id)
