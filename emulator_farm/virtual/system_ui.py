"""What the system itself shows over the apps: the notification shade with its quick settings, and the lock screen."""

from typing import Literal

from .lock_screen import LockScreen
from .screen import Screen
from .screen_lock import ScreenLock
from .shade import Shade
from .system import System

Page = Literal["notifications", "settings"]


class SystemUi:
    """Says which screen is in front of all; apps go on being what they are behind it."""

    def __init__(self, system: System) -> None:
        self._system = system
        system.ui = self
        self.lock = ScreenLock(system.settings)
        self.locked = False
        """Whether the lock screen is up; behind a dark display too."""
        self.expanded = False
        """Whether the shade is pulled down."""
        self._shade = Shade(system)
        self._lock_screen = LockScreen(system, self.lock)

    @property
    def front(self) -> Screen:
        """The screen that shows and gets all input."""
        if self.expanded:
            return self._shade
        return self._lock_screen if self.locked else self._system.tasks.screen

    @property
    def covered(self) -> bool:
        """Whether something of the system's lies over the apps."""
        return self.expanded or self.locked

    # -- shade

    def expand(self, page: Page = "notifications") -> None:
        """Pull the shade down, to its notifications or to all of the quick settings."""
        self._hide_keyboard()
        self._shade.open_at(page)
        self.expanded = True
        self._system.changed()

    def collapse(self) -> None:
        """Push the shade up again."""
        self.expanded = False
        self._shade.dismiss()
        self._system.changed()

    # -- lock screen

    def sleep(self) -> None:
        """The display went dark: the next time it is lit, the lock screen shows, where there is one."""
        self.collapse()
        self._hide_keyboard()
        if self.lock.enabled:
            self._lock_screen.rest()
            self.locked = True
        self._system.changed()

    def dismiss_lock(self) -> None:
        """Ask for the lock screen to go: it does where a swipe would do, and asks for the PIN otherwise."""
        if self.locked and self.lock.secure:
            self._lock_screen.ask()
        else:
            self.locked = False
        self._system.changed()

    def unlock(self) -> None:
        """The lock screen goes; the PIN was right or none is needed."""
        self.locked = False
        self._lock_screen.rest()
        self._system.changed()

    # -- keys

    def back(self) -> None:
        """The back key, on whatever is in front."""
        screen = self.front
        if not self.covered:
            self._system.tasks.back()
            return
        if not screen.cancel() and not screen.on_back():
            self.collapse()
        self._system.changed()

    def home(self) -> None:
        """The home key: away with the shade, and to the home screen where the phone is not locked."""
        self.collapse()
        if not self.locked:
            self._system.tasks.go_home()

    def overview(self) -> None:
        """The key of the open apps; nothing but away with the shade where the phone is locked."""
        self.collapse()
        if not self.locked:
            self._system.tasks.overview()

    def restart(self) -> None:
        """As after a boot."""
        self.expanded = self.locked = False
        self.sleep()

    def _hide_keyboard(self) -> None:
        screen = self._system.tasks.screen
        screen.view.keyboard = False
        if screen.popup is not None:
            screen.popup.view.keyboard = False
