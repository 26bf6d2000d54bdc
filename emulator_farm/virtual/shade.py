"""The notification shade and, one more pull down, the whole of the quick settings."""

from collections.abc import Callable
from dataclasses import replace

from .dates import weekday_date
from .intents import Intent
from .internet_panel import internet_panel
from .notification_card import notification_card
from .notifications import Notification
from .quick_settings import INTERNET, TILES, Tile, grid
from .screen import Popup, Screen
from .system import System
from .system_bars import status_icons
from .theme import DARK
from .translation import right_to_left
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
    Slider,
    Space,
    Stack,
    Text,
    Widget,
    pad,
)

SYSTEM_UI = "com.android.systemui"
INK, FAINT, PILL = DARK["on_surface"], DARK["on_surface_variant"], DARK["surface_high"]
STACK, PAGER = "notification_stack_scroller", "expanded_qs_scroll_view"
PAGE_TILES, WIDE_DP, PANEL_DP = 8, 600, 680
MAX_BRIGHTNESS = 255


class Shade(Screen):
    """Two states of one panel: a few tiles over the notifications, or brightness and all tiles."""

    activity = ".NotificationShade"
    backdrop: Paint = "black"
    covers = "status"
    on_wallpaper = True
    page = "notifications"
    tiles_from = 0
    """First tile of the page of tiles that shows."""

    def __init__(self, system: System) -> None:
        super().__init__(system, SYSTEM_UI, Intent())

    def open_at(self, page: str) -> None:
        """As it looks when it is pulled down to a page."""
        self.page, self.tiles_from, self.popup = page, 0, None
        self.view.scroll.clear()

    def on_back(self) -> bool:
        """From the quick settings back to the notifications; from there the shade closes."""
        if self.page == "settings":
            self.open_at("notifications")
            return True
        return False

    def build(self) -> Widget:
        """Scrims, header, tiles, notifications: the parts that the real one has, under their names."""
        settings = self.page == "settings"
        wide = self.system.display.size_dp[0]
        side = max(16.0, (wide - PANEL_DP) / 2) if wide > WIDE_DP else 16.0
        inside = self._settings(side) if settings else self._notifications(side)
        panel = Stack(
            id="notification_panel", w=FILL, h=FILL, on_fling=self._fling,
            children=(Column(
                id="notification_container_parent", view=VIEW_GROUP, w=FILL, h=FILL, children=inside,
            ),),
        )  # fmt: skip
        return Stack(
            w=FILL, h=FILL,
            children=(
                Space(id="scrim_behind", w=FILL, h=FILL, on_tap=self.system.ui.collapse),
                Space(id="scrim_notifications", w=FILL, h=FILL),
                Space(id="scrim_in_front", w=FILL, h=FILL),
                panel,
            ),
        )  # fmt: skip

    # -- parts

    def _header(self, side: float) -> Widget:
        system = self.system
        now = system.now()
        clock = Text(
            id="clock", text=system.clock_text(now.hour, now.minute, suffix=False), size=16, color=INK, weight="medium",
            fixed=True,
        )  # fmt: skip
        date = Text(id="date", text=weekday_date(now, system.locale), size=14, color=INK, fixed=True)
        icons = tuple(Icon(name=name, size=16, color=INK, filled=True) for name in status_icons(system))
        signs = Row(id="statusIcons", gap=3, children=icons)
        level = Text(id="battery_percentage_view", text=f"{system.battery_level}%", size=14, color=INK, fixed=True)
        right = Row(id="shade_header_system_icons", gap=6, children=(signs, level))
        return Row(
            id="split_shade_status_bar", view=VIEW_GROUP, w=FILL, pad=Pad(side + 8, 10, side + 8, 10), gap=12,
            children=(clock, date, Space(grow=1), right),
        )  # fmt: skip

    def _columns(self) -> int:
        return 4 if self.system.display.size_dp[0] > WIDE_DP else 2

    def _notifications(self, side: float) -> tuple[Widget, ...]:
        tiles = grid(self.system, TILES[:4], self._columns(), self._tap, self._hold)
        quick = Column(id="quick_qs_panel", w=FILL, gap=8, pad=pad(side, 8), children=tiles)
        frame = Column(
            id="qs_frame", view="FrameLayout", w=FILL,
            children=(Column(id="quick_settings_container", view="FrameLayout", w=FILL, children=(quick,)),),
        )  # fmt: skip
        shown = self.system.notifications.list()
        cards: list[Widget] = [
            notification_card(self.system, each, self._opener(each), self._dismisser(each)) for each in shown
        ]
        if shown:
            clear = _pill("Clear all", "dismiss_text", self.system.notifications.clear)
            manage = _pill("Manage", "manage_text", lambda: self._settings_page("NOTIFICATION_SETTINGS"))
            cards.append(Row(w=FILL, pad=pad(4, 12), children=(manage, Space(grow=1), clear)))
        else:
            cards.append(
                Text(
                    id="no_notifications", text="No notifications", size=16, color=FAINT, w=FILL, align="center",
                    pad=pad(0, 40),
                )
            )  # fmt: skip
        inside = Column(w=FILL, gap=4, pad=pad(side, 8), children=tuple(cards), view=VIEW_GROUP)
        return (self._header(side), frame, Scroll(id=STACK, w=FILL, h=FILL, child=inside))

    def _settings(self, side: float) -> tuple[Widget, ...]:
        level = self.system.settings.get_int("system", "screen_brightness")
        slider = Slider(
            id="slider", desc="Display brightness", value=level, low=0, high=MAX_BRIGHTNESS, w=FILL,
            on_change=lambda value: self.system.settings.put("system", "screen_brightness", str(value)),
        )  # fmt: skip
        brightness = Stack(
            id="brightness_slider", desc="Display brightness", w=FILL, bg=PILL, radius=24, pad=pad(8, 0),
            children=(slider,),
        )  # fmt: skip
        shown = TILES[self.tiles_from : self.tiles_from + PAGE_TILES]
        page = Column(
            id="tile_page", view=VIEW_GROUP, w=FILL, gap=8, selected=True,
            children=grid(self.system, shown, self._columns(), self._tap, self._hold),
        )  # fmt: skip
        pager = Column(
            id="qs_pager", view="androidx.viewpager.widget.ViewPager", w=FILL, on_fling=self._turn, children=(page,)
        )
        panel = Column(
            id="quick_settings_panel", w=FILL, gap=16, pad=pad(side, 8), children=(brightness, pager, self._dots())
        )
        body = Scroll(id=PAGER, w=FILL, h=FILL, child=panel)
        container = Stack(
            id="quick_settings_container", w=FILL, h=FILL, children=(body,),
        )  # fmt: skip
        frame = Stack(id="qs_frame", w=FILL, grow=1, h=FILL, children=(container,))
        return (self._header(side), frame, self._footer(side))

    def _dots(self) -> Widget:
        dots = tuple(
            Space(w=8, h=8, radius=4, bg=INK if start == self.tiles_from else PILL)
            for start in range(0, len(TILES), PAGE_TILES)
        )
        return Row(id="footer_page_indicator", w=FILL, justify="center", gap=8, children=dots)

    def _footer(self, side: float) -> Widget:
        build = self.system.props.get("ro.build.id", "")
        text = Text(id="build", text=f"14 ({build})", size=12, color=FAINT, grow=1, fixed=True)
        settings = Intent("android.settings.SETTINGS")
        gear = _round("settings", "Open settings.", "settings_button_container", lambda: self._start(settings))
        edit = _round("edit", "Edit order of settings.", "edit", self._cannot_edit)
        return Row(id="qs_footer_actions", w=FILL, gap=12, pad=Pad(side, 8, side, 16), children=(text, edit, gear))

    # -- what touches do

    def _fling(self, direction: str) -> bool:
        if direction == "down" and self.page == "notifications":
            self.open_at("settings")
        elif direction == "up" and self.page == "settings":
            self.open_at("notifications")
        elif direction == "up":
            self.system.ui.collapse()
        else:
            return False
        return True

    def _turn(self, direction: str) -> bool:
        step = {"left": PAGE_TILES, "right": -PAGE_TILES}.get(direction, 0)
        if right_to_left(self.system.locale):
            step = -step
        if step and 0 <= self.tiles_from + step < len(TILES):
            self.tiles_from += step
        return bool(step)

    def _tap(self, tile: Tile) -> Action:
        if tile is INTERNET:
            return lambda: self.show(Popup(lambda: internet_panel(self.system, self.dismiss), anchor=(0.5, 1)))
        return lambda: tile.switch(self.system, not tile.state(self.system))

    def _hold(self, tile: Tile) -> Action:
        return lambda: self._settings_page(tile.page)

    def _opener(self, notification: Notification) -> Action:
        def tapped() -> None:
            if not notification.ongoing:
                self.system.notifications.cancel(notification.key)
            self._start(notification.intent)

        return tapped

    def _dismisser(self, notification: Notification) -> Callable[[str], bool]:
        def flung(direction: str) -> bool:
            if direction not in ("left", "right") or notification.ongoing:
                return False
            return self.system.notifications.cancel(notification.key)

        return flung

    def _settings_page(self, action: str) -> None:
        self._start(Intent(f"android.settings.{action}"))

    def _start(self, intent: Intent | None) -> None:
        self.system.ui.collapse()
        if intent is not None:
            self.system.ui.dismiss_lock()
            self.system.tasks.start(intent)

    def _cannot_edit(self) -> None:
        self.system.toast("The order of these tiles is fixed.")


def _pill(text: str, name: str, on_tap: Action) -> Widget:
    return Text(
        id=name, view="Button", text=text, size=14, weight="medium", color=INK, bg=PILL, radius=20, pad=pad(20, 10),
        on_tap=on_tap, align="center", min_h=40,
    )  # fmt: skip


def _round(icon: str, desc: str, name: str, on_tap: Action) -> Widget:
    glyph = Icon(name=icon, size=20, color=INK, anchor=(0.5, 0.5), hidden=True)
    circle = Stack(id=name, desc=desc, w=40, h=40, bg=PILL, radius=20, on_tap=on_tap, children=(glyph,))
    return replace(circle, view="FrameLayout")
