"""The panel: physical size and density, what `wm` overrides, and the rotation."""

from collections.abc import Callable

from .settings_db import SettingsDb

BASELINE = 160
"""Density at which one dp is one pixel."""
LOW_DP = 480


class Display:
    """Sizes in pixels. `changed` is called when an override changes."""

    def __init__(
        self, width: int, height: int, density: int, settings: SettingsDb, changed: Callable[[], None]
    ) -> None:
        for name, value in (("width", width), ("height", height), ("density", density)):
            if value <= 0:
                raise ValueError(f"{name} must be positive, got {value}")
        self.physical_width, self.physical_height, self.physical_density = width, height, density
        self.size_override: tuple[int, int] | None = None
        self.density_override: int | None = None
        self.held = 0
        """Quarter turns of the phone in the hand, which show where auto-rotate is on."""
        self._settings = settings
        self._changed = changed

    @property
    def natural_size(self) -> tuple[int, int]:
        """Effective width and height in the natural orientation."""
        return self.size_override or (self.physical_width, self.physical_height)

    @property
    def density(self) -> int:
        """Effective density, dpi."""
        return self.density_override or self.physical_density

    @property
    def rotation(self) -> int:
        """Quarter turns, 0-3: `user_rotation`, or where auto-rotate is on how the phone is held, upright at first."""
        if self._settings.get_int("system", "accelerometer_rotation"):
            return self.held
        return self._settings.get_int("system", "user_rotation") % 4

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in the current rotation."""
        width, height = self.natural_size
        return (height, width) if self.rotation % 2 else (width, height)

    @property
    def size_dp(self) -> tuple[float, float]:
        """Width and height in the current rotation, dp."""
        width, height = self.size
        return width * BASELINE / self.density, height * BASELINE / self.density

    @property
    def low(self) -> bool:
        """Whether there is little height, as on a phone on its side: what must not be cut off is drawn smaller."""
        return self.size_dp[1] < LOW_DP

    def turn(self) -> None:
        """Turn the phone in the hand, clockwise by a quarter."""
        self.held = (self.held - 1) % 4
        self._changed()

    def override_size(self, size: tuple[int, int] | None) -> None:
        """Another logical size, natural orientation; None = the panel's own."""
        if size is not None and min(size) <= 0:
            raise ValueError(f"a display cannot be {size[0]}x{size[1]}")
        self.size_override = size
        self._changed()

    def override_density(self, density: int | None) -> None:
        """Another density; None = the panel's own."""
        if density is not None and density <= 0:
            raise ValueError(f"density must be positive, got {density}")
        self.density_override = density
        self._changed()
