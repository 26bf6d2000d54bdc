"""Android key codes: the ones that do something, and those that type a character."""

HOME = 3
BACK = 4
CALL, ENDCALL = 5, 6
DPAD_UP, DPAD_DOWN, DPAD_LEFT, DPAD_RIGHT, DPAD_CENTER = 19, 20, 21, 22, 23
VOLUME_UP, VOLUME_DOWN = 24, 25
POWER = 26
TAB = 61
SHIFT_LEFT, SHIFT_RIGHT = 59, 60
ENTER, NUMPAD_ENTER = 66, 160
DEL, FORWARD_DEL = 67, 112
MENU = 82
NOTIFICATION = 83
SEARCH = 84
PAGE_UP, PAGE_DOWN = 92, 93
ESCAPE = 111
CTRL_LEFT, CTRL_RIGHT = 113, 114
MOVE_HOME, MOVE_END = 122, 123
VOLUME_MUTE = 164
SETTINGS = 176
APP_SWITCH = 187
SLEEP, WAKEUP = 223, 224
CUT, COPY, PASTE = 277, 278, 279
KEY_A, KEY_C, KEY_V, KEY_X = 29, 31, 50, 52

_PLAIN = {
    **{29 + index: char for index, char in enumerate("abcdefghijklmnopqrstuvwxyz")},
    **{7 + index: char for index, char in enumerate("0123456789")},
    **{144 + index: char for index, char in enumerate("0123456789")},
    17: "*",
    18: "#",
    55: ",",
    56: ".",
    62: " ",
    68: "`",
    69: "-",
    70: "=",
    71: "[",
    72: "]",
    73: "\\",
    74: ";",
    75: "'",
    76: "/",
    77: "@",
    81: "+",
}
_SHIFTED = {
    **dict(zip(range(7, 17), ")!@#$%^&*(", strict=True)),
    55: "<",
    56: ">",
    68: "~",
    69: "_",
    70: "+",
    71: "{",
    72: "}",
    73: "|",
    74: ":",
    75: '"',
    76: "?",
}


def character(keycode: int, shift: bool) -> str | None:
    """What a key types; None for a key that types nothing."""
    plain = _PLAIN.get(keycode)
    if plain is None or not shift:
        return plain
    return _SHIFTED.get(keycode, plain.upper())


def typeable(text: str) -> bool:
    """Whether `input text` has a key for every character: printable ASCII, tab and newline."""
    return all(" " <= char <= "~" or char in "\n\t" for char in text)
