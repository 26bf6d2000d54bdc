"""How the screen is locked: not at all, by a swipe, or by a PIN; kept in the secure settings as a digest."""

import hashlib

from .settings_db import SettingsDb

DISABLED, KIND, DIGEST = "lockscreen.disabled", "lockscreen.password_type", "lockscreen.password_digest"
NUMERIC = "131072"
"""What Android calls a PIN in `lockscreen.password_type`."""
MIN_DIGITS = 4


class ScreenLock:
    """A view of the settings that hold the lock. Factory state: none."""

    def __init__(self, settings: SettingsDb) -> None:
        self._settings = settings

    @property
    def enabled(self) -> bool:
        """Whether there is a lock screen."""
        return self.secure or self._settings.get_int("secure", DISABLED) == 0

    @property
    def secure(self) -> bool:
        """Whether it asks for a PIN."""
        return bool(self._settings.get("secure", DIGEST))

    def set_disabled(self, disabled: bool) -> None:
        """No lock screen, or one that goes by a swipe; a PIN stays."""
        self._settings.put("secure", DISABLED, str(int(disabled)))

    def set_pin(self, pin: str) -> None:
        """Ask for this PIN from now on. Raises ValueError for one that is not at least four digits."""
        if not (pin.isdecimal() and len(pin) >= MIN_DIGITS):
            raise ValueError(f"a PIN has at least {MIN_DIGITS} digits, got {len(pin)} characters")
        self._settings.put("secure", DIGEST, _digest(pin))
        self._settings.put("secure", KIND, NUMERIC)
        self.set_disabled(False)

    def clear_pin(self) -> None:
        """Back to a swipe."""
        self._settings.delete("secure", DIGEST)
        self._settings.delete("secure", KIND)

    def verify(self, pin: str) -> bool:
        """Whether this is the PIN; any is where none is set."""
        return not self.secure or self._settings.get("secure", DIGEST) == _digest(pin)


def _digest(pin: str) -> str:
    return hashlib.sha256(pin.encode()).hexdigest()
