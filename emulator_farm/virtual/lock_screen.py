"""The lock screen: clock and notifications; a swipe up takes it away, or brings the pad that asks for the PIN."""

from dataclasses import replace

from .dates import weekday_date
from .intents import Intent
from .notification_card import notification_card
from .notifications import Notification
from .screen import Screen
from .screen_lock import ScreenLock
from .system import System
from .system_bars import status_bar
from .widgets import (
    FILL,
    VIEW_GROUP,
    Action,
    Column,
    Icon,
    Pad,
    Paint,
    Row,
    Scroll,
    Space,
    Stack,
    Text,
    TextField,
    Widget,
    pad,
)

ENTRY = "pinEntry"
SHOWN_NOTIFICATIONS = 4
STACK_DP = 560
"""Width of the notifications where the screen is wider."""
_LETTERS = {"2": "ABC", "3": "DEF", "4": "GHI", "5": "JKL", "6": "MNO", "7": "PQRS", "8": "TUV", "9": "WXYZ"}
_WRONG = "Wrong PIN"


class LockScreen(Screen):
    """Over everything but the shade while the phone is locked."""

    activity = ".Keyguard"
    on_wallpaper = True
    backdrop: Paint = "wallpaper"
    covers = "all"
    asking = False
    """Whether the PIN pad shows."""
    pin = ""
    message = ""

    def __init__(self, system: System, lock: ScreenLock) -> None:
        self._lock = lock
        super().__init__(system, "com.android.systemui", Intent())

    def rest(self) -> None:
        """As it looks when the display is lit."""
        self.asking, self.pin, self.message = False, "", ""
        self.view.blur()

    def ask(self) -> None:
        """Show the PIN pad; it takes typed digits too."""
        self.asking, self.message = True, ""
        self.view.focus_on(ENTRY)
        self.view.keyboard = False

    def on_back(self) -> bool:
        """Back from the PIN pad; from the lock screen itself there is no way back."""
        self.rest()
        return True

    def build(self) -> Widget:
        """Clock and notifications, or the PIN pad."""
        inside = self._pad() if self.asking else self._face()
        return Column(
            id="keyguard_root_view", view="FrameLayout", w=FILL, h=FILL, on_fling=self._fling,
            children=(
                Stack(w=FILL, h=24, hidden=True, children=(replace(status_bar(self.system, white=True), h=FILL),)),
                inside,
            ),
        )  # fmt: skip

    # -- clock and notifications

    def _face(self) -> Widget:
        system = self.system
        now = system.now()
        clock = Text(
            id="lockscreen_clock_view", text=system.clock_text(now.hour, now.minute, suffix=False), size=64,
            color="white", w=FILL, align="center", fixed=True,
        )  # fmt: skip
        date = Text(
            id="keyguard_slice_view", text=weekday_date(now, system.locale), size=18, color="white", w=FILL,
            align="center", fixed=True,
        )  # fmt: skip
        head = Column(id="keyguard_status_view", w=FILL, gap=4, pad=pad(24, 32), children=(clock, date))
        cards = tuple(
            notification_card(system, each, self._opener(each), lambda direction: False)
            for each in system.notifications.list()[:SHOWN_NOTIFICATIONS]
        )
        side = max(16.0, (system.display.size_dp[0] - STACK_DP) / 2)
        stack = Column(id="notification_stack_scroller", w=FILL, gap=4, pad=pad(side), children=cards)
        lock = Icon(
            id="lock_icon_view", desc="Lock" if self._lock.secure else "Unlocked",
            name="lock" if self._lock.secure else "lock_open", color="white",
        )  # fmt: skip
        hint = Text(id="keyguard_indication_text", text="Swipe up to open", size=14, color="white")
        foot = Column(id="keyguard_bottom_area", w=FILL, align="center", gap=12, pad=pad(0, 24), children=(lock, hint))
        return Column(
            id="notification_panel", view="FrameLayout", w=FILL, h=FILL, children=(head, stack, Space(grow=1), foot)
        )

    def _opener(self, notification: Notification) -> Action:
        def tapped() -> None:
            self.system.ui.dismiss_lock()
            if not self.system.ui.locked and notification.intent is not None:
                self.system.notifications.cancel(notification.key)
                self.system.tasks.start(notification.intent)

        return tapped

    def _fling(self, direction: str) -> bool:
        if direction == "up" and not self.asking:
            self.system.ui.dismiss_lock()
        elif direction == "down" and not self.asking:
            self.system.ui.expand()
        return direction in ("up", "down")

    # -- PIN pad

    def _pad(self) -> Widget:
        title = Text(
            id="bouncer_message_view", text=self.message or "Enter PIN", size=18, color="white", w=FILL, align="center"
        )
        entry = TextField(
            id=ENTRY, value=self.pin, password=True, numeric=True, action="done", on_change=self._typed,
            on_action=self._enter, w=220, size=28, align="center", ink="white", max_length=16,
        )  # fmt: skip
        rows = [
            Row(gap=20, ltr=True, children=tuple(self._key(digit) for digit in digits))
            for digits in ("123", "456", "789")
        ]
        erase = _round(Icon(name="backspace", color="white", anchor=(0.5, 0.5)), "Delete", "delete_button", self._erase)
        enter = _round(Icon(name="check", color="white", anchor=(0.5, 0.5)), "Enter", "key_enter", self._enter)
        rows.append(Row(gap=20, ltr=True, children=(erase, self._key("0"), enter)))
        keys = Column(id="pin_container", view=VIEW_GROUP, align="center", gap=14, children=tuple(rows))
        inside = Column(
            id="keyguard_pin_view", view=VIEW_GROUP, w=FILL, align="center", gap=20, pad=Pad(16, 48, 16, 32),
            children=(title, entry, keys),
        )  # fmt: skip
        return Scroll(id="keyguard_security_container", view="FrameLayout", w=FILL, h=FILL, child=inside)

    def _key(self, digit: str) -> Widget:
        letters = _LETTERS.get(digit, "")
        words: list[Widget] = [Text(id="digit_text", text=digit, size=26, color="white", fixed=True)]
        if letters:
            words.append(Text(id="klondike_text", text=letters, size=10, color="white", fixed=True))
        face = Column(anchor=(0.5, 0.5), align="center", children=tuple(words))
        return _round(face, digit, f"key{digit}", lambda: self._typed(self.pin + digit))

    def _typed(self, pin: str) -> None:
        self.pin, self.message = pin, ""
        self.view.carets[ENTRY] = (len(pin), len(pin))

    def _erase(self) -> None:
        self._typed(self.pin[:-1])

    def _enter(self) -> None:
        if self._lock.verify(self.pin):
            self.system.ui.unlock()
        else:
            self.pin, self.message = "", _WRONG


_KEY_FACE = (70, 90, 120)


def _round(face: Widget, desc: str, name: str, on_tap: Action) -> Widget:
    return Stack(
        id=name, view=VIEW_GROUP, desc=desc, w=72, h=72, bg=_KEY_FACE, radius=36, on_tap=on_tap, children=(face,)
    )
