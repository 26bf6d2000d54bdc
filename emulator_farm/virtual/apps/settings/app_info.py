"""Apps: the list of installed apps and what can be done to one."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.app_permissions import AppPermissions
from emulator_farm.virtual.apps.settings.page import Page, plain
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import filled_button, list_item
from emulator_farm.virtual.packages import Package
from emulator_farm.virtual.screen import MAIN
from emulator_farm.virtual.system import System
from emulator_farm.virtual.widgets import FILL, Column, Disc, Row, Text, Widget, pad

_GREY = (120, 130, 140)


def listed(system: System) -> list[Package]:
    """Packages that the lists show, by label: what has a launcher icon or was installed."""
    shown = [package for package in system.packages.list() if package.launcher or not package.system]
    return sorted(shown, key=lambda package: package.label.lower())


class Apps(Page):
    """Recently opened apps and a way to all."""

    title = "Apps"

    def rows(self) -> Sequence[Widget]:
        """All apps, defaults, special access."""
        count = len(listed(self.system))
        return (
            self.link(f"See all {count} apps", AllApps, icon="apps"),
            plain("Default apps", "Home, browser, phone"),
            plain("Screen time", "0 minutes today"),
            plain("Unused apps", "0 apps"),
            plain("Special app access", "1 app can use unrestricted data"),
        )


class AllApps(Page):
    """Every installed package."""

    title = "All apps"

    def rows(self) -> Sequence[Widget]:
        """One row for each, by label."""
        return [self._row(package) for package in listed(self.system)]

    def _row(self, package: Package) -> Widget:
        app = self.system.apps.get(package.name)
        face = Disc(id="android:icon", color=app.color if app else _GREY, icon=app.icon if app else "android", size=40)
        return list_item(
            package.label, _size(package), leading=face, on_tap=lambda: self.open(AppInfo, package=package.name)
        )


class AppInfo(Page):
    """One app. The package comes as the extra `package` or as the intent's data `package:NAME`."""

    activity = ".applications.InstalledAppDetails"
    title = "App info"

    @property
    def subject(self) -> str:
        """The package that the page is about."""
        return self.intent.extras.get("package") or self.intent.data.removeprefix("package:")

    def rows(self) -> Sequence[Widget]:
        """Header, buttons, details."""
        package = self.system.packages.find(self.subject)
        if package is None:
            return (plain("App isn't installed", self.subject, enabled=False),)
        app = self.system.apps.get(package.name)
        running = package.name in self.system.tasks.pids
        face = Disc(
            id="entity_header_icon", color=app.color if app else _GREY, icon=app.icon if app else "android", size=64
        )
        name = Text(id="entity_header_title", text=package.label, size=24)
        buttons = (
            filled_button("Open", lambda: self._launch(package), "button1", package.launcher is not None, tonal=True),
            filled_button("Force stop", self._ask_stop, "button3", running, tonal=True),
        )
        return (
            Column(w=FILL, align="center", gap=12, pad=pad(24, 8), children=(face, name)),
            Row(w=FILL, gap=12, justify="center", pad=pad(24, 12), children=buttons),
            plain("Notifications", "On"),
            plain("Permissions", f"{len(package.permissions)} permissions granted", self._open_permissions),
            list_item("Storage & cache", f"{_size(package)} used in internal storage", on_tap=self._open_storage),
            plain("Mobile data & Wi-Fi", "No data used"),
            plain("Battery", "0% use since last full charge"),
            plain("App details", f"version {package.version_name}"),
        )

    def _launch(self, package: Package) -> None:
        self.system.tasks.start(Intent(MAIN, component=package.launcher))

    def _open_permissions(self) -> None:
        self.open(AppPermissions, package=self.subject)

    def _open_storage(self) -> None:
        self.open(AppStorage, package=self.subject)

    def _ask_stop(self) -> None:
        text = "If you force stop an app, it may misbehave."
        self.show(confirm(text, "OK", self._stop, self.dismiss, title="Force stop?"))

    def _stop(self) -> None:
        self.dismiss()
        self.system.tasks.stop(self.subject)


class AppStorage(Page):
    """Space an app takes, and how to give it back."""

    activity = ".SubSettings"
    title = "Storage"

    def rows(self) -> Sequence[Widget]:
        """Sizes and the two buttons."""
        package = self.system.packages.find(self.intent.extras.get("package", ""))
        if package is None:
            return ()
        buttons = (
            filled_button("Clear storage", self._ask_clear, "button1", tonal=True),
            filled_button("Clear cache", self._nothing, "button2", enabled=False, tonal=True),
        )
        return (
            Row(w=FILL, gap=12, pad=pad(24, 12), children=buttons),
            plain("App size", _size(package)),
            plain("User data", "0 B"),
            plain("Cache", "0 B"),
            plain("Total", _size(package)),
        )

    def _nothing(self) -> None:
        return None

    def _ask_clear(self) -> None:
        text = "All this app's data will be deleted permanently: files, settings, accounts and databases."
        self.show(confirm(text, "Delete", self._clear, self.dismiss, title="Delete app data?"))

    def _clear(self) -> None:
        self.dismiss()
        self.system.clear_data(self.intent.extras["package"])


def _size(package: Package) -> str:
    return f"{8 + sum(package.name.encode()) % 90}.{package.uid % 10} MB"
