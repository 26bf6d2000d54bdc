"""Colours by role, light and dark: the plain Material 3 scheme of a stock Android 14."""

from typing import Literal

Color = tuple[int, int, int]
Role = Literal[
    "surface",
    "surface_container",
    "surface_high",
    "on_surface",
    "on_surface_variant",
    "disabled",
    "primary",
    "on_primary",
    "primary_container",
    "on_primary_container",
    "secondary_container",
    "on_secondary_container",
    "outline",
    "outline_variant",
    "error",
    "keyboard",
    "key",
    "key_dark",
    "white",
    "black",
    "scrim",
    "wallpaper",
]


def _color(text: str) -> Color:
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


def _palette(**roles: str) -> dict[str, Color]:
    return {role: _color(text) for role, text in roles.items()}


LIGHT = _palette(
    surface="f0f0f3",
    surface_container="f9f9ff",
    surface_high="ffffff",
    on_surface="191c1e",
    on_surface_variant="40484d",
    disabled="a9adb1",
    primary="00658e",
    on_primary="ffffff",
    primary_container="c7e7ff",
    on_primary_container="001e2e",
    secondary_container="d2e5f5",
    on_secondary_container="0b1d29",
    outline="71787e",
    outline_variant="c6cacf",
    error="ba1a1a",
    keyboard="e4e7ec",
    key="fbfcff",
    key_dark="cbd3db",
    white="ffffff",
    black="000000",
    scrim="000000",
    wallpaper="20476b",
)
DARK = _palette(
    surface="111416",
    surface_container="1d2023",
    surface_high="282b2e",
    on_surface="e1e2e5",
    on_surface_variant="c1c7ce",
    disabled="5f6468",
    primary="85cfff",
    on_primary="00344c",
    primary_container="004c6c",
    on_primary_container="c7e7ff",
    secondary_container="384956",
    on_secondary_container="d2e5f5",
    outline="8b9198",
    outline_variant="41484d",
    error="ffb4ab",
    keyboard="1b1f23",
    key="343a40",
    key_dark="262b30",
    white="ffffff",
    black="000000",
    scrim="000000",
    wallpaper="14263a",
)
AVATARS: tuple[Color, ...] = tuple(
    _color(text) for text in ("5c6bc0", "00897b", "c2185b", "6d4c41", "7b1fa2", "2e7d32", "d84315", "00695c", "455a64")
)
SCRIM_ALPHA = 0.45


class Theme:
    """One colour scheme."""

    def __init__(self, dark: bool) -> None:
        self.dark = dark
        self._palette = DARK if dark else LIGHT

    def color(self, role: "Role | Color") -> Color:
        """The colour of a role; a colour stands for itself."""
        return role if isinstance(role, tuple) else self._palette[role]


THEMES = {False: Theme(False), True: Theme(True)}
