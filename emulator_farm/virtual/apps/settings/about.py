"""System, languages, about the phone, and the developer options that seven taps unlock."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.date_time import DateTime
from emulator_farm.virtual.apps.settings.keyboards import Keyboards, ResetOptions
from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.dialogs import TextPrompt, choice
from emulator_farm.virtual.material import main_switch, section, switch_item
from emulator_farm.virtual.widgets import Widget

TAPS_NEEDED = 7
HINT_FROM = 4
"""Taps left at which the countdown shows."""
ANIMATION_SCALES = (
    ("Animation scale 1x", "1.0"),
    ("Animation off", "0"),
    ("Animation scale .5x", "0.5"),
    ("Animation scale 1.5x", "1.5"),
    ("Animation scale 2x", "2.0"),
    ("Animation scale 5x", "5.0"),
    ("Animation scale 10x", "10.0"),
)
LANGUAGES = (("en-US", "English (United States)"), ("zh-CN", "简体中文（中国）"), ("ar", "العربية"))
"""Tag and name of each language that the screens are written in."""
NAVIGATION = (("3-button navigation", "0"), ("Gesture navigation", "2"))


class SystemPage(Page):
    """Languages, gestures, time, backup, developer options."""

    title = "System"

    def rows(self) -> Sequence[Widget]:
        """Links."""
        rows = [
            self.link("Languages", Languages, "System languages, app languages", "language"),
            self.link("Keyboard", Keyboards, "On-screen keyboard, physical keyboard", "keyboard"),
            self.link("Gestures", Gestures, icon="touch_app"),
            self.link("Date & time", DateTime, "GMT+00:00", "schedule"),
            plain("Backup", "Off", icon="backup"),
            plain("System update", "Updated to Android 14", icon="mobile_arrow_down"),
            self.link("Reset options", ResetOptions, icon="history"),
        ]
        if self.system.flag("global", "development_settings_enabled"):
            rows.append(self.link("Developer options", Developer, icon="code"))
        return rows


class Languages(Page):
    """What language the phone speaks."""

    title = "Languages"

    def rows(self) -> Sequence[Widget]:
        """Language, region."""
        return (
            plain("System languages", self._name(), self._ask),
            plain("App languages", "Set the language for each app"),
            section("Regional preferences"),
            plain("Temperature", "Use default"),
            plain("First day of week", "Use default"),
        )

    def _name(self) -> str:
        return dict(LANGUAGES).get(self.system.locale, self.system.locale)

    def _ask(self) -> None:
        tags = [tag for tag, _ in LANGUAGES]
        chosen = tags.index(self.system.locale) if self.system.locale in tags else -1

        def choose(index: int) -> None:
            self.system.set_locale(tags[index])
            self.dismiss()

        self.show(choice("System languages", [name for _, name in LANGUAGES], chosen, choose, self.dismiss))


class Gestures(Page):
    """How to move around the phone."""

    title = "Gestures"

    def rows(self) -> Sequence[Widget]:
        """Navigation mode and others."""
        return (
            self.choose("Navigation mode", "secure/navigation_mode", NAVIGATION),
            self.toggle("Quickly open camera", "secure/camera_double_tap_power_gesture_disabled", on="0", off="1"),
            plain("Press & hold power button", "Access digital assistant"),
        )


class About(Page):
    """Names and numbers. Seven taps on the build number make a developer."""

    title = "About phone"
    taps = 0

    def rows(self) -> Sequence[Widget]:
        """Device, legal, versions."""
        props = self.system.props
        name = self.system.settings.get("global", "device_name") or ""
        return (
            section("Basic info"),
            plain("Device name", name, self._rename),
            section("Legal & regulatory"),
            plain("Legal information"),
            section("Device details"),
            plain("SIM status", "Active"),
            plain("Model", props.get("ro.product.model", "")),
            plain("EID", "89049032000000000000000000000001"),
            section("Device identifiers"),
            plain("IP address", "10.0.2.16" if self.system.flag("global", "wifi_on") else "Unavailable"),
            plain("Wi-Fi MAC address", "02:15:b2:00:00:00"),
            plain("Bluetooth address", "02:15:b2:00:00:01"),
            plain("Android version", props.get("ro.build.version.release", "")),
            plain("Android security update", props.get("ro.build.version.security_patch", "")),
            plain("Up time", _duration(self.system.clock.uptime_s())),
            plain("Build number", props.get("ro.build.display.id", ""), self._tapped),
        )

    def _rename(self) -> None:
        name = self.system.settings.get("global", "device_name") or ""
        self.show(TextPrompt("Device name", name, self._named, self.dismiss).popup())

    def _named(self, name: str) -> None:
        self.system.settings.put("global", "device_name", name)
        self.system.settings.put("secure", "bluetooth_name", name)
        self.dismiss()

    def _tapped(self) -> None:
        if self.system.flag("global", "development_settings_enabled"):
            self.system.toast("No need, you are already a developer.")
            return
        self.taps += 1
        left = TAPS_NEEDED - self.taps
        if left == 0:
            self.system.set_flag("global", "development_settings_enabled", True)
            self.system.toast("You are now a developer!")
        elif left <= HINT_FROM:
            steps = "step" if left == 1 else "steps"
            self.system.toast(f"You are now {left} {steps} away from being a developer.")


class Developer(Page):
    """Switches for people who build apps."""

    title = "Developer options"

    def rows(self) -> Sequence[Widget]:
        """Main switch, then debugging, input, drawing."""
        awake = self.system.settings.get_int("global", "stay_on_while_plugged_in") != 0
        return (
            main_switch("Use developer options", True, self._leave),
            switch_item("Stay awake", awake, self._stay_awake, "Screen will never sleep while charging"),
            section("Debugging"),
            self.toggle("USB debugging", "global/adb_enabled", "Debug mode when USB is connected"),
            section("Input"),
            self.toggle("Show taps", "system/show_touches", "Show visual feedback for taps"),
            self.toggle("Pointer location", "system/pointer_location", "Screen overlay showing current touch data"),
            section("Drawing"),
            self._scale("Window animation scale", "window_animation_scale"),
            self._scale("Transition animation scale", "transition_animation_scale"),
            self._scale("Animator duration scale", "animator_duration_scale"),
            note("These settings are for app development only."),
        )

    def _leave(self, on: bool) -> None:
        if not on:
            self.system.set_flag("global", "development_settings_enabled", False)
            self.close()

    def _stay_awake(self, on: bool) -> None:
        self.system.settings.put("global", "stay_on_while_plugged_in", "7" if on else "0")

    def _scale(self, title: str, key: str) -> Widget:
        value = float(self.system.settings.get("global", key) or 1)
        chosen = next((i for i, (_, each) in enumerate(ANIMATION_SCALES) if float(each) == value), -1)

        def choose(index: int) -> None:
            self.system.settings.put("global", key, ANIMATION_SCALES[index][1])
            self.dismiss()

        def ask() -> None:
            self.show(choice(title, [label for label, _ in ANIMATION_SCALES], chosen, choose, self.dismiss))

        return plain(title, ANIMATION_SCALES[chosen][0] if chosen >= 0 else f"Animation scale {value}x", ask)


def _duration(seconds: float) -> str:
    minutes = int(seconds) // 60
    return f"{minutes // 60}:{minutes % 60:02d}"
