"""One virtual phone: state, screens, input. The wire side (ADB, shell) only calls the methods of `Phone`.

Every method is synchronous and not thread-safe: the caller serialises all calls to one phone. Coordinates are device
pixels of the current rotation. A picture and the UI tree come from the same layout, so they always agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image

from .clock import Clock
from .defaults import factory_props
from .faults import Faults, Latency
from .files import FileTree
from .ime import InputMethods
from .intents import BroadcastResult, Component, Intent, StartResult
from .packages import Activity, Package, Packages
from .settings_db import SettingsDb

if TYPE_CHECKING:
    from collections.abc import Sequence

Value = str | int | float | None
"""A value of a content provider's column."""


class TextNotTypeable(ValueError):
    """`input text` got a character for which there is no key (a real phone throws a NullPointerException)."""


class UnknownProvider(LookupError):
    """No content provider has this authority or path."""


class ProviderError(ValueError):
    """The provider refused a column, a selection or a sort order; the message is the database's."""


@dataclass(frozen=True)
class TaskInfo:
    """One entry of the recent tasks: id, activities from bottom to top."""

    id: int
    package: str
    activities: tuple[Component, ...]


class Phone:
    """A phone with the apps of `emulator_farm.virtual.apps`."""

    def __init__(
        self,
        serial: str = "virtual-0",
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
        seed: int = 0,
        faults: Faults | None = None,
        latency: Latency | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`width` x `height` is the physical panel in pixels (natural orientation), `density` in dpi; `seed` varies android_id and the like."""
        self.serial = serial
        self.physical_width, self.physical_height, self.physical_density = width, height, density
        self._size_override: tuple[int, int] | None = None
        self._density_override: int | None = None
        self.seed = seed
        self.faults = faults or Faults()
        self.latency = latency or Latency()
        self.clock = clock or Clock()
        self.props: dict[str, str] = factory_props(serial)
        self.settings = SettingsDb(self._setting_changed)
        self.files = FileTree(now=lambda: self.clock.now().timestamp())
        self.packages = Packages(_SHIPPED)
        self.ime = InputMethods(self.settings)
        self.screen_on = True
        self.battery_level = 100
        self.charging = True
        self._version = 1
        self._front = _LAUNCHER

    # -- display

    @property
    def width(self) -> int:
        """Effective width in the natural orientation, pixels."""
        return self._size_override[0] if self._size_override else self.physical_width

    @property
    def height(self) -> int:
        """Effective height in the natural orientation, pixels."""
        return self._size_override[1] if self._size_override else self.physical_height

    @property
    def density(self) -> int:
        """Effective density, dpi."""
        return self._density_override or self.physical_density

    @property
    def screen_size(self) -> tuple[int, int]:
        """Width and height in the current rotation: the size of the frame and the space of all input."""
        return (self.height, self.width) if self.rotation % 2 else (self.width, self.height)

    @property
    def rotation(self) -> int:
        """0-3, quarter turns; `user_rotation` where auto-rotate is off."""
        if self.settings.get_int("system", "accelerometer_rotation"):
            return 0
        return self.settings.get_int("system", "user_rotation") % 4

    @property
    def size_override(self) -> tuple[int, int] | None:
        """What `wm size WxH` set, natural orientation; None where nothing is overridden."""
        return self._size_override

    @property
    def density_override(self) -> int | None:
        """What `wm density N` set; None where nothing is overridden."""
        return self._density_override

    def set_size_override(self, size: tuple[int, int] | None) -> None:
        """`wm size`: another logical size, or None for the panel's own."""
        self._size_override = size
        self.invalidate()

    def set_density_override(self, density: int | None) -> None:
        """`wm density`: another density, or None for the panel's own."""
        self._density_override = density
        self.invalidate()

    # -- input

    def tap(self, x: int, y: int) -> None:
        """Touch and release at once; two taps within 300 ms of phone time are a double tap."""

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Move a finger; on the spot for 500 ms or more it is a long press. Content follows the finger exactly."""

    def drag(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Long press, then move (`input draganddrop`)."""

    def touch_down(self, x: int, y: int) -> None:
        """A finger goes down and stays (`input motionevent DOWN`)."""

    def touch_move(self, x: int, y: int) -> None:
        """The finger moves."""

    def touch_up(self, x: int, y: int) -> None:
        """The finger is lifted; how long it was down is phone time."""

    def touch_cancel(self) -> None:
        """The touch ends without effect."""

    def key(self, keycode: int, long: bool = False, meta: tuple[int, ...] = ()) -> None:
        """Press a key; `meta` holds the keycodes of modifiers held meanwhile (113 ctrl, 59 shift, 57 alt)."""

    def text(self, text: str) -> None:
        """What `input text` delivers, `%s` already turned into spaces. Raises TextNotTypeable before anything is typed."""

    def commit_text(self, text: str) -> bool:
        """An input method commits text into the focused field; False where no field has the focus."""
        return False

    def clear_text(self) -> bool:
        """Empty the focused field; False where no field has the focus."""
        return False

    def editor_action(self, code: int) -> bool:
        """Perform an EditorInfo action (2 go, 3 search, 4 send, 5 next, 6 done, 7 previous) on the focused field; False where none has the focus."""
        return False

    # -- view

    @property
    def version(self) -> int:
        """Goes up with each visible change, the passing of displayed time included."""
        return self._version

    def invalidate(self) -> None:
        """State behind the screen changed."""
        self._version += 1

    def frame(self) -> Image.Image:
        """The screen as RGB, size `screen_size`; black while the screen is off. Do not modify it: it is cached."""
        return Image.new("RGB", self.screen_size, (240, 240, 243))

    def png(self) -> bytes:
        """`frame()` as PNG, cached."""
        from io import BytesIO

        out = BytesIO()
        self.frame().save(out, "PNG", compress_level=1)
        return out.getvalue()

    def raw(self) -> bytes:
        """`frame()` as RGBA8888 rows without header."""
        return self.frame().tobytes("raw", "RGBX")

    def hierarchy(self) -> str:
        """The active window as uiautomator XML on one line."""
        w, h = self.screen_size
        return (
            f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{self.rotation}\">"
            '<node index="0" text="" resource-id="" class="android.widget.FrameLayout" '
            f'package="{self._front.package}" content-desc="" checkable="false" checked="false" clickable="false" '
            'enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" '
            f'password="false" selected="false" bounds="[0,0][{w},{h}]" /></hierarchy>'
        )

    # -- activities

    def foreground(self) -> Component:
        """The resumed activity."""
        return self._front

    def focused_window(self) -> str:
        """Name of the focused window as `dumpsys window` prints it after `u0 `: a component or a system window."""
        return str(self._front)

    def tasks(self) -> "list[TaskInfo]":
        """Running tasks, the front one first; the launcher's is last where it is behind."""
        return [TaskInfo(1, self._front.package, (self._front,))]

    def is_running(self, package: str) -> bool:
        """Whether the package has a process."""
        return package == self._front.package

    def pid(self, package: str) -> int | None:
        """Its process id, None where it does not run."""
        return 1000 if self.is_running(package) else None

    def resolve(self, intent: Intent) -> "list[Activity]":
        """The activities that answer to an intent, best first."""
        return [a for a in self.packages.activities() if intent.component in (None, a.component)]

    def start_activity(self, intent: Intent) -> StartResult:
        """`am start`."""
        found = self.resolve(intent)
        if not found:
            return StartResult("not_found")
        self._front = found[0].component
        self.invalidate()
        return StartResult("started", self._front)

    def force_stop(self, package: str) -> None:
        """Close the app's activities; stored state stays."""

    def clear_data(self, package: str) -> bool:
        """`pm clear`: stop it and return its data to the shipped state; False where it is not installed."""
        return self.packages.find(package) is not None

    def uninstall(self, package: str) -> None:
        """Stop and remove a package with its data; raises PackageNotFound."""
        self.force_stop(package)
        self.packages.uninstall(package)

    def go_home(self) -> None:
        """The home key."""
        self._front = _LAUNCHER
        self.invalidate()

    def recents(self) -> None:
        """The overview of open apps."""

    def broadcast(self, intent: Intent) -> BroadcastResult:
        """Deliver a broadcast: the ADB keyboard's actions and whatever our apps listen to."""
        return BroadcastResult()

    # -- content providers

    def query(
        self, uri: str, projection: "Sequence[str] | None" = None, where: str | None = None, sort: str | None = None
    ) -> "list[dict[str, Value]]":
        """Rows, columns in order. Raises UnknownProvider, ProviderError."""
        raise UnknownProvider(uri)

    def insert(self, uri: str, values: Mapping[str, Value]) -> str:
        """Insert a row and give its URI. Raises UnknownProvider, ProviderError."""
        raise UnknownProvider(uri)

    def update(self, uri: str, values: Mapping[str, Value], where: str | None = None) -> int:
        """Update rows; how many. Raises UnknownProvider, ProviderError."""
        raise UnknownProvider(uri)

    def delete(self, uri: str, where: str | None = None) -> int:
        """Delete rows; how many. Raises UnknownProvider, ProviderError."""
        raise UnknownProvider(uri)

    # -- radios

    def set_wifi(self, on: bool) -> None:
        """`svc wifi enable|disable`."""
        self.settings.put("global", "wifi_on", str(int(on)))

    def set_bluetooth(self, on: bool) -> None:
        """`svc bluetooth enable|disable`."""
        self.settings.put("global", "bluetooth_on", str(int(on)))

    def set_airplane(self, on: bool) -> None:
        """`cmd connectivity airplane-mode`: Wi-Fi and Bluetooth go off with it and come back after it."""
        self.settings.put("global", "airplane_mode_on", str(int(on)))

    def set_mobile_data(self, on: bool) -> None:
        """`svc data enable|disable`."""
        self.settings.put("global", "mobile_data", str(int(on)))

    # -- life

    def reboot(self) -> None:
        """Close all apps and restart uptime; settings, files, providers and packages stay."""
        self.clock.mark_boot()
        self.go_home()

    def reset(self) -> None:
        """The factory state."""
        self.settings.reset()
        self.packages.reset()
        self.props = factory_props(self.serial)
        self.reboot()

    def _setting_changed(self, namespace: str, key: str) -> None:
        self._version = getattr(self, "_version", 0) + 1


_LAUNCHER = Component("com.android.launcher3", "com.android.launcher3.uioverrides.QuickstepLauncher")
_MAIN = "android.intent.action.MAIN"
_SHIPPED = tuple(
    Package(name, label, apk_path=path, activities=(Activity(Component(name, cls), (_MAIN,), launcher=True),))
    for name, label, cls, path in (
        (
            "com.android.launcher3",
            "Home",
            _LAUNCHER.activity,
            "/system_ext/priv-app/Launcher3QuickStep/Launcher3QuickStep.apk",
        ),
        (
            "com.android.settings",
            "Settings",
            "com.android.settings.Settings",
            "/system_ext/priv-app/Settings/Settings.apk",
        ),
    )
)
