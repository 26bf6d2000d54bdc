"""One notification as the shade and the lock screen show it."""

from collections.abc import Callable

from .notifications import Notification
from .system import System
from .widgets import FILL, Action, Column, Disc, Icon, Row, Space, Text, Widget, pad

MINUTE_S = 60
_GREY = (120, 130, 140)


def notification_card(
    system: System, notification: Notification, on_tap: Action, on_fling: Callable[[str], bool]
) -> Widget:
    """App, age, title and text, with the ids of the stock template."""
    package = system.packages.find(notification.package)
    app = system.apps.get(notification.package)
    label = package.label if package else notification.package
    head = Row(
        id="android:notification_header", view="android.view.ViewGroup", w=FILL, gap=8,
        children=(
            Text(id="android:app_name_text", text=label, size=12, color="on_surface_variant", max_lines=1),
            Text(id="android:time", text=_age(system, notification), size=12, color="on_surface_variant", max_lines=1),
            Space(grow=1),
            Icon(id="android:expand_button", name="keyboard_arrow_down", size=18),
        ),
    )  # fmt: skip
    words: list[Widget] = [head]
    if notification.title:
        words.append(Text(id="android:title", text=notification.title, size=15, weight="medium", max_lines=1, w=FILL))
    if notification.text:
        words.append(
            Text(
                id="android:text", text=notification.text, size=14, color="on_surface_variant", max_lines=2, w=FILL
            )
        )  # fmt: skip
    icon = Disc(id="android:icon", color=app.color if app else _GREY, icon=notification.icon, size=36)
    content = Row(
        id="android:status_bar_latest_event_content", view="FrameLayout", w=FILL, gap=14, align="start",
        children=(icon, Column(grow=1, gap=2, children=tuple(words))),
    )  # fmt: skip
    return Column(
        id="expandableNotificationRow", view="FrameLayout", w=FILL, bg="surface_container", radius=24,
        pad=pad(16, 14), on_tap=on_tap, on_fling=on_fling, children=(content,),
    )  # fmt: skip


def _age(system: System, notification: Notification) -> str:
    minutes = max(0, int((system.now() - notification.posted_at).total_seconds())) // MINUTE_S
    if minutes < 1:
        return "now"
    return f"{minutes}m" if minutes < 60 else f"{minutes // 60}h"
