"""How an app is declared, and what one of its screens is.

An app is one `App` record: package, label, icon, the activities it answers with, the providers it serves and a
function that puts its shipped data in place. A screen is a `Screen` subclass: plain attributes are its state, `build()`
declares what it shows now, handlers change the state. After each input the phone calls `build()` again, so a screen
never tells anybody that it changed. Smallest app:

    class Hello(Screen):
        count = 0

        def build(self) -> Widget:
            taps = Text(id="count", text=f"{self.count} taps")
            return Column(children=(taps, filled_button("Tap me", self.tapped)))

        def tapped(self) -> None:
            self.count += 1

    APP = App("org.example.hello", "Hello", "favorite", (200, 30, 60), (Entry(".Main", Hello, launcher=True),))

What must survive a restart of the app belongs into `system.settings`, `system.files` or a provider.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from .boxes import ViewState
from .fonts import icon_points
from .intents import Component, Intent
from .packages import Activity, Package
from .providers import Provider
from .theme import Color
from .widgets import FILL, Action, Paint, Stack, Text, Widget

if TYPE_CHECKING:
    from .system import System

MAIN = "android.intent.action.MAIN"


def _nothing() -> None:
    return None


@dataclass(eq=False)
class Popup:
    """A dialog or menu over a screen: the active window while it is there."""

    build: Callable[[], Widget]
    anchor: tuple[float, float] = (0.5, 0.5)
    """Where the free space around it goes: (1, 0) is the top right corner."""
    dim: bool = True
    cancelable: bool = True
    """Whether back or a tap outside closes it; some want a button pressed."""
    on_dismiss: Action = _nothing
    """Called when it goes away by back or a tap outside, not when a button closes it."""
    component: Component | None = None
    """The activity that the dialog is, where another app shows it, such as the question for a permission."""
    window: str = ""
    """Title of the window, where the system itself shows it over an app that hangs or crashed."""
    view: ViewState = field(default_factory=ViewState)


class Screen:
    """One activity on a task's stack."""

    activity = ""
    """Class name, `.Short` or full; the entry that started the screen sets it."""
    on_wallpaper = False
    """True where the bars lie on the wallpaper and are drawn white."""
    backdrop: Paint = "surface"
    """What fills the screen behind the app, under the bars too."""
    bar_backdrop: Paint | None = None
    """What lies under the navigation bar, where it differs."""
    covers: Literal["", "status", "all"] = ""
    """System bars that the screen lies over, for the system's own windows: they draw what those show."""

    def __init__(self, system: "System", package: str, intent: Intent) -> None:
        self.system = system
        self.package = package
        self.intent = intent
        self.view = ViewState()
        self.popup: Popup | None = None
        self.created()

    def created(self) -> None:
        """Set the state up; `self.intent` says why the screen was started."""

    def build(self) -> Widget:
        """What the screen shows now; it fills the area between the system bars."""
        raise NotImplementedError

    def moment(self) -> Hashable:
        """Differs whenever the screen would look different though nothing happened to it: elapsed time, files."""
        return None

    def on_back(self) -> bool:
        """Back was pressed with no keyboard and no popup; True = handled, False = leave the screen."""
        return False

    def on_pause(self) -> None:
        """The screen is about to be covered or left."""

    def on_resume(self) -> None:
        """The screen is in front again."""

    @property
    def front(self) -> Component:
        """What is in front while this screen is: itself, or the activity that lies over it as a dialog."""
        return self.popup.component if self.popup is not None and self.popup.component else self.component

    # -- for subclasses

    @property
    def component(self) -> Component:
        """This screen's component name."""
        return Component.parse(f"{self.package}/{self.activity}")

    def open(self, screen: type["Screen"], **extras: str) -> None:
        """Put another screen of the same app on top."""
        self.system.tasks.push(screen(self.system, self.package, Intent(extras=extras)))

    def close(self) -> None:
        """Leave this screen."""
        self.system.tasks.finish(self)

    def show(self, popup: Popup) -> None:
        """Open a dialog or menu, replacing the one that is open."""
        self.popup = popup

    def cancel(self) -> bool:
        """Back, or a tap outside of a popup: close it where that is allowed; False where there is none."""
        popup = self.popup
        if popup is not None and popup.cancelable:
            self.popup = None
            popup.on_dismiss()
        return popup is not None

    def dismiss(self) -> None:
        """Close the open dialog or menu, if any."""
        self.popup = None


class Blank(Screen):
    """What an installed package without a screen of ours shows: its name."""

    def build(self) -> Widget:
        label = self.system.packages.get(self.package).label
        text = Text(id="label", text=label, size=22, anchor=(0.5, 0.5))
        return Stack(w=FILL, h=FILL, bg="surface", children=(text,))


@dataclass(frozen=True)
class Entry:
    """One activity that intents can reach."""

    name: str
    """Class name, `.Short` for one inside the package."""
    screen: type[Screen]
    actions: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    """Prefixes of URIs or MIME types accepted with these actions; empty = any."""
    launcher: bool = False
    extras: tuple[tuple[str, str], ...] = ()
    """Extras added to the intent, so that one screen class can serve several entries."""


def _no_data(system: "System") -> None:
    return None


@dataclass(frozen=True)
class App:
    """A shipped app."""

    package: str
    label: str
    icon: str
    color: Color
    entries: tuple[Entry, ...]
    apk: str = ""
    """Path of the APK on the phone."""
    version: str = "14"
    provision: Callable[["System"], None] = _no_data
    """Puts the shipped data in place, replacing what is there: first boot and `pm clear`."""
    providers: tuple[Callable[["System"], Provider], ...] = ()
    permissions: tuple[str, ...] = ()
    """Runtime permissions that it asks for, by `request_permission`."""

    def __post_init__(self) -> None:
        """Raises ValueError for an icon that cannot be drawn."""
        if self.icon not in icon_points():
            close = get_close_matches(self.icon, icon_points())
            hint = f"did you mean {' or '.join(close)}? " if close else ""
            raise ValueError(f"{self.label}: there is no icon {self.icon!r}; {hint}assets/symbols.txt lists them")

    def record(self, uid: int) -> Package:
        """The package manager's record of this app."""
        activities = []
        for entry in self.entries:
            actions = (MAIN, *entry.actions) if entry.launcher else entry.actions
            component = Component.parse(f"{self.package}/{entry.name}")
            activities.append(Activity(component, actions, entry.data, entry.launcher))
        name = self.label.replace(" ", "")
        path = self.apk or f"/system/priv-app/{name}/{name}.apk"
        return Package(
            self.package, self.label, self.version, apk_path=path, uid=uid, activities=tuple(activities),
            requested=self.permissions,
        )  # fmt: skip
