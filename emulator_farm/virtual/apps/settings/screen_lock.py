"""Choosing how the screen locks: not at all, by a swipe, or by a PIN."""

from collections.abc import Sequence
from functools import partial

from emulator_farm.virtual.apps.settings.page import Page, plain
from emulator_farm.virtual.dialogs import TextPrompt
from emulator_farm.virtual.screen_lock import MIN_DIGITS
from emulator_farm.virtual.widgets import Action, Widget


class ChooseLock(Page):
    """Once a PIN is set, it is asked for before the lock can be changed."""

    title = "Screen lock"

    def rows(self) -> Sequence[Widget]:
        """The three locks; the one in use says so."""
        lock = self.system.ui.lock
        now = "PIN" if lock.secure else "Swipe" if lock.enabled else "None"
        kinds = (("None", self._none), ("Swipe", self._swipe), ("PIN", self._ask_new))
        return [
            plain(name, "Current screen lock" if name == now else "", partial(self._after_pin, choose))
            for name, choose in kinds
        ]

    def _after_pin(self, choose: Action) -> None:
        if not self.system.ui.lock.secure:
            choose()
            return

        def check(pin: str) -> None:
            self.dismiss()
            if self.system.ui.lock.verify(pin):
                choose()
            else:
                self.system.toast("Wrong PIN")

        self.show(TextPrompt("Confirm your PIN", "", check, self.dismiss, hint="PIN").popup())

    def _none(self) -> None:
        self.system.ui.lock.clear_pin()
        self.system.ui.lock.set_disabled(True)
        self.close()

    def _swipe(self) -> None:
        self.system.ui.lock.clear_pin()
        self.system.ui.lock.set_disabled(False)
        self.close()

    def _ask_new(self) -> None:
        self.show(TextPrompt("Set a PIN", "", self._set, self.dismiss, hint=f"At least {MIN_DIGITS} digits").popup())

    def _set(self, pin: str) -> None:
        try:
            self.system.ui.lock.set_pin(pin)
        except ValueError:
            self.system.toast(f"PIN must be at least {MIN_DIGITS} digits")
            return
        self.dismiss()
        self.close()
