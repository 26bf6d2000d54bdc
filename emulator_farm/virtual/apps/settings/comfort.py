"""Below Display, Sound, Battery and Accessibility: how the phone looks, sounds and waits."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.page import Page, note
from emulator_farm.virtual.material import main_switch, section, switch_item
from emulator_farm.virtual.widgets import FILL, Column, Slider, Text, Widget, pad

SOUNDS = "content://media/internal/audio/media/"
RINGTONES = tuple(
    (name, f"{SOUNDS}{number}") for name, number in (("Flutey Phone", 47), ("Copper Bell", 48), ("Night Train", 49))
)
NOTIFICATION_SOUNDS = tuple(
    (name, f"{SOUNDS}{number}") for name, number in (("Ariel", 31), ("Pebble", 32), ("Tin Cup", 33))
)
ALARM_SOUNDS = tuple(
    (name, f"{SOUNDS}{number}") for name, number in (("Cesium", 12), ("Early Bird", 13), ("Long Wave", 14))
)
"""Names with the URIs that Android keeps in `system`."""
NIGHT_SCHEDULES = (("None", "0"), ("Turns on at custom time", "1"), ("Turns on from sunset to sunrise", "2"))
DELAYS = (("Short (0.4 seconds)", "400"), ("Medium (1 second)", "1000"), ("Long (1.5 seconds)", "1500"))
SAVER_LEVELS = (("No schedule", "0"), ("At 5%", "5"), ("At 10%", "10"), ("At 20%", "20"), ("At 50%", "50"))
ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")


class NightLight(Page):
    """An amber screen for the evening."""

    title = "Night Light"

    def rows(self) -> Sequence[Widget]:
        """Switch, schedule, strength."""
        system = self.system
        on = system.flag("secure", "night_display_activated")
        warmth = system.settings.get_int("secure", "night_display_color_temperature") or 2850
        slider = Slider(
            id="android:seekbar", key="intensity", desc="Intensity", value=warmth, low=2596, high=4082, w=FILL,
            enabled=on, text=str(warmth),
            on_change=lambda value: system.settings.put("secure", "night_display_color_temperature", str(value)),
        )  # fmt: skip
        return (
            main_switch("Use Night Light", on, lambda now: system.set_flag("secure", "night_display_activated", now)),
            self.choose("Schedule", "secure/night_display_auto_mode", NIGHT_SCHEDULES),
            Column(w=FILL, pad=pad(24, 8), children=(Text(id="android:title", text="Intensity", size=18), slider)),
            note("Night Light tints your screen amber. This makes it easier to look at your screen in dim light."),
        )


class ScreenSaver(Page):
    """What shows while the phone charges."""

    title = "Screen saver"

    def rows(self) -> Sequence[Widget]:
        """Switch and when."""
        return (
            self.toggle("Use screen saver", "secure/screensaver_enabled"),
            section("When to start"),
            self.toggle("While charging", "secure/screensaver_activate_on_sleep"),
            self.toggle("While docked", "secure/screensaver_activate_on_dock"),
        )


class Timing(Page):
    """How long touches and messages take."""

    title = "Timing controls"

    def rows(self) -> Sequence[Widget]:
        """Delays."""
        return (
            self.choose("Touch & hold delay", "secure/long_press_timeout", DELAYS),
            self.choose(
                "Time to take action", "secure/accessibility_interactive_ui_timeout_ms",
                (("Default", "0"), ("10 seconds", "10000"), ("30 seconds", "30000"), ("1 minute", "60000")),
            ),
        )  # fmt: skip


class ColorAndMotion(Page):
    """Colours that are easier to tell apart, and less movement."""

    title = "Color and motion"

    def rows(self) -> Sequence[Widget]:
        """Switches."""
        settings = self.system.settings
        still = all(float(settings.get("global", key) or 1) == 0 for key in ANIMATIONS)
        return (
            self.toggle("Color correction", "secure/accessibility_display_daltonizer_enabled"),
            self.toggle("Color inversion", "secure/accessibility_display_inversion_enabled"),
            switch_item("Remove animations", still, self._animate, "Reduce movement on the screen"),
            self.toggle("Large mouse pointer", "secure/accessibility_large_pointer_icon"),
        )

    def _animate(self, still: bool) -> None:
        for key in ANIMATIONS:
            self.system.settings.put("global", key, "0" if still else "1.0")


class Captions(Page):
    """Text to what is heard."""

    title = "Caption preferences"

    def rows(self) -> Sequence[Widget]:
        """Switch, size and style."""
        return (
            self.toggle("Show captions", "secure/accessibility_captioning_enabled"),
            self.choose(
                "Text size", "secure/accessibility_captioning_font_scale",
                (("100%", "1.0"), ("50%", "0.5"), ("150%", "1.5"), ("200%", "2.0")),
            ),
            self.choose(
                "Caption style", "secure/accessibility_captioning_preset",
                (("Set by app", "4"), ("White on black", "0"), ("Black on white", "1"), ("Yellow on black", "2")),
            ),
        )  # fmt: skip


class LocationServices(Page):
    """Radios that may look around while they are off."""

    title = "Location services"

    def rows(self) -> Sequence[Widget]:
        """Switches."""
        return (
            self.toggle("Wi-Fi scanning", "global/wifi_scan_always_enabled", "Scan even when Wi-Fi is off"),
            self.toggle("Bluetooth scanning", "global/ble_scan_always_enabled", "Scan even when Bluetooth is off"),
        )
