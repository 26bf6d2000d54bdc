"""One conversation: bubbles and the field to write in; and whom a new one is with."""

from collections.abc import Hashable
from functools import partial

from emulator_farm.virtual.apps.contacts.store import store as contacts
from emulator_farm.virtual.apps.dates import day_text, time_text
from emulator_farm.virtual.apps.messages.store import FAILED, INBOX, Message, messages
from emulator_farm.virtual.apps.numbers import PhoneBook, avatar, digits
from emulator_farm.virtual.dialogs import confirm, menu
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import icon_button, list_item, scrolling, top_bar
from emulator_farm.virtual.screen import Popup, Screen
from emulator_farm.virtual.widgets import (
    FILL,
    VIEW_GROUP,
    WRAP,
    Column,
    Paint,
    Row,
    Space,
    Text,
    TextField,
    Widget,
    pad,
)

LIST, FIELD, RECIPIENT = "list", "compose_message_text", "recipient_text_view"
_BOTTOM = 1 << 30


class Conversation(Screen):
    """Messages with the number in the extra `address`, or in the intent's data `smsto:NUMBER`."""

    activity = ".ui.conversation.ConversationActivity"

    def created(self) -> None:
        """Text that came with the intent waits in the field."""
        extras = self.intent.extras
        self.address = extras.get("address") or self.intent.data.partition(":")[2].partition("?")[0]
        self.draft = extras.get("body") or extras.get("sms_body") or extras.get("android.intent.extra.TEXT", "")
        if not self.thread:
            self.view.focus_on(FIELD)
        self.on_resume()

    def on_resume(self) -> None:
        """What is seen is read; the latest message is in sight."""
        if self.thread:
            messages(self.system).mark_read(self.thread)
        self.view.scroll[LIST] = _BOTTOM

    @property
    def thread(self) -> int:
        """The conversation's id, 0 while nothing was said."""
        return messages(self.system).thread_with(self.address)

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return messages(self.system).stamp

    def build(self) -> Widget:
        """Bar, bubbles, composer."""
        label = PhoneBook(self.system).label(self.address)
        call = icon_button("call", "Call", self._call, "action_call")
        more = icon_button("more_vert", "More options", lambda: self.show(menu([("Delete", self._ask)])))
        bar = top_bar(label, up=self.close, actions=(call, more))
        return Column(w=FILL, h=FILL, children=(bar, scrolling(self._bubbles(), LIST), self._composer()))

    def _bubbles(self) -> list[Widget]:
        rows: list[Widget] = []
        day = ""
        for message in messages(self.system).messages(self.thread):
            if day != (day := day_text(self.system, message.date)):
                rows.append(Text(id="day", text=day, size=12, color="outline", w=FILL, align="center", pad=pad(0, 8)))
            rows.append(self._bubble(message))
        return rows

    def _bubble(self, message: Message) -> Widget:
        mine = message.type != INBOX
        face: Paint = "primary_container" if mine else "surface_high"
        ink: Paint = "on_primary_container" if mine else "on_surface"
        status = "Not sent. Touch to retry." if message.type == FAILED else time_text(self.system, message.date)
        words = Text(id="message_text", text=message.body, size=16, color=ink)
        bubble = Column(w=WRAP, bg=face, radius=18, pad=pad(16, 10), children=(words,))
        small = Text(id="message_status", text=status, size=11, color="error" if message.type == FAILED else "outline")
        return Column(
            id="message_content", w=FILL, pad=pad(16, 4), gap=2,
            align="end" if mine else "start", on_long=lambda: self.show(self._options(message)),
            on_tap=partial(self._retry, message) if message.type == FAILED else None, children=(bubble, small),
        )  # fmt: skip

    def _composer(self) -> Widget:
        field = TextField(
            id=FIELD, value=self.draft, hint="Send message", on_change=self._type, multiline=True, grow=1, size=16,
            pad=pad(16, 12), bg="surface_high", radius=24,
        )  # fmt: skip
        send = icon_button("send", "Send", self._send, "send_message_button", "primary", filled=True)
        parts = (field, send) if self.draft.strip() else (field,)
        return Row(id="message_compose_view_container", w=FILL, pad=pad(12, 8), gap=8, children=parts)

    def _type(self, text: str) -> None:
        self.draft = text

    def _send(self) -> None:
        messages(self.system).send(self.address, self.draft.strip())
        self.draft = ""
        self.view.scroll[LIST] = _BOTTOM

    def _retry(self, message: Message) -> None:
        messages(self.system).retry(message)

    def _call(self) -> None:
        self.system.tasks.start(Intent("android.intent.action.CALL", data=f"tel:{self.address}"))

    # -- deleting and passing on

    def _options(self, message: Message) -> Popup:
        return menu([("Forward", lambda: self._forward(message)), ("Delete", lambda: self._ask_one(message))])

    def _forward(self, message: Message) -> None:
        self.dismiss()
        self.open(Recipient, body=message.body)

    def _ask_one(self, message: Message) -> None:
        self.show(
            confirm("This can't be undone.", "Delete", lambda: self._delete_one(message), self.dismiss,
                    "Delete this message?")
        )  # fmt: skip

    def _delete_one(self, message: Message) -> None:
        self.dismiss()
        messages(self.system).remove(message.id)

    def _ask(self) -> None:
        self.show(
            confirm(
                "These messages will be deleted.", "Delete", self._delete, self.dismiss, "Delete this conversation?"
            )
        )

    def _delete(self) -> None:
        self.dismiss()
        messages(self.system).remove_thread(self.thread)
        self.close()


class Recipient(Screen):
    """A new conversation: type a number or choose a contact. The extra `body` is what to write."""

    activity = ".ui.contact.ContactPickerActivity"
    query = ""

    def created(self) -> None:
        """The keyboard is up at once."""
        self.view.focus_on(RECIPIENT)

    def build(self) -> Widget:
        """Field, the number typed, contacts."""
        field = TextField(
            id=RECIPIENT, value=self.query, hint="Type a name, phone number, or email", on_change=self._type, grow=1,
            size=18, pad=pad(0, 12), action="next", on_action=self._enter,
        )  # fmt: skip
        back = icon_button("arrow_back", "Navigate up", self.close)
        bar = Row(
            view=VIEW_GROUP, w=FILL, h=64, pad=pad(4), gap=4,
            children=(back, Text(text="To", size=16), Space(w=4), field),
        )  # fmt: skip
        rows: list[Widget] = []
        if len(digits(self.query)) >= 3:
            rows.append(
                list_item(f"Send to {self.query}", leading=avatar(self.query), on_tap=lambda: self._choose(self.query))
            )
        rows += [
            list_item(person.name, person.phone, leading=avatar(person.name), title_id="contact_name",
                      summary_id="contact_details", on_tap=partial(self._choose, person.phone), padding=pad(16, 8))
            for person in contacts(self.system).people(self.query)
            if person.phone
        ]  # fmt: skip
        if not rows:
            rows = [
                Text(id="empty", text="No contacts found", w=FILL, align="center", pad=pad(24, 64), color="outline")
            ]
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows, "all_contacts_list_view")))

    def _type(self, query: str) -> None:
        self.query = query
        self.view.scroll.clear()

    def _enter(self) -> None:
        found = [person for person in contacts(self.system).people(self.query) if person.phone]
        if len(digits(self.query)) >= 3:
            self._choose(self.query)
        elif len(found) == 1:
            self._choose(found[0].phone)

    def _choose(self, number: str) -> None:
        self.open(Conversation, address=number, body=self.intent.extras.get("body", ""))
        self.close()
