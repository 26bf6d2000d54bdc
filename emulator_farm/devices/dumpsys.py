"""What `wm` and `dumpsys` print, read. Pure functions over text; traps of real phones are named where they are met.

Sizes are pixels, densities dpi, rotations quarter turns (0 to 3). A text that is not what it should be raises
UnexpectedReply: an empty screen and an unreadable answer are different things.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from agent_server.geometry import Size

_SIZE = re.compile(r"^\s*(Physical|Override) size:\s*(\d+)x(\d+)", re.MULTILINE)
_DENSITY = re.compile(r"^\s*(Physical|Override) density:\s*(\d+)", re.MULTILINE)
_DISPLAY = re.compile(r"^\s*Display: mDisplayId=(\d+)", re.MULTILINE)
_CURRENT = re.compile(r"\bcur=(\d+)x(\d+)")
_DPI = re.compile(r"\b(init|base)=\d+x\d+ (\d+)dpi")
_ROTATIONS = (
    re.compile(r"\bmRotation=(ROTATION_)?(\d+)\b"),
    re.compile(r"\bmCurrentRotation=(ROTATION_)?(\d+)\b"),
    re.compile(r"\bDisplayFrames w=\d+ h=\d+ (r)=(\d)\b"),
)
_VIEWPORT = re.compile(
    r"DisplayViewport\{(?:type=INTERNAL, )?valid=true,[^}]*?displayId=0\b[^}]*?orientation=(\d)[^}]*?"
    r"deviceWidth=(\d+), deviceHeight=(\d+)"
)
_BUILT_IN_DENSITY = re.compile(r"DisplayDeviceInfo\{[^\n]*?\bdensity (\d+)")
_FOCUS_LINE = re.compile(r"mCurrentFocus=(?:null|Window\{\w+ (?:u\d+ )?(.+?)(?: paused=\w+)?\}+)\s*$", re.MULTILINE)
_FOCUSED_APP = re.compile(r"mFocusedApp=.*?ActivityRecord\{\w+ (?:u\d+ )?([^\s}]+)")
_COMPONENT = re.compile(r"[A-Za-z][\w.]*/[\w.$]+")
_ERROR_DIALOG = re.compile(r"Application (?:Not Responding|Error): ([\w.]+)")
_WINDOW_FLAGS = re.compile(r"\bfl=#?([0-9a-f]+\b|[A-Z_ ]+)")
_FLAG_SECURE = 0x2000
_INPUT_AGE = re.compile(r"^\s*(?:Motion|Key)(?:Event|Entry)\b.*?\bage=(\d+)ms", re.MULTILINE)
_PHYSICAL_DISPLAY = re.compile(r"^Display (\d+) \(", re.MULTILINE)


class UnexpectedReply(ValueError):
    """The phone wrote something else than this command writes."""

    def __init__(self, expected: str, text: str) -> None:
        found = " ".join(text.split())[:200] or "nothing"
        super().__init__(f"expected {expected}, the phone wrote: {found}")


class Component(NamedTuple):
    """An activity by package and full class name."""

    package: str
    activity: str

    def __str__(self) -> str:
        return f"{self.package}/{self.activity}"

    @classmethod
    def parse(cls, text: str) -> Component:
        """Read `package/class`; a class that starts with a dot lies in the package. Raises UnexpectedReply."""
        if not _COMPONENT.fullmatch(text):
            raise UnexpectedReply("a component, package/class", text)
        package, activity = text.split("/")
        return cls(package, package + activity if activity.startswith(".") else activity)


@dataclass(frozen=True)
class Display:
    """The main display as it is held now: `size` is that of a screenshot, turned by `rotation`."""

    size: Size
    rotation: int
    density: int | None = None


@dataclass(frozen=True)
class Focus:
    """Who has the input focus: `component` is the app in front, None while nothing is; `window` the focused window."""

    component: Component | None
    window: str | None = None


def wm_size(text: str) -> Size:
    """The effective size in the natural orientation: an override wins over the panel."""
    found = {kind: Size(int(width), int(height)) for kind, width, height in _SIZE.findall(text)}
    if not found:
        raise UnexpectedReply("a display size", text)
    return found.get("Override") or found["Physical"]


def wm_density(text: str) -> int:
    """The effective density; an override wins."""
    found = {kind: int(density) for kind, density in _DENSITY.findall(text)}
    if not found:
        raise UnexpectedReply("a display density", text)
    return found.get("Override") or found["Physical"]


def main_display(text: str) -> Display:
    """Display 0 out of `dumpsys window displays`; a secondary one may be listed first."""
    section = _main_section(text)
    current = _CURRENT.search(section)
    if not current:
        raise UnexpectedReply("display 0 with its current size", text)
    densities = {kind: int(density) for kind, density in _DPI.findall(section)}
    size = Size(int(current[1]), int(current[2]))
    return Display(size, _rotation(section), densities.get("base", densities.get("init")))


def viewport(text: str) -> Display:
    """Display 0 out of `dumpsys display`, for phones whose window dump does not say."""
    found = _VIEWPORT.search(text)
    if not found:
        raise UnexpectedReply("a valid viewport of display 0", text)
    rotation, width, height = map(int, found.groups())
    density = _BUILT_IN_DENSITY.search(text)
    return Display(Size(width, height), rotation, int(density[1]) if density else None)


def focus(text: str) -> Focus:
    """The focused window and app out of `dumpsys window`, its `displays` or `windows` part, or lines grepped from it.

    The first focus that is not null counts: foldables print one for each display. Where a system window has the focus
    (the notification shade, a dialog of the system), the app below it is in front.
    """
    section = _main_section(text)
    if "mCurrentFocus" not in section:
        section = text
    if "mCurrentFocus" not in section:
        raise UnexpectedReply("mCurrentFocus", text)
    window = next((name for name in _FOCUS_LINE.findall(section) if name), None)
    if window and _COMPONENT.fullmatch(window):
        return Focus(Component.parse(window), window)
    apps = [name for name in _FOCUSED_APP.findall(section) if _COMPONENT.fullmatch(name)]
    return Focus(Component.parse(apps[0]) if apps else None, window)


def secure(text: str, window: str) -> bool:
    """Whether the window of this name forbids pictures of itself, out of `dumpsys window windows`."""
    for block in text.split("  Window #")[1:]:
        head, _, body = block.partition("\n")
        if f" {window}}}" in head and (found := _WINDOW_FLAGS.search(body)):
            flags = found[1]
            return bool(int(flags, 16) & _FLAG_SECURE) if found[0].startswith("fl=#") else "SECURE" in flags.split()
    return False


def dialog_of(window: str) -> str | None:
    """The package that a dialog of the system is about, which keeps whatever is below it from being used.

    It is the app that crashed or hangs, or the permission controller itself. None where the window is no such dialog.
    """
    found = _ERROR_DIALOG.fullmatch(window)
    if found:
        return found[1]
    package = window.partition("/")[0]
    return package if package.endswith((".permissioncontroller", ".packageinstaller")) else None


def locked(text: str) -> bool:
    """Whether the lock screen is up, out of `dumpsys window policy` or all of `dumpsys window`."""
    for name in ("isKeyguardShowing", "mShowingLockscreen", "showing", "mDreamingLockscreen"):
        found = re.search(rf"\b{name}=(true|false)", text)
        if found:
            return found[1] == "true"
    raise UnexpectedReply("whether the lock screen is up", text)


def keyboard_shown(text: str) -> bool:
    """Whether `dumpsys input_method` says that a keyboard is on the screen."""
    return _field(text, "mInputShown", "=") == "true"


def wakefulness(text: str) -> str:
    """Awake, Asleep, Dozing or Dreaming, out of `dumpsys power`."""
    return _field(text, "mWakefulness", "=")


def battery_level(text: str) -> int:
    """Per cent, out of `dumpsys battery` or `dumpsys power`."""
    for name, separator in (("mBatteryLevel", "="), ("level", ":")):
        found = re.search(rf"^\s*{name}{separator}\s*(\d+)\s*$", text, re.MULTILINE)
        if found:
            return int(found[1])
    raise UnexpectedReply("a battery level", text)


def newest_input_ms(text: str) -> float | None:
    """Milliseconds since the last touch or key, out of `dumpsys input`; infinity where none came yet, None where the
    phone does not tell.
    """
    _, told, queue = text.rpartition("RecentQueue:")
    if not told:
        return None
    if queue.lstrip().startswith("<empty>"):
        return float("inf")
    return min((float(age) for age in _INPUT_AGE.findall(queue)), default=None)


def physical_display_ids(text: str) -> list[int]:
    """Ids that `screencap -d` takes, out of `dumpsys SurfaceFlinger --display-id`: 64 bits each."""
    return [int(display) for display in _PHYSICAL_DISPLAY.findall(text)]


def _main_section(text: str) -> str:
    """The parts about display 0; all of it where displays are not told apart."""
    heads = list(_DISPLAY.finditer(text))
    if not heads:
        return text
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return "\n".join(text[head.end() : end] for head, end in zip(heads, ends, strict=True) if head[1] == "0")


def _rotation(section: str) -> int:
    for pattern in _ROTATIONS:
        found = pattern.search(section)
        if found:
            value = int(found[2])
            return value // 90 % 4 if found[1] == "ROTATION_" else value % 4
    return 0


def _field(text: str, name: str, separator: str) -> str:
    found = re.search(rf"\b{name}{separator}(\w+)", text)
    if not found:
        raise UnexpectedReply(name, text)
    return found[1]
