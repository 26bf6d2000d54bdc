"""The remaining pages: notifications, battery, storage, wallpaper, accessibility, security, privacy, location."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.comfort import (
    SAVER_LEVELS,
    Captions,
    ColorAndMotion,
    LocationServices,
    Timing,
)
from emulator_farm.virtual.apps.settings.display import TextSize
from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.apps.settings.screen_lock import ChooseLock
from emulator_farm.virtual.apps.settings.sound import DoNotDisturb
from emulator_farm.virtual.material import main_switch, section
from emulator_farm.virtual.widgets import FILL, Column, Row, Space, Text, Widget, pad

STORAGE = (("System", 9.1), ("Apps", 2.4), ("Images", 0.6), ("Videos", 0.0), ("Documents & other", 0.1), ("Trash", 0.0))
"""Category and gigabytes used."""
STORAGE_TOTAL = 32


class Notifications(Page):
    """What may notify, and how loudly."""

    title = "Notifications"

    def rows(self) -> Sequence[Widget]:
        """Manage, history, lock screen, dots."""
        dnd = self.system.flag("global", "zen_mode")
        return (
            section("Manage"),
            plain("App settings", "Control notifications from individual apps"),
            self.toggle("Notification history", "secure/notification_history_enabled"),
            section("Privacy"),
            self.toggle("Sensitive notifications", "secure/lock_screen_allow_private_notifications"),
            section("General"),
            self.link("Do Not Disturb", DoNotDisturb, "On" if dnd else "Off"),
            self.toggle("Hide silent notifications in status bar", "secure/hide_silent_icons"),
            self.toggle("Allow notification snoozing", "secure/show_notification_snooze"),
            self.toggle("Notification dot on app icon", "secure/notification_badging"),
        )


class Battery(Page):
    """Charge and saving it."""

    title = "Battery"

    def rows(self) -> Sequence[Widget]:
        """Level, usage, saver."""
        level = self.system.battery_level
        state = "Charging" if self.system.charging else "About 1 day, 4 hr left"
        saver = self.system.flag("global", "low_power")
        return (
            Text(id="usage_summary", text=f"{level}%", size=45, w=FILL, pad=pad(24, 0)),
            Text(id="total_summary", text="Fully charged" if level == 100 else state, size=16, w=FILL, pad=pad(24, 8)),
            plain("Battery usage", "View usage from last full charge"),
            self.link("Battery Saver", BatterySaver, "On" if saver else "Off"),
            self.toggle("Adaptive Battery", "global/adaptive_battery_management_enabled"),
            self.toggle(
                "Battery percentage", "system/status_bar_show_battery_percent", "Show battery percentage in status bar"
            ),
        )


class BatterySaver(Page):
    """Longer life, less done."""

    title = "Battery Saver"

    def rows(self) -> Sequence[Widget]:
        """The switch."""
        on = self.system.flag("global", "low_power")
        return (
            main_switch("Use Battery Saver", on, lambda now: self.system.set_flag("global", "low_power", now)),
            self.choose("Set a schedule", "global/low_power_trigger_level", SAVER_LEVELS),
            note("Battery Saver turns on Dark theme and limits background activity and some visual effects."),
        )


class Storage(Page):
    """Space used, by kind."""

    title = "Storage"

    def rows(self) -> Sequence[Widget]:
        """Total, bar, categories."""
        used = sum(size for _, size in STORAGE)
        bar = Row(
            w=FILL, h=8, bg="outline_variant", radius=4, hidden=True,
            children=(Space(grow=used, h=8, bg="primary", radius=4), Space(grow=STORAGE_TOTAL - used)),
        )  # fmt: skip
        head = Column(
            w=FILL, pad=pad(24, 8), gap=12,
            children=(
                Text(id="usage_summary", text=f"{used:.1f} GB used", size=28),
                Text(id="total_summary", text=f"of {STORAGE_TOTAL} GB", size=16),
                bar,
            ),
        )  # fmt: skip
        return (head, plain("Free up space"), *(plain(name, f"{size:.1f} GB") for name, size in STORAGE))


class Wallpaper(Page):
    """Looks of home and lock screen."""

    title = "Wallpaper & style"

    def rows(self) -> Sequence[Widget]:
        """Links without pages."""
        return (
            plain("Wallpaper", "Dusk"),
            plain("Wallpaper colors", "Basic colors"),
            self.toggle("Themed icons", "secure/themed_icons"),
            plain("App grid", "4 × 5"),
        )


class Accessibility(Page):
    """Screen readers, display, interaction."""

    title = "Accessibility"

    def rows(self) -> Sequence[Widget]:
        """By kind."""
        return (
            section("Display"),
            self.link("Display size and text", TextSize, icon="text_fields"),
            self.link("Color and motion", ColorAndMotion, icon="palette"),
            self.toggle("Color inversion", "secure/accessibility_display_inversion_enabled", icon="contrast"),
            self.toggle("Extra dim", "secure/reduce_bright_colors_activated", icon="dark_mode"),
            self.toggle("Magnification", "secure/accessibility_display_magnification_enabled", icon="zoom_in"),
            section("Audio"),
            self.toggle("Mono audio", "system/master_mono", "Combine channels when playing audio", icon="hearing"),
            section("General"),
            self.link("Timing controls", Timing, icon="timer"),
            self.link("Caption preferences", Captions, icon="assistant"),
            plain("Accessibility shortcuts", icon="accessibility_new"),
        )


class Security(Page):
    """Lock, device, SIM."""

    title = "Security"

    def rows(self) -> Sequence[Widget]:
        """Status and switches."""
        lock = self.system.ui.lock
        return (
            plain("App security", "No issues found", icon="verified_user"),
            section("Device unlock"),
            self.link("Screen lock", ChooseLock, "PIN" if lock.secure else "Swipe" if lock.enabled else "None", "lock"),
            plain("Find My Device", "Off", icon="mobile"),
            section("More"),
            self.toggle("Show passwords", "system/show_password", "Display characters briefly as you type"),
            self.toggle("Confirm SIM deletion", "global/confirm_sim_deletion"),
            plain("Encryption & credentials", "Encrypted"),
        )


class Privacy(Page):
    """Who may see what."""

    title = "Privacy"

    def rows(self) -> Sequence[Widget]:
        """Controls."""
        return (
            plain("Privacy dashboard", "Show which apps recently used permissions"),
            plain("Permission manager", "Control app access to your data"),
            self.toggle("Camera access", "secure/camera_access", "For apps and services"),
            self.toggle("Microphone access", "secure/microphone_access", "For apps and services"),
            self.toggle(
                "Show clipboard access",
                "secure/clipboard_show_access_notifications",
                "Show a message when apps read it",
            ),
            plain("Ads", "Advertising ID"),
        )


class Location(Page):
    """Whether apps may know where the phone is."""

    title = "Location"

    def rows(self) -> Sequence[Widget]:
        """The switch and recent access."""
        on = self.system.flag("secure", "location_mode")
        return (
            main_switch("Use location", on, self._switch),
            plain("Recent access", "No apps recently accessed location", enabled=on),
            plain("App location permissions", "0 of 4 apps have access", enabled=on),
            self.link("Location services", LocationServices, "Wi-Fi scanning, Bluetooth scanning", enabled=on),
            note(
                "Location may use sources like GPS, Wi-Fi, mobile networks, and sensors to help estimate the location."
            ),
        )

    def _switch(self, on: bool) -> None:
        self.system.settings.put("secure", "location_mode", "3" if on else "0")
