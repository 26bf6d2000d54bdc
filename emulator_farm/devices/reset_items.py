"""What episodes leave behind on a phone: how each thing is asked for, what it should be, and what mends it.

Everything is shell without root. An item that has no wanted value of its own shall be what it was when the farm first
met the phone, for how people set their phones up is theirs to choose.
"""

from __future__ import annotations

import operator
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from emulator_farm.devices.dumpsys import (
    UnexpectedReply,
    dialog_of,
    focus,
    keyboard_shown,
    locked,
    main_display,
    wakefulness,
)
from emulator_farm.devices.keyboard import IME
from emulator_farm.devices.replies import call_states, recent_tasks, resolved_activity, settings_list
from emulator_farm.devices.transport import shell_line

HOME = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME"
WINDOWS = "dumpsys window displays"
_RECENTS = "dumpsys activity recents"
_CLOCK_TOLERANCE_S = 60


@dataclass(frozen=True)
class Item:
    """One thing. `read` makes a word of what the `asks` wrote; `mend` is the shell line for (wanted, found)."""

    name: str
    asks: tuple[str, ...]
    read: Callable[..., str]
    mend: Callable[[str, str], str]
    wanted: str | None = None
    """None: as the phone was found."""
    fits: Callable[[str, str], bool] = operator.eq
    """Whether (wanted, found) will do."""


def is_command(line: str) -> Callable[[str, str], str]:
    """The same line whatever was found."""
    return lambda _wanted, _found: line


def _setting(namespace: str, key: str, wanted: str | None = None) -> Item:
    def read(text: str) -> str:
        return _plain(settings_list(text).get(key, "null"))

    def mend(value: str, _found: str) -> str:
        none = value == "null"  # how the phone writes that there is none
        return shell_line(["settings", *(("delete", namespace, key) if none else ("put", namespace, key, value))])

    return Item(key, (f"settings list {namespace}",), read, mend, wanted)


def _radio(key: str, name: str, on: str, off: str, wanted: str | None = None) -> Item:
    def read(text: str) -> str:
        return "off" if settings_list(text).get(key, "0") in ("0", "null") else "on"

    return Item(name, ("settings list global",), read, lambda value, _found: on if value == "on" else off, wanted)


def _plain(value: str) -> str:
    """Numbers are written as `1`, `1.0` and more."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return value


def _lock(text: str) -> str:
    return "locked" if locked(text) else "unlocked"


def _calls(text: str) -> str:
    return "none" if not any(call_states(text)) else "a call"


def _dialog(text: str) -> str:
    window = focus(text).window
    return window if window is not None and dialog_of(window) else "none"


def _close_dialog(_wanted: str, found: str) -> str:
    package = dialog_of(found)
    return shell_line(["am", "force-stop", package]) if package else ""


def _shade(text: str) -> str:
    return "open" if focus(text).window == "NotificationShade" else "closed"


def _recents(text: str, home: str) -> str:
    launcher = resolved_activity(home)
    tasks = [task for task in recent_tasks(text) if launcher is None or task.package != launcher.package]
    return " ".join(f"{task.number}:{task.package}" for task in tasks) or "none"


def _close_recents(_wanted: str, found: str) -> str:
    tasks = [task.partition(":")[::2] for task in found.split()]
    lines = (f"am stack remove {number}; {shell_line(['am', 'force-stop', package])}" for number, package in tasks)
    return "; ".join(lines)


def _rotation(text: str) -> str:
    return str(main_display(text).rotation)


def _front(home: str, windows: str) -> str:
    launcher = resolved_activity(home)
    if launcher is None:
        raise UnexpectedReply("an app that is the home screen", home)
    seen = focus(windows)
    app = seen.component
    if app is None or app.package != launcher.package or seen.window != str(app) or "Recents" in app.activity:
        return str(seen.window)
    return "home"


def _keyboard_shown(text: str) -> str:
    return "shown" if keyboard_shown(text) else "hidden"


def _override(text: str) -> str:
    found = re.search(r"^Override \w+: (\w+)", text, re.MULTILINE)
    return found[1] if found else "reset"


def _night(text: str) -> str:
    found = re.search(r"Night mode: (\w+)", text)
    return found[1] if found else "unknown"


def _locale(text: str) -> str:
    """The language tags of `config: mcc310-mnc260-en-rUS-ldltr-…`."""
    found = re.search(r"^\s*config: (?:mcc\d+-)?(?:mnc\d+-)?(.+?)-ld(?:ltr|rtl)", text, re.MULTILINE)
    if not found:
        raise UnexpectedReply("a configuration with its language", text)
    return found[1].replace("-r", "-").replace("b+", "").replace("+", "-")


def _offset(text: str) -> str:
    """Seconds that the phone's clock is ahead of ours."""
    if not text.strip().isdecimal():
        raise UnexpectedReply("seconds since 1970", text)
    return str(int(text) - round(time.time()))


def _near(wanted: str, found: str) -> bool:
    return abs(int(wanted) - int(found)) <= _CLOCK_TOLERANCE_S


