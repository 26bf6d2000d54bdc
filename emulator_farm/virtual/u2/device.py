"""Methods about the phone as a whole."""

import base64
import io
from typing import Any

from PIL import Image

from emulator_farm.virtual import keycodes as k
from emulator_farm.virtual.display import BASELINE

from .errors import BadParameters
from .session import Method, Session

ROTATIONS = {"natural": 0, "n": 0, "left": 1, "l": 1, "right": 3, "r": 3}


def device_info(session: Session, params: list[Any]) -> dict[str, Any]:
    """Display, rotation, package in front."""
    phone = session.phone
    (width, height), density = phone.screen_size, phone.density
    return {
        "currentPackageName": session.root()["package"],
        "displayHeight": height,
        "displayRotation": phone.rotation,
        "displaySizeDpX": round(width * BASELINE / density),
        "displaySizeDpY": round(height * BASELINE / density),
        "displayWidth": width,
        "naturalOrientation": phone.rotation % 2 == 0,
        "productName": phone.props.get("ro.product.name", ""),
        "screenOn": phone.screen_on,
        "sdkInt": int(phone.props.get("ro.build.version.sdk", "0")),
    }


def ping(session: Session, params: list[Any]) -> str:
    """Whether the server is there."""
    return "pong"


def is_screen_on(session: Session, params: list[Any]) -> bool:
    """Whether the display is on."""
    return session.phone.screen_on


def wake_up(session: Session, params: list[Any]) -> None:
    """Switch the display on."""
    session.phone.key(k.WAKEUP)


def sleep(session: Session, params: list[Any]) -> None:
    """Switch the display off."""
    session.phone.key(k.SLEEP)


def freeze_rotation(session: Session, params: list[Any]) -> None:
    """Keep the rotation of the moment, or let it follow the sensor."""
    match params:
        case [bool(frozen)]:
            _rotate(session, session.phone.rotation if frozen else None)
        case _:
            raise BadParameters


def set_orientation(session: Session, params: list[Any]) -> None:
    """Turn to `natural`, `left` or `right`; any other word does nothing."""
    match params:
        case [str(name)]:
            if name.lower() in ROTATIONS:
                _rotate(session, ROTATIONS[name.lower()])
        case _:
            raise BadParameters


def _rotate(session: Session, rotation: int | None) -> None:
    settings = session.phone.settings
    if rotation is not None:
        settings.put("system", "user_rotation", str(rotation))
    settings.put("system", "accelerometer_rotation", "1" if rotation is None else "0")
    session.phone.invalidate()


def jpeg(image: Image.Image, scale: float, quality: int) -> str:
    """A picture as the server sends it: JPEG in base64."""
    if scale != 1:
        image = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))))
    data = io.BytesIO()
    image.save(data, "JPEG", quality=min(max(1, quality), 100))
    return base64.b64encode(data.getvalue()).decode()


def get_last_toast(session: Session, params: list[Any]) -> str | None:
    """The latest toast, null where there was none."""
    return session.last_toast()


def clear_last_toast(session: Session, params: list[Any]) -> None:
    """Forget it."""
    session.forget_toast()


def make_toast(session: Session, params: list[Any]) -> bool:
    """Show a toast; the second parameter, its duration, is the phone's own. Older servers have this."""
    match params:
        case [str(text), *_]:
            session.phone.system.toast(text)
            return True
    raise BadParameters


def no_text(session: Session, params: list[Any]) -> None:
    """The text last traversed by arrow keys in a web view: there is none."""


def get_configurator(session: Session, params: list[Any]) -> dict[str, int]:
    """The timeouts, milliseconds. They are kept but nothing here waits by them."""
    return session.configurator


def set_configurator(session: Session, params: list[Any]) -> dict[str, int]:
    """Change some of them."""
    match params:
        case [dict() as values] if all(isinstance(value, int) for value in values.values()):
            session.configurator |= {name: value for name, value in values.items() if name in session.configurator}
            return session.configurator
    raise BadParameters


METHODS: dict[str, Method] = {
    "clearLastToast": clear_last_toast,
    "clearLastTraversedText": no_text,
    "deviceInfo": device_info,
    "freezeRotation": freeze_rotation,
    "getConfigurator": get_configurator,
    "getLastToast": get_last_toast,
    "getLastTraversedText": no_text,
    "isScreenOn": is_screen_on,
    "makeToast": make_toast,
    "ping": ping,
    "setConfigurator": set_configurator,
    "setOrientation": set_orientation,
    "sleep": sleep,
    "wakeUp": wake_up,
}
