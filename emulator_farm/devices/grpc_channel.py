"""Frames and gestures by an emulator's gRPC controller. Needs the extra `emulator`."""

from __future__ import annotations

import time
from typing import assert_never

from PIL import Image

from agent_server.actions import Click, DoubleClick, Drag, Key, LongPress, Press, Scroll
from agent_server.geometry import Point, Size
from emulator_farm.devices.capture import Frame, Frames, encode_frame, read_frame, recorded_as
from emulator_farm.devices.channels import GLANCE_SIDE, ChannelFailed, Glance
from emulator_farm.devices.controller import Controller
from emulator_farm.devices.gestures import LONG_PRESS_MS, Gesture, scroll_ms, scroll_path
from emulator_farm.devices.transport import Transport
from emulator_farm.emulator_control import controller_pb2 as wire
from emulator_farm.errors import BadFrame, DeviceError

KEYS: dict[Key, str] = {
    "back": "GoBack",
    "home": "GoHome",
    "recents": "AppSwitch",
    "enter": "Enter",
    "delete": "Backspace",
    "tab": "Tab",
    "escape": "Escape",
    "power": "Power",
}
"""W3C names of the keys that the emulator's documentation lists; the others go by `input`."""
_MOVES_PER_S = 60
_BETWEEN_TAPS_S = 0.06
_TAP_S = 0.02


class GrpcCapture:
    """`getScreenshot`: as a PNG of the emulator's, or as pixels encoded here."""

    def __init__(self, controller: Controller, serial: str, *, png: bool) -> None:
        self._controller = controller
        self._serial = serial
        self._png = png

    @property
    def name(self) -> str:
        return "grpc png" if self._png else "grpc rgb"

    def take(self, frames: Frames = "png") -> Frame:
        """The reply says how large it is; nothing else is believed."""
        kind = wire.ImageFormat.PNG if self._png else wire.ImageFormat.RGB888
        image = self._image(kind)
        if self._png:
            return recorded_as(read_frame(image.image, serial=self._serial), frames, serial=self._serial)
        return encode_frame(self._picture(image), frames)

    def glance(self) -> Glance:
        return Glance(self._picture(self._image(wire.ImageFormat.RGB888, GLANCE_SIDE)))

    def _image(self, kind: wire.ImageFormat.ImgFormat, bound: int = 0) -> wire.Image:
        image = self._controller.image(kind, bound)
        if not image.image:
            raise BadFrame("the controller sent no picture", serial=self._serial, reason="empty")
        return image

    def _picture(self, image: wire.Image) -> Image.Image:
        width, height = image.format.width, image.format.height
        if len(image.image) != width * height * 3:
            said = f"{len(image.image)} bytes are not {width}x{height} pixels"
            raise BadFrame(said, serial=self._serial, reason="truncated")
        return Image.frombytes("RGB", (width, height), image.image)


class GrpcInput:
    """Touches and keys by the controller, on a phone that stands upright.

    A gesture that the controller did not take at all raises ChannelFailed and may go another way. One that was begun
    raises DeviceError (`input_uncertain`): nobody knows what the phone saw of it, and doing it twice would be worse.
    """

    name = "grpc"
    held_ms = _TAP_S * 1000

    def __init__(self, controller: Controller, transport: Transport, panel: Size) -> None:
        """`panel` is the size of the picture that the controller shows of the upright phone."""
        self._controller = controller
        self._transport = transport
        self._panel = panel

    def can(self, gesture: Gesture, size: Size) -> bool:
        """Whether the controller means the same by it as Android does on a screen of `size`."""
        if isinstance(gesture, Press):
            return gesture.key in KEYS
        return not isinstance(gesture, Drag) and size == self._panel

    def ping(self) -> None:
        """Raises ChannelFailed unless the controller answers."""
        self._controller.status()

    def perform(self, gesture: Gesture, size: Size) -> str:
        """Do it, and say in one line what was done."""
        self.ping()
        try:
            return self._perform(gesture, size)
        except ChannelFailed as failure:
            raise DeviceError(
                f"a gesture was cut off: {failure}", serial=self._transport.serial, cause="input_uncertain"
            ) from None

    def _perform(self, gesture: Gesture, size: Size) -> str:
        match gesture:
            case Click(point=point):
                return self._stroke(point, point, _TAP_S)
            case DoubleClick(point=point):
                first = self._stroke(point, point, _TAP_S)
                self._transport.wait(_BETWEEN_TAPS_S)
                return f"{first} && {self._stroke(point, point, _TAP_S)}"
            case LongPress(point=point, duration_ms=duration):
                return self._stroke(point, point, (LONG_PRESS_MS if duration is None else duration) / 1000)
            case Scroll():
                start, end = scroll_path(gesture, size)
                return self._stroke(start, end, scroll_ms(start, end) / 1000)
            case Press(key=key):
                self._controller.key(KEYS[key])
                return f"grpc key {KEYS[key]}"
            case Drag():
                raise AssertionError("a drag goes by `input`; see `can`")
            case _:
                assert_never(gesture)

    def _stroke(self, start: Point, end: Point, seconds: float) -> str:
        """Down, along a straight line, up."""
        began = time.monotonic()
        try:
            self._controller.touch(start.x, start.y, down=True)
            while (share := (time.monotonic() - began) / seconds) < 1:
                if start == end:
                    self._transport.wait(seconds * (1 - share))
                    continue
                x, y = (round(a + (b - a) * share) for a, b in zip(start, end, strict=True))
                self._controller.touch(x, y, down=True)
                self._transport.wait(min(1 / _MOVES_PER_S, seconds * (1 - share)))
        finally:
            self._controller.touch(end.x, end.y, down=False)
        if start == end:
            return f"grpc touch {start.x} {start.y} {round(seconds * 1000)}"
        return f"grpc swipe {start.x} {start.y} {end.x} {end.y} {round(seconds * 1000)}"
