"""Looking at one phone: the UI tree, who is in front, and a frame that fits them.

The tree comes first, because `uiautomator dump` returns when the screen is at rest; tree, display and focus travel in
one exchange, the frame in a second. What is unusable is looked at again within a deadline and then flagged, or raised
where no frame can be had at all.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from agent_server.geometry import Size
from emulator_farm.devices.capture import Frame, read_frame, read_raw_frame
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.dumpsys import (
    Display,
    Focus,
    UnexpectedReply,
    focus,
    main_display,
    physical_display_ids,
    viewport,
    wakefulness,
)
from emulator_farm.devices.observation import Observation
from emulator_farm.devices.replies import UiDumpFailed, ui_dump
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import BadFrame, DeviceError

_DUMP_FILE = "/data/local/tmp/farm_ui.xml"
_MARK = "\n:farm-windows:\n"
_WINDOWS = "dumpsys window displays"
_DUMP = f"rm -f {_DUMP_FILE}; uiautomator dump {_DUMP_FILE}; cat {_DUMP_FILE}; echo; echo :farm-windows:; {_WINDOWS}"


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


@dataclass(frozen=True)
class Look:
    """Display, focus and, where asked for, the UI tree of one moment."""

    display: Display
    focus: Focus
    ui_tree: str | None = None
    flags: tuple[str, ...] = ()


class Screen:
    """The screen of one phone."""

    def __init__(self, transport: Transport, patience: Patience, *, raw_frames: bool = False) -> None:
        """`raw_frames` has frames sent as pixels and encoded here: for phones whose own encoder is the bottleneck."""
        self._transport = transport
        self.patience = patience
        self._raw_frames = raw_frames
        self._displays: list[int] | None = None

    def observe(self, *, ui_tree: bool, settle: bool) -> Observation:
        """One look. Raises BadFrame where no usable frame came in time, and every DeviceError."""
        began = time.monotonic()
        frame = None
        if ui_tree:
            look = self.tree()
        else:
            frame = self.stable(self.patience.stable_s) if settle else None
            look = self.look()
        settled = time.monotonic()
        if frame is None or not _fits(frame.size, look.display.size):
            frame = self.frame(look.display.size)
        if frame.size != look.display.size:
            look = replace(look, display=self.look().display)
        flags = list(dict.fromkeys(look.flags + frame.flags))
        if frame.size != look.display.size:
            flags.append("turned")
        if frame.black and not self.awake():
            flags.append("screen_off")
        component = look.focus.component
        return Observation(
            frame=frame,
            rotation=look.display.rotation,
            ui_tree=look.ui_tree,
            app=component.package if component else None,
            activity=component.activity if component else None,
            flags=tuple(flags),
            settle_ms=(settled - began) * 1000,
            capture_ms=(time.monotonic() - settled) * 1000,
        )

    def look(self) -> Look:
        """Display and focus, without a tree."""
        return self._windows(self._transport.run(_WINDOWS, self.patience.call_s).text)

    def tree(self) -> Look:
        """Display, focus and UI tree; flagged `no_ui_tree` where none came in time.

        A screen that moves is looked at until the deadline, everything else that is wrong at least twice.
        """
        deadline = Deadline(self.patience.tree_s)
        failed = strange = False
        while True:
            look, dumped = self._dump()
            try:
                xml = ui_dump(dumped)
            except UiDumpFailed as failure:
                if deadline.passed and (failed or failure.reason == "not_idle"):
                    return replace(look, flags=("no_ui_tree",))
                failed = True
            else:
                if _is_of(xml, look.focus):
                    return replace(look, ui_tree=xml)
                if strange:
                    return replace(look, ui_tree=xml, flags=("foreign_ui_tree",))
                strange = True
            deadline.pause(0.1)

    def frame(self, size: Size | None = None) -> Frame:
        """A checked frame, of `size` or turned; looked at again, once at least, while it is unusable or black."""
        usable, black = Deadline(self.patience.frame_s), Deadline(self.patience.black_s)
        retaken: tuple[str, ...] = ()
        while True:
            try:
                frame = self._frame_once(size)
            except BadFrame:
                if usable.passed and retaken:
                    raise
            else:
                if not frame.black or (black.passed and retaken):
                    return replace(frame, flags=frame.flags + retaken)
            retaken = ("retaken",)
            usable.pause(0.05)

    def stable(self, deadline_s: float) -> Frame:
        """The first frame that equals the one before it; flagged `unstable` where the screen never came to rest."""
        deadline = Deadline(deadline_s)
        last = self.frame()
        while not deadline.passed:
            deadline.pause(0.05)
            frame = self.frame()
            if frame.png == last.png:
                return frame
            last = frame
        return replace(last, flags=(*last.flags, "unstable"))

    def awake(self) -> bool:
        """Whether the screen is on."""
        return self._transport.read(wakefulness, "dumpsys power") == "Awake"

    def _capture(self, command: str) -> bytes:
        """Shell v2 keeps warnings out of the picture, ends with an exit code, and is the faster way through adbd."""
        if "shell_v2" not in self._transport.features():
            return self._transport.exec_out(command, self.patience.call_s)
        completed = self._transport.shell(command, self.patience.call_s)
        return completed.stdout or completed.stderr

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
        """Drop what was learned about the displays."""
        self._displays = None

    def _dump(self) -> tuple[Look, str]:
        """Display and focus, and what the dump of the tree wrote."""
        completed = self._transport.shell(_DUMP, self.patience.call_s)
        dumped, mark, windows = completed.text.rpartition(_MARK)
        if not mark:
            raise DeviceError("the answer to a look at the screen is incomplete", serial=self._transport.serial)
        if "<hierarchy" not in dumped:
            dumped += completed.stderr.decode(errors="replace")
        return self._windows(windows), dumped

    def _frame_once(self, size: Size | None) -> Frame:
        serial = self._transport.serial
        command = "screencap" if self._raw_frames else "screencap -p"
        data = self._capture(f"{command} -d {self.displays[0]}" if self.several else command)
        frame = read_raw_frame(data, serial=serial) if self._raw_frames else read_frame(data, serial=serial)
        if size is not None and not _fits(frame.size, size):
            raise BadFrame(f"a frame of {frame.size} came from a display of {size}", serial=serial, reason="wrong_size")
        return frame

    def _windows(self, text: str) -> Look:
        """Old phones tell the focus, and some the size, elsewhere."""
        try:
            where = focus(text)
        except UnexpectedReply:
            where = self._transport.read(focus, "dumpsys window")
        try:
            display = main_display(text)
        except UnexpectedReply:
            display = self._transport.read(viewport, "dumpsys display")
        return Look(display, where)


def _fits(frame: Size, display: Size) -> bool:
    return frame == display or frame == Size(display.height, display.width)


def _is_of(xml: str, where: Focus) -> bool:
    """Whether the tree can be that of the app in front; unknown while a window of the system has the focus."""
    component = where.component
    return component is None or "/" not in (where.window or "") or f'package="{component.package}"' in xml
