"""What an app sees of its phone: stored state, clock, radios, and the task stack to start other screens."""

import zlib
from typing import TYPE_CHECKING

from .clock import Clock
from .dates import half_day
from .defaults import factory_props
from .display import Display
from .files import FileTree
from .ime import InputMethods
from .notifications import Notification, Notifications
from .packages import SERVICES, Packages
from .providers import Providers
from .settings_db import SettingsDb

if TYPE_CHECKING:
    from datetime import datetime

    from .screen import App
    from .system_ui import SystemUi
    from .tasks import Tasks


TOAST_S = 2.0
STORAGE = {
    "com.android.providers.calendar": ("com.android.calendar",),
    "com.android.providers.contacts": ("com.android.contacts", "call_log"),
    "com.android.providers.telephony": ("sms",),
}
"""Packages that keep what apps show, with the authorities of their providers."""


class System:
    """The state that outlives apps. `version` counts changes that may show on the screen."""

    tasks: "Tasks"
    ui: "SystemUi"

    def __init__(
        self, serial: str, panel: tuple[int, int, int], clock: Clock, apps: "tuple[App, ...]", seed: int = 0
    ) -> None:
        """`panel` is width, height (pixels, natural orientation) and density (dpi)."""
        self.version = 1
        self.seed = seed
        self.serial = serial
        self.clock = clock
        self.apps = {app.package: app for app in apps}
        self.settings = SettingsDb(self._setting_changed)
        self.display = Display(*panel, self.settings, self.changed)
        self.props: dict[str, str] = {}
        self.files = FileTree(now=lambda: clock.now().timestamp())
        self.packages = Packages((*(app.record(10050 + index) for index, app in enumerate(apps)), *SERVICES))
        self.ime = InputMethods(self.settings, lambda package: self.packages.find(package) is not None)
        self.providers = Providers(self.changed)
        self.notifications = Notifications(self.changed)
        self.app_locales: dict[str, str] = {}
        """Languages chosen for single apps."""
        self.banner: Notification | None = None
        """The notification that shows over the app now."""
        self.toast_text, self._toast_until = "", 0.0
        self.toasts = 0
        """How many were shown since the phone was made."""
        self.battery_level = 100
        self.charging = True
        self._before_airplane: tuple[str, str] | None = None
        self.shipped_at = clock.now()
        """When the phone got what it comes with."""
        for app in apps:
            for make in app.providers:
                self.providers.add(make(self))
        self.reset()

    def clear_data(self, package: str) -> bool:
        """`pm clear`: stop it and return its data to the shipped state; False where it is not installed.

        Clearing a storage package empties it, as on a real phone; clearing the app that shows it brings back what
        the phone came with.
        """
        if self.packages.find(package) is None:
            return False
        self.tasks.stop(package)
        self.packages.forget_answers(package)
        if package in STORAGE:
            for authority in STORAGE[package]:
                self.providers.get(authority).wipe()
        elif package in self.apps:
            self.apps[package].provision(self)
        elif self.files.exists(f"/data/data/{package}"):
            self.files.remove(f"/data/data/{package}", recursive=True)
        self.changed()
        return True

    def _setting_changed(self, namespace: str, key: str) -> None:
        if (namespace, key) == ("global", "auto_time") and self.flag(namespace, key):
            self.clock.synchronize()
        self.changed()

    def changed(self) -> None:
        """Something that may show on the screen changed."""
        self.version += 1

    def reset(self) -> None:
        """The factory state of everything that is stored; what users and apps wrote to files is gone."""
        self.settings.reset()
        self.settings.put("secure", "android_id", f"{zlib.crc32(self.serial.encode()):08x}{self.seed & 0xFFFFFFFF:08x}")
        self.packages.reset()
        self.notifications.reset()
        self.app_locales.clear()
        self.props.clear()
        self.props.update(factory_props(self.serial, self.display.physical_density))
        self.display.size_override = self.display.density_override = None
        self.battery_level, self.charging = 100, True
        self._before_airplane = None
        self.shipped_at = self.clock.now()
        for folder in _USER_FOLDERS:
            for name in self.files.list(folder) if self.files.is_dir(folder) else ():
                self.files.remove(f"{folder}/{name}", recursive=True)
        for app in self.apps.values():
            app.provision(self)
        self.changed()

    # -- time and units

    def now(self) -> "datetime":
        """Local time of the phone."""
        return self.clock.now()

    def toast(self, text: str) -> None:
        """Show a short message at the bottom for two seconds of phone time."""
        self.toast_text, self._toast_until = text, self.clock.monotonic() + TOAST_S
        self.toasts += 1
        self.changed()

    def hide_banner(self) -> None:
        """The notification stays in the shade."""
        self.banner = None
        self.changed()

    @property
    def toast_now(self) -> str:
        """The message that shows now, empty where none does."""
        return self.toast_text if self.clock.monotonic() < self._toast_until else ""

    @property
    def uses_24_hours(self) -> bool:
        """Whether times are written 15:34 rather than 3:34."""
        return self.settings.get("system", "time_12_24") == "24"

    def clock_text(self, hour: int, minute: int, suffix: bool = True) -> str:
        """A time of day as the user wants it, `3:34 PM` or `15:34`; without `suffix` no AM/PM."""
        if self.uses_24_hours:
            return f"{hour:02d}:{minute:02d}"
        text = f"{hour % 12 or 12}:{minute:02d}"
        return half_day(text, hour, self.locale) if suffix else text

    @property
    def locale(self) -> str:
        """The language tag of the first system language, `en-US`, `zh-CN` or another."""
        chosen = self.settings.get("system", "system_locales") or self.props.get("persist.sys.locale") or "en-US"
        return chosen.partition(",")[0]

    def set_locale(self, locale: str) -> None:
        """Make a language tag the first and only system language, in the setting and in the property."""
        self.props["persist.sys.locale"] = locale
        self.settings.put("system", "system_locales", locale)
        self.changed()

    def locale_of(self, package: str) -> str:
        """The language tag of an app: its own where it has one, else the system's."""
        return self.app_locales.get(package) or self.locale

    @property
    def dark(self) -> bool:
        """Whether the dark theme is on."""
        return self.settings.get("secure", "ui_night_mode") == "2"

    @property
    def font_scale(self) -> float:
        """Text size factor, kept within what the screens can hold."""
        try:
            value = float(self.settings.get("system", "font_scale") or 1)
        except ValueError:
            value = 1.0
        return min(max(value, 0.5), 2.0)

    # -- radios

    def flag(self, namespace: str, key: str) -> bool:
        """Whether a setting is on: any whole number but 0."""
        return self.settings.get_int(namespace, key) != 0

    def set_flag(self, namespace: str, key: str, on: bool) -> None:
        """Write 1 or 0."""
        self.settings.put(namespace, key, "1" if on else "0")

    @property
    def airplane(self) -> bool:
        """Whether airplane mode is on."""
        return self.flag("global", "airplane_mode_on")

    def set_airplane(self, on: bool) -> None:
        """Airplane mode takes Wi-Fi and Bluetooth down and brings back what was on before."""
        if on == self.airplane:
            return
        if on:
            self._before_airplane = tuple(self.settings.get("global", key) or "0" for key in _RADIOS)  # type: ignore[assignment]
            for key in _RADIOS:
                self.settings.put("global", key, "0")
        else:
            for key, value in zip(_RADIOS, self._before_airplane or ("1", "1"), strict=True):
                if not self.flag("global", key):
                    self.settings.put("global", key, value)
            self._before_airplane = None
        self.set_flag("global", "airplane_mode_on", on)


_USER_FOLDERS = ("/storage/emulated/0", "/data/data", "/data/local/tmp")
_RADIOS = ("wifi_on", "bluetooth_on")
