"""The broadcasts of uiautomator2's on-device keyboard, `com.github.uiautomator/.AdbKeyboard`."""

import base64
import binascii

from .editing import Editor
from .intents import BroadcastResult, Intent

PREFIX = "ADB_KEYBOARD_"
RESULT_OK = -1


def answer(intent: Intent, editor: Editor) -> BroadcastResult:
    """What the keyboard does and answers while it is the current input method.

    Text comes as base64 of UTF-8 in the extra `text`. Without a focused field, or for text that cannot be decoded,
    nothing happens and the code is 0, as for a broadcast that nobody receives.
    """
    if not intent.action.startswith(PREFIX):
        return BroadcastResult()
    match intent.action.removeprefix(PREFIX):
        case "INPUT_TEXT":
            text = _decoded(intent.extras.get("text", ""))
            return _result(text is not None and editor.insert(text))
        case "SET_TEXT":
            text = _decoded(intent.extras.get("text", ""))
            return _result(text is not None and editor.clear() and editor.insert(text))
        case "CLEAR_TEXT":
            return _result(editor.clear())
        case "EDITOR_CODE":
            code = intent.extras.get("code", "")
            return _result(code.isdigit() and editor.perform_code(int(code)))
        case "SMART_ENTER":
            return _result(editor.enter())
        case "HIDE":
            return BroadcastResult(RESULT_OK, "success")
        case _:
            return BroadcastResult()


def _decoded(text: str) -> str | None:
    """The text, None where the extra is not base64 of UTF-8."""
    try:
        return base64.b64decode(text, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None


def _result(done: bool) -> BroadcastResult:
    return BroadcastResult(RESULT_OK, "success") if done else BroadcastResult(0)
