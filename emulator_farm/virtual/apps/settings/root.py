"""The first page of Settings and the search over all pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emulator_farm.virtual.apps.settings.about import About, Developer, Gestures, Languages, SystemPage
from emulator_farm.virtual.apps.settings.app_info import AllApps, Apps
from emulator_farm.virtual.apps.settings.comfort import (
    Captions,
    ColorAndMotion,
    LocationServices,
    NightLight,
    ScreenSaver,
    Timing,
)
from emulator_farm.virtual.apps.settings.connected import Bluetooth, Connected, Preferences
from emulator_farm.virtual.apps.settings.date_time import DateTime
from emulator_farm.virtual.apps.settings.display import Display, TextSize
from emulator_farm.virtual.apps.settings.keyboards import Keyboards, PhysicalKeyboard, ResetOptions
from emulator_farm.virtual.apps.settings.more import (
    Accessibility,
    Battery,
    BatterySaver,
    Location,
    Notifications,
    Privacy,
    Security,
    Storage,
    Wallpaper,
)
from emulator_farm.virtual.apps.settings.network import Internet, Network, Sims
from emulator_farm.virtual.apps.settings.page import Page
from emulator_farm.virtual.apps.settings.sound import DoNotDisturb, Sound
from emulator_farm.virtual.apps.settings.wireless import Hotspot, MobileNetwork, NetworkPreferences, Tethering
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import icon_button, list_item, scrolling
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import (
    FILL,
    VIEW_GROUP,
    Column,
    Icon,
    Pad,
    Row,
    Scroll,
    Stack,
    Text,
    TextField,
    Widget,
    pad,
)

SECTIONS: tuple[tuple[str, str, str, type[Page]], ...] = (
    ("Network & internet", "Mobile, Wi-Fi, hotspot", "wifi", Network),
    ("Connected devices", "Bluetooth, pairing", "devices_other", Connected),
    ("Apps", "Recent apps, default apps", "apps", Apps),
    ("Notifications", "Notification history, conversations", "notifications", Notifications),
    ("Battery", "", "battery_full", Battery),
    ("Storage", "38% used - 19.8 GB free", "storage", Storage),
    ("Sound & vibration", "Volume, haptics, Do Not Disturb", "volume_up", Sound),
    ("Display", "Dark theme, font size, brightness", "light_mode", Display),
    ("Wallpaper & style", "Colors, themed icons, app grid", "palette", Wallpaper),
    ("Accessibility", "Display, interaction, audio", "accessibility_new", Accessibility),
    ("Security", "Screen lock, Find My Device", "lock", Security),
    ("Privacy", "Permissions, account activity", "privacy_tip", Privacy),
    ("Location", "", "place", Location),
    ("System", "Languages, gestures, time, backup", "info", SystemPage),
    ("About phone", "", "mobile", About),
)
PAGES: tuple[type[Page], ...] = (
    *(page for *_, page in SECTIONS),
    Internet,
    Sims,
    Preferences,
    Bluetooth,
    AllApps,
    BatterySaver,
    DoNotDisturb,
    TextSize,
    Languages,
    Gestures,
    DateTime,
    NightLight,
    ScreenSaver,
    Timing,
    ColorAndMotion,
    Captions,
    LocationServices,
    NetworkPreferences,
    Tethering,
    Hotspot,
    MobileNetwork,
    Keyboards,
    PhysicalKeyboard,
    ResetOptions,
)
"""Every page that search looks into."""


class Root(Screen):
    """The list of sections."""

    def build(self) -> Widget:
        """Title, search, sections."""
        head = Text(id="homepage_title", text="Settings", size=36, w=FILL, pad=Pad(24, 64, 24, 24))
        hint = Text(id="search_action_bar_title", text="Search settings", size=18, color="on_surface_variant")
        parts = (Icon(name="search", color="on_surface"), hint)
        search = Row(
            id="search_action_bar", view=VIEW_GROUP, w=FILL, min_h=52, bg="surface_container", radius=26,
            pad=pad(24, 0), gap=20, on_tap=lambda: self.open(Search), children=parts,
        )  # fmt: skip
        rows = tuple(
            list_item(title, self._summary(title, summary), icon, on_tap=self._opener(page))
            for title, summary, icon, page in SECTIONS
        )
        return scrolling((head, Column(w=FILL, pad=pad(16, 8), children=(search,)), *rows))

    def _opener(self, page: type[Page]) -> "OpenPage":
        return OpenPage(self, page)

    def _summary(self, title: str, summary: str) -> str:
        match title:
            case "Battery":
                return f"{self.system.battery_level}%"
            case "Location":
                return "On" if self.system.flag("secure", "location_mode") else "Off"
            case "About phone":
                return self.system.settings.get("global", "device_name") or ""
            case _:
                return summary


@dataclass(frozen=True)
class OpenPage:
    """A tap that opens a page."""

    screen: Screen
    page: type[Page]

    def __call__(self) -> None:
        self.screen.open(self.page)


@dataclass(frozen=True)
class Hit:
    """One row found by search."""

    title: str
    page: type[Page]


class Search(Screen):
    """Rows of all pages whose title holds every word typed."""

    activity = ".search.SearchActivity"
    query = ""
    index: tuple[Hit, ...] = ()

    def created(self) -> None:
        """Look into every page once."""
        self.view.focus_on(_QUERY)
        pages = (*PAGES, Developer) if self.system.flag("global", "development_settings_enabled") else PAGES
        self.index = tuple(hit for page in pages for hit in self._hits(page))

    def _hits(self, page: type[Page]) -> Iterator[Hit]:
        yield Hit(page.title, page)
        for widget in _walk(Column(children=tuple(page(self.system, self.package, Intent()).rows()))):
            if isinstance(widget, Row) and widget.enabled and widget.on_tap is not None:
                yield from (Hit(w.text, page) for w in _walk(widget) if isinstance(w, Text) and w.id in _TITLES)

    def found(self) -> Sequence[Hit]:
        """What matches now, each title once for a page."""
        words = _plain(self.query).split()
        if not words:
            return ()
        hits = dict.fromkeys(hit for hit in self.index if all(word in _plain(hit.title) for word in words))
        return tuple(hits)

    def build(self) -> Widget:
        """Field and results."""
        field = TextField(
            id=_QUERY, value=self.query, hint="Search settings", on_change=self._type, action="search", grow=1, size=20,
            pad=pad(0, 12),
        )  # fmt: skip
        parts: list[Widget] = [icon_button("arrow_back", "Navigate up", self.close), field]
        if self.query:
            parts.append(icon_button("close", "Clear text", lambda: self._type(""), "search_close_btn"))
        bar = Row(id="search_bar", view=VIEW_GROUP, w=FILL, h=64, pad=pad(4), gap=4, children=tuple(parts))
        hits = self.found()
        rows = tuple(list_item(hit.title, hit.page.title, on_tap=OpenPage(self, hit.page)) for hit in hits)
        if self.query and not hits:
            rows = (Text(id="no_results", text="No results", size=16, w=FILL, align="center", pad=pad(24, 48)),)
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows, "list_results")))

    def _type(self, query: str) -> None:
        self.query = query
        self.view.scroll.clear()


_QUERY = "search_src_text"
_TITLES = ("android:title", "switch_text")


def _plain(text: str) -> str:
    """Lower case without hyphens, so that `wifi` finds `Wi-Fi`."""
    return text.lower().replace("-", "")


def _walk(widget: Widget) -> Iterator[Widget]:
    yield widget
    children: tuple[Widget, ...] = ()
    if isinstance(widget, Column | Row | Stack):
        children = widget.children
    elif isinstance(widget, Scroll):
        children = (widget.child,)
    for child in children:
        yield from _walk(child)
