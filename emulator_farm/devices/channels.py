"""The ways by which a frame can come from a phone, and which of them is used.

`screencap -p` is what the others are measured against: it exists everywhere and is checked byte by byte. A faster way
is used only after it showed the same pixels once, and only as long as it neither fails nor lies; then the next one is.
"""

from __future__ import annotations

import io
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from PIL import Image, ImageChops

from agent_server.geometry import Size
from emulator_farm.devices.capture import Frame, Frames, read_frame, read_raw_frame, read_raw_picture, recorded_as
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import BadFrame

GLANCE_SIDE = 600
"""Pixels of the longer side of a picture that is only compared with the next one."""
_REPEATS = 3
_TRIES = 3


class ChannelFailed(Exception):
    """A channel is out of order, the phone may be well; the text says why."""


class CaptureChannel(Protocol):
    """One way to a frame. Methods raise ChannelFailed, BadFrame, and every DeviceError of the transport."""

    @property
    def name(self) -> str: ...

    def take(self, frames: Frames = "png") -> Frame:
        """A whole frame."""
        ...

    def glance(self) -> Glance:
        """A picture to see change by, as cheap as can be."""
        ...


@dataclass(frozen=True)
class Glance:
    """A small RGB picture of the screen, and the whole frame where it came along anyway."""

    picture: Image.Image
    frame: Frame | None = None


class Screencap:
    """`screencap` over adb: with `-p` the phone encodes, without it sends pixels and we encode."""

    def __init__(self, transport: Transport, call_s: float, display: Callable[[], str], *, raw: bool = False) -> None:
        """`display` gives the words that name the display, where they are needed."""
        self._transport = transport
        self._call_s = call_s
        self._display = display
        self._raw = raw
        self._last: Glance | None = None
        self._recorded: tuple[bytes, Frame] | None = None
        """The last PNG and what was made of it: most looks show what the one before showed."""

    @property
    def name(self) -> str:
        return "screencap" if self._raw else "screencap -p"

    def take(self, frames: Frames = "png") -> Frame:
        serial = self._transport.serial
        data = self._bytes()
        if self._raw:
            return read_raw_frame(data, serial=serial, frames=frames)
        frame = read_frame(data, serial=serial)
        if frame.encoding == frames:
            return frame
        if self._recorded is None or self._recorded[0] != frame.image:
            self._recorded = frame.image, recorded_as(frame, frames, serial=serial)
        return replace(self._recorded[1], flags=frame.flags)

    def glance(self) -> Glance:
        """Pixels are looked at as they come; a PNG is decoded where it is not the one before."""
        if self._raw:
            return Glance(small(read_raw_picture(self._bytes(), serial=self._transport.serial)))
        frame = self.take()
        if self._last is not None and self._last.frame is not None and self._last.frame.image == frame.image:
            return Glance(self._last.picture, frame)
        self._last = Glance(small(picture_of(frame)), frame)
        return self._last

    def _bytes(self) -> bytes:
        """Shell v2 keeps warnings out of the picture, ends with an exit code, and is the faster way through adbd."""
        command = self.name + self._display()
        if "shell_v2" not in self._transport.features():
            return self._transport.exec_out(command, self._call_s)
        completed = self._transport.shell(command, self._call_s)
        return completed.stdout or completed.stderr


@dataclass(frozen=True)
class ChannelReport:
    """What was found out about one channel: median milliseconds of a frame, and why it is not used."""

    name: str
    latency_ms: float | None
    trusted: bool
    why: str = ""


