"""Dialogs and menus: popups with the ids of the stock ones."""

from collections.abc import Callable, Sequence

from .material import text_button
from .screen import Popup
from .widgets import FILL, Action, Column, Pad, Radio, Row, Scroll, Stack, Text, TextField, Widget, pad


def dialog(title: str, body: Sequence[Widget], buttons: Sequence[Widget], w: float = 312) -> Widget:
    """The card of a dialog."""
    parts: list[Widget] = []
    if title:
        parts.append(Text(id="android:alertTitle", text=title, size=24, w=FILL))
    inside = Column(w=FILL, gap=16, children=tuple(body))
    parts.append(body[0] if isinstance(body[0], Scroll) else Scroll(id="android:scrollView", w=FILL, child=inside))
    if buttons:
        parts.append(Row(id="android:buttonPanel", w=FILL, justify="end", gap=8, children=tuple(buttons)))
    return Column(w=w, bg="surface_high", radius=28, pad=Pad(24, 24, 24, 16), gap=16, children=tuple(parts))


def confirm(
    message: str, positive: str, on_yes: Action, on_no: Action, title: str = "", negative: str = "Cancel"
) -> Popup:
    """A question with two answers."""

    def build() -> Widget:
        words = Text(id="android:message", text=message, size=16, color="on_surface_variant", w=FILL)
        no = text_button(negative, on_no, "android:button2")
        yes = text_button(positive, on_yes, "android:button1")
        return dialog(title, (words,), (no, yes))

    return Popup(build)


def choice(
    title: str, options: Sequence[str], chosen: int, on_choose: Callable[[int], None], on_cancel: Action
) -> Popup:
    """A list of which one is chosen by a tap, which closes the dialog."""

    def option(index: int) -> Widget:
        return Radio(
            id="android:text1", view="CheckedTextView", text=options[index], checked=index == chosen, w=FILL,
            on_tap=lambda: on_choose(index),
        )  # fmt: skip

    def build() -> Widget:
        rows = Column(w=FILL, children=tuple(option(index) for index in range(len(options))))
        lines = Scroll(id="select_dialog_listview", view="ListView", w=FILL, child=rows)
        return dialog(title, (lines,), (text_button("Cancel", on_cancel, "android:button2"),))

    return Popup(build)


def menu(items: Sequence[tuple[str, Action]]) -> Popup:
    """The overflow menu in the top right corner."""

    def build() -> Widget:
        rows = tuple(
            Row(w=FILL, min_h=48, pad=pad(16, 12), on_tap=action, children=(Text(id="title", text=text, size=16),))
            for text, action in items
        )
        card = Column(view="ListView", w=200, bg="surface_high", radius=4, pad=pad(0, 8), children=rows)
        return Stack(pad=Pad(0, 8, 8, 0), children=(card,))

    return Popup(build, anchor=(1, 0), dim=False)


class TextPrompt:
    """A dialog that asks for one line of text, shown by `popup()`; an empty answer counts only where `optional`."""

    def __init__(
        self,
        title: str,
        value: str,
        on_ok: Callable[[str], None],
        on_cancel: Action,
        hint: str = "",
        optional: bool = False,
    ) -> None:
        self._title = title
        self.value = value
        self._on_ok = on_ok
        self._on_cancel = on_cancel
        self._hint = hint
        self._optional = optional

    def popup(self) -> Popup:
        """The dialog, with the text selected and the keyboard up."""
        popup = Popup(self._build)
        popup.view.focus_on("android:edit")
        popup.view.carets["android:edit"] = (0, len(self.value))
        return popup

    def _set(self, value: str) -> None:
        self.value = value

    def _ok(self) -> None:
        if self.value.strip() or self._optional:
            self._on_ok(self.value.strip())

    def _build(self) -> Widget:
        field = TextField(
            id="android:edit", value=self.value, hint=self._hint, on_change=self._set, on_action=self._ok, w=FILL,
            size=18, pad=pad(4, 12), bg="surface_high", border="primary", radius=4,
        )  # fmt: skip
        no = text_button("Cancel", self._on_cancel, "android:button2")
        yes = text_button("OK", self._ok, "android:button1", enabled=self._optional or bool(self.value.strip()))
        return dialog(self._title, (field,), (no, yes))
