"""The active window as uiautomator prints it: the boxes of the picture, with their visible bounds."""

import re

from .boxes import Box, Rect
from .scene import Scene
from .widgets import Check, Radio, Scroll, Slider, Space, Switch, Text, TextField, Widget

HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
    "\r": "&#13;",
    "\t": "&#9;",
}
_TO_ESCAPE = re.compile('[&<>"\n\r\t\U00010000-\U0010ffff]')
_DECOR = (("FrameLayout", ""), ("LinearLayout", ""), ("FrameLayout", "android:id/content"))
"""The frame around an activity or a dialog, from outside in."""
_NAF_EXEMPT = ("android.widget.ListView", "android.widget.GridView")


def dump(scene: Scene, rotation: int) -> str:
    """The whole document on one line."""
    window = scene.active
    package = window.package
    parts = [f'{HEADER}<hierarchy rotation="{rotation}">']
    bounds = scene.area if window.kind == "app" else window.root.visible
    opened = 0
    for view, name in _DECOR if window.decor else ():
        rect = window.root.visible if name else bounds
        parts.append(_tag(0, "", name, f"android.widget.{view}", package, "", "", rect) + ">")
        opened += 1
    _write(parts, window.root, 0, package, window.state.focus)
    parts.append("</node>" * opened + "</hierarchy>")
    return "".join(parts)


def _write(parts: list[str], box: Box, index: int, package: str, focus: str) -> int:
    """Write a box and what is in it; the index for the next sibling."""
    widget = box.widget
    if widget.hidden or box.visible.empty or (isinstance(widget, Space) and not widget.id):
        return index
    flags = _flags(box, focus)
    naf = flags["clickable"] and widget.enabled and not _has_words(box) and widget.view_class not in _NAF_EXEMPT
    words = _words(widget)
    head = _tag(
        index,
        words,
        resource_id(widget, package),
        widget.view_class,
        package,
        widget.desc,
        _spell(flags),
        box.visible,
        naf,
    )
    inside: list[str] = []
    place = 0
    for child in box.children:
        place = _write(inside, child, place, package, focus)
    parts.append(head + (">" + "".join(inside) + "</node>" if inside else " />"))
    return index + 1


def resource_id(widget: Widget, package: str) -> str:
    """The full resource id of a widget."""
    if not widget.id:
        return ""
    owner, colon, name = widget.id.rpartition(":")
    return f"{owner}:id/{name}" if colon else f"{package}:id/{widget.id}"


def _words(widget: Widget) -> str:
    match widget:
        case Text() | Radio() | Slider():
            return widget.text
        case TextField():
            if widget.password:
                return "•" * len(widget.value) or widget.hint
            return widget.value or widget.hint
        case _:
            return widget.caption


def _flags(box: Box, focus: str) -> dict[str, bool]:
    widget = box.widget
    two_state = isinstance(widget, Switch | Check | Radio)
    edit = isinstance(widget, TextField)
    clickable = widget.on_tap is not None or edit
    return {
        "checkable": widget.checkable or two_state,
        "checked": widget.checked,
        "clickable": clickable,
        "enabled": widget.enabled,
        "focusable": clickable or isinstance(widget, Slider | Scroll),
        "focused": edit and widget.enabled and widget.state_key == focus,
        "scrollable": isinstance(widget, Scroll) and box.scroll_range > 0,
        "long-clickable": widget.on_long is not None or edit,
        "password": isinstance(widget, TextField) and widget.password,
        "selected": widget.selected,
    }


def _spell(flags: dict[str, bool]) -> str:
    return " ".join(f'{name}="{"true" if value else "false"}"' for name, value in flags.items())


_PLAIN_FLAGS = _spell(
    dict.fromkeys(("checkable", "checked", "clickable"), False)
    | {"enabled": True}
    | dict.fromkeys(("focusable", "focused", "scrollable", "long-clickable", "password", "selected"), False)
)


def _tag(
    index: int,
    text: str,
    resource: str,
    view: str,
    package: str,
    desc: str,
    flags: str,
    rect: Rect,
    naf: bool = False,
) -> str:
    return (
        f'<node {"NAF=" + chr(34) + "true" + chr(34) + " " if naf else ""}index="{index}" text="{escape(text)}" '
        f'resource-id="{escape(resource)}" class="{view}" package="{package}" content-desc="{escape(desc)}" '
        f'{flags or _PLAIN_FLAGS} bounds="[{rect.left},{rect.top}][{rect.right},{rect.bottom}]"'
    )


def _has_words(box: Box) -> bool:
    """Whether this box or anything visible in it has text or a description (if not, it is marked NAF)."""
    if box.visible.empty:
        return False
    return bool(box.widget.desc or _words(box.widget)) or any(_has_words(child) for child in box.children)


def escape(text: str) -> str:
    """An attribute value as Android's serialiser writes it: what XML cannot hold becomes a dot."""
    return _TO_ESCAPE.sub(lambda found: _ESCAPES.get(found[0]) or f"&#{ord(found[0])};", _NOT_XML.sub(".", text))
