"""Looking at one phone: the UI tree, who is in front, and a frame that fits them.

The tree comes first, because `uiautomator dump` returns when the screen is at rest; the frame follows. What is unusable
is looked at again within a deadline and then flagged, or raised where no frame can be had at all.
"""

from __future__ import annotations

import contextlib
import re
import time
from dataclasses import dataclass, field, replace

from PIL import Image

from agent_server.geometry import Size
from emulator_farm.devices.capture import Frame, Frames, recorded_as
from emulator_farm.devices.channels import Capture, CaptureChannel, ChannelFailed, Screencap, fits, same_pixels
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.dumpsys import physical_display_ids, secure, wakefulness
from emulator_farm.devices.looks import Look, Looks
from emulator_farm.devices.observation import Observation
from emulator_farm.devices.settle import Pace, Rest
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import BadFrame


@dataclass(frozen=True)
class Patience:
    """How long to look again, in seconds."""

    call_s: float = 15.0
    """Of one exchange with the phone; a dump of a moving screen alone takes 10 s on real phones."""
    tree_s: float = 3.0
    """No new attempt at the UI tree of a moving screen after this."""
    frame_s: float = 2.0
    """No new attempt at a usable frame after this."""
    black_s: float = 1.5
    """A black frame is believed after this."""
    stable_s: float = 3.0
    """Until a screen that is still moving counts as unstable."""
    keyboard_s: float = 2.0
    """Until a keyboard that was just selected is believed to have no field to type into."""
    pace: Pace = field(default_factory=Pace)
    """How screens move."""
    between_s: float = 0.03
    """Between two pictures of a screen that is watched."""
    settle_by_frames: bool = False
    """Watch pictures before the tree is read too, where the dump does not wait for rest by itself."""


_DRAWN = re.compile(r' (?:text|checked|bounds)="[^"]*"')


