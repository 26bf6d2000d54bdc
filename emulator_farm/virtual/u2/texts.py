"""Methods about text: keys, fields, the clipboard."""

from typing import Any

from emulator_farm.virtual import keycodes as k

from .errors import BadParameters
from .session import Method, Session

KEYS = {
    "home": k.HOME,
    "back": k.BACK,
    "left": k.DPAD_LEFT,
    "right": k.DPAD_RIGHT,
    "up": k.DPAD_UP,
    "down": k.DPAD_DOWN,
    "center": k.DPAD_CENTER,
    "menu": k.MENU,
    "search": k.SEARCH,
    "enter": k.ENTER,
    "delete": k.DEL,
    "del": k.DEL,
    "recent": k.APP_SWITCH,
    "volume_up": k.VOLUME_UP,
    "volume_down": k.VOLUME_DOWN,
    "volume_mute": k.VOLUME_MUTE,
    "camera": 27,
    "power": k.POWER,
}
META = ((0x1, k.SHIFT_LEFT), (0x2, 57), (0x1000, k.CTRL_LEFT))


def press_key(session: Session, params: list[Any]) -> bool:
    """A key by name; False for a name that the server does not know."""
    match params:
        case [str(name)]:
            code = KEYS.get(name.lower())
            if code is not None:
                session.phone.key(code)
            return code is not None
    raise BadParameters


def press_key_code(session: Session, params: list[Any]) -> bool:
    """A key by code, with a KeyEvent's meta state."""
    match params:
        case [int(code)]:
            session.phone.key(code)
        case [int(code), int(state)]:
            session.phone.key(code, meta=tuple(key for bit, key in META if state & bit))
        case _:
            raise BadParameters
    return True


def set_text(session: Session, params: list[Any]) -> bool:
    """Replace a field's text. A target that the newer search finds is clicked first."""
    match params:
        case [target, str() | None as text]:
            if isinstance(target, dict) and session.selector(target).simple:
                session.phone.tap(*session.need(target).centre)
            session.phone.set_text_at(*session.need(target).centre, text or "")
            return True
    raise BadParameters


def clear_text_field(session: Session, params: list[Any]) -> None:
    """Empty a field, wherever the focus is."""
    match params:
        case [target]:
            session.phone.set_text_at(*session.need(target).centre, "")
        case _:
            raise BadParameters


def get_text(session: Session, params: list[Any]) -> str | None:
    """A target's text."""
    match params:
        case [target]:
            return session.need(target)["text"] or None
    raise BadParameters


def clear_input_text(session: Session, params: list[Any]) -> None:
    """Empty the focused field by keys: select all, delete."""
    session.phone.key(k.KEY_A, meta=(k.CTRL_LEFT,))
    session.phone.key(k.DEL)


def paste_clipboard(session: Session, params: list[Any]) -> None:
    """Paste by keys."""
    session.phone.key(k.KEY_V, meta=(k.CTRL_LEFT,))


def set_clipboard(session: Session, params: list[Any]) -> None:
    """Label, text."""
    match params:
        case [str() | None, str(text)]:
            session.phone.clipboard = text
        case _:
            raise BadParameters


def get_clipboard(session: Session, params: list[Any]) -> str | None:
    """The clipboard; null while nothing is on it."""
    return session.phone.clipboard or None


METHODS: dict[str, Method] = {
    "clearInputText": clear_input_text,
    "clearTextField": clear_text_field,
    "getClipboard": get_clipboard,
    "getText": get_text,
    "pasteClipboard": paste_clipboard,
    "pressKey": press_key,
    "pressKeyCode": press_key_code,
    "setClipboard": set_clipboard,
    "setText": set_text,
}
