"""Who is in front, how the screen is held, and the UI tree, of one moment.

Exit codes of `uiautomator dump` lie both ways, and an old file may lie where it writes: the file is removed before and
only words are believed. Tree, display and focus travel in one exchange.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from emulator_farm.devices.channels import ChannelFailed
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.dumpsys import Display, Focus, UnexpectedReply, focus, main_display, viewport
from emulator_farm.devices.replies import UiDumpFailed, ui_dump
from emulator_farm.devices.transport import Transport
from emulator_farm.devices.trees import TreeChannel
from emulator_farm.errors import DeviceError

DUMP_FILE = "/data/local/tmp/farm_ui.xml"
_MARK = "\n:farm-windows:\n"
_WINDOWS = "dumpsys window displays"
DUMP = f"rm -f {DUMP_FILE}; uiautomator dump {DUMP_FILE}; cat {DUMP_FILE}; echo; echo :farm-windows:; {_WINDOWS}"


@dataclass(frozen=True)
class Look:
    """Display, focus and, where asked for, the UI tree of one moment."""

    display: Display
    focus: Focus
    ui_tree: str | None = None
    flags: tuple[str, ...] = ()


class Looks:
    """Looks at one phone; trees by `uiautomator dump` unless a faster way is used."""

    def __init__(self, transport: Transport, call_s: float, tree_s: float) -> None:
        """`call_s` is for one exchange; no new attempt at a tree is made after `tree_s`."""
        self._transport = transport
        self._call_s = call_s
        self._tree_s = tree_s
        self.fast: TreeChannel | None = None
        """The faster way."""
        self._lost: Callable[[str], None] = lambda why: None

    @property
    def waits(self) -> bool:
        """Whether a tree comes when the screen is at rest; else pictures must be watched before."""
        return self.fast is None

    def look(self) -> Look:
        """Display and focus, without a tree."""
        return self._windows(self._transport.run(_WINDOWS, self._call_s).text)

    def tree(self) -> Look:
        """Display, focus and UI tree; flagged `no_ui_tree` where none came in time.

        A screen that moves is looked at until the deadline, everything else that is wrong at least twice.
        """
        deadline = Deadline(self._tree_s)
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

    def use(self, channel: TreeChannel | None, lost: Callable[[str], None] = lambda why: None) -> None:
        """Read trees by this way from now on, by `uiautomator dump` where it is None; `lost` hears why it failed.

        Pictures are watched for rest before such a tree is read.
        """
        self.fast, self._lost = channel, lost

    def _fast_dump(self, channel: TreeChannel) -> tuple[Look, str] | None:
        """As `_dump`; None where the way failed, which is used no longer."""
        look = self.look()
        of_app = look.focus.component is not None and "/" in (look.focus.window or "")
        try:
            return look, channel.dump(look.focus.component.package if look.focus.component and of_app else None)
        except ChannelFailed as failure:
            self.fast = None
            self._lost(str(failure))
            return None

    def _dump(self) -> tuple[Look, str]:
        """Display and focus, and what the dump of the tree wrote."""
        if self.fast is not None and (dumped_fast := self._fast_dump(self.fast)) is not None:
            return dumped_fast
        completed = self._transport.shell(DUMP, self._call_s)
        dumped, mark, windows = completed.text.rpartition(_MARK)
        if not mark:
            raise DeviceError("the answer to a look at the screen is incomplete", serial=self._transport.serial)
        if "<hierarchy" not in dumped:
            dumped += completed.stderr.decode(errors="replace")
        return self._windows(windows), dumped

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


def _is_of(xml: str, where: Focus) -> bool:
    """Whether the tree can be that of the app in front; unknown while a window of the system has the focus."""
    component = where.component
    return component is None or "/" not in (where.window or "") or f'package="{component.package}"' in xml
