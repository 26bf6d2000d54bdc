"""Sound & vibration: volumes and Do Not Disturb."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.comfort import ALARM_SOUNDS, NOTIFICATION_SOUNDS, RINGTONES
from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.material import filled_button
from emulator_farm.virtual.widgets import FILL, Column, Icon, Row, Slider, Text, Widget, pad

VOLUMES = (
    ("Media volume", "volume_music_speaker", 15, "music_note"),
    ("Call volume", "volume_voice", 7, "call"),
    ("Ring volume", "volume_ring", 7, "volume_up"),
    ("Notification volume", "volume_notification", 7, "notifications"),
    ("Alarm volume", "volume_alarm", 7, "alarm"),
)
"""Title, key in `system`, highest step, icon."""


class Sound(Page):
    """Volumes and sounds."""

    title = "Sound & vibration"

    def rows(self) -> Sequence[Widget]:
        """A slider for each stream, then links."""
        dnd = self.system.flag("global", "zen_mode")
        return (
            *(self._volume(*each) for each in VOLUMES),
            self.link("Do Not Disturb", DoNotDisturb, "On" if dnd else "Off"),
            self.choose("Phone ringtone", "system/ringtone", RINGTONES),
            self.choose("Default notification sound", "system/notification_sound", NOTIFICATION_SOUNDS),
            self.choose("Default alarm sound", "system/alarm_alert", ALARM_SOUNDS),
            self.toggle("Vibrate for calls", "system/vibrate_when_ringing"),
            self.toggle("Dial pad tones", "system/dtmf_tone"),
            self.toggle("Touch sounds", "system/sound_effects_enabled"),
            self.toggle("Touch feedback", "system/haptic_feedback_enabled"),
        )

    def _volume(self, title: str, key: str, high: int, icon: str) -> Widget:
        level = self.system.settings.get_int("system", key)
        slider = Slider(
            id="android:seekbar", key=key, desc=title, value=level, low=0, high=high, w=FILL, text=str(level),
            on_change=lambda value: self.system.settings.put("system", key, str(value)),
        )  # fmt: skip
        words = Column(w=FILL, grow=1, children=(Text(id="android:title", text=title, size=18), slider))
        symbol = Icon(id="android:icon", name="volume_off" if level == 0 else icon, color="on_surface")
        return Row(w=FILL, pad=pad(24, 10), gap=24, children=(symbol, words))


class DoNotDisturb(Page):
    """Silence with exceptions."""

    title = "Do Not Disturb"

    def rows(self) -> Sequence[Widget]:
        """The button and what may interrupt."""
        on = self.system.flag("global", "zen_mode")
        text = "Turn off now" if on else "Turn on now"
        name = "zen_mode_settings_turn_off_button" if on else "zen_mode_settings_turn_on_button"
        button = filled_button(text, self._switch, name, tonal=on)
        return (
            note("Your phone only makes sounds for people and apps that you choose."),
            Row(w=FILL, pad=pad(24, 12), children=(button,)),
            plain("People", "Some people can interrupt"),
            plain("Apps", "No apps can interrupt"),
            plain("Alarms & other interruptions", "Alarms and media can interrupt"),
            plain("Schedules", "1 schedule can turn on automatically"),
        )

    def _switch(self) -> None:
        on = not self.system.flag("global", "zen_mode")
        self.system.set_flag("global", "zen_mode", on)
