"""Keys as the emulator's clients name them: W3C names and evdev codes, to Android's keycodes."""

NAMES = {
    "GoBack": 4,
    "GoHome": 3,
    "AppSwitch": 187,
    "Power": 26,
    "Enter": 66,
    "Backspace": 67,
    "Delete": 112,
    "Tab": 61,
    "Escape": 111,
    "ContextMenu": 82,
    "AudioVolumeUp": 24,
    "AudioVolumeDown": 25,
    "ArrowUp": 19,
    "ArrowDown": 20,
    "ArrowLeft": 21,
    "ArrowRight": 22,
    "Home": 122,
    "End": 123,
    "PageUp": 92,
    "PageDown": 93,
}
EVDEV = {
    1: 111,  # KEY_ESC
    14: 67,  # KEY_BACKSPACE
    15: 61,  # KEY_TAB
    28: 66,  # KEY_ENTER
    102: 3,  # KEY_HOME, which the emulator takes for the Home button
    103: 19,  # KEY_UP
    105: 21,  # KEY_LEFT
    106: 22,  # KEY_RIGHT
    108: 20,  # KEY_DOWN
    111: 112,  # KEY_DELETE
    114: 25,  # KEY_VOLUMEDOWN
    115: 24,  # KEY_VOLUMEUP
    116: 26,  # KEY_POWER
    139: 82,  # KEY_MENU
    158: 4,  # KEY_BACK
    580: 187,  # KEY_APPSELECT
}


def android_key(name: str, evdev: int = 0) -> int | None:
    """The keycode of a key, by evdev code where one is given, else by name; None for what has none."""
    return EVDEV.get(evdev) if evdev else NAMES.get(name)
