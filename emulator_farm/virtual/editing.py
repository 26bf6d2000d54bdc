"""Changing the text of the focused field: typing, deleting, moving the caret, performing the editor action."""

from collections.abc import Callable
from dataclasses import dataclass

from .boxes import Box, ViewState
from .layout import aligned, text_top
from .scene import Scene
from .text_flow import line_of, offset_at
from .widgets import TextField

EDITOR_ACTIONS = {2: "go", 3: "search", 4: "send", 5: "next", 6: "done", 7: "previous"}
"""EditorInfo action codes."""


@dataclass
class _Target:
    box: Box
    field: TextField
    state: ViewState

    @property
    def span(self) -> tuple[int, int]:
        """First and last end of the selection."""
        anchor, caret = self.state.caret(self.field.state_key, len(self.field.value))
        return min(anchor, caret), max(anchor, caret)

    def put(self, value: str, caret: int) -> None:
        """Hand a new value to the app and place the caret."""
        field = self.field
        if field.max_length and len(value) > field.max_length:
            return
        self.place(caret)
        self.state.reveal = True
        if value != field.value and field.on_change is not None:
            field.on_change(value)

    def place(self, caret: int, anchor: int | None = None) -> None:
        """Move the caret, selecting from `anchor` where given."""
        self.state.carets[self.field.state_key] = (caret if anchor is None else anchor, caret)
        self.state.toolbar = False


class Editor:
    """Edits whatever field has the focus in the scene that `scene()` gives; `changed()` is called after each edit."""

    def __init__(self, scene: Callable[[], Scene], changed: Callable[[], None]) -> None:
        self._scene = scene
        self._changed = changed
        self.clipboard = ""

    @property
    def active(self) -> bool:
        """Whether a field has the focus."""
        return self._target() is not None

    def _target(self) -> _Target | None:
        scene = self._scene()
        box = scene.focused_field()
        if box is None or not isinstance(box.widget, TextField):
            return None
        return _Target(box, box.widget, scene.active.state)

    def insert(self, text: str) -> bool:
        """Replace the selection; False where no field has the focus. A single-line field takes newlines as spaces."""
        target = self._target()
        if target is None:
            return False
        field = target.field
        if not field.multiline:
            text = text.replace("\r\n", " ").replace("\n", " ")
        if field.numeric:
            text = "".join(char for char in text if char.isdigit())
        first, last = target.span
        target.put(field.value[:first] + text + field.value[last:], first + len(text))
        self._changed()
        return True

    def type_keys(self, text: str) -> None:
        """Characters one after the other as a hardware keyboard sends them: newline is the Enter key, tab moves on."""
        run = ""
        for char in text:
            if char in "\n\t":
                self.insert(run)
                run = ""
                self.enter() if char == "\n" else self.next_field()
            else:
                run += char
        if run:
            self.insert(run)

    def clear(self) -> bool:
        """Empty the field; False where none has the focus."""
        target = self._target()
        if target is None:
            return False
        target.put("", 0)
        self._changed()
        return True

    def set_text(self, x: int, y: int, text: str) -> bool:
        """Replace the text of the active window's field at a pixel; the focus stays where it is. False without one."""
        active = self._scene().active
        box = next((box for box in active.at(x, y) if isinstance(box.widget, TextField)), None)
        if box is None or not isinstance(box.widget, TextField) or not box.widget.enabled:
            return False
        _Target(box, box.widget, active.state).put(text, len(text))
        self._changed()
        return True

    def delete(self, forward: bool = False) -> None:
        """Delete the selection, or one character before (after) the caret."""
        target = self._target()
        if target is None:
            return
        first, last = target.span
        value = target.field.value
        if first == last:
            first, last = (first, min(len(value), first + 1)) if forward else (max(0, first - 1), last)
        target.put(value[:first] + value[last:], first)
        self._changed()

    def move(self, direction: str, select: bool = False) -> None:
        """Move the caret: left, right, up, down, home or end; `select` keeps the anchor."""
        target = self._target()
        if target is None:
            return
        anchor, caret = target.state.caret(target.field.state_key, len(target.field.value))
        caret = _moved(target, caret, direction)
        target.place(caret, anchor if select else None)
        target.state.reveal = True
        self._changed()

    def select_all(self) -> None:
        """Select the whole value."""
        target = self._target()
        if target is not None:
            target.place(len(target.field.value), 0)
            target.state.toolbar = True
            self._changed()

    def copy(self, cut: bool = False) -> None:
        """Put the selection on the clipboard."""
        target = self._target()
        if target is None:
            return
        first, last = target.span
        if first < last:
            self.clipboard = target.field.value[first:last]
            target.state.toolbar = False
            if cut:
                self.delete()
            self._changed()

    def paste(self) -> None:
        """Insert the clipboard."""
        self.insert(self.clipboard)

    def enter(self) -> bool:
        """A newline in a multi-line field, the editor action in another; False where no field has the focus."""
        target = self._target()
        if target is None:
            return False
        if target.field.multiline:
            return self.insert("\n")
        return self.perform(target.field.action)

    def perform(self, action: str) -> bool:
        """Perform an editor action on the focused field; False where none has the focus."""
        target = self._target()
        if target is None:
            return False
        if action == "next" and target.field.on_action is None and self.next_field():
            return True
        if action != "next":
            target.state.keyboard = False
        if target.field.on_action is not None:
            target.field.on_action()
        self._changed()
        return True

    def perform_code(self, code: int) -> bool:
        """Perform an editor action by its EditorInfo code; an unknown code is the field's own action."""
        action = EDITOR_ACTIONS.get(code)
        return self.perform(action) if action else self.enter()

    def next_field(self) -> bool:
        """Move the focus to the next field, in drawing order; False at the last one."""
        target = self._target()
        if target is None:
            return False
        fields = [box.widget for box in self._scene().active.root.walk() if isinstance(box.widget, TextField)]
        keys = [field.state_key for field in fields if field.enabled]
        index = keys.index(target.field.state_key) + 1
        if index >= len(keys):
            return False
        self.focus(next(field for field in fields if field.state_key == keys[index]), target.state)
        return True

    def focus(self, field: TextField, state: ViewState, caret: int | None = None) -> None:
        """Give a field the focus and the keyboard, with the caret at its end unless said otherwise."""
        length = len(field.value)
        state.focus_on(field.state_key)
        state.toolbar = False
        if field.select_on_focus:
            state.carets[field.state_key] = (0, length)
        else:
            at = length if caret is None else caret
            state.carets[field.state_key] = (at, at)
        self._changed()

    def touch(self, box: Box, state: ViewState, x: int, y: int, word: bool) -> None:
        """A tap on a field at a pixel; a double tap or a long press selects the `word` there and offers what to do."""
        field = box.widget
        assert isinstance(field, TextField)
        if not field.value:
            self.focus(field, state)
            state.toolbar = word
            return
        caret = _offset(box, x, y)
        self.focus(field, state, caret)
        if word and not field.password:
            start, end = _word(field.value, caret)
            state.carets[field.state_key] = (start, end)
        state.toolbar = word


