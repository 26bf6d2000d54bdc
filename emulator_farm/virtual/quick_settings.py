"""The tiles of the quick settings: each changes the settings that the pages of Settings change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .system import System
from .theme import DARK
from .widgets import FILL, VIEW_GROUP, Action, Column, Icon, Paint, Row, Stack, Text, Widget, pad

ACTIVE, ACTIVE_INK = DARK["primary"], DARK["on_primary"]
IDLE, IDLE_INK = DARK["surface_high"], DARK["on_surface"]
IDLE_FAINT = DARK["on_surface_variant"]
"""The shade is dark in both themes, as on a stock Android 14."""
TILE_HEIGHT = 72
NETWORK = "AndroidWifi"


@dataclass(frozen=True)
class Tile:
    """One tile. `state` says whether it is on, `switch` turns it over."""

    label: str
    icon: str
    state: Callable[[System], bool]
    switch: Callable[[System, bool], None]
    page: str
    """Action of the page of Settings that a long press opens, after `android.settings.`."""
    detail: Callable[[System], str] = lambda system: ""
    """What stands below the label where that is not On or Off."""


def _flag(namespace: str, key: str) -> tuple[Callable[[System], bool], Callable[[System, bool], None]]:
    return (lambda system: system.flag(namespace, key)), (lambda system, on: system.set_flag(namespace, key, on))


def _put(namespace: str, key: str, on: str, off: str) -> Callable[[System, bool], None]:
    return lambda system, now: system.settings.put(namespace, key, on if now else off)


def _internet(system: System) -> str:
    if system.flag("global", "wifi_on"):
        return NETWORK
    return "Airplane mode" if system.airplane else "Virtual" if system.flag("global", "mobile_data") else "Unavailable"


INTERNET = Tile("Internet", "wifi", *_flag("global", "wifi_on"), "WIFI_SETTINGS", _internet)
TILES: tuple[Tile, ...] = (
    INTERNET,
    Tile("Bluetooth", "bluetooth", *_flag("global", "bluetooth_on"), "BLUETOOTH_SETTINGS"),
    Tile("Flashlight", "flashlight_on", *_flag("secure", "flashlight_enabled"), "DISPLAY_SETTINGS"),
    Tile("Do Not Disturb", "do_not_disturb_on", *_flag("global", "zen_mode"), "ZEN_MODE_SETTINGS"),
    Tile("Auto-rotate", "mobile_rotate", *_flag("system", "accelerometer_rotation"), "DISPLAY_SETTINGS"),
    Tile("Battery Saver", "battery_saver", *_flag("global", "low_power"), "BATTERY_SAVER_SETTINGS"),
    Tile(
        "Airplane mode", "airplanemode_active", lambda system: system.airplane,
        lambda system, on: system.set_airplane(on), "AIRPLANE_MODE_SETTINGS",
    ),
    Tile(
        "Dark theme", "contrast", lambda system: system.dark, _put("secure", "ui_night_mode", "2", "1"),
        "DISPLAY_SETTINGS",
    ),
    Tile("Mobile data", "network_cell", *_flag("global", "mobile_data"), "NETWORK_OPERATOR_SETTINGS"),
    Tile(
        "Location", "place", lambda system: system.flag("secure", "location_mode"),
        _put("secure", "location_mode", "3", "0"), "LOCATION_SOURCE_SETTINGS",
    ),
    Tile("Night Light", "bedtime", *_flag("secure", "night_display_activated"), "DISPLAY_SETTINGS"),
)  # fmt: skip


def grid(
    system: System, tiles: Sequence[Tile], columns: int, tap: Callable[[Tile], Action], hold: Callable[[Tile], Action]
) -> tuple[Widget, ...]:
    """Rows of tiles."""
    rows = []
    for start in range(0, len(tiles), columns):
        cells: list[Widget] = [_tile(system, tile, tap(tile), hold(tile)) for tile in tiles[start : start + columns]]
        cells.extend(Stack(grow=1, hidden=True) for _ in range(columns - len(cells)))
        rows.append(Row(w=FILL, gap=8, children=tuple(cells), view=VIEW_GROUP))
    return tuple(rows)


def _tile(system: System, tile: Tile, tap: Action, hold: Action) -> Widget:
    on = tile.state(system)
    state = "On" if on else "Off"
    detail = tile.detail(system) or state
    ink: Paint = ACTIVE_INK if on else IDLE_INK
    faint: Paint = ACTIVE_INK if on else IDLE_FAINT
    glyph = Stack(
        view=VIEW_GROUP, w=24, h=24, selected=True,
        children=(Icon(id="icon", name=tile.icon, size=22, color=ink, filled=True, anchor=(0.5, 0.5), selected=True),),
    )  # fmt: skip
    words = Column(
        grow=1, selected=True,
        children=(
            Text(
                id="tile_label", text=tile.label, size=14, weight="medium", color=ink, max_lines=1, selected=True,
                fixed=True,
            ),
            Text(id="app_label", text=detail, size=14, color=faint, max_lines=1, selected=True, fixed=True),
        ),
    )  # fmt: skip
    return Row(
        view="Switch", caption=state, desc=f"{tile.label},{detail}" if tile.detail(system) else tile.label,
        checkable=True, checked=on, grow=1, h=TILE_HEIGHT, radius=28, bg=ACTIVE if on else IDLE, pad=pad(16, 8),
        gap=12, on_tap=tap, on_long=hold, children=(glyph, words),
    )  # fmt: skip
