"""Home screen, app drawer and the overview of open apps."""

from collections.abc import Callable

from emulator_farm.virtual.dates import weekday_date
from emulator_farm.virtual.defaults import LAUNCHER
from emulator_farm.virtual.dialogs import menu
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import CENTER, icon_button
from emulator_farm.virtual.packages import Package
from emulator_farm.virtual.scene import app_window
from emulator_farm.virtual.screen import MAIN, App, Entry, Screen
from emulator_farm.virtual.tasks import Task
from emulator_farm.virtual.widgets import (
    FILL,
    RECYCLER,
    VIEW_GROUP,
    WRAP,
    Action,
    Column,
    Disc,
    Icon,
    Pad,
    Paint,
    Row,
    Scroll,
    Space,
    Stack,
    Text,
    TextField,
    Thumbnail,
    Widget,
    pad,
)

DOCK = ("com.android.contacts", "org.virtual.notes", "com.android.deskclock", "com.android.settings")
COLUMNS = 4
BARS_AND_DOCK_DP = 360
"""What the home page has besides its icons: system bars, date, dock, search."""
ICON_DP, LABEL_DP = 86, 16
_GREY = (120, 130, 140)
_DETAILS = "android.settings.APPLICATION_DETAILS_SETTINGS"


class Home(Screen):
    """The home page, and over it the drawer with every app."""

    on_wallpaper = True
    backdrop: Paint = "wallpaper"
    drawer = False
    query = ""

    def on_resume(self) -> None:
        """Coming home always shows the home page."""
        self._close_drawer()

    def on_back(self) -> bool:
        """Back closes the drawer and does nothing on the home page itself."""
        self._close_drawer()
        return True

    def build(self) -> Widget:
        """Home page or drawer."""
        return self._drawer() if self.drawer else self._page()

    # -- home page

    def _page(self) -> Widget:
        now = self.system.now()
        date = weekday_date(now, self.system.locale, full=True)
        glance = Text(id="date", text=date, size=24, color="white", w=FILL, pad=Pad(20, 28, 20, 0))
        others = [package for package in self._launchable() if package.name not in DOCK]
        grid = self._grid(others[: COLUMNS * self._rows()], "white")
        workspace = Column(
            id="workspace", view="ScrollView", w=FILL, h=FILL, justify="end", children=(glance, Space(grow=1), *grid),
            on_fling=self._fling,
        )  # fmt: skip
        arrow = Stack(
            id="all_apps_handle", view="ImageView", desc="Apps list", w=FILL, h=40, on_tap=self._open_drawer,
            children=(Icon(name="keyboard_arrow_up", color="white", anchor=CENTER, hidden=True),),
        )  # fmt: skip
        docked = [package for name in DOCK for package in self._launchable() if package.name == name]
        dock = Row(
            id="hotseat",
            view=VIEW_GROUP,
            w=FILL,
            children=tuple(self._icon(each, "white", label=False) for each in docked),
        )
        search = Row(
            id="search_container_hotseat", view="FrameLayout", desc="Search", w=FILL, h=52, radius=26,
            bg="surface_container", pad=pad(16), gap=12, on_tap=self._search, children=(Icon(name="search"),),
        )  # fmt: skip
        foot = Column(w=FILL, pad=Pad(20, 4, 20, 24), children=(search,))
        return Column(
            id="drag_layer", view="FrameLayout", w=FILL, h=FILL, on_fling=self._fling,
            children=(workspace, arrow, Column(w=FILL, pad=pad(12, 8), children=(dock,)), foot),
        )  # fmt: skip

    def _rows(self) -> int:
        """Rows of icons that there is room for; the drawer has the rest."""
        room = self.system.display.size_dp[1] - BARS_AND_DOCK_DP
        return max(1, int(room / (ICON_DP + LABEL_DP * self.system.font_scale)))

    def _fling(self, direction: str) -> bool:
        if direction == "up":
            self._open_drawer()
        return direction == "up"

    def _open_drawer(self) -> None:
        self.drawer, self.on_wallpaper, self.backdrop = True, False, "surface"

    def _search(self) -> None:
        self._open_drawer()
        self.view.focus_on(_SEARCH)

    def _close_drawer(self) -> None:
        self.drawer, self.query = False, ""
        self.on_wallpaper, self.backdrop = True, "wallpaper"
        self.view.scroll.clear()
        self.view.blur()

    # -- drawer

    def _drawer(self) -> Widget:
        field = TextField(
            id=_SEARCH, value=self.query, hint="Search apps", on_change=self._set_query, action="search",
            on_action=self._launch_first, grow=1, size=18, pad=pad(0, 12),
        )  # fmt: skip
        parts: tuple[Widget, ...] = (Icon(name="search"), field)
        if self.query:
            parts = (*parts, icon_button("close", "Clear", lambda: self._set_query("")))
        box = Row(
            id="search_container_all_apps",
            w=FILL,
            min_h=52,
            bg="surface_container",
            radius=26,
            pad=pad(16),
            gap=12,
            children=parts,
        )
        found = self._matches()
        rows = self._grid(found, "on_surface")
        if not found:
            rows = (
                Text(
                    id="empty_text",
                    text=f'No apps found matching "{self.query}"',
                    w=FILL,
                    align="center",
                    pad=pad(24, 48),
                ),
            )
        apps = Scroll(
            id="apps_list_view", view=RECYCLER, w=FILL, h=FILL, child=Column(w=FILL, view=VIEW_GROUP, children=rows)
        )
        sheet = Column(
            id="apps_view", view="RelativeLayout", w=FILL, h=FILL, bg="surface", gap=12, pad=Pad(16, 12, 16, 0),
            on_fling=self._fling_drawer, children=(box, apps),
        )  # fmt: skip
        return sheet

    def _fling_drawer(self, direction: str) -> bool:
        if direction == "down":
            self._close_drawer()
        return direction == "down"

    def _set_query(self, query: str) -> None:
        self.query = query

    def _matches(self) -> list[Package]:
        words = self.query.strip().lower()
        return [package for package in self._launchable() if words in package.label.lower()]

    def _launch_first(self) -> None:
        found = self._matches()
        if found:
            self._launch(found[0])

    # -- icons

    def _launchable(self) -> list[Package]:
        packages = [each for each in self.system.packages.list() if each.launcher and each.name != self.package]
        return sorted(packages, key=lambda package: package.label.lower())

    def _grid(self, packages: list[Package], ink: Paint) -> tuple[Widget, ...]:
        rows = []
        for start in range(0, len(packages), COLUMNS):
            cells: list[Widget] = [self._icon(package, ink) for package in packages[start : start + COLUMNS]]
            cells.extend(Space(grow=1) for _ in range(COLUMNS - len(cells)))
            rows.append(Row(view=VIEW_GROUP, w=FILL, pad=pad(4, 8), align="start", children=tuple(cells)))
        return tuple(rows)

    def _icon(self, package: Package, ink: Paint, label: bool = True) -> Widget:
        app = self.system.apps.get(package.name)
        disc = Disc(color=app.color if app else _GREY, icon=app.icon if app else "android", size=56, hidden=True)
        parts: tuple[Widget, ...] = (disc,)
        if label:
            parts = (disc, Text(text=package.label, size=13, color=ink, max_lines=1, hidden=True))
        return Column(
            id="icon", view="TextView", caption=package.label, desc=package.label, grow=1, align="center", gap=6,
            pad=pad(2, 4), on_tap=lambda: self._launch(package), on_long=lambda: self._options(package), children=parts,
        )  # fmt: skip

    def _launch(self, package: Package) -> None:
        self.system.tasks.start(Intent(MAIN, component=package.launcher))

    def _options(self, package: Package) -> None:
        self.show(menu([("App info", lambda: self._info(package))]))

    def _info(self, package: Package) -> None:
        self.dismiss()
        self.system.tasks.start(Intent(_DETAILS, data=f"package:{package.name}"))


