"""The broadcasts of ADBKeyboard, `com.android.adbkeyboard/.AdbIME`, which many agents type with."""

import base64
import re
from collections.abc import Callable

from .editing import Editor
from .intents import BroadcastResult, Intent


def answer(intent: Intent, editor: Editor, press: Callable[[int], None]) -> BroadcastResult:
    """What the keyboard does while it is the current input method; `press(code)` sends it a key.

    Its receiver sets no result, so the code is 0 whether or not anything was typed. What cannot be read is ignored.
    """
    extras = intent.extras
    match intent.action:
        case "ADB_INPUT_TEXT":
            editor.insert(extras.get("msg", ""))
        case "ADB_INPUT_B64":
            editor.insert(_decoded(extras.get("msg", "")))
        case "ADB_INPUT_CHARS":
            editor.insert("".join(chr(code) for code in _numbers(extras.get("chars", "")) if _is_character(code)))
        case "ADB_INPUT_CODE":
            for code in _numbers(extras.get("code", "")):
                press(code)
        case "ADB_EDITOR_CODE":
            for code in _numbers(extras.get("code", "")):
                editor.perform_code(code)
        case "ADB_CLEAR_TEXT":
            editor.clear()
        case _:
            pass
    return BroadcastResult()


def _decoded(text: str) -> str:
    """The text; nothing where the extra is not base64, and U+FFFD for what is not UTF-8, as Java reads it."""
    try:
        return base64.b64decode(text).decode("utf-8", errors="replace")
    except ValueError:
        return ""


def _numbers(text: str) -> list[int]:
    """An integer, or several with commas between them; what is none is left out."""
    return [int(part) for part in re.findall(r"(?:^|,)\s*([0-9]{1,7})\s*(?=,|$)", text)]


def _is_character(code: int) -> bool:
    return code < 0xD800 or 0xDFFF < code < 0x110000
