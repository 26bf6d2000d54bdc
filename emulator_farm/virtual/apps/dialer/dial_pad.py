"""The dial pad: twelve keys, the number so far, and whom it may belong to."""

from functools import partial
from typing import TYPE_CHECKING

from emulator_farm.virtual.apps.contacts.store import store as contacts
from emulator_farm.virtual.apps.numbers import avatar, digits
from emulator_farm.virtual.material import CENTER, fab, icon_button, list_item, scrolling, top_bar
from emulator_farm.virtual.widgets import FILL, Column, Row, Space, Text, TextField, Widget, pad

if TYPE_CHECKING:
    from emulator_farm.virtual.apps.dialer.main import Dialer

KEYS = (
    (("1", "", "one"), ("2", "ABC", "two"), ("3", "DEF", "three")),
    (("4", "GHI", "four"), ("5", "JKL", "five"), ("6", "MNO", "six")),
    (("7", "PQRS", "seven"), ("8", "TUV", "eight"), ("9", "WXYZ", "nine")),
    (("*", "", "star"), ("0", "+", "zero"), ("#", "", "pound")),
)
"""Digit, letters below it, resource id."""
FIELD = "digits"


class DialPad:
    """Part of the Dialer's screen."""

    def __init__(self, screen: "Dialer") -> None:
        self._screen = screen
        self.open = False
        self.number = ""

    def raise_up(self) -> None:
        """Show the pad; its field has the focus, without a keyboard."""
        self.open = True
        self._screen.view.focus = FIELD

    def build(self) -> Widget:
        """Matches, number, keys, dial button."""
        field = TextField(
            id=FIELD, value=self.number, on_change=self._set, numeric=True, align="center", size=32, w=FILL, grow=1,
            action="none", on_action=self._dial,
        )  # fmt: skip
        parts: tuple[Widget, ...] = (Space(w=48), field, Space(w=48))
        if self.number:
            back = icon_button("backspace", "backspace", self._backspace, "deleteButton")
            parts = (Space(w=48), field, back)
        keys = tuple(Row(w=FILL, ltr=True, children=tuple(self._key(*key) for key in row)) for row in KEYS)
        low = self._screen.system.display.low
        dial = Row(
            w=FILL, justify="center", pad=pad(0, 4 if low else 8),
            children=(fab("call", "dial", self._dial, "dialpad_floating_action_button", 48 if low else 64),),
        )  # fmt: skip
        pad_view = Column(
            id="dialpad_view", w=FILL, bg="surface_container",
            children=(Row(w=FILL, min_h=64, pad=pad(8, 4), children=parts), *keys, dial),
        )  # fmt: skip
        bar = top_bar("Phone", up=self._close, up_icon="close", up_desc="Close key pad")
        return Column(w=FILL, h=FILL, children=(bar, scrolling(self._matches(), "smart_dial_list"), pad_view))

    def _matches(self) -> list[Widget]:
        wanted = digits(self.number)
        people = [p for p in contacts(self._screen.system).people() if wanted and wanted in digits(p.phone)]
        return [
            list_item(person.name, person.phone, leading=avatar(person.name), title_id="contact_name",
                      summary_id="contact_number", on_tap=partial(self._screen.call, person.phone))
            for person in people[:3]
        ]  # fmt: skip

    def _key(self, digit: str, letters: str, name: str) -> Widget:
        low = self._screen.system.display.low
        words: tuple[Widget, ...] = (
            Text(id="dialpad_key_number", text=digit, size=18 if low else 28, fixed=True, hidden=True),
            Text(id="dialpad_key_letters", text=letters or " ", size=11, fixed=True, color="outline", hidden=True),
        )
        return Column(
            id=name, view="FrameLayout", desc=f"{digit},{letters}" if letters else digit, grow=1, h=30 if low else 64,
            pad=pad(0, 3 if low else 6), align="center", anchor=CENTER, children=words[: 1 if low else 2],
            on_tap=partial(self._press, digit), on_long=partial(self._press, "+") if digit == "0" else None,
        )  # fmt: skip

    def _set(self, number: str) -> None:
        self.number = number

    def _press(self, digit: str) -> None:
        self.number += digit
        self._screen.view.carets.pop(FIELD, None)

    def _backspace(self) -> None:
        self.number = self.number[:-1]
        self._screen.view.carets.pop(FIELD, None)

    def _dial(self) -> None:
        if self.number:
            number, self.number, self.open = self.number, "", False
            self._screen.call(number)

    def _close(self) -> None:
        self.open = False
        self._screen.view.blur()
