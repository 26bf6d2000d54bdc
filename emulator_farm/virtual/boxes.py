"""What a layout produces: rectangles in device pixels, one box a widget."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .fonts import Typeface
from .text_flow import Line
from .widgets import Paint, Scroll, Slider, TextField, Widget


class Rect(NamedTuple):
    """Left and top are inside, right and bottom are outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels across; never negative."""
        return max(0, self.right - self.left)

    @property
    def height(self) -> int:
        """Pixels down; never negative."""
        return max(0, self.bottom - self.top)

    @property
    def empty(self) -> bool:
        """True where no pixel is inside."""
        return self.right <= self.left or self.bottom <= self.top

    def contains(self, x: int, y: int) -> bool:
        """Whether the pixel is inside."""
        return self.left <= x < self.right and self.top <= y < self.bottom

    def clip(self, other: "Rect") -> "Rect":
        """The common part; an empty rectangle where there is none."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Rect(left, top, max(left, min(self.right, other.right)), max(top, min(self.bottom, other.bottom)))


NOTHING = Rect(0, 0, 0, 0)


@dataclass(slots=True, eq=False)
class Box:
    """A widget with its place. `x`, `y` are relative to the parent until the layout has placed the tree."""

    widget: Widget
    w: int
    h: int
    children: "list[Box]" = field(default_factory=list)
    x: int = 0
    y: int = 0
    visible: Rect = NOTHING
    """The part that no viewport cuts away; empty = not on the screen."""
    inner: Rect = NOTHING
    """Without padding: relative to the box until placed."""
    lines: list[Line] = field(default_factory=list)
    face: Typeface | None = None
    shift: int = 0
    """Pixels that a single-line field's text is moved to the left to keep the caret in sight."""
    scroll_range: int = 0
    """How far a viewport can move, pixels."""
    rtl: bool = False
    """Whether it is laid out from right to left."""

    @property
    def rect(self) -> Rect:
        """The whole box, whether visible or not."""
        return Rect(self.x, self.y, self.x + self.w, self.y + self.h)

    def walk(self) -> "Iterator[Box]":
        """This box and all below, parents first, in drawing order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(eq=False)
class ViewState:
    """What a window remembers between builds, by widget key."""

    scroll: dict[str, int] = field(default_factory=dict)
    """Pixels that each viewport has moved."""
    focus: str = ""
    """Key of the focused field."""
    carets: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Selection anchor and caret of each field."""
    keyboard: bool = False
    """Whether the focused field wants an input method; back takes it away, a tap on the field brings it again."""
    reveal: bool = False
    """Set when the focused field must be scrolled into sight at the next layout."""
    toolbar: bool = False
    """Whether the toolbar for selected text is asked for."""

    def focus_on(self, key: str) -> None:
        """Give a field the focus and ask for the keyboard."""
        self.focus, self.keyboard, self.reveal = key, True, True

    def blur(self) -> None:
        """No focus, no keyboard."""
        self.focus, self.keyboard, self.reveal, self.toolbar = "", False, False, False

    def caret(self, key: str, length: int) -> tuple[int, int]:
        """Anchor and caret of a field holding `length` characters; at its end where never set."""
        anchor, caret = self.carets.get(key, (length, length))
        return min(anchor, length), min(caret, length)


@dataclass(eq=False)
class Window:
    """A laid-out tree on the screen."""

    root: Box
    package: str
    state: ViewState
    kind: str
    """app | dialog | keyboard | status | navigation"""
    backdrop: Paint = "surface"
    """What lies behind it, for a window drawn on its own."""
    decor: bool = True
    """Whether the frame of an activity or a dialog is around the tree, as the UI tree shows it."""

    def at(self, x: int, y: int) -> list[Box]:
        """Boxes under a pixel, the front and deepest one first, then its ancestors."""
        return _at(self.root, x, y)


def _at(box: Box, x: int, y: int) -> list[Box]:
    if not box.visible.contains(x, y):
        return []
    front: list[Box] = []
    for child in reversed(box.children):
        found = _at(child, x, y)
        if any(_takes_touches(each.widget) for each in found):
            return [*found, box]
        front = front or found
    return [*front, box]


def _takes_touches(widget: Widget) -> bool:
    """A view that takes none lets the finger through to what lies behind it."""
    handlers = (widget.on_tap, widget.on_long, widget.on_fling)
    return any(handlers) or isinstance(widget, TextField | Slider | Scroll)
