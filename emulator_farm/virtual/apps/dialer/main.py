"""The Phone app: favorites, recent calls, contacts, and the dial pad over them."""

from collections.abc import Hashable
from functools import partial

from emulator_farm.virtual.apps.contacts.store import Person
from emulator_farm.virtual.apps.contacts.store import store as contacts
from emulator_farm.virtual.apps.dates import day_text, time_text
from emulator_farm.virtual.apps.dialer.dial_pad import DialPad
from emulator_farm.virtual.apps.dialer.in_call import current
from emulator_farm.virtual.apps.dialer.store import INCOMING, MISSED, OUTGOING, Call, call_log
from emulator_farm.virtual.apps.numbers import PhoneBook, avatar
from emulator_farm.virtual.dialogs import confirm, menu
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import bottom_bar, fab, floating, icon_button, list_item, scrolling, top_bar
from emulator_farm.virtual.screen import Popup, Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Icon, Paint, Row, Text, Widget, pad

TABS = (("favorites", "Favorites", "star"), ("recents", "Recents", "schedule"), ("contacts", "Contacts", "contacts"))
_CALL, _SENDTO, _VIEW = (f"android.intent.action.{name}" for name in ("CALL", "SENDTO", "VIEW"))
_KINDS = {INCOMING: ("Incoming", "arrow_downward"), OUTGOING: ("Outgoing", "arrow_upward"), MISSED: ("Missed", "close")}


