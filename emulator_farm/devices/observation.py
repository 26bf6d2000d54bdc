"""What one look at a phone gives, and what became of one action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agent_server.geometry import Size
from emulator_farm.devices.capture import Frame
from emulator_farm.devices.dumpsys import Display, Focus


@dataclass(frozen=True)
class Observation:
    """One moment of a phone.

    `size` is that of the frame, the space of every point of an action. `ui_tree` is uiautomator's XML, None where it
    was not asked for or could not be had (then `flags` holds `no_ui_tree`). `app` is the package in front and
    `activity` its full class name, None where nothing has the focus. `flags` says what was unusual:

    - `black` every pixel is black, also after some patience; with it `screen_off` where the phone sleeps, or `secure`
      where the window in front forbids pictures of itself
    - `stale` window or tree changed in what is drawn, and the picture did not, also when it was taken again
    - `retaken` a first screenshot was unusable, or black
    - `leading_text`, `trailing_data`, `crlf` were removed from what the phone wrote
    - `turned` the frame has the sides of the display swapped
    - `no_ui_tree` there is none; `foreign_ui_tree` it is of another app than the one in front
    - `unstable` the screen did not come to rest in time; `animated` it did but for a part that keeps moving
    """

    frame: Frame
    rotation: int
    ui_tree: str | None = None
    app: str | None = None
    activity: str | None = None
    window: str | None = None
    """The focused window: a component, or what the system calls a window of its own."""
    flags: tuple[str, ...] = ()
    settle_ms: float = 0.0
    """Until the screen was at rest and its tree read."""
    capture_ms: float = 0.0
    """The screenshot alone."""

    @property
    def image(self) -> bytes:
        return self.frame.image

    @property
    def size(self) -> Size:
        return self.frame.size

    @property
    def sha256(self) -> str:
        return self.frame.sha256

    def outdated(self, display: Display, focus: Focus) -> str:
        """What keeps its points from meaning what they meant, now that the phone is so; empty where nothing does."""
        if display.rotation != self.rotation or display.size != self.size:
            turned = f"it is {display.size} now, turned by {display.rotation * 90} degrees"
            return f"the screen changed since it was looked at: {turned}"
        if focus.window != self.window:
            return f"another window came in front since the screen was looked at: {focus.window or 'none'}"
        return ""


OutcomeStatus = Literal["ok", "rejected", "none"]


@dataclass(frozen=True)
class Outcome:
    """What became of an action.

    `ok`: executed. `rejected`: the phone has nothing to do it with (no such app, no focused field); `detail` says why.
    `none`: there was nothing to do. `command` is what was executed, None where the phone was not touched.
    """

    status: OutcomeStatus
    detail: str = ""
    command: str | None = None
