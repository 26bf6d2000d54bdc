"""Input methods: which are installed, enabled and current, and whether one is now on the screen."""

from collections.abc import Callable

from .defaults import ADB_IME, ADBKEYBOARD_IME, LATIN_IME
from .settings_db import SettingsDb


class UnknownInputMethod(LookupError):
    """No such input method is installed."""

    def __init__(self, ime: str, installed: "list[str]") -> None:
        super().__init__(f"unknown input method {ime!r}; installed: {', '.join(installed)}")
        self.ime = ime


class InputMethods:
    """A view of the secure settings that hold the enabled and the current keyboard; ids look like `pkg/.Cls`."""

    def __init__(self, settings: SettingsDb, present: Callable[[str], bool] = lambda package: True) -> None:
        """`present(package)` says whether a package is installed."""
        self._settings = settings
        self._present = present
        self.probe: Callable[[], bool] = lambda: False
        """Says whether a focused field is being served; set by the phone."""

    @property
    def installed(self) -> list[str]:
        """The input methods of all installed packages."""
        return [ime for ime in (LATIN_IME, ADB_IME, ADBKEYBOARD_IME) if self._present(ime.partition("/")[0])]

    @property
    def shown(self) -> bool:
        """True while an input method serves a focused field and has not been dismissed."""
        return self.probe()

    @property
    def enabled(self) -> list[str]:
        """Enabled input methods, in the order they were enabled."""
        value = self._settings.get("secure", "enabled_input_methods") or ""
        return [ime.partition(";")[0] for ime in value.split(":") if ime]

    @property
    def current(self) -> str:
        """The input method in use; empty where none is."""
        return self._settings.get("secure", "default_input_method") or ""

    @property
    def draws_keys(self) -> bool:
        """True where the current input method shows a keyboard on the screen (the ADB keyboards do not)."""
        return self.current == LATIN_IME

    def enable(self, ime: str) -> bool:
        """Enable; True where it was not enabled before. Raises UnknownInputMethod."""
        self._check(ime)
        if ime in self.enabled:
            return False
        self._settings.put("secure", "enabled_input_methods", ":".join([*self.enabled, ime]))
        return True

    def disable(self, ime: str) -> bool:
        """Disable, falling back to another; True where it was enabled. Raises UnknownInputMethod."""
        self._check(ime)
        if ime not in self.enabled:
            return False
        rest = [other for other in self.enabled if other != ime]
        self._settings.put("secure", "enabled_input_methods", ":".join(rest))
        if self.current == ime:
            self._settings.put("secure", "default_input_method", rest[0] if rest else "")
        return True

    def set(self, ime: str) -> None:
        """Make an enabled input method the current one. Raises UnknownInputMethod."""
        if ime not in self.enabled:
            raise UnknownInputMethod(ime, self.enabled)
        self._settings.put("secure", "default_input_method", ime)

    def reset(self) -> None:
        """Back to the system's own keyboard, with the shipped set enabled."""
        self._settings.put("secure", "enabled_input_methods", f"{LATIN_IME}:{ADB_IME}")
        self._settings.put("secure", "default_input_method", LATIN_IME)

    def _check(self, ime: str) -> None:
        if ime not in self.installed:
            raise UnknownInputMethod(ime, self.installed)
