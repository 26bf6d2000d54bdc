"""The question whether an app may do something, as the permission controller asks it."""

from collections.abc import Callable

from .intents import Component
from .material import CENTER
from .screen import Popup, Screen
from .widgets import FILL, Action, Column, Icon, Pad, Scroll, Stack, Text, Widget, pad

ACTIVITY = Component(
    "com.android.permissioncontroller",
    "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity",
)
ALWAYS_ASKED = 2
"""Refusals after which an app is not allowed to ask again."""
_PREFIX = "android.permission."
_QUESTIONS = {
    "ACCESS_COARSE_LOCATION": ("access this device’s location", "place", True),
    "ACCESS_FINE_LOCATION": ("access this device’s location", "place", True),
    "CALL_PHONE": ("make and manage phone calls", "call", False),
    "CAMERA": ("take pictures and record video", "photo_camera", True),
    "POST_NOTIFICATIONS": ("send you notifications", "notifications", False),
    "READ_CALENDAR": ("access your calendar", "calendar_today", False),
    "READ_CALL_LOG": ("access your phone call logs", "call", False),
    "READ_CONTACTS": ("access your contacts", "contacts", False),
    "READ_MEDIA_IMAGES": ("access photos and videos on this device", "image", False),
    "READ_SMS": ("send and view SMS messages", "chat", False),
    "RECORD_AUDIO": ("record audio", "mic", True),
    "SEND_SMS": ("send and view SMS messages", "chat", False),
    "WRITE_CALENDAR": ("access your calendar", "calendar_today", False),
    "WRITE_CONTACTS": ("access your contacts", "contacts", False),
}
"""What is asked, its icon, and whether it can be allowed for once."""


def permission_label(permission: str) -> str:
    """What a list calls it: `Access your contacts`."""
    words, _, _ = _question(permission)
    return words[:1].upper() + words[1:]


def request_permission(
    screen: Screen, permission: str, then: Callable[[bool], None], package: str | None = None
) -> None:
    """Ask whether the screen's app, or another, may do something; `then` gets the answer.

    An app that has the permission goes on at once; one that was refused twice is refused without a question.
    """
    packages = screen.system.packages
    name = package or screen.package
    asked = packages.get(name)
    if permission in asked.permissions:
        then(True)
    elif packages.refusals(name, permission) >= ALWAYS_ASKED:
        then(False)
    else:
        screen.show(_popup(screen, name, permission, then))


def _popup(screen: Screen, name: str, permission: str, then: Callable[[bool], None]) -> Popup:
    packages = screen.system.packages

    def allow(once: bool = False) -> None:
        screen.dismiss()
        packages.grant(name, permission, once)
        then(True)

    def refuse() -> None:
        screen.dismiss()
        packages.refuse(name, permission)
        then(False)

    again = packages.refusals(name, permission) > 0

    def build() -> Widget:
        return _card(packages.get(name).label, permission, again, allow, refuse)

    return Popup(build, on_dismiss=lambda: then(False), component=ACTIVITY)


def _card(label: str, permission: str, again: bool, allow: Callable[[bool], None], refuse: Action) -> Widget:
    words, icon, in_use = _question(permission)
    message = Text(
        id="permission_message", text=f"Allow {label} to {words}?", size=20, align="center", w=FILL,
    )  # fmt: skip
    if in_use:
        buttons = [
            _button("While using the app", "permission_allow_foreground_only_button", lambda: allow(False)),
            _button("Only this time", "permission_allow_one_time_button", lambda: allow(True)),
        ]
    else:
        buttons = [_button("Allow", "permission_allow_button", lambda: allow(False))]
    deny = "permission_deny_and_dont_ask_again_button" if again else "permission_deny_button"
    buttons.append(_button("Don’t allow", deny, refuse))
    glyph = Stack(w=FILL, children=(Icon(id="permission_icon", name=icon, size=28, color="primary", anchor=CENTER),))
    inside = Column(
        id="content_container", w=FILL, gap=8, children=(glyph, message, Column(w=FILL, gap=4, children=tuple(buttons)))
    )
    body = Scroll(id="grant_singleton", view="ScrollView", w=FILL, child=inside)
    return Column(id="grant_dialog", w=328, bg="surface_high", radius=28, pad=Pad(24, 24, 24, 20), children=(body,))


def _button(text: str, name: str, on_tap: Action) -> Widget:
    return Text(
        id=name, view="Button", text=text, size=14, weight="medium", color="on_primary_container", align="center",
        w=FILL, min_h=52, pad=pad(16, 16), bg="primary_container", radius=12, on_tap=on_tap,
    )  # fmt: skip


def _question(permission: str) -> tuple[str, str, bool]:
    short = permission.removeprefix(_PREFIX)
    return _QUESTIONS.get(short) or (f"use {short.replace('_', ' ').lower()}", "shield", False)
