"""The verbs that every grammar has for touching a phone, under all the names that models give them.

Verbs that end an episode or speak to the user are not here: each family reads its own, so that a stray word of another
grammar never ends an episode.
"""

from __future__ import annotations

from agent_server.actions import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Key,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
    finger_to_view,
)
from agent_server.adapters.arguments import APP, TEXT, Arguments, normal, opposite
from agent_server.adapters.reply import Unreadable
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point, Size

_CLICK = {"click", "tap", "leftclick", "leftsingle", "singleclick"}
_DOUBLE = {"doubleclick", "doubletap", "leftdouble"}
_LONG = {"longpress", "longclick", "longtap"}
_DRAG = {"drag", "draganddrop"}
_SCROLL = {"scroll", "swipe", "slide"}
_TYPE = {"type", "inputtext", "input", "typetext"}
_OPEN = {"openapp", "open", "launch", "launchapp"}
_WAIT = {"wait", "sleep"}
_BUTTON = {"systembutton", "key", "press", "presskey", "pressbutton", "keyevent", "button"}
_BARE_KEYS = {"navigateback", "navigatehome", "goback", "gohome"}

VERBS = frozenset(
    _CLICK | _DOUBLE | _LONG | _DRAG | _SCROLL | _TYPE | _OPEN | _WAIT | _BUTTON | _BARE_KEYS
    | {"pressback", "presshome", "pressenter", "pressrecent", "pressrecents", "pressmenu"}
)  # fmt: skip
"""Normalised names that `phone_action` surely reads."""

TOUCHES = frozenset(_CLICK | _DOUBLE | _LONG)
"""Those of them that say no more than a place to touch."""

_KEYS: dict[str, Key] = {
    "back": "back", "4": "back",
    "home": "home", "3": "home",
    "recent": "recents", "recents": "recents", "recentapps": "recents", "appswitch": "recents", "overview": "recents",
    "187": "recents",
    "enter": "enter", "return": "enter", "66": "enter",
    "menu": "menu", "82": "menu",
    "delete": "delete", "del": "delete", "backspace": "delete", "67": "delete",
    "tab": "tab", "61": "tab",
    "escape": "escape", "esc": "escape", "111": "escape",
    "power": "power", "26": "power",
    "volumeup": "volume_up", "24": "volume_up",
    "volumedown": "volume_down", "25": "volume_down",
}  # fmt: skip


def phone_action(arguments: Arguments, *, wait_s: float = 1.0) -> Action:
    """The action of a call. `wait_s` is how long a wait without a duration takes.

    A direction without a path names the view's way for `scroll` and the finger's way for `swipe`; a path decides.
    Raises Unreadable (kind "unsupported" for a verb that is no phone action) and OutOfRange.
    """
    verb = arguments.verb
    if verb in _CLICK:
        return Click(point=arguments.point())
    if verb in _DOUBLE:
        return DoubleClick(point=arguments.point())
    if verb in _LONG:
        return LongPress(point=arguments.point(), duration_ms=arguments.hold_ms())
    if verb in _DRAG:
        return _drag(arguments)
    if verb in _SCROLL:
        return _scroll(arguments)
    if verb in _TYPE:
        return Type(text=arguments.text(*TEXT))
    if verb in _OPEN:
        return _open(arguments)
    if verb in _WAIT:
        seconds = arguments.seconds("time", "seconds", "duration")
        return Wait(seconds=wait_s if seconds is None else seconds)
    if verb in _BARE_KEYS:
        return Press(key=_KEYS[verb.removeprefix("navigate").removeprefix("go")])
    if verb in _BUTTON:
        return Press(key=_key(arguments, arguments.key()))
    if verb.startswith("press") and verb.removeprefix("press") in _KEYS:
        return Press(key=_KEYS[verb.removeprefix("press")])
    raise Unreadable(f"{arguments.written!r} is not something that this service does on a phone", "unsupported")


def finger_path(action: Scroll, size: Size) -> tuple[Point, Point]:
    """Where the finger goes for a scroll, in device pixels.

    What the action leaves open is filled: the path goes through the middle of the screen over 40 % of its length, or
    from the given start over the same distance as far as the screen reaches. A given path is kept as it is, even where
    the direction says otherwise. The two points are equal where the screen has no room.
    """
    if action.start is not None and action.end is not None and action.end != action.start:
        return action.start, action.end
    finger = opposite(action.direction)
    step = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[finger]
    reach = Point(max(1, round(size.width * 0.4)) * step[0], max(1, round(size.height * 0.4)) * step[1])
    if action.start is None:
        start = Point((size.width - reach.x) // 2, (size.height - reach.y) // 2).clamped(size)
    else:
        start = action.start.clamped(size)
    return start, Point(start.x + reach.x, start.y + reach.y).clamped(size)


def said_path(action: Scroll, map: CoordinateMap) -> tuple[Point, Point]:
    """The `finger_path` of a scroll for a grammar that knows scrolls only as paths.

    Raises Inexpressible where the model's units are too coarse, or the screen too small, for the path to have a length.
    """
    start, end = finger_path(action, map.device)
    if map.to_device(*map.to_model(start)) == map.to_device(*map.to_model(end)):
        raise Inexpressible(f"a scroll is written as a path here, and {action!r} leaves no room for one")
    return start, end


def _drag(arguments: Arguments) -> Drag:
    start, end = arguments.path()
    if start is None or end is None:
        missing = "start" if start is None else "end"
        raise Unreadable(f"{arguments.written} needs a start and an end; the {missing} is missing")
    return Drag(start=start, end=end)


def _scroll(arguments: Arguments) -> Scroll:
    start, end = arguments.path()
    if start is not None and end is not None and start != end:
        return Scroll(direction=finger_to_view(start, end), start=start, end=end)
    direction = arguments.direction()
    if direction is None:
        raise Unreadable(f"{arguments.written} needs a direction, or a start and an end that differ")
    return Scroll(direction=direction if arguments.verb == "scroll" else opposite(direction), start=start)


def _open(arguments: Arguments) -> OpenApp:
    app = arguments.optional_text(*APP)
    if app:
        return OpenApp(app=app)
    if arguments.value("url"):
        raise Unreadable("opening a web address is not something that this service does on a phone", "unsupported")
    raise Unreadable(f"{arguments.written} needs the name of an app and has none")


def _key(arguments: Arguments, name: str) -> Key:
    if not name.strip():
        raise Unreadable(f"{arguments.written} needs the name of a key and has none")
    key = _KEYS.get(normal(name.strip()).removeprefix("keycode"))
    if key is None:
        raise Unreadable(f"{arguments.written} asks for the key {name[:40]!r}, which a phone lacks", "unsupported")
    return key