class Dialer(Screen):
    """Three tabs. The intent's data `tel:NUMBER` opens the dial pad with the number in it."""

    bar_backdrop = "surface_container"

    def created(self) -> None:
        """Start with recent calls, or with the number to dial."""
        self.tab = "recents"
        self.pad = DialPad(self)
        number = self.intent.data.partition(":")[2].replace("%20", " ")
        if self.intent.action:
            self.pad.open = bool(number) or "DIAL" in self.intent.action
            self.pad.number = number
        if self.pad.open:
            self.pad.raise_up()

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return call_log(self.system).stamp

    def on_pause(self) -> None:
        """Calls that were listed are not new any more."""
        call_log(self.system).seen()

    def on_back(self) -> bool:
        """Back closes the dial pad first."""
        was, self.pad.open = self.pad.open, False
        self.view.blur()
        return was

    def build(self) -> Widget:
        """Bar, the tab's list, tabs; or the dial pad."""
        if self.pad.open:
            return self.pad.build()
        actions = [icon_button("more_vert", "More options", self._more, "main_options_menu_button")]
        title = next(label for key, label, _ in TABS if key == self.tab)
        rows = {"favorites": self._favorites, "recents": self._recents, "contacts": self._contacts}[self.tab]()
        body = scrolling(rows, "recycler_view", bottom=88)
        add = fab("dialpad", "key pad", self.pad.raise_up)
        top: tuple[Widget, ...] = (top_bar(title, actions=actions),)
        if current(self.system) is not None:
            top = (*top, self._return_to_call())
        return Column(w=FILL, h=FILL, children=(*top, floating(body, add), bottom_bar(TABS, self.tab, self._choose)))

    def _return_to_call(self) -> Widget:
        """The Dialer covers its own call where it was opened anew meanwhile."""
        return Text(
            id="return_to_call", view="Button", text="Tap to return to call", size=15, w=FILL, align="center", min_h=48,
            pad=pad(16, 12), bg="primary_container", on_tap=self.close,
        )  # fmt: skip

    def _choose(self, tab: str) -> None:
        self.tab = tab
        self.view.scroll.clear()

    # -- lists

    def _favorites(self) -> list[Widget]:
        people = [person for person in contacts(self.system).people() if person.starred and person.phone]
        rows = [
            list_item(person.name, "Mobile", leading=avatar(person.name, 48), title_id="name", summary_id="phone_type",
                      on_tap=partial(self.call, person.phone))
            for person in people
        ]  # fmt: skip
        return rows or [_nothing("No one is on your speed dial yet")]

    def _contacts(self) -> list[Widget]:
        return [
            list_item(
                person.name, leading=avatar(person.name), title_id="contact_name", on_tap=partial(self._open, person)
            )
            for person in contacts(self.system).people()
        ]

    def _recents(self) -> list[Widget]:
        rows: list[Widget] = []
        day, book = "", PhoneBook(self.system)
        for call in call_log(self.system).calls():
            if day != (day := day_text(self.system, call.date)):
                rows.append(Text(id="call_log_header", text=day, size=14, weight="medium", pad=pad(24, 8)))
            rows.append(self._recent(call, book))
        return rows or [_nothing("Your call log is empty")]

    def _recent(self, call: Call, book: PhoneBook) -> Widget:
        label = book.label(call.number)
        kind, icon = _KINDS.get(call.type, ("Declined", "block"))
        ink: Paint = "error" if call.type == MISSED else "on_surface"
        detail = f"{time_text(self.system, call.date)}" + (f" • {_length(call.duration)}" if call.duration else "")
        words = Column(
            grow=1, gap=2,
            children=(
                Text(id="primary_text", text=label, size=18, color=ink, max_lines=1),
                Row(gap=4, children=(Icon(id="call_type_icon", desc=kind, name=icon, size=16, color=ink),
                                     Text(id="secondary_text", text=f"{kind} • {detail}", size=14))),
            ),
        )  # fmt: skip
        button = icon_button("call", f"Call {label}", partial(self.call, call.number), "call_button")
        return Row(
            view=VIEW_GROUP, w=FILL, min_h=72, pad=pad(24, 8), gap=16, on_tap=lambda: self.show(self._sheet(call)),
            children=(avatar(label), words, button),
        )  # fmt: skip

    # -- what to do with a call or a person

    def call(self, number: str) -> None:
        """Call a number."""
        self.system.tasks.start(Intent(_CALL, data=f"tel:{number}"))

    def _open(self, person: Person) -> None:
        self.system.tasks.start(Intent(_VIEW, data=f"content://com.android.contacts/contacts/{person.id}"))

    def _sheet(self, call: Call) -> Popup:
        def build() -> Widget:
            actions = (
                ("Send a message", "chat", partial(self._message, call.number)),
                ("Add to contacts", "person_add", partial(self._add, call.number)),
                ("Delete", "delete", partial(self._remove, call)),
            )
            rows = tuple(
                list_item(text, icon=icon, on_tap=action, title_id="module_text", title_size=16)
                for text, icon, action in actions
            )
            head = Text(id="contact_name", text=PhoneBook(self.system).label(call.number), size=20, pad=pad(24, 16))
            number = Text(id="phone_number", text=call.number, size=14, pad=pad(24, 0))
            return Column(id="container", w=400, bg="surface_high", radius=20, children=(head, number, *rows))

        return Popup(build, anchor=(0.5, 1))

    def _message(self, number: str) -> None:
        self.dismiss()
        self.system.tasks.start(Intent(_SENDTO, data=f"smsto:{number}"))

    def _add(self, number: str) -> None:
        self.dismiss()
        insert = Intent("android.intent.action.INSERT", mime_type="vnd.android.cursor.dir/contact",
                        extras={"phone": number})  # fmt: skip
        self.system.tasks.start(insert)

    def _remove(self, call: Call) -> None:
        self.dismiss()
        call_log(self.system).remove(call.id)

    def _more(self) -> None:
        self.show(menu([("Clear call history", self._ask)]))

    def _ask(self) -> None:
        text = "All calls will be deleted from your history."
        self.show(confirm(text, "OK", self._clear, self.dismiss, title="Clear call history?"))

    def _clear(self) -> None:
        self.dismiss()
        call_log(self.system).clear()


def _length(seconds: int) -> str:
    return f"{seconds // 60} min {seconds % 60} sec" if seconds >= 60 else f"{seconds} sec"


def _nothing(text: str) -> Widget:
    return Text(id="empty_list_view_message", text=text, w=FILL, align="center", pad=pad(24, 96), color="outline")