class Screen:
    """The screen of one phone."""

    def __init__(
        self, transport: Transport, patience: Patience, *, raw_frames: bool = False, frames: Frames = "png"
    ) -> None:
        """`raw_frames` has frames sent as pixels and encoded here: for phones whose own encoder is the bottleneck.

        `frames` says how they are kept.
        """
        self._transport = transport
        self.patience = patience
        self.frames = frames
        self.capture = Capture([self.channel(raw=raw_frames)] if frames == "png" else self.own_channels())
        self.looks = Looks(transport, patience.call_s, patience.tree_s)
        self._displays: list[int] | None = None
        self._acted_at: float | None = None
        self._last: Frame | None = None
        self._shown: tuple[str | None, str | None] = (None, None)
        self._glance: Image.Image | None = None

    def channel(self, *, raw: bool) -> Screencap:
        """A way to frames that every phone has."""
        return Screencap(self._transport, self.patience.call_s, self._display_words, raw=raw)

    def own_channels(self) -> list[Screencap]:
        """What a phone offers by itself, for frames as they are kept here: a PNG is made only where one is kept."""
        reference = self.channel(raw=False)
        return [reference] if self.frames == "png" else [self.channel(raw=True), reference]

    def use(self, capture: Capture) -> None:
        """Take frames by these channels from now on."""
        self.capture = capture
        self._glance = None

    def acted(self) -> None:
        """Something was just done that may change the screen."""
        self._acted_at = time.monotonic()

    def observe(self, *, ui_tree: bool, settle: bool) -> Observation:
        """One look. Raises BadFrame where no usable frame came in time, and every DeviceError."""
        began = time.monotonic()
        frame = None
        rest: tuple[str, ...] = ()
        if settle and (self.patience.settle_by_frames or not ui_tree or not self.looks.waits):
            frame, rest = self.settle(self.patience.stable_s)
        look = self.tree() if ui_tree else self.look()
        settled = time.monotonic()
        if frame is None or ui_tree or not fits(frame.size, look.display.size):
            frame = self._honest(self.frame(look.display.size), look.display.size)
        if self._is_stale(frame, look):
            frame = self.frame(look.display.size)
            if self._is_stale(frame, look):
                rest = (*rest, "stale")
        if frame.size != look.display.size:
            look = replace(look, display=self.look().display)
        flags = list(dict.fromkeys(look.flags + frame.flags + rest))
        if frame.size != look.display.size:
            flags.append("turned")
        if frame.black:
            flags += self._why_black(look.focus.window)
        self._last, self._acted_at = frame, None
        self._shown = look.ui_tree, look.focus.window
        component = look.focus.component
        return Observation(
            frame=frame,
            rotation=look.display.rotation,
            ui_tree=look.ui_tree,
            app=component.package if component else None,
            activity=component.activity if component else None,
            window=look.focus.window,
            flags=tuple(flags),
            settle_ms=(settled - began) * 1000,
            capture_ms=(time.monotonic() - settled) * 1000,
        )

    def _is_stale(self, frame: Frame, look: Look) -> bool:
        """Whether a frame is the last one to the byte though something else is on the screen by now."""
        if frame.black or self._last is None or frame.image != self._last.image:
            return False
        tree, window = self._shown
        if window != look.focus.window:
            return True
        return tree is not None and look.ui_tree is not None and _visible(tree) != _visible(look.ui_tree)

    def _why_black(self, window: str | None) -> list[str]:
        if not self.awake():
            return ["screen_off"]
        listed = self._transport.shell("dumpsys window windows", self.patience.call_s).text
        return ["secure"] if window is not None and secure(listed, window) else []

    def look(self) -> Look:
        """Display and focus, without a tree."""
        return self.looks.look()

    def tree(self) -> Look:
        """Display, focus and UI tree; flagged `no_ui_tree` where none came in time."""
        return self.looks.tree()

    def frame(self, size: Size | None = None) -> Frame:
        """A checked frame, of `size` or turned; looked at again, once at least, while it is unusable or black.

        A channel that gives an unusable one, or black where `screencap` sees more, is used no longer.
        """
        usable, black = Deadline(self.patience.frame_s), Deadline(self.patience.black_s)
        retaken: tuple[str, ...] = ()
        while True:
            try:
                frame = self._frame_once(self.capture.current, size)
            except ChannelFailed as failure:
                self.capture.drop(str(failure))
            except BadFrame as error:
                if not self.capture.drop(str(error)) and usable.passed and retaken:
                    raise
            else:
                if not frame.black or (black.passed and retaken):
                    return replace(frame, flags=frame.flags + retaken)
                self._doubt(size)
            retaken = ("retaken",)
            usable.pause(0.05)

    def settle(self, deadline_s: float) -> tuple[Frame | None, tuple[str, ...]]:
        """Wait until the screen is at rest, by pictures; the last one where it was a whole frame, and flags.

        `unstable` where the deadline passed first, `animated` where a part that never rests was left out of account.
        """
        deadline = Deadline(deadline_s)
        rest = Rest(self.patience.pace, self._acted_at, self._glance if self._acted_at is not None else None)
        while True:
            began = time.monotonic()
            try:
                glance = self.capture.glance()
            except BadFrame as error:
                if not self.capture.drop(str(error)):
                    if deadline.passed:
                        return self.frame(), ("unstable",)
                    deadline.pause(0.05)
                continue
            self._glance = glance.picture
            if rest.see(glance.picture, began, time.monotonic()):
                return self._whole(glance.frame), ("animated",) if rest.animated else ()
            if deadline.passed:
                return self._whole(glance.frame), ("unstable",)
            deadline.pause(self.patience.between_s)

    def _whole(self, frame: Frame | None) -> Frame | None:
        """A frame that came with a glance, unless it has to be looked at again."""
        if frame is None or frame.black:
            return None
        return recorded_as(frame, self.frames, serial=self._transport.serial)

    def _doubt(self, size: Size | None) -> None:
        """A black frame of a fast channel: whether `screencap` sees as little."""
        if self.capture.current is not self.capture.reference:
            with contextlib.suppress(BadFrame):
                if not self._frame_once(self.capture.reference, size).black:
                    self.capture.drop("black where `screencap -p` is not")

    def _honest(self, frame: Frame, size: Size) -> Frame:
        """A frame that shows no effect of an action, by a fast channel: whether `screencap` sees none either."""
        fast = self.capture.current
        if self._acted_at is None or self._last is None or frame.image != self._last.image:
            return frame
        if fast is self.capture.reference:
            return frame
        with contextlib.suppress(BadFrame, ChannelFailed):
            truth = self._frame_once(self.capture.reference, size)
            if same_pixels(frame, truth):
                return frame
            again = self._frame_once(fast, size)
            if again.image != frame.image:
                return again  # the screen changed just now
            self.capture.drop("shows an old picture")
            return truth
        return self.frame(size)

    def stable(self, deadline_s: float) -> Frame:
        """The first frame that equals the one before it; flagged `unstable` where the screen never came to rest."""
        deadline = Deadline(deadline_s)
        last = self.frame()
        while not deadline.passed:
            deadline.pause(0.05)
            frame = self.frame()
            if frame.image == last.image:
                return frame
            last = frame
        return replace(last, flags=(*last.flags, "unstable"))

    def awake(self) -> bool:
        """Whether the screen is on."""
        return self._transport.read(wakefulness, "dumpsys power") == "Awake"

    def _display_words(self) -> str:
        return f" -d {self.displays[0]}" if self.several else ""

    @property
    def displays(self) -> list[int]:
        """Ids of the physical displays, the built-in one first; empty on phones that do not tell. Asked once."""
        if self._displays is None:
            listed = self._transport.shell("dumpsys SurfaceFlinger --display-id", self.patience.call_s)
            self._displays = physical_display_ids(listed.text)
        return self._displays

    @property
    def several(self) -> bool:
        """Whether commands must name the display they mean."""
        return len(self.displays) > 1

    def forget(self) -> None:
        """Drop what was learned about the displays, and what was seen."""
        self._displays = self._acted_at = self._last = self._glance = None

    def _frame_once(self, channel: CaptureChannel, size: Size | None) -> Frame:
        frame = channel.take(self.frames)
        if size is not None and not fits(frame.size, size):
            said = f"a frame of {frame.size} came from a display of {size}"
            raise BadFrame(said, serial=self._transport.serial, reason="wrong_size")
        return frame


def _visible(tree: str) -> list[str]:
    """What of a UI tree is drawn for certain; a focus, a description or an id may change unseen."""
    return _DRAWN.findall(tree)