def _offset(box: Box, x: int, y: int) -> int:
    assert box.face is not None
    number = min(max(0, (y - text_top(box)) // box.face.line_height), len(box.lines) - 1)
    line = box.lines[number]
    return offset_at(line, box.face, x - aligned(box, line) + box.shift)


def _word(text: str, caret: int) -> tuple[int, int]:
    start = end = caret
    while start > 0 and _joins(text[start - 1]):
        start -= 1
    while end < len(text) and _joins(text[end]):
        end += 1
    return start, end


def _joins(char: str) -> bool:
    """Whether it is part of a word: Unicode counts the underscore, which joins letters."""
    return char.isalnum() or char == "_"


def _moved(target: _Target, caret: int, direction: str) -> int:
    length = len(target.field.value)
    box = target.box
    assert box.face is not None
    number = line_of(box.lines, caret) if target.field.value else 0
    line = box.lines[number]
    match direction:
        case "left":
            return max(0, caret - 1)
        case "right":
            return min(length, caret + 1)
        case "home":
            return line.start
        case "end":
            return min(length, line.end)
        case "up" | "down":
            other = number + (-1 if direction == "up" else 1)
            if not 0 <= other < len(box.lines):
                return caret
            x = box.face.caret(line.shown, caret - line.start)
            return offset_at(box.lines[other], box.face, x)
        case _:
            raise ValueError(f"no such caret direction: {direction!r}")
