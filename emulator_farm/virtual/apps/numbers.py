"""Phone numbers: which are the same, and whose they are."""

from emulator_farm.virtual.apps.contacts.store import PHONE, store
from emulator_farm.virtual.system import System
from emulator_farm.virtual.theme import AVATARS
from emulator_farm.virtual.widgets import Disc

SAME_DIGITS = 9
"""Numbers that agree in their last digits are the same, with or without a country code."""


def digits(number: str) -> str:
    """What makes two numbers the same."""
    return "".join(char for char in number if char.isdigit())[-SAME_DIGITS:]


class PhoneBook:
    """Names by number, as the contacts have them now."""

    def __init__(self, system: System) -> None:
        rows = store(system).rows(
            "SELECT display_name, data1 FROM view_data WHERE mimetype = ? ORDER BY _id DESC", (PHONE,)
        )
        self._names = {digits(str(row["data1"])): str(row["display_name"]) for row in rows if row["data1"]}

    def name(self, number: str) -> str:
        """The contact's name, "" where nobody has this number."""
        return self._names.get(digits(number), "")

    def label(self, number: str) -> str:
        """The contact's name, else the number itself."""
        return self.name(number) or number


def avatar(label: str, size: float = 40) -> Disc:
    """The round picture of a person or number."""
    color = AVATARS[sum(label.encode()) % len(AVATARS)]
    if label[:1].isalpha():
        return Disc(color=color, letter=label[0].upper(), size=size)
    return Disc(color=color, icon="person", size=size)
