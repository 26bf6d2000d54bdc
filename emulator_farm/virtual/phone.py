"""One virtual phone: state, screens, input. The wire side (ADB, shell) only calls the methods of `Phone`.

Every method is synchronous and not thread-safe: the caller serialises all calls to one phone. Coordinates are device
pixels of the current rotation. A picture and the UI tree come from the same layout, so they always agree.
"""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PIL import Image

from . import adb_ime, adb_keyboard, defaults, hierarchy
from .apps import APPS
from .clock import Clock
from .editing import Editor
from .faults import Faults, Latency
from .graph import parts_of
from .intents import BroadcastResult, Component, Intent, StartResult
from .key_input import Keys
from .keyboard import KeyActions, Keyboard
from .keycodes import typeable
from .packages import Activity
from .permission_dialog import request_permission
from .providers import ProviderError, UnknownProvider, Value
from .scene import Scene, Stage
from .screen import App, Screen
from .system import System
from .system_bars import NavigationActions
from .system_ui import SystemUi
from .tasks import Task, Tasks
from .text_toolbar import TextActions
from .touch import Touch
from .view import View

__all__ = ["Phone", "ProviderError", "TaskInfo", "TextNotTypeable", "UnknownProvider", "Value"]


class TextNotTypeable(ValueError):
    """`input text` got a character for which there is no key (a real phone throws a NullPointerException)."""


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
        apps: Sequence[App] = APPS,
    ) -> None:
        """The panel in pixels (natural orientation) and dpi; `seed` varies android_id; `apps` come with the phone."""
        self.serial = serial
        self.seed = seed
        self.faults = faults or Faults()
        self.latency = latency or Latency()
        self.clock = clock or Clock()
        self.recent_input: deque[tuple[str, float]] = deque(maxlen=10)
        """What came last, touches and keys, with the host's monotonic seconds."""
        self.system = System(serial, (width, height, density), self.clock, tuple(apps), seed)
        self.display = self.system.display
        self.props, self.settings, self.files = self.system.props, self.system.settings, self.system.files
        self.packages, self.ime = self.system.packages, self.system.ime
        self.ime.probe = lambda: self._view.scene().typing
        self._tasks = Tasks(self.system)
        self.ui = SystemUi(self.system)
        self._editor = Editor(lambda: self._view.scene(), self.system.changed)
        self._keys = Keys(self.system, self._tasks, self._editor)
        self._touch = Touch(self.system, lambda: self._view.scene(), self._editor)
        type_key = KeyActions(self._press_char, self._editor.delete, self._press_enter)
        navigation = NavigationActions(self._keys.back, self.ui.home, self.ui.overview)
        editor = self._editor
        text_actions = TextActions(
            partial(editor.copy, cut=True), editor.copy, editor.paste, editor.select_all, lambda: editor.clipboard
        )
        self._stage = Stage(self.system, Keyboard(type_key), navigation, text_actions)
        self._view = View(self.system, self._stage, self._visible)
        providers = {f"content.{name}": provider for name, provider in self.system.providers.items()}
        self.parts = parts_of({"phone": self, "system": self.system, **providers})
        """What stays the same object as long as the phone exists, by name; snapshots replace what is in it."""

    # -- display

    @property
    def physical_width(self) -> int:
        """Width of the panel, natural orientation, pixels."""
        return self.display.physical_width

    @property
    def physical_height(self) -> int:
        """Height of the panel, natural orientation, pixels."""
        return self.display.physical_height

    @property
    def physical_density(self) -> int:
        """Density of the panel, dpi."""
        return self.display.physical_density

    @property
    def width(self) -> int:
        """Effective width in the natural orientation, pixels."""
        return self.display.natural_size[0]

    @property
    def height(self) -> int:
        """Effective height in the natural orientation, pixels."""
        return self.display.natural_size[1]

    @property
    def density(self) -> int:
        """Effective density, dpi."""
        return self.display.density

    @property
    def screen_size(self) -> tuple[int, int]:
        """Width and height in the current rotation: the size of the frame and the space of all input."""
        return self.display.size

    @property
    def rotation(self) -> int:
        """0-3, quarter turns; `user_rotation` where auto-rotate is off."""
        return self.display.rotation

    @property
    def size_override(self) -> tuple[int, int] | None:
        """What `wm size WxH` set, natural orientation; None where nothing is overridden."""
        return self.display.size_override

    @property
    def density_override(self) -> int | None:
        """What `wm density N` set; None where nothing is overridden."""
        return self.display.density_override

    def set_size_override(self, size: tuple[int, int] | None) -> None:
        """`wm size`: another logical size, or None for the panel's own. Raises ValueError for a size below 1."""
        self.display.override_size(size)

    def set_density_override(self, density: int | None) -> None:
        """`wm density`: another density, or None for the panel's own. Raises ValueError for one below 1."""
        self.display.override_density(density)

    @property
    def screen_on(self) -> bool:
        """Whether the display is on."""
        return self._keys.screen_on

    @screen_on.setter
    def screen_on(self, on: bool) -> None:
        if not on and self._keys.screen_on:
            self.ui.sleep()
        self._keys.screen_on = on
        self.invalidate()

    @property
    def battery_level(self) -> int:
        """Charge in percent."""
        return self.system.battery_level

    @battery_level.setter
    def battery_level(self, level: int) -> None:
        self.system.battery_level = min(max(0, level), 100)
        self.invalidate()

    @property
    def charging(self) -> bool:
        """Whether the phone is on a charger."""
        return self.system.charging

    @charging.setter
    def charging(self, charging: bool) -> None:
        self.system.charging = charging
        self.invalidate()

    # -- input

    def tap(self, x: int, y: int) -> None:
        """Touch and release at once; two taps within 300 ms of phone time are a double tap."""
        self.swipe(x, y, x, y, 0)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Move a finger; on the spot for 500 ms or more it is a long press. Content follows the finger exactly."""
        self._note_input("MotionEvent")
        if self.screen_on:
            at = self.clock.monotonic()
            self._touch.down(x1, y1, at)
            self._touch.up(x2, y2, at + duration_ms / 1000)

    def drag(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Long press, then move (`input draganddrop`)."""
        self._note_input("MotionEvent")
        if self.screen_on:
            at = self.clock.monotonic()
            self._touch.down(x1, y1, at)
            self._touch.long_press()
            self._touch.up(x2, y2, at + duration_ms / 1000)

    def touch_down(self, x: int, y: int) -> None:
        """A finger goes down and stays (`input motionevent DOWN`)."""
        self._note_input("MotionEvent")
        if self.screen_on:
            self._touch.down(x, y, self.clock.monotonic())

    def touch_move(self, x: int, y: int) -> None:
        """The finger moves."""
        self._touch.move(x, y)

    def touch_up(self, x: int, y: int) -> None:
        """The finger is lifted; how long it was down is phone time."""
        self._note_input("MotionEvent")
        self._touch.up(x, y, self.clock.monotonic())

    def touch_cancel(self) -> None:
        """The touch ends without effect."""
        self._touch.cancel()

    def key(self, keycode: int, long: bool = False, meta: tuple[int, ...] = ()) -> None:
        """Press a key; `meta` holds the keycodes of modifiers held meanwhile (113 ctrl, 59 shift, 57 alt).

        No key here means something else when held, so `long` changes nothing.
        """
        self._note_input("KeyEvent")
        self._keys.press(keycode, meta)

    def _note_input(self, event: str) -> None:
        self.recent_input.append((event, time.monotonic()))

    def text(self, text: str) -> None:
        """What `input text` delivers, `%s` already a space. Raises TextNotTypeable before anything is typed."""
        if not typeable(text):
            bad = next(char for char in text if not typeable(char))
            raise TextNotTypeable(f"no key types {bad!r} (U+{ord(bad):04X})")
        if self.screen_on:
            self._editor.type_keys(text)

    def commit_text(self, text: str) -> bool:
        """An input method commits text into the focused field; False where no field has the focus."""
        return self._editor.insert(text)

    def clear_text(self) -> bool:
        """Empty the focused field; False where no field has the focus."""
        return self._editor.clear()

    def set_text_at(self, x: int, y: int, text: str) -> bool:
        """Replace the text of the field at a pixel, focused or not; False where there is none (ACTION_SET_TEXT)."""
        return self._editor.set_text(x, y, text)

    @property
    def clipboard(self) -> str:
        """What was copied last, empty at first."""
        return self._editor.clipboard

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        self._editor.clipboard = text

    def editor_action(self, code: int) -> bool:
        """Perform an EditorInfo action on the focused field; False where none has the focus.

        Codes: 2 go, 3 search, 4 send, 5 next, 6 done, 7 previous; any other performs the field's own action.
        """
        return self._editor.perform_code(code)

    def _visible(self) -> bool:
        return self._keys.screen_on and self.faults.window != "secure"

    def _press_char(self, char: str) -> None:
        self._editor.insert(char)

    def _press_enter(self) -> None:
        self._editor.enter()

    # -- view

    @property
    def version(self) -> int:
        """Goes up with each visible change, the passing of displayed time included."""
        return self._view.version

    def invalidate(self) -> None:
        """State behind the screen changed."""
        self.system.changed()

    def scene(self) -> Scene:
        """The windows on the screen, laid out; the same object until something changes."""
        return self._view.scene()

    def frame(self) -> Image.Image:
        """The screen as RGB, size `screen_size`; black while the screen is off. Do not modify it: it is cached."""
        return self._view.frame()

    def png(self) -> bytes:
        """`frame()` as PNG, cached."""
        return self._view.png()

    def raw(self) -> bytes:
        """`frame()` as RGBA8888 rows without header."""
        return self._view.frame().convert("RGBA").tobytes()

    def hierarchy(self) -> str:
        """The active window as uiautomator XML on one line."""
        return hierarchy.dump(self._view.scene(), self.rotation)

    # -- activities

    @property
    def screen(self) -> Screen:
        """The resumed screen itself."""
        return self._tasks.screen

    def foreground(self) -> Component:
        """The resumed activity."""
        return self._tasks.screen.front

    def focused_window(self) -> str:
        """Name of the focused window as `dumpsys window` prints it after `u0 `: a component or a system window."""
        if not self.screen_on or self.ui.covered:
            return "NotificationShade"
        popup = self.screen.popup
        return popup.window if popup is not None and popup.window else str(self.foreground())

    def tasks(self) -> list[TaskInfo]:
        """Running tasks, the front one first."""
        return [TaskInfo(task.id, task.package, _activities(task)) for task in reversed(self._tasks.stack)]

    def is_running(self, package: str) -> bool:
        """Whether the package has a process."""
        return self.pid(package) is not None

    def pid(self, package: str) -> int | None:
        """Its process id, None where it does not run."""
        return self._tasks.pids.get(package)

    def resolve(self, intent: Intent) -> list[Activity]:
        """The activities that answer to an intent, best first."""
        return self._tasks.resolve(intent)

    def start_activity(self, intent: Intent) -> StartResult:
        """`am start`."""
        return self._tasks.start(intent)

    def close_task(self, number: int) -> None:
        """Take a task out of the recent ones, its screens with it; the process stays. No such task is fine."""
        for task in self._tasks.recent():
            if task.id == number:
                self._tasks.close(task.package)

    def force_stop(self, package: str) -> None:
        """Close the app's activities; stored state stays."""
        self._tasks.stop(package)

    def ask_permission(self, package: str, permission: str) -> None:
        """Have an app ask for a permission over the screen in front, as apps do; raises PackageNotFound."""
        request_permission(self.screen, permission, lambda granted: None, package)
        self.invalidate()

    def clear_data(self, package: str) -> bool:
        """`pm clear`: stop it and return its data to the shipped state; False where it is not installed."""
        return self.system.clear_data(package)

    def uninstall(self, package: str) -> None:
        """Stop and remove a package with its data; raises PackageNotFound."""
        self.packages.get(package)
        self.clear_data(package)
        self.packages.uninstall(package)

    def go_home(self) -> None:
        """The home key."""
        self.ui.home()

    def recents(self) -> None:
        """The overview of open apps; a second time it goes to the app used before."""
        self.ui.overview()

    def broadcast(self, intent: Intent) -> BroadcastResult:
        """Deliver a broadcast. An ADB keyboard answers where it is the current input method; nobody else listens."""
        match self.ime.current:
            case defaults.ADB_IME:
                return adb_keyboard.answer(intent, self._editor)
            case defaults.ADBKEYBOARD_IME:
                return adb_ime.answer(intent, self._editor, self.key)
            case _:
                return BroadcastResult()

    # -- content providers

    def query(
        self, uri: str, projection: Sequence[str] | None = None, where: str | None = None, sort: str | None = None
    ) -> list[dict[str, Value]]:
        """Rows, columns in order. Raises UnknownProvider, ProviderError."""
        provider, path = self.system.providers.find(uri)
        return provider.query(path, projection, where, sort)

    def insert(self, uri: str, values: Mapping[str, Value]) -> str:
        """Insert a row and give its URI. Raises UnknownProvider, ProviderError."""
        provider, path = self.system.providers.find(uri)
        return f"{uri.rstrip('/')}/{provider.insert(path, values)}"

    def update(self, uri: str, values: Mapping[str, Value], where: str | None = None) -> int:
        """Update rows; how many. Raises UnknownProvider, ProviderError."""
        provider, path = self.system.providers.find(uri)
        return provider.update(path, values, where)

    def delete(self, uri: str, where: str | None = None) -> int:
        """Delete rows; how many. Raises UnknownProvider, ProviderError."""
        provider, path = self.system.providers.find(uri)
        return provider.delete(path, where)

    # -- radios

    def set_wifi(self, on: bool) -> None:
        """`svc wifi enable|disable`."""
        self.system.set_flag("global", "wifi_on", on)

    def set_bluetooth(self, on: bool) -> None:
        """`svc bluetooth enable|disable`."""
        self.system.set_flag("global", "bluetooth_on", on)

    def set_airplane(self, on: bool) -> None:
        """`cmd connectivity airplane-mode`: Wi-Fi and Bluetooth go off with it and come back after it."""
        self.system.set_airplane(on)

    def set_mobile_data(self, on: bool) -> None:
        """`svc data enable|disable`."""
        self.system.set_flag("global", "mobile_data", on)

    # -- life

    def reboot(self) -> None:
        """Close all apps and restart uptime; settings, files, providers and packages stay."""
        self.clock.mark_boot()
        self._touch.cancel()
        self._tasks.restart()
        self.clipboard = ""
        self.system.notifications.reset()
        self.screen_on = True
        self.ui.restart()

    def reset(self) -> None:
        """The factory state, of this phone, whatever snapshot of another it was made into."""
        self.system.seed = self.seed
        self.system.reset()
        self.reboot()


def _activities(task: Task) -> tuple[Component, ...]:
    """From bottom to top; a dialog of another app's is one of its own."""
    found = [screen.component for screen in task.screens]
    return tuple(found) if task.top.front == found[-1] else (*found, task.top.front)
