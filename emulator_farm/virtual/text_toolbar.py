"""The toolbar over selected text: cut, copy, paste, select all."""

from collections.abc import Callable
from dataclasses import dataclass

from .boxes import Box, Rect, ViewState
from .layout import Layout
from .widgets import Action, Row, Text, TextField, Widget, pad

HEIGHT = 48
GAP = 8
"""Distance in dp between the toolbar and the line that the caret is in."""


@dataclass(frozen=True)
class TextActions:
    """What the buttons do to the focused field, and what is on the clipboard."""

    cut: Action
    copy: Action
    paste: Action
    select_all: Action
    clipboard: Callable[[], str]


def text_toolbar(field: TextField, state: ViewState, actions: TextActions) -> Widget | None:
    """The buttons that have something to do now, with the ids of the stock toolbar; None where there is none."""
    anchor, caret = state.caret(field.state_key, len(field.value))
    first, last = min(anchor, caret), max(anchor, caret)
    offered: list[tuple[str, Action]] = []
    if first < last and not field.password:
        offered += [("Cut", actions.cut), ("Copy", actions.copy)]
    if actions.clipboard():
        offered.append(("Paste", actions.paste))
    if last - first < len(field.value):
        offered.append(("Select all", actions.select_all))
    if not offered:
        return None
    buttons = tuple(
        Text(
            id="android:floating_toolbar_menu_item_text", view="Button", text=text, size=14, weight="medium",
            min_h=HEIGHT, pad=pad(14, 14), on_tap=action, fixed=True,
        )
        for text, action in offered
    )  # fmt: skip
    return Row(id="android:floating_toolbar_menu_layout", bg="surface_high", radius=24, pad=pad(8, 0), children=buttons)


def place_toolbar(toolbar: Widget, field: Box, layout: Layout, content: Rect) -> Box:
    """Above the caret's line, or below it where there is no room above."""
    caret = layout.caret_rect(field)
    height = layout.px(HEIGHT)
    top = caret.top - layout.px(GAP) - height
    if top < content.top:
        top = min(caret.bottom + layout.px(GAP), content.bottom - height)
    return layout.place(toolbar, Rect(content.left, top, content.right, top + height), (0.5, 0))
