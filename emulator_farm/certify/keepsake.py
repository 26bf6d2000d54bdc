"""What a phone was like before it was certified, so that it can be made so again."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass

from emulator_farm.devices.device import Device
from emulator_farm.devices.keyboard import IME
from emulator_farm.devices.looks import DUMP_FILE
from emulator_farm.devices.storage import Namespace
from emulator_farm.errors import DeviceError, Unsupported

_AIRPLANE = "airplane_mode_on"
_SETTINGS: tuple[tuple[Namespace, str], ...] = (
    ("global", "window_animation_scale"),
    ("global", "transition_animation_scale"),
    ("global", "animator_duration_scale"),
    ("global", "stay_on_while_plugged_in"),
    ("global", "heads_up_notifications_enabled"),
    ("global", "hidden_api_policy"),
    ("global", _AIRPLANE),
    ("secure", "stylus_handwriting_enabled"),
    ("secure", "enabled_input_methods"),
    ("secure", "default_input_method"),
    ("system", "accelerometer_rotation"),
    ("system", "user_rotation"),
)
"""All that a reset by `home` sets, and the checks turn."""
TRACE = "farm_certify"
"""What checks call the setting and the snapshot that they make."""
TRACE_FILE = f"/data/local/tmp/{TRACE}.bin"
_PACKAGE = IME.partition("/")[0]
_OVERRIDE = re.compile(r"Override size: (\d+x\d+)")


@dataclass(frozen=True)
class Keepsake:
    """Settings by name, None where there was none; whether our keyboard was installed; size override, "" for none."""

    settings: dict[tuple[Namespace, str], str | None]
    keyboard: bool
    size: str

    @classmethod
    def of(cls, device: Device) -> Keepsake:
        """Raises DeviceError where the phone does not say."""
        override = _OVERRIDE.search(device.shell("wm size").text)
        return cls(
            {(space, key): device.settings_get(space, key) for space, key in _SETTINGS},
            _PACKAGE in device.apps.installed(),
            override[1] if override else "",
        )

    def put_back(self, device: Device) -> None:
        """Make the phone so again, on its home screen. Raises DeviceError where it does not let us."""
        tidy(device)
        if self.size != (now := Keepsake.of(device)).size:
            device.shell(["wm", "size", self.size or "reset"])
        for (space, key), value in self.settings.items():
            if now.settings[space, key] == value:
                continue
            if key == _AIRPLANE:
                device.shell(f"cmd connectivity airplane-mode {'enable' if value == '1' else 'disable'}")
            elif value is None:
                device.settings_delete(space, key)
            else:
                device.settings_put(space, key, value)
        if now.keyboard and not self.keyboard:
            device.transport.shell(["pm", "uninstall", _PACKAGE])
        device.shell(["rm", "-f", DUMP_FILE])


def tidy(device: Device) -> None:
    """Remove what a check leaves that was broken off in the middle; end on the home screen."""
    device.transport.shell("vphone fault window off")  # unknown to other phones
    device.shell("input keyevent 224")
    if device.keyboard.current() == IME:
        device.keyboard.clear_text()
    device.go_home()
    device.force_stop("com.android.settings")
    device.settings_delete("global", TRACE)
    device.shell(["rm", "-f", TRACE_FILE])
    with contextlib.suppress(Unsupported, DeviceError):
        if TRACE in device.snapshots.names():
            device.snapshots.delete(TRACE)
