"""Composite parts of the Material look: functions from plain arguments to widget trees, with the ids of stock apps."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from .widgets import (
    FILL,
    RECYCLER,
    VIEW_GROUP,
    WRAP,
    Action,
    Column,
    EditorAction,
    Icon,
    Pad,
    Paint,
    Row,
    Scroll,
    Space,
    Stack,
    Switch,
    Text,
    TextField,
    Widget,
    pad,
)

CENTER = (0.5, 0.5)
ROW_PAD = Pad(24, 16, 24, 16)


def icon_button(
    icon: str, desc: str, on_tap: Action, name: str = "", color: Paint = "on_surface", filled: bool = False
) -> Widget:
    """A 48 dp touch target with an icon."""
    glyph = Icon(name=icon, color=color, filled=filled, anchor=CENTER, hidden=True)
    return Stack(id=name, view="ImageButton", desc=desc, w=48, h=48, on_tap=on_tap, children=(glyph,))


def text_button(text: str, on_tap: Action, name: str = "", enabled: bool = True) -> Widget:
    """A button without a container, as in dialogs."""
    color: Paint = "primary" if enabled else "disabled"
    return Text(
        id=name, view="Button", text=text, size=14, weight="medium", color=color, align="center", pad=pad(12, 12),
        min_h=48, on_tap=on_tap, enabled=enabled,
    )  # fmt: skip


def filled_button(
    text: str, on_tap: Action, name: str = "", enabled: bool = True, tonal: bool = False, w: float = WRAP
) -> Widget:
    """A button with a coloured container."""
    face: Paint = "secondary_container" if tonal else "primary"
    ink: Paint = "on_secondary_container" if tonal else "on_primary"
    return Text(
        id=name, view="Button", text=text, size=14, weight="medium", align="center", w=w, pad=pad(24, 12), min_h=44,
        bg=face if enabled else "outline_variant", color=ink if enabled else "surface", radius=22, on_tap=on_tap,
        enabled=enabled,
    )  # fmt: skip


def fab(icon: str, desc: str, on_tap: Action, name: str = "fab", size: float = 56) -> Widget:
    """The floating action button, to be the last child of a Stack."""
    glyph = Icon(name=icon, color="on_primary_container", anchor=CENTER, hidden=True, size=size * 0.43)
    return Stack(
        id=name, view="ImageButton", desc=desc, w=size, h=size, bg="primary_container", radius=size * 0.29,
        on_tap=on_tap, children=(glyph,),
    )  # fmt: skip


def floating(body: Widget, button: Widget, bottom: float = 16) -> Widget:
    """A body with a floating action button over its lower right corner."""
    holder = Stack(
        w=FILL,
        h=FILL,
        hidden=False,
        view=VIEW_GROUP,
        pad=Pad(0, 0, 16, bottom),
        children=(replace(button, anchor=(1, 1)),),
    )
    return Stack(w=FILL, h=FILL, children=(body, holder))


def top_bar(
    title: str = "",
    up: Action | None = None,
    actions: Sequence[Widget] = (),
    up_desc: str = "Navigate up",
    up_icon: str = "arrow_back",
) -> Widget:
    """The bar at the top: way up, title, actions."""
    left: tuple[Widget, ...] = (icon_button(up_icon, up_desc, up),) if up else (Space(w=12),)
    words = Text(text=title, size=20, max_lines=1, grow=1) if title else Space(grow=1)
    return Row(view=VIEW_GROUP, w=FILL, h=64, pad=pad(4), gap=4, children=(*left, words, *actions))


def list_item(
    title: str,
    summary: str = "",
    icon: str = "",
    leading: Widget | None = None,
    trailing: Widget | None = None,
    on_tap: Action | None = None,
    on_long: Action | None = None,
    enabled: bool = True,
    title_id: str = "android:title",
    summary_id: str = "android:summary",
    title_size: float = 18,
    name: str = "",
    padding: Pad = ROW_PAD,
    title_color: Paint = "on_surface",
) -> Widget:
    """A row of a list: icon, title over summary, something at the end."""
    ink: Paint = title_color if enabled else "disabled"
    faint: Paint = "on_surface_variant" if enabled else "disabled"
    words: list[Widget] = [Text(id=title_id, text=title, size=title_size, color=ink, enabled=enabled)]
    if summary:
        words.append(Text(id=summary_id, text=summary, size=14, color=faint, enabled=enabled))
    parts: list[Widget] = []
    if leading is not None:
        parts.append(leading)
    elif icon:
        frame = Icon(id="android:icon", name=icon, color=ink)
        parts.append(frame)
    parts.append(Column(view="RelativeLayout", grow=1, gap=2, children=tuple(words)))
    if trailing is not None:
        parts.append(Row(id="android:widget_frame", w=WRAP, children=(trailing,)))
    return Row(
        id=name, w=FILL, min_h=72, pad=padding, gap=24, on_tap=on_tap, on_long=on_long, enabled=enabled,
        children=tuple(parts),
    )  # fmt: skip


def switch_item(
    title: str,
    checked: bool,
    on_change: Callable[[bool], None],
    summary: str = "",
    icon: str = "",
    enabled: bool = True,
) -> Widget:
    """A row that is switched by a tap anywhere on it."""
    return list_item(
        title, summary, icon, enabled=enabled, on_tap=lambda: on_change(not checked),
        trailing=Switch(id="android:switch_widget", checked=checked, enabled=enabled),
    )  # fmt: skip


def main_switch(title: str, checked: bool, on_change: Callable[[bool], None]) -> Widget:
    """The large switch at the top of a settings page."""
    face: Paint = "primary_container" if checked else "surface_container"
    ink: Paint = "on_primary_container" if checked else "on_surface"
    words = Text(id="switch_text", text=title, size=18, color=ink, grow=1)
    row = Row(
        id="main_switch_bar", w=FILL, bg=face, radius=28, min_h=72, pad=pad(24, 12),
        on_tap=lambda: on_change(not checked), children=(words, Switch(id="android:switch_widget", checked=checked)),
    )  # fmt: skip
    return Column(w=FILL, pad=pad(16, 8), children=(row,))


def section(text: str) -> Widget:
    """A heading inside a list."""
    return Text(
        id="android:title", text=text, size=14, weight="medium", color="primary", w=FILL, pad=Pad(24, 16, 24, 4)
    )


def divider() -> Widget:
    """A thin line across."""
    return Space(w=FILL, h=1, bg="outline_variant")


def scrolling(children: Sequence[Widget], name: str = "recycler_view", bottom: float = 24) -> Widget:
    """A vertical list that fills what is left of its parent."""
    content = Column(w=FILL, hidden=False, view=VIEW_GROUP, pad=Pad(0, 0, 0, bottom), children=tuple(children))
    return Scroll(id=name, view=RECYCLER, w=FILL, h=FILL, child=content)


def search_box(
    value: str,
    on_change: Callable[[str], None],
    hint: str,
    name: str = "search_src_text",
    on_action: Action | None = None,
) -> Widget:
    """A rounded search field with a clear button when it holds text."""
    field = TextField(
        id=name,
        value=value,
        hint=hint,
        on_change=on_change,
        action="search",
        on_action=on_action,
        grow=1,
        size=18,
        pad=pad(0, 12),
    )
    parts: list[Widget] = [Icon(name="search", color="on_surface_variant"), field]
    if value:
        parts.append(icon_button("close", "Clear query", lambda: on_change(""), name="search_close_btn"))
    return Row(w=FILL, bg="surface_container", radius=28, min_h=56, pad=Pad(16, 0, 4, 0), gap=12, children=tuple(parts))


def outlined_field(
    name: str,
    label: str,
    value: str,
    on_change: Callable[[str], None],
    focused: bool,
    action: EditorAction = "next",
    numeric: bool = False,
    on_action: Action | None = None,
) -> Widget:
    """A form field with a border and a label that floats above the value."""
    field = TextField(
        id=name, value=value, hint=label, draw_hint=not focused, on_change=on_change, action=action,
        on_action=on_action, numeric=numeric, w=FILL, h=56, pad=pad(16, 16), bg="surface", radius=4,
        border="primary" if focused else "outline",
    )  # fmt: skip
    parts: list[Widget] = [Column(w=FILL, pad=Pad(0, 8, 0, 0), children=(field,))]
    if value or focused:
        ink: Paint = "primary" if focused else "on_surface_variant"
        tag = Text(text=label, size=12, color=ink, bg="surface", pad=pad(4, 1))
        parts.append(Row(w=WRAP, pad=Pad(12, 0, 0, 0), children=(tag,)))
    return Stack(w=FILL, children=tuple(parts))


def bottom_bar(tabs: Sequence[tuple[str, str, str]], chosen: str, on_choose: Callable[[str], None]) -> Widget:
    """The navigation bar of an app: (key, label, icon) for each destination."""

    def tab(key: str, label: str, icon: str) -> Widget:
        on = key == chosen
        face: Paint | None = "secondary_container" if on else None
        glyph = Icon(
            name=icon, color="on_secondary_container" if on else "on_surface_variant", filled=on, anchor=CENTER
        )
        mark = Stack(w=64, h=32, bg=face, radius=16, children=(glyph,), hidden=True)
        words = Text(
            id="navigation_bar_item_small_label_view",
            fixed=True,
            text=label,
            size=12,
            weight="medium",
            color="on_surface" if on else "on_surface_variant",
        )
        return Column(
            id=f"tab_menu_{key}", view="FrameLayout", desc=label, grow=1, h=80, pad=pad(0, 12), gap=4, align="center",
            selected=on, on_tap=lambda: on_choose(key), children=(mark, words),
        )  # fmt: skip

    return Row(id="navigation_bar", w=FILL, h=80, bg="surface_container", children=tuple(tab(*each) for each in tabs))
