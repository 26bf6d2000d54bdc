"""Status bar and navigation bar, declared as widgets like any screen."""

from dataclasses import dataclass

from .system import System
from .widgets import FILL, WRAP, Action, Column, Icon, Pad, Paint, Row, Space, Stack, Text, Widget, pad

STATUS_HEIGHT = 24
BUTTONS_SIZE = 48
PILL_SIZE = 24
GESTURAL = "2"
SHOWN = 3
"""Notifications that have an icon in the status bar."""


@dataclass(frozen=True)
class NavigationActions:
    """What the three buttons do."""

    back: Action
    home: Action
    recents: Action


def gestural(system: System) -> bool:
    """Whether the phone is set to gesture navigation."""
    return system.settings.get("secure", "navigation_mode") == GESTURAL


def status_bar(system: System, white: bool) -> Widget:
    """Clock on the left, state icons on the right."""
    ink: Paint = "white" if white else "on_surface_variant"
    now = system.now()
    time = system.clock_text(now.hour, now.minute, suffix=False)
    icons = tuple(Icon(name=name, size=16, color=ink, filled=True) for name in status_icons(system))
    left: list[Widget] = [Text(text=time, size=14, color=ink, weight="medium", fixed=True)]
    left += [Icon(name=each.icon, size=16, color=ink, filled=True) for each in system.notifications.list()[:SHOWN]]
    return Row(
        w=FILL, pad=pad(16, 0), on_fling=lambda direction: _pulled(system, direction),
        children=(Row(w=WRAP, gap=6, children=tuple(left)), Space(grow=1), Row(w=WRAP, gap=3, children=icons)),
    )  # fmt: skip


def _pulled(system: System, direction: str) -> bool:
    if direction == "down":
        system.ui.expand()
    return direction == "down"


def toast(text: str) -> Widget:
    """A short message over everything."""
    words = Text(text=text, size=14, color="on_surface", max_lines=2)
    return Row(w=WRAP, bg="surface_high", radius=24, pad=pad(20, 14), children=(words,), hidden=True)


def status_icons(system: System) -> list[str]:
    """Names of the icons, from left to right."""
    names = []
    if system.flag("global", "zen_mode"):
        names.append("do_not_disturb_on")
    if system.flag("secure", "location_icon"):
        names.append("place")
    if system.flag("global", "bluetooth_on"):
        names.append("bluetooth")
    if system.airplane:
        names.append("airplanemode_active")
    if system.flag("global", "wifi_on"):
        names.append("signal_wifi_4_bar")
    if not system.airplane:
        names.append("signal_cellular_4_bar")
    if system.battery_level <= 15:
        names.append("battery_alert")
    else:
        names.append("battery_charging_full" if system.charging else "battery_full")
    return names


def navigation_bar(system: System, actions: NavigationActions, white: bool, upright: bool) -> Widget:
    """Back, home and recents, or the gesture pill; `upright` = along the side of a landscape screen."""
    ink: Paint = "white" if white else "on_surface_variant"
    if gestural(system):
        pill = Space(w=108, h=4, radius=2, bg=ink, anchor=(0.5, 0.5))
        return Stack(w=FILL, h=FILL, children=(pill,))
    back = _button("play_arrow", "Back", "back", actions.back, ink, mirrored=True)
    home = _button("circle", "Home", "home", actions.home, ink)
    recents = _button("stop", "Overview", "recent_apps", actions.recents, ink)
    if upright:
        return Column(w=FILL, h=FILL, children=(recents, home, back), pad=pad(0, 24))
    return Row(w=FILL, h=FILL, align="center", children=(back, home, recents), pad=Pad(24, 0, 24, 0))


_GLYPHS = {"play_arrow": 32, "circle": 20, "stop": 26}


def _button(icon: str, desc: str, name: str, action: Action, ink: Paint, mirrored: bool = False) -> Widget:
    glyph = Icon(name=icon, size=_GLYPHS[icon], color=ink, filled=True, mirrored=mirrored, anchor=(0.5, 0.5))
    return Stack(id=name, desc=desc, grow=1, w=FILL, h=FILL, on_tap=action, children=(glyph,))