class Capture:
    """The channels of one phone, the best first and `screencap -p` last, which is never dropped."""

    def __init__(self, channels: Sequence[CaptureChannel], told: Callable[[str, str], None] | None = None) -> None:
        """`told` hears of every source that is used no longer, `grpc` for instance, and why."""
        self._channels = [*channels]
        self._told = told
        self.dropped: dict[str, str] = {}
        """Why a channel is used no longer, by its name."""

    @property
    def current(self) -> CaptureChannel:
        return self._channels[0]

    @property
    def reference(self) -> CaptureChannel:
        return self._channels[-1]

    @property
    def names(self) -> tuple[str, ...]:
        """Of all that are in use, in order."""
        return tuple(channel.name for channel in self._channels)

    def glance(self) -> Glance:
        """A picture to see change by, by the best channel that works."""
        while True:
            try:
                return self.current.glance()
            except ChannelFailed as failure:
                if not self.drop(str(failure)):
                    raise AssertionError("`screencap -p` raises no ChannelFailed") from failure

    def drop(self, why: str) -> bool:
        """Use the present channel, and what shares its source, no longer; False where it is the last."""
        *fast, _ = self._channels
        if not fast:
            return False
        source = fast[0].name.split()[0]
        self.leave(source, why)
        if self._told is not None:
            self._told(source, why)
        return True

    def leave(self, source: str, why: str) -> None:
        """Use what comes from this source no longer, but for the last."""
        *fast, reference = self._channels
        self.dropped |= {channel.name: why for channel in fast if channel.name.startswith(source)}
        self._channels = [*(channel for channel in fast if not channel.name.startswith(source)), reference]


def choose(
    candidates: Sequence[CaptureChannel], reference: CaptureChannel, frames: Frames = "png"
) -> tuple[list[CaptureChannel], list[ChannelReport]]:
    """Measure and compare every channel; the trusted ones that are faster than the reference, fastest first.

    What is measured are frames as they are kept, `frames`; pixels are compared as they are. Raises BadFrame and
    DeviceError where the reference itself fails.
    """
    base = _latency(reference, frames)
    reports = [ChannelReport(reference.name, base, True)]
    usable: list[tuple[float, CaptureChannel]] = []
    for channel in candidates:
        try:
            why = lies(channel, reference)
            latency = None if why else _latency(channel, frames, hopeless=2 * base)
        except ChannelFailed as error:
            why, latency = str(error), None
        if latency is not None and latency < base:
            usable.append((latency, channel))
        reports.append(ChannelReport(channel.name, latency, not why, why))
    usable.sort(key=lambda entry: entry[0])
    return [channel for _, channel in usable], reports


def lies(channel: CaptureChannel, reference: CaptureChannel) -> str:
    """Why a channel cannot be trusted, empty where it showed what the reference showed just before or after.

    Raises BadFrame and DeviceError where the reference fails.
    """
    after = reference.take()
    for _ in range(_TRIES):
        before = after
        try:
            frame = channel.take()
        except (ChannelFailed, BadFrame) as error:
            return str(error)
        after = reference.take()
        if before.black and after.black:
            return "the screen is black: nothing to compare"
        if frame.size != before.size and before.size == after.size:
            return f"shows {frame.size} where `{reference.name}` shows {before.size}"
        if same_pixels(frame, before) or same_pixels(frame, after):
            return ""
        if same_pixels(before, after):
            return f"shows other pixels than `{reference.name}`"
    return "the screen did not stand still for a comparison"


def _latency(channel: CaptureChannel, frames: Frames, hopeless: float = math.inf) -> float:
    """Median milliseconds of a frame; asked once where that took `hopeless` long."""
    times: list[float] = []
    while len(times) < _REPEATS and (not times or times[0] < hopeless):
        began = time.perf_counter()
        channel.take(frames)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def same_pixels(one: Frame, other: Frame) -> bool:
    """Whether two frames show the same, whoever encoded them."""
    if one.image == other.image:
        return True
    if one.size != other.size:
        return False
    return ImageChops.difference(picture_of(one), picture_of(other)).getbbox() is None


def picture_of(frame: Frame) -> Image.Image:
    """The pixels of a frame, RGB. Raises OSError for what is no PNG after all."""
    with Image.open(io.BytesIO(frame.image)) as image:
        return image.convert("RGB")


def small(picture: Image.Image) -> Image.Image:
    """A picture that only change is seen by."""
    factor = max(1, round(max(picture.size) / GLANCE_SIDE))
    return picture.reduce(factor) if factor > 1 else picture


def fits(frame: Size, display: Size) -> bool:
    """Whether a frame is of a display, turned or not."""
    return frame == display or frame == Size(display.height, display.width)
