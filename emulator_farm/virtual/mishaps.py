"""What happens to a phone itself on purpose: windows that nobody asked for, a turned display, a clock that jumps.

Each mishap can be undone: what was before is remembered. All of it runs on the phone's own thread.
"""

from collections.abc import Callable
from datetime import timedelta

from .apps.dialer.in_call import ring, stop_ringing
from .defaults import LATIN_IME
from .dialogs import dialog
from .material import text_button
from .notifications import Notification
from .phone import Phone
from .screen import Popup
from .widgets import FILL, Column, Widget

CALLER = "+15550100"
_PERMISSION = "android.permission.READ_CONTACTS"
Undo = Callable[[], None]


class Mishaps:
    """What has befallen one phone, and how it is made undone."""

    def __init__(self) -> None:
        self._undo: dict[str, Undo] = {}

    def change(self, phone: Phone, kind: str, value: str) -> None:
        """Undo what is there of a kind, then bring the new one; "" brings none."""
        undo = self._undo.pop(kind, None)
        if undo is not None:
            undo()
        if value:
            self._undo[kind] = _bring(phone, kind, value)
        phone.invalidate()

    def forget(self) -> None:
        """The phone was made another: there is nothing to go back to."""
        self._undo.clear()


def _bring(phone: Phone, kind: str, value: str) -> Undo:
    match kind:
        case "window":
            return _window(phone, value)
        case "display":
            return _display(phone, value)
        case "clock":
            return _jump(phone, timedelta(days=400 if value == "ahead" else -400))
        case "ime" if value == "wrong":
            before = phone.ime.current
            phone.ime.set(LATIN_IME)
            return lambda: phone.settings.put("secure", "default_input_method", before)
        case "disk":
            capacity = phone.files.capacity
            phone.files.capacity = 0
            return lambda: setattr(phone.files, "capacity", capacity)
        case "boot" if value == "slow":
            phone.props["sys.boot_completed"] = ""
            return lambda: phone.props.update({"sys.boot_completed": "1"})
        case _:
            return lambda: None


def _jump(phone: Phone, by: timedelta) -> Undo:
    phone.clock.set_time(phone.clock.now() + by)
    jumped = phone.clock.offset

    def back() -> None:
        if phone.clock.offset == jumped:  # else somebody has set it since
            phone.clock.set_time(phone.clock.now() - by)

    return back


def _display(phone: Phone, value: str) -> Undo:
    match value:
        case "rotated":
            before = {
                key: phone.settings.get("system", key) or "0" for key in ("accelerometer_rotation", "user_rotation")
            }
            turned = (phone.rotation + 1) % 4
            phone.settings.put("system", "accelerometer_rotation", "0")
            phone.settings.put("system", "user_rotation", str(turned))

            def turn_back() -> None:
                for key, setting in before.items():
                    phone.settings.put("system", key, setting)

            return turn_back
        case "resized":
            size = phone.size_override
            phone.set_size_override((phone.width * 2 // 3, phone.height * 2 // 3))
            return lambda: phone.set_size_override(size)
        case _:
            return lambda: None


def _window(phone: Phone, value: str) -> Undo:
    front = phone.foreground().package
    match value:
        case "anr" | "crash":
            popup = _error_dialog(phone, front, value)
            phone.screen.show(popup)
            return lambda: _take_away(phone, popup)
        case "permission":
            phone.ask_permission(front, _PERMISSION)
            asked = phone.screen.popup
            return lambda: _take_away(phone, asked)
        case "call":
            ring(phone.system, CALLER)
            return lambda: stop_ringing(phone.system)
        case "banner":
            banner = Notification(
                "android", 4711, "Storage almost full", "Some functions may not work", phone.clock.now(), icon="warning"
            )
            phone.system.notifications.post(banner)
            phone.system.banner = banner

            def withdraw() -> None:
                phone.system.banner = None
                phone.system.notifications.cancel(banner.key)

            return withdraw
        case _:
            return lambda: None


def _take_away(phone: Phone, popup: Popup | None) -> None:
    if popup is not None and phone.screen.popup is popup:
        phone.screen.dismiss()


def _error_dialog(phone: Phone, package: str, value: str) -> Popup:
    screen = phone.screen
    found = phone.packages.find(package)
    label = found.label if found else package
    hangs = value == "anr"

    def close() -> None:
        screen.dismiss()
        phone.force_stop(package)

    def build() -> Widget:
        buttons = [text_button("Close app", close, "android:aerr_close")]
        if hangs:
            buttons.append(text_button("Wait", screen.dismiss, "android:aerr_wait"))
        title = f"{label} isn't responding" if hangs else f"{label} keeps stopping"
        return dialog(title, (Column(w=FILL, children=tuple(buttons)),), ())

    return Popup(build, cancelable=False, window=f"Application {'Not Responding' if hangs else 'Error'}: {package}")
