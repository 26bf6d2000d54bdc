"""The emulator's gRPC controller on a virtual phone: pictures, touches, keys and status, as an emulator serves them.

A bearer token is asked for, as with the emulator's `-grpc-use-token`. The server has threads of its own; the phone is
touched on the phone's thread only. Needs the extra `emulator`.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.message import Message
from PIL import Image

from emulator_farm.emulator_control import MAX_MESSAGE, SERVICE
from emulator_farm.emulator_control import controller_pb2 as wire

from . import panel
from .controller_keys import android_key
from .handset import Handset
from .phone import Phone, TextNotTypeable
from .picture import encode_png

T = TypeVar("T")
THREADS = 8
CALL_S = 60.0
WATCH_S = 0.02
VERSION = "36.1.9 (virtual)"
_OF_PICTURES = ("padded", "black", "stale", "truncated", "empty")
FULL, CHARGING, DISCHARGING = 4, 1, 2


class Controller:
    """The gRPC port of one phone."""

    def __init__(self, handset: Handset, token: str) -> None:
        """`token` is what clients send as `authorization: Bearer TOKEN`."""
        self._handset = handset
        self._expected = f"Bearer {token}"
        self._ended = threading.Event()
        self._finger = 0
        self._last: Image.Image | None = None
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=f"{handset.phone.serial}-grpc")
        limits = [(f"grpc.max_{way}_message_length", MAX_MESSAGE) for way in ("send", "receive")]
        self._server = grpc.server(self._threads, options=[*limits, ("grpc.so_reuseport", 0)])
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, self._methods()),))
        self.port = 0

    def start(self, host: str = "127.0.0.1", port: int = 0) -> Self:
        """Listen; port 0 takes a free one, then found in `port`. Raises RuntimeError where the port is taken."""
        self.port = self._server.add_insecure_port(f"{host}:{port}")
        self._server.start()
        return self

    def stop(self) -> None:
        """Close the port and end every call."""
        self._ended.set()
        self._server.stop(None).wait()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _methods(self) -> dict[str, Any]:
        calls: list[tuple[Callable[[Any], Message], type[Message]]] = [
            (self.getStatus, wire.Nothing),
            (self.getScreenshot, wire.ImageFormat),
            (self.sendTouch, wire.TouchEvent),
            (self.sendMouse, wire.MouseEvent),
            (self.sendKey, wire.KeyboardEvent),
            (self.getBattery, wire.Nothing),
            (self.setBattery, wire.BatteryState),
        ]
        handlers = {
            call.__name__: grpc.unary_unary_rpc_method_handler(
                self._checked(call), request.FromString, lambda reply: reply.SerializeToString()
            )
            for call, request in calls
        }
        handlers["streamScreenshot"] = grpc.unary_stream_rpc_method_handler(
            self._stream, wire.ImageFormat.FromString, lambda reply: reply.SerializeToString()
        )
        return handlers

    def _checked(self, call: Callable[[Any], Message]) -> Callable[[Any, grpc.ServicerContext], Message]:
        def handle(request: Any, context: grpc.ServicerContext) -> Message:
            self._admit(context)
            return call(request)

        return handle

    def _admit(self, context: grpc.ServicerContext) -> None:
        """Refuse whoever has no token, and everybody where a fault says so."""
        if dict(context.invocation_metadata()).get("authorization") != self._expected:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "The authorization header with a bearer token is missing")
        match self._fault("unavailable", "hang"):
            case "unavailable":
                context.abort(grpc.StatusCode.UNAVAILABLE, "the emulator is going away")
            case "hang":
                while context.is_active() and not self._ended.wait(WATCH_S):
                    continue
                context.abort(grpc.StatusCode.CANCELLED, "the call ended")

    def _fault(self, *kinds: str) -> str:
        """The armed fault if it is one of these, which counts as its firing."""
        return self._handset.fault("grpc") if self._handset.phone.faults.grpc in kinds else ""

    def _on_phone(self, function: Callable[[Phone], T]) -> T:
        return self._handset.submit(function).result(CALL_S)

    # -- methods, named as on the wire

    def getStatus(self, _: wire.Nothing) -> wire.EmulatorStatus:
        """Version, uptime in milliseconds, whether it booted, and the panel as `hw.lcd.width` and so on."""

        def ask(phone: Phone) -> wire.EmulatorStatus:
            hardware = {
                "hw.lcd.width": phone.physical_width,
                "hw.lcd.height": phone.physical_height,
                "hw.lcd.density": phone.physical_density,
            }
            entries = [wire.Entry(key=key, value=str(value)) for key, value in hardware.items()]
            return wire.EmulatorStatus(
                version=VERSION,
                uptime=round(phone.clock.uptime_s() * 1000),
                booted=phone.props.get("sys.boot_completed") == "1",
                hardwareConfig=wire.EntryList(entry=entries),
            )

        return self._on_phone(ask)

    def getScreenshot(self, wanted: wire.ImageFormat) -> wire.Image:
        """The panel, never larger than asked for, in its own proportions; no bytes for a display that is not there."""
        if latency := self._handset.phone.latency.grpc_s:
            self._ended.wait(latency)
        if wanted.display:
            return wire.Image(format=wanted)
        return self._encode(wanted, self._on_phone(_Look), self._fault(*_OF_PICTURES))

    def sendTouch(self, event: wire.TouchEvent) -> wire.Nothing:
        """Fingers by identifier; the phone has one, the first that comes down. Pressure 0 lifts it."""
        if not event.display and self._fault("drop") != "drop":
            for touch in event.touches:
                self._on_phone(lambda phone, touch=touch: self._touch(phone, touch))  # type: ignore[misc]
        return wire.Nothing()

    def sendMouse(self, event: wire.MouseEvent) -> wire.Nothing:
        """The primary button as a finger."""
        touch = wire.Touch(x=event.x, y=event.y, pressure=event.buttons & 1)
        return self.sendTouch(wire.TouchEvent(touches=[touch], display=event.display))

    def sendKey(self, event: wire.KeyboardEvent) -> wire.Nothing:
        """A key by code or name, or text that has keys; what is unknown does nothing, as on an emulator."""
        if self._fault("drop") != "drop":
            self._on_phone(lambda phone: _press(phone, event))
        return wire.Nothing()

    def getBattery(self, _: wire.Nothing) -> wire.BatteryState:
        """Charge in percent and whether a charger is on."""

        def ask(phone: Phone) -> wire.BatteryState:
            level, charging = phone.battery_level, phone.charging
            status = (FULL if level == 100 else CHARGING) if charging else DISCHARGING
            state = wire.BatteryState(hasBattery=True, isPresent=True, chargeLevel=level)
            state.charger, state.status = int(charging), status  # type: ignore[assignment]
            return state

        return self._on_phone(ask)

    def setBattery(self, state: wire.BatteryState) -> wire.Nothing:
        """Set charge and charger."""

        def put(phone: Phone) -> None:
            phone.battery_level, phone.charging = state.chargeLevel, state.charger != wire.BatteryState.NONE

        self._on_phone(put)
        return wire.Nothing()

    def _stream(self, wanted: wire.ImageFormat, context: grpc.ServicerContext) -> Iterator[wire.Image]:
        """`streamScreenshot`: a picture at once, then one whenever the screen shows something new."""
        self._admit(context)
        seen, number = -1, 0
        while context.is_active() and not self._ended.is_set():
            look = self._on_phone(lambda phone, seen=seen: _Look(phone) if phone.version != seen else None)  # type: ignore[misc]
            if look is None:
                self._ended.wait(WATCH_S)
                continue
            image = self._encode(wanted, look, self._fault(*_OF_PICTURES))
            image.seq, seen, number = number, look.version, number + 1
            yield image

    def _touch(self, phone: Phone, touch: wire.Touch) -> None:
        x, y = panel.logical(phone, touch.x, touch.y)
        down = self._finger
        if not touch.pressure:
            if down == touch.identifier + 1:
                self._finger = 0
                phone.touch_move(x, y)
                phone.touch_up(x, y)
        elif not down:
            self._finger = touch.identifier + 1
            phone.touch_down(x, y)
        elif down == touch.identifier + 1:
            phone.touch_move(x, y)

    def _encode(self, wanted: wire.ImageFormat, look: "_Look", fault: str) -> wire.Image:
        picture = look.picture
        if fault == "stale":
            picture = self._last or picture
        self._last = picture
        if fault == "black":
            picture = Image.new("RGB", picture.size)
        elif fault == "empty":
            return wire.Image(format=wanted)
        scaled = _fitted(picture, wanted.width, wanted.height)
        if fault == "padded" and scaled is picture:
            scaled = Image.new("RGB", (max(picture.size),) * 2)
            scaled.paste(picture)
        match wanted.format:
            case wire.ImageFormat.PNG:
                data = look.png if scaled is look.picture and look.png else encode_png(scaled)
            case wire.ImageFormat.RGBA8888:
                data = scaled.convert("RGBA").tobytes()
            case _:
                data = scaled.tobytes()
        if fault == "truncated":
            data = data[: len(data) * 2 // 3]
        shape = wire.ImageFormat(format=wanted.format, width=scaled.width, height=scaled.height)
        shape.rotation.rotation = look.rotation  # type: ignore[assignment]
        return wire.Image(format=shape, image=data, timestampUs=look.at_us)


class _Look:
    """One picture of the panel and what goes with it. Made on the phone's thread."""

    def __init__(self, phone: Phone) -> None:
        self.picture = panel.shown(phone)
        self.png = phone.png() if self.picture is phone.frame() else b""
        self.rotation, self.version = phone.rotation, phone.version
        self.at_us = time.time_ns() // 1000


def _fitted(picture: Image.Image, width: int, height: int) -> Image.Image:
    """The picture itself, or smaller, within the bounds; 0 is no bound."""
    scale = min(1.0, *(bound / side for bound, side in zip((width, height), picture.size, strict=True) if bound), 1.0)
    if scale == 1.0:
        return picture
    size = (max(1, int(picture.width * scale)), max(1, int(picture.height * scale)))
    return picture.resize(size, Image.Resampling.BOX, reducing_gap=1.0)


def _press(phone: Phone, event: wire.KeyboardEvent) -> None:
    if event.text:
        typed = "".join(char for char in event.text if " " <= char < "\x7f")
        if typed:
            phone.text(typed)
        return
    if event.eventType == wire.KeyboardEvent.keyup:
        return
    code = android_key(event.key, event.keyCode if event.codeType == wire.KeyboardEvent.Evdev else 0)
    if code is not None:
        phone.key(code)
    elif len(event.key) == 1:
        try:
            phone.text(event.key)
        except TextNotTypeable:
            return