_SEARCH = "fallback_search_view_all_apps"


class Overview(Screen):
    """Open apps as cards, the latest on the left; a tap switches, a swipe up closes."""

    on_wallpaper = True
    backdrop: Paint = "wallpaper"

    def on_back(self) -> bool:
        """Back returns to the app that was in front before, or home."""
        recent = self.system.tasks.recent()
        if recent:
            self.system.tasks.show(recent[0])
        else:
            self.system.tasks.go_home()
        return True

    def build(self) -> Widget:
        """The cards in a row, and the button that closes all."""
        tasks = self.system.tasks.recent()
        if not tasks:
            empty = Text(id="no_recents", text="No recent items", size=18, color="white", anchor=CENTER)
            return Stack(id="overview_panel", w=FILL, h=FILL, children=(empty,), on_tap=self.system.tasks.go_home)
        cards = Row(
            w=WRAP, h=FILL, view=VIEW_GROUP, gap=16, pad=pad(48), children=tuple(self._card(task) for task in tasks)
        )
        strip = Scroll(id="overview_panel", view="ScrollView", axis="x", w=FILL, h=FILL, child=cards)
        clear = Text(
            id="clear_all", view="Button", text="Clear all", size=16, weight="medium", color="white", align="center",
            min_h=48, pad=pad(24, 12), on_tap=self._clear,
        )  # fmt: skip
        foot = Row(w=FILL, justify="center", pad=pad(0, 16), children=(clear,))
        return Column(w=FILL, h=FILL, pad=Pad(0, 40, 0, 0), children=(strip, foot))

    def _card(self, task: Task) -> Widget:
        app = self.system.apps.get(task.package)
        package = self.system.packages.find(task.package)
        label = package.label if package else task.package
        head = Row(
            w=FILL, gap=12, pad=pad(4, 8),
            children=(
                Disc(id="icon", color=app.color if app else _GREY, icon=app.icon if app else "android", size=32),
                Text(id="title", text=label, size=16, color="white", grow=1, max_lines=1),
                icon_button("close", f"Dismiss {label}", self._closer(task), name="dismiss_task", color="white"),
            ),
        )  # fmt: skip
        picture = Thumbnail(
            id="snapshot", desc=label, w=FILL, h=FILL, bg="surface", on_tap=lambda: self.system.tasks.show(task),
            window=lambda: app_window(task.top, self.system, at_origin=True),
        )  # fmt: skip
        return Column(
            id="task", view="FrameLayout", w=280, h=FILL, on_fling=self._flinger(task), children=(head, picture)
        )

    def _closer(self, task: Task) -> Action:
        return lambda: self._shut(task)

    def _shut(self, task: Task) -> None:
        self.system.tasks.close(task.package)
        if not self.system.tasks.recent():
            self.system.tasks.go_home()

    def _flinger(self, task: Task) -> Callable[[str], bool]:
        def fling(direction: str) -> bool:
            if direction == "up":
                self._shut(task)
            return direction == "up"

        return fling

    def _clear(self) -> None:
        for task in self.system.tasks.recent():
            self.system.tasks.close(task.package)
        self.system.tasks.go_home()


APP = App(
    package=LAUNCHER,
    label="Home",
    icon="home",
    color=(80, 110, 160),
    apk="/system_ext/priv-app/Launcher3QuickStep/Launcher3QuickStep.apk",
    entries=(Entry(".uioverrides.QuickstepLauncher", Home, launcher=True), Entry(".RecentsActivity", Overview)),
)
