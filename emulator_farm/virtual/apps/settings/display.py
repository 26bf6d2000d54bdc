"""Display: brightness, dark theme, screen timeout, text size, rotation."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.comfort import NightLight, ScreenSaver
from emulator_farm.virtual.apps.settings.page import Page, plain
from emulator_farm.virtual.material import icon_button, section, switch_item
from emulator_farm.virtual.screen import Popup
from emulator_farm.virtual.widgets import FILL, Column, Icon, Row, Slider, Text, Widget, pad

TIMEOUTS = (
    ("15 seconds", "15000"),
    ("30 seconds", "30000"),
    ("1 minute", "60000"),
    ("2 minutes", "120000"),
    ("5 minutes", "300000"),
    ("10 minutes", "600000"),
    ("30 minutes", "1800000"),
)
FONT_SCALES = ("0.85", "1.0", "1.15", "1.3", "1.5", "1.8", "2.0")
FONT_NAMES = ("Small", "Default", "Large", "Larger", "Very large", "Huge", "Largest")
MAX_BRIGHTNESS = 255


class Display(Page):
    """Looks of the screen."""

    title = "Display"

    def rows(self) -> Sequence[Widget]:
        """Brightness, lock display, appearance, colour."""
        level = self.system.settings.get_int("system", "screen_brightness")
        night = self.system.flag("secure", "night_display_activated")
        saver = self.system.flag("secure", "screensaver_enabled")
        return (
            section("Brightness"),
            plain("Brightness level", f"{round(100 * level / MAX_BRIGHTNESS)}%", on_tap=self._ask_brightness),
            self.toggle("Adaptive brightness", "system/screen_brightness_mode"),
            section("Lock display"),
            plain("Lock screen", "Show all notification content"),
            self.choose("Screen timeout", "system/screen_off_timeout", TIMEOUTS),
            section("Appearance"),
            switch_item("Dark theme", self.system.dark, self._set_dark, "On" if self.system.dark else "Off"),
            self.link("Display size and text", TextSize, _scale_name(self.system.font_scale)),
            section("Color"),
            self.link("Night Light", NightLight, "On" if night else "Off"),
            section("Other display controls"),
            self.toggle("Auto-rotate screen", "system/accelerometer_rotation"),
            self.link("Screen saver", ScreenSaver, "On" if saver else "Off"),
        )

    def _set_dark(self, on: bool) -> None:
        self.system.settings.put("secure", "ui_night_mode", "2" if on else "1")

    def _ask_brightness(self) -> None:
        self.show(Popup(self._brightness_card, anchor=(0.5, 0.04)))

    def _brightness_card(self) -> Widget:
        level = self.system.settings.get_int("system", "screen_brightness")
        slider = Slider(
            id="com.android.systemui:slider", desc="Display brightness", value=level, low=0, high=MAX_BRIGHTNESS,
            grow=1, text=str(level), on_change=self._set_brightness,
        )  # fmt: skip
        return Row(
            w=380, bg="surface_high", radius=28, pad=pad(16, 12), gap=8, children=(Icon(name="brightness_6"), slider)
        )

    def _set_brightness(self, level: int) -> None:
        self.system.settings.put("system", "screen_brightness", str(level))


class TextSize(Page):
    """The font size, with a sample."""

    title = "Display size and text"

    def rows(self) -> Sequence[Widget]:
        """Sample text and slider."""
        index = _scale_index(self.system.font_scale)
        sample = Column(
            w=FILL, bg="surface_container", radius=24, pad=pad(24, 24), gap=12,
            children=(
                Text(id="preview_title", text="The quick walk", size=20),
                Text(id="preview_text", text="We left early and followed the river to the mill.", size=14),
            ),
        )  # fmt: skip
        slider = Slider(
            id="android:seekbar", desc="Font size", value=index, low=0, high=len(FONT_SCALES) - 1, grow=1,
            text=FONT_NAMES[index], on_change=self._choose,
        )  # fmt: skip
        smaller = icon_button("remove", "Make smaller", lambda: self._choose(index - 1), "icon_start")
        larger = icon_button("add", "Make larger", lambda: self._choose(index + 1), "icon_end")
        return (
            Column(w=FILL, pad=pad(16, 0), children=(sample,)),
            plain("Font size", "Make text bigger or smaller"),
            Row(w=FILL, pad=pad(16, 0), children=(smaller, slider, larger)),
            self.toggle("Bold text", "secure/font_weight_adjustment", on="300"),
        )

    def _choose(self, index: int) -> None:
        index = min(max(0, index), len(FONT_SCALES) - 1)
        self.system.settings.put("system", "font_scale", FONT_SCALES[index])


def _scale_index(scale: float) -> int:
    return min(range(len(FONT_SCALES)), key=lambda index: abs(float(FONT_SCALES[index]) - scale))


def _scale_name(scale: float) -> str:
    return f"Font size: {FONT_NAMES[_scale_index(scale)]}"
