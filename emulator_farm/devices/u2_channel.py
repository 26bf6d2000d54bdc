"""Frames, gestures and UI trees by uiautomator2's server."""

from __future__ import annotations

from typing import assert_never
from xml.etree import ElementTree

from agent_server.actions import Click, DoubleClick, Drag, LongPress, Press, Scroll
from agent_server.geometry import Size
from emulator_farm.devices.capture import Frame, Frames, read_frame, recorded_as
from emulator_farm.devices.channels import ChannelFailed, Glance, picture_of, small
from emulator_farm.devices.gestures import DRAG_MS, KEYCODES, LONG_PRESS_MS, Gesture, scroll_ms, scroll_path
from emulator_farm.devices.u2_server import U2Server
from emulator_farm.errors import DeviceError

_STEP_MS = 5
"""Of one movement in a swipe of UiDevice."""
_DEPTH = 50
_HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_MORE = ("visible-to-user", "drawing-order", "hint", "display-id")
"""Attributes that `uiautomator dump` does not write."""


class U2Capture:
    """`/screenshot/0`, a PNG of the phone's."""

    name = "u2 png"

    def __init__(self, server: U2Server, serial: str) -> None:
        self._server = server
        self._serial = serial

    def take(self, frames: Frames = "png") -> Frame:
        frame = read_frame(self._server.screenshot(), serial=self._serial)
        return recorded_as(frame, frames, serial=self._serial)

    def glance(self) -> Glance:
        frame = self.take()
        return Glance(small(picture_of(frame)), frame)


class U2Input:
    """Gestures by UiDevice. Double clicks go by `input`: two calls may take longer than Android waits for a second."""

    name = "u2"
    held_ms = 0.0

    def __init__(self, server: U2Server, serial: str) -> None:
        self._server = server
        self._serial = serial

    def can(self, gesture: Gesture, size: Size) -> bool:
        """Everything but a double click, in pixels of the screen as it is held."""
        return not isinstance(gesture, DoubleClick)

    def ping(self) -> None:
        """Raises ChannelFailed unless the server answers."""
        self._server.ping()

    def perform(self, gesture: Gesture, size: Size) -> str:
        """Do it, and say in one line what was done. Raises DeviceError (`input_uncertain`) where nobody knows."""
        match gesture:
            case Click(point=point):
                return self._do("click", point.x, point.y)
            case LongPress(point=point, duration_ms=duration):
                return self._do("click", point.x, point.y, LONG_PRESS_MS if duration is None else duration)
            case Drag(start=start, end=end):
                return self._do("drag", start.x, start.y, end.x, end.y, DRAG_MS // _STEP_MS)
            case Scroll():
                start, end = scroll_path(gesture, size)
                return self._do("swipe", start.x, start.y, end.x, end.y, scroll_ms(start, end) // _STEP_MS)
            case Press(key=key):
                return self._do("pressKeyCode", KEYCODES[key])
            case DoubleClick():
                raise AssertionError("a double click goes by `input`; see `can`")
            case _:
                assert_never(gesture)

    def _do(self, method: str, *numbers: int) -> str:
        line = f"u2 {method} {' '.join(map(str, numbers))}"
        if self._server.call(method, *numbers, uncertain=True) is False and method != "pressKeyCode":
            said = f"`{line}` was not taken whole"
            raise DeviceError(said, serial=self._serial, cause="input_uncertain")
        return line


class U2Tree:
    """`dumpWindowHierarchy`, made what `uiautomator dump` writes. It does not wait until the screen is at rest."""

    name = "u2"

    def __init__(self, server: U2Server) -> None:
        self._server = server

    def dump(self, package: str | None) -> str:
        """The tree of the window of `package` in front, of the first window where none is named."""
        xml = self._server.call("dumpWindowHierarchy", False, _DEPTH)
        if not isinstance(xml, str):
            raise ChannelFailed(f"the tree is {type(xml).__name__}, no text")
        return as_uiautomator(xml, package)


def as_uiautomator(xml: str, package: str | None) -> str:
    """A tree of the server's as `uiautomator dump` writes it: one window, no further attributes, no white space.

    What is no XML is given back as it is. Nothing else is changed.
    """
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError:
        return xml
    windows = [window for window in root if package is None or window.get("package") == package] or [*root]
    root[:] = windows[:1]
    for element in root.iter():
        element.text = element.tail = None
        for name in _MORE:
            element.attrib.pop(name, None)
    return _HEADER + ElementTree.tostring(root, encoding="unicode")
