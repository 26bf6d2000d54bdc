"""The panel that the Internet tile opens: mobile data, Wi-Fi and the network in reach."""

from .material import text_button
from .system import System
from .widgets import FILL, Action, Column, Icon, Pad, Row, Stack, Switch, Text, Widget, pad


def internet_panel(system: System, close: Action) -> Widget:
    """A sheet with a switch for each radio, and a way out."""
    wifi = system.flag("global", "wifi_on")
    rows: list[Widget] = [
        Text(id="internet_dialog_title", text="Internet", size=24, w=FILL, align="center"),
        _row(system, "Mobile data", "global/mobile_data", "network_cell", "mobile_toggle", enabled=not system.airplane),
        _row(system, "Wi-Fi", "global/wifi_on", "wifi", "wifi_toggle"),
    ]
    if wifi:
        words = Column(
            grow=1,
            children=(
                Text(id="wifi_connected_title", text="AndroidWifi", size=16),
                Text(id="wifi_connected_summary", text="Connected", size=14, color="on_surface_variant"),
            ),
        )
        rows.append(
            Row(
                id="wifi_connected_layout", w=FILL, bg="secondary_container", radius=20, pad=pad(16, 12), gap=16,
                children=(Icon(name="wifi", color="on_secondary_container"), words),
            )
        )  # fmt: skip
    rows.append(Row(w=FILL, justify="end", children=(text_button("Done", close, "done_button"),)))
    card = Column(
        id="internet_connectivity_dialog", w=FILL, bg="surface_high", radius=28, pad=Pad(24, 24, 24, 16), gap=12,
        children=tuple(rows),
    )  # fmt: skip
    width = min(system.display.size_dp[0] - 24, 480)
    return Stack(w=width, pad=Pad(0, 0, 0, 12), children=(card,))


def _row(system: System, title: str, key: str, icon: str, name: str, enabled: bool = True) -> Widget:
    namespace, _, setting = key.partition("/")
    on = system.flag(namespace, setting)
    return Row(
        id=f"{name}_layout", w=FILL, min_h=56, gap=16, on_tap=lambda: system.set_flag(namespace, setting, not on),
        enabled=enabled,
        children=(
            Icon(name=icon),
            Text(text=title, size=16, grow=1),
            Switch(id=name, checked=on, enabled=enabled),
        ),
    )  # fmt: skip