_DND = {"0": "off", "1": "priority", "2": "none", "3": "alarms"}

_AWAKE = Item("awake", ("dumpsys power",), wakefulness, is_command("input keyevent 224"), "Awake")
_UNLOCKED = Item(
    "lock", ("dumpsys window policy",), _lock, is_command("{ wm dismiss-keyguard || input keyevent 82; }"), "unlocked"
)
_SWITCHES = (
    _setting("global", "window_animation_scale", "0"),
    _setting("global", "transition_animation_scale", "0"),
    _setting("global", "animator_duration_scale", "0"),
    _setting("global", "stay_on_while_plugged_in", "7"),
    _setting("global", "heads_up_notifications_enabled", "0"),
    _setting("global", "hidden_api_policy", "1"),
    _setting("secure", "stylus_handwriting_enabled", "0"),
    _setting("system", "accelerometer_rotation", "0"),
    _setting("system", "user_rotation", "0"),
)

FIXED = (
    _AWAKE,
    _UNLOCKED,
    Item("call", ("dumpsys telephony.registry",), _calls, is_command("input keyevent 6"), "none"),
    Item("dialog", (WINDOWS,), _dialog, _close_dialog, "none"),
    Item("shade", (WINDOWS,), _shade, is_command("cmd statusbar collapse"), "closed"),
    *_SWITCHES,
    Item("rotation", (WINDOWS,), _rotation, is_command("settings put system user_rotation 0"), "0"),
    _radio("airplane_mode_on", "airplane", "true", "cmd connectivity airplane-mode disable", "off"),
)
"""What every phone shall be like before an episode."""

FOUND = (
    Item("size", ("wm size",), _override, lambda wanted, _found: f"wm size {wanted}"),
    Item("density", ("wm density",), _override, lambda wanted, _found: f"wm density {wanted}"),
    Item("night", ("cmd uimode night",), _night, lambda wanted, _found: f"cmd uimode night {wanted}"),
    Item(
        "locale", ("am get-config",), _locale,
        lambda wanted, _found: shell_line(["settings", "put", "system", "system_locales", wanted]),
    ),
    Item(
        "screen_lock", ("locksettings get-disabled",), str.strip,
        lambda wanted, _found: shell_line(["locksettings", "set-disabled", wanted]),
    ),
    _radio("wifi_on", "wifi", "svc wifi enable", "svc wifi disable"),
    _radio("bluetooth_on", "bluetooth", "svc bluetooth enable", "svc bluetooth disable"),
    _radio("mobile_data", "mobile_data", "svc data enable", "svc data disable"),
    Item(
        "zen_mode", ("settings list global",), lambda text: settings_list(text).get("zen_mode", "0"),
        lambda wanted, _found: f"cmd notification set_dnd {_DND.get(wanted, 'off')}",
    ),
    *(_setting("global", key) for key in (
        "auto_time", "auto_time_zone", "data_roaming", "device_name", "low_power", "mode_ringer",
    )),
    *(_setting("secure", key) for key in (
        "accessibility_display_inversion_enabled", "accessibility_enabled", "bluetooth_name",
        "high_text_contrast_enabled", "location_mode",
    )),
    *(_setting("system", key) for key in (
        "date_format", "font_scale", "haptic_feedback_enabled", "pointer_location", "screen_brightness",
        "screen_brightness_mode", "screen_off_timeout", "show_touches", "sound_effects_enabled", "time_12_24",
        "vibrate_when_ringing", "volume_alarm", "volume_music_speaker", "volume_notification", "volume_ring",
        "volume_system", "volume_voice",
    )),
    Item(
        "clock", ("date +%s",), _offset,
        is_command("settings put global auto_time 0; settings put global auto_time 1"), fits=_near,
    ),
)  # fmt: skip
"""What people choose for themselves: an episode finds it as the first one did."""

LAST = (
    Item("keyboard", ("settings list secure",), lambda text: settings_list(text).get("default_input_method", "null"),
         is_command(f"ime set {IME}"), IME),
    Item("recents", (_RECENTS, HOME), _recents, _close_recents, "none"),
    Item("front", (HOME, WINDOWS), _front, is_command("input keyevent 3"), "home"),
    Item("keys", ("dumpsys input_method",), _keyboard_shown, is_command("input keyevent 111"), "hidden"),
)  # fmt: skip
"""What is in front when all else is done."""

AT_HOME: tuple[Item, ...] = (*FIXED, *FOUND, *LAST)


def as_found(items: Iterable[Item], readings: Mapping[str, str]) -> dict[str, str]:
    """What is to be remembered of a phone: readings of the items that shall be as they were."""
    names = {item.name for item in items if item.wanted is None}
    kept = {name: value for name, value in readings.items() if name in names}
    if kept.get("auto_time") == "0":
        kept.pop("clock", None)  # somebody has set it on purpose, and nobody but root could set it again
    return kept


def preparations() -> list[str]:
    """The shell lines of what can be done without asking first, again and again."""
    return [item.mend(item.wanted or "", "") for item in (_AWAKE, _UNLOCKED, *_SWITCHES)]
