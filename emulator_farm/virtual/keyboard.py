"""The on-screen keyboard of the system's own input method: three layers of keys, a number pad for numeric fields."""

from collections.abc import Callable
from dataclasses import dataclass

from .widgets import FILL, Action, Column, Icon, Pad, Paint, Row, Space, Stack, Text, Widget, pad

HEIGHT = 264
"""Height in dp in portrait; landscape takes less."""
LANDSCAPE_HEIGHT = 190
_LAYERS = {
    "letters": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "symbols": ("1234567890", "@#$_&-+()/", "*\"':;!?"),
    "more": ("~`|•√π÷×¶∆", "£¢€¥^°={}\\", "%©®™✓[]"),
}
_SCRIPTS = {"ar": ("ضصثقفغعهخحج", "شسيبلاتنمكط", "ذءؤرىةوزظد")}
"""The letters of languages that do not write Latin ones; the globe key leads from one to the other."""
_NAMES = {"ar": "العربية"}
_PAD = ("123", "456", "789")


@dataclass(frozen=True)
class KeyActions:
    """What the keys do to the focused field."""

    type: Callable[[str], None]
    backspace: Action
    enter: Action


class Keyboard:
    """Which layer shows and whether shift is on; one for each phone."""

    def __init__(self, actions: KeyActions) -> None:
        self._actions = actions
        self.layer = "letters"
        self.shift = "off"
        """off | once | locked"""
        self.latin = False
        """Whether Latin letters show where the language has others."""

    def reset(self) -> None:
        """Letters, lower case: how it looks when it opens."""
        self.layer, self.shift, self.latin = "letters", "off", False

    def build(self, numeric: bool, action_icon: str, language: str = "en") -> Widget:
        """The keys for a language, never mirrored; `action_icon` is the drawing on the enter key."""
        rows = self._number_pad(action_icon) if numeric else self._keys(action_icon, language)
        return Column(w=FILL, h=FILL, bg="keyboard", pad=pad(3, 6), children=tuple(rows))

    def _keys(self, action_icon: str, language: str) -> list[Widget]:
        script = "" if self.latin or self.layer != "letters" else language
        first, second, third = _SCRIPTS.get(script) or _LAYERS[self.layer]
        letters = self.layer == "letters" and script not in _SCRIPTS
        inset = 0.5 if letters else 0.0
        middle = [self._char(char) for char in second]
        if inset:
            middle = [Space(grow=inset), *middle, Space(grow=inset)]
        if letters:
            name = {"off": "shift", "once": "shift", "locked": "keyboard_capslock"}[self.shift]
            left = _key(self._toggle_shift, 1.5, icon=name, dark=True, filled=self.shift != "off", desc="Shift")
        elif self.layer == "letters":
            left = None
        else:
            other = "more" if self.layer == "symbols" else "symbols"
            left = _key(lambda: self._show(other), 1.5, text="=\\<" if other == "more" else "?123", dark=True)
        last = _key(self._actions.backspace, 1.5, icon="backspace", dark=True, desc="Delete")
        return [
            _row([self._char(char) for char in first]),
            _row(middle),
            _row([*([left] if left else []), *(self._char(char) for char in third), last]),
            self._bottom(action_icon, language),
        ]

    def _bottom(self, action_icon: str, language: str) -> Widget:
        other = "symbols" if self.layer == "letters" else "letters"
        name = "English" if self.latin else _NAMES.get(language, "English")
        return _row(
            [
                _key(lambda: self._show(other), 1.5, text="?123" if other == "symbols" else "ABC", dark=True),
                self._char("،" if language in _SCRIPTS and not self.latin else ","),
                *([_key(self._switch, 1, icon="language", desc="Next language")] if language in _SCRIPTS else []),
                _key(
                    lambda: self._actions.type(" "),
                    4 if language in _SCRIPTS else 5,
                    text=name,
                    desc="Space",
                    small=True,
                ),
                self._char("."),
                _key(self._actions.enter, 1.5, icon=action_icon, accent=True, desc="Enter"),
            ]
        )

    def _number_pad(self, action_icon: str) -> list[Widget]:
        rows = [_row([self._char(char) for char in digits]) for digits in _PAD]
        delete = _key(self._actions.backspace, 1, icon="backspace", dark=True, desc="Delete")
        enter = _key(self._actions.enter, 1, icon=action_icon, accent=True, desc="Enter")
        return [*rows, _row([delete, self._char("0"), enter])]

    def _char(self, char: str) -> Widget:
        shown = char.upper() if self.layer == "letters" and self.shift != "off" else char
        return _key(lambda: self._type(shown), 1, text=shown)

    def _type(self, char: str) -> None:
        self._actions.type(char)
        if self.shift == "once":
            self.shift = "off"

    def _switch(self) -> None:
        self.latin = not self.latin

    def _toggle_shift(self) -> None:
        self.shift = {"off": "once", "once": "locked", "locked": "off"}[self.shift]

    def _show(self, layer: str) -> None:
        self.layer, self.shift = layer, "off"


def _row(keys: list[Widget]) -> Widget:
    return Row(w=FILL, grow=1, align="center", children=tuple(keys))


def _key(
    action: Action,
    grow: float,
    text: str = "",
    icon: str = "",
    dark: bool = False,
    accent: bool = False,
    filled: bool = False,
    small: bool = False,
    desc: str = "",
) -> Widget:
    face: Paint = "primary_container" if accent else "key_dark" if dark else "key"
    middle = (0.5, 0.5)
    if icon:
        inside: Widget = Icon(name=icon, size=22, color="on_surface", filled=filled, anchor=middle)
    else:
        size = 14 if small or len(text) > 1 else 22
        inside = Text(text=text, size=size, color="on_surface_variant" if small else "on_surface", anchor=middle)
    cap = Stack(w=FILL, h=FILL, bg=face, radius=6, children=(inside,))
    return Stack(grow=grow, h=FILL, pad=Pad(2.5, 4, 2.5, 4), on_tap=action, desc=desc or text, children=(cap,))
