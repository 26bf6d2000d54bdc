"""A page as widgets, with what was entered into its forms."""

from collections.abc import Callable
from functools import partial
from typing import assert_never
from urllib.parse import urlencode

from emulator_farm.virtual.apps.browser.pages import (
    Block,
    Field,
    Form,
    Heading,
    Input,
    Link,
    Page,
    Paragraph,
    Select,
    Tick,
    absolute,
)
from emulator_farm.virtual.dialogs import choice
from emulator_farm.virtual.material import filled_button
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Check, Column, Icon, Row, Scroll, Text, TextField, Widget, pad

Go = Callable[[str], None]
Send = Callable[[str, dict[str, str]], None]
_VIEW = "android.view.View"
_SIZES = {1: 28, 2: 20}


class WebView:
    """One open page. `go(url)` opens another, `send(url, fields)` keeps a form's values."""

    def __init__(self, screen: Screen, page: Page, url: str, go: Go, send: Send) -> None:
        self.page = page
        self.url = url
        self.values: dict[str, str] = {}
        self.complaint = ""
        self._screen = screen
        self._go = go
        self._send = send

    def build(self) -> Widget:
        """The page in a viewport."""
        blocks = tuple(self._block(block) for block in self.page.blocks)
        content = Column(
            view="android.webkit.WebView", caption=self.page.title, w=FILL, pad=pad(20, 16), gap=14, children=blocks
        )
        return Scroll(id="web_contents", view="FrameLayout", w=FILL, h=FILL, bg="surface_high", child=content)

    def _block(self, block: Block) -> Widget:
        match block:
            case Heading():
                return Text(text=block.text, size=_SIZES.get(block.level, 17), weight="medium", w=FILL)
            case Paragraph():
                return Text(text=block.text, size=17, w=FILL)
            case Link():
                target = absolute(block.href, self.url)
                return Text(
                    view=_VIEW, text=block.text, size=17, color="primary", min_h=44, pad=pad(0, 10),
                    on_tap=partial(self._go, target),
                )  # fmt: skip
            case Form():
                return self._form(block)
            case _:
                assert_never(block)

    def _form(self, form: Form) -> Widget:
        parts = [self._field(field) for field in form.fields]
        if self.complaint:
            parts.append(Text(text=self.complaint, size=15, color="error"))
        parts.append(filled_button(form.button, partial(self._submit, form), "submit"))
        return Column(view=_VIEW, w=FILL, gap=12, children=tuple(parts))

    def _field(self, field: Field) -> Widget:
        match field:
            case Input():
                mark = " *" if field.required else ""
                box = TextField(
                    id=field.name, value=self.values.get(field.name, ""), hint=field.label, numeric=field.numeric,
                    multiline=field.multiline, min_lines=3 if field.multiline else 1, size=16, w=FILL, pad=pad(12, 12),
                    bg="surface_high", border="outline", radius=4, on_change=partial(self._enter, field.name),
                    action="next",
                )  # fmt: skip
                return Column(view=_VIEW, w=FILL, gap=4, children=(Text(text=field.label + mark, size=14), box))
            case Select():
                value = self.values.get(field.name, field.options[0])
                box_parts = (Text(text=value, size=16, grow=1, hidden=True), Icon(name="arrow_drop_down", hidden=True))
                spinner = Row(
                    id=field.name, view="Spinner", caption=value, w=FILL, min_h=48, pad=pad(12, 8), bg="surface_high",
                    border="outline", radius=4, on_tap=partial(self._ask, field), children=box_parts,
                )  # fmt: skip
                return Column(view=_VIEW, w=FILL, gap=4, children=(Text(text=field.label, size=14), spinner))
            case Tick():
                on = field.name in self.values
                mark = " *" if field.required else ""
                tick = Check(id=field.name, desc=field.label, checked=on, on_tap=partial(self._tick, field.name))
                return Row(view=_VIEW, w=FILL, gap=4, children=(tick, Text(text=field.label + mark, size=16)))
            case _:
                assert_never(field)

    def _enter(self, name: str, value: str) -> None:
        self.values[name] = value

    def _tick(self, name: str) -> None:
        if self.values.pop(name, None) is None:
            self.values[name] = "on"

    def _ask(self, field: Select) -> None:
        def choose(index: int) -> None:
            self._screen.dismiss()
            self.values[field.name] = field.options[index]

        now = field.options.index(self.values.get(field.name, field.options[0]))
        self._screen.show(choice(field.label, field.options, now, choose, self._screen.dismiss))

    def _submit(self, form: Form) -> None:
        target = absolute(form.action, self.url)
        values = {field.name: self.values.get(field.name, _unset(field)) for field in form.fields}
        if form.get:
            self._go(f"{target}?{urlencode(values)}")
            return
        missing = [
            field.label
            for field in form.fields
            if isinstance(field, Input | Tick) and field.required and not values[field.name].strip()
        ]
        if missing:
            self.complaint = f"Please fill out this field: {missing[0]}"
            return
        self._send(self.url, values)
        self._go(target)


def _unset(field: Field) -> str:
    return field.options[0] if isinstance(field, Select) else ""
