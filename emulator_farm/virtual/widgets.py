"""What a screen is made of: immutable widgets, sizes in dp, text sizes in sp.

A screen's `build()` returns one tree of these each time its state changed; nothing is kept between builds except what
a `key` names (scroll position, text cursor). The same tree becomes the picture (`render`) and the UI tree
(`hierarchy`), by way of one layout.

Sizes: `WRAP` takes what the content needs, `FILL` what the parent has (shared, along the parent's own axis).
Resource ids: `title` stands for `<package of the screen>:id/title`, `android:title` for `android:id/title`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from .fonts import Weight
from .theme import Color, Role

if TYPE_CHECKING:
    from .boxes import Window

Action = Callable[[], None]
Paint = Role | Color
WRAP: float = -2.0
FILL: float = -1.0
EditorAction = Literal["none", "go", "search", "send", "next", "done"]


class Pad(NamedTuple):
    """Inner distances in dp."""

    left: float = 0
    top: float = 0
    right: float = 0
    bottom: float = 0


NO_PAD = Pad()


def pad(horizontal: float = 0, vertical: float = 0) -> Pad:
    """The same distance on opposite sides."""
    return Pad(horizontal, vertical, horizontal, vertical)


@dataclass(frozen=True, kw_only=True, eq=False)
class Widget:
    """What every widget has."""

    id: str = ""
    view: str = ""
    """Class name in the UI tree; empty = that of the widget type. `android.widget.` may be left out."""
    desc: str = ""
    """content-desc."""
    caption: str = ""
    """Text in the UI tree of a container that stands for one view, such as a launcher icon with its label."""
    key: str = ""
    """Names state that survives a rebuild; empty = `id`."""
    w: float = WRAP
    h: float = WRAP
    min_h: float = 0
    grow: float = 0
    """Share of the parent's free space along its axis."""
    anchor: tuple[float, float] = (0, 0)
    """Inside a Stack: fraction of the free space to the left of and above this widget."""
    pad: Pad = NO_PAD
    bg: Paint | None = None
    border: Paint | None = None
    """One dp line around; needs `bg`."""
    radius: float = 0
    on_tap: Action | None = None
    on_long: Action | None = None
    on_fling: Callable[[str], bool] | None = None
    """Gets up | down | left | right, where the finger went; True = handled."""
    enabled: bool = True
    selected: bool = False
    checkable: bool = False
    checked: bool = False
    hidden: bool = False
    """Drawn but not in the UI tree, with all that is inside."""

    @property
    def state_key(self) -> str:
        """The name of this widget's state."""
        return self.key or self.id

    @property
    def view_class(self) -> str:
        """Full class name for the UI tree."""
        name = self.view or VIEWS[type(self)]
        return name if "." in name else f"android.widget.{name}"


Align = Literal["start", "center", "end"]


@dataclass(frozen=True, eq=False)
class Column(Widget):
    """Children from top to bottom."""

    children: tuple[Widget, ...] = ()
    gap: float = 0
    align: Align = "start"
    justify: Align = "start"


@dataclass(frozen=True, eq=False)
class Row(Widget):
    """Children from left to right."""

    children: tuple[Widget, ...] = ()
    gap: float = 0
    align: Align = "center"
    justify: Align = "start"
    ltr: bool = False
    """True for what no language mirrors, such as the keys of a number pad."""


@dataclass(frozen=True, eq=False)
class Stack(Widget):
    """Children on top of each other, the last one in front."""

    children: tuple[Widget, ...] = ()


@dataclass(frozen=True, eq=False)
class Scroll(Widget):
    """A viewport that the finger moves over its child. Needs a `key` or `id`."""

    child: Widget = Stack()
    axis: Literal["x", "y"] = "y"


@dataclass(frozen=True, eq=False)
class Space(Widget):
    """A plain area: a gap, a line, a coloured shape. Not in the UI tree unless it has an id."""


@dataclass(frozen=True, eq=False)
class Text(Widget):
    """Text that wraps; cut with an ellipsis after `max_lines` (0 = no limit)."""

    text: str = ""
    size: float = 16
    color: Paint = "on_surface"
    weight: Weight = "regular"
    max_lines: int = 0
    align: Align = "start"
    fixed: bool = False
    """True for text that does not follow the font scale."""


@dataclass(frozen=True, eq=False)
class Icon(Widget):
    """A Material symbol by name."""

    name: str = ""
    size: float = 24
    color: Paint = "on_surface_variant"
    filled: bool = False
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class Disc(Widget):
    """A filled circle with a letter or an icon: an avatar, an app icon."""

    color: Paint = "primary"
    letter: str = ""
    icon: str = ""
    size: float = 40
    ink: Paint = "white"


@dataclass(frozen=True, eq=False)
class Switch(Widget):
    """A two-state switch; tap handling is usually its row's."""


@dataclass(frozen=True, eq=False)
class Check(Widget):
    """A check box."""


@dataclass(frozen=True, eq=False)
class Radio(Widget):
    """A radio button, with its label where one is given."""

    text: str = ""
    size: float = 16


@dataclass(frozen=True, eq=False)
class Slider(Widget):
    """A seek bar over the integers `low`..`high`."""

    value: int = 0
    low: int = 0
    high: int = 100
    on_change: Callable[[int], None] | None = None
    text: str = ""


@dataclass(frozen=True, eq=False)
class TextField(Widget):
    """An edit text. `on_change` gets the whole new value; `on_action` runs when Enter performs the editor action."""

    value: str = ""
    hint: str = ""
    draw_hint: bool = True
    """False where a label stands in for the hint in the picture; the UI tree has it all the same."""
    size: float = 16
    weight: Weight = "regular"
    align: Align = "start"
    on_change: Callable[[str], None] | None = None
    on_action: Action | None = None
    action: EditorAction = "done"
    multiline: bool = False
    min_lines: int = 1
    password: bool = False
    numeric: bool = False
    ink: Paint = "on_surface"
    max_length: int = 0
    """Characters accepted; 0 = no limit."""
    select_on_focus: bool = False


@dataclass(frozen=True, eq=False)
class Thumbnail(Widget):
    """Another window, drawn small."""

    window: "Callable[[], Window] | None" = None


@dataclass(frozen=True, eq=False)
class Photo(Widget):
    """A picture in the bytes of a JPEG, PNG or other file, in the middle of its place."""

    data: bytes = b""
    cover: bool = False
    """True where it fills its place and what is too much is cut away; else all of it shows."""


CONTAINERS = (Column, Row, Stack)
VIEWS: dict[type[Widget], str] = {
    Column: "LinearLayout",
    Row: "LinearLayout",
    Stack: "FrameLayout",
    Scroll: "ScrollView",
    Space: "android.view.View",
    Text: "TextView",
    Icon: "ImageView",
    Disc: "ImageView",
    Switch: "Switch",
    Check: "CheckBox",
    Radio: "RadioButton",
    Slider: "SeekBar",
    TextField: "EditText",
    Thumbnail: "android.view.View",
    Photo: "ImageView",
}
RECYCLER = "androidx.recyclerview.widget.RecyclerView"
VIEW_GROUP = "android.view.ViewGroup"
