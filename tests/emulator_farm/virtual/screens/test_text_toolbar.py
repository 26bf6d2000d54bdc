"""Selecting by a long press, and the toolbar that comes with it. It is a window of its own: no part of the UI tree."""

import pytest

from emulator_farm.virtual.boxes import Window
from emulator_farm.virtual.widgets import FILL, Column, Text, TextField, pad


@pytest.fixture
def field(hand):
    """A field that holds three words; `hand.value()` is what it holds now."""
    values = ["one two three"]

    def build() -> Column:
        edit = TextField(
            id="field", value=values[-1], w=FILL, size=24, pad=pad(0, 12), on_change=values.append, hint="Words"
        )
        return Column(w=FILL, h=FILL, pad=pad(16, 200), children=(edit, Text(id="other", text="other", on_tap=_no)))

    hand.push(build)
    hand.value = lambda: values[-1]
    return hand


def _no() -> None:
    return None


def toolbar(hand) -> Window | None:
    windows = hand.phone._view.scene().windows
    return next((window for window in windows if window.kind == "toolbar"), None)


def offered(hand) -> list[str]:
    window = toolbar(hand)
    return [box.widget.text for box in window.root.children] if window else []


def press(hand, text: str) -> None:
    window = toolbar(hand)
    assert window is not None
    box = next(box for box in window.root.children if box.widget.text == text)
    hand.phone.tap(box.x + box.w // 2, box.y + box.h // 2)
    hand.wait(1)


def hold_second_word(hand) -> None:
    left, top, _, bottom = hand.find(id="field").bounds
    face = hand.phone._view.scene().active.root.children[0].face
    x = left + round(face.width("one tw"))
    hand.phone.swipe(x, (top + bottom) // 2, x, (top + bottom) // 2, 700)


def test_a_long_press_selects_the_word(field) -> None:
    hold_second_word(field)
    assert offered(field) == ["Cut", "Copy", "Select all"]
    assert field.phone.ime.shown
    field.phone.text("2")
    assert field.value() == "one 2 three"
    assert offered(field) == []


def test_cut_and_paste(field) -> None:
    hold_second_word(field)
    press(field, "Cut")
    assert (field.value(), field.phone.clipboard) == ("one  three", "two")
    assert offered(field) == []
    left, top, _, bottom = field.find(id="field").bounds
    field.phone.swipe(left + 4, (top + bottom) // 2, left + 4, (top + bottom) // 2, 700)
    press(field, "Paste")
    assert field.value() == "two  three"


def test_copy_leaves_the_text(field) -> None:
    hold_second_word(field)
    press(field, "Copy")
    assert (field.value(), field.phone.clipboard) == ("one two three", "two")
    assert offered(field) == []


def test_select_all(field) -> None:
    hold_second_word(field)
    press(field, "Select all")
    assert offered(field) == ["Cut", "Copy"]
    press(field, "Cut")
    assert (field.value(), field.phone.clipboard) == ("", "one two three")
    field.hold(id="field")
    assert offered(field) == ["Paste"]
    press(field, "Paste")
    assert field.value() == "one two three"


def test_it_goes_by_a_tap_and_is_in_no_tree(field) -> None:
    hold_second_word(field)
    assert "Select all" not in field.texts()
    left, _, right, bottom = field.find(id="field").bounds
    field.phone.tap((left + right) // 2, bottom + 300)
    assert offered(field) == []
    hold_second_word(field)
    field.tap(id="other")
    assert offered(field) == []
    hold_second_word(field)
    field.tap(id="field")
    assert offered(field) == []


def test_where_it_stands(field) -> None:
    hold_second_word(field)
    window = toolbar(field)
    assert window is not None
    _, top, _, _ = field.find(id="field").bounds
    assert window.root.y + window.root.h <= top + 100
    field.open("org.virtual.notes")
    field.tap(desc="New note") if field.see(desc="New note") else field.tap(id="fab")
    field.phone.commit_text("word")
    field.hold(id="edit_title")
    window = toolbar(field)
    assert window is not None
    width, height = field.phone.screen_size
    assert window.root.x >= 0
    assert window.root.x + window.root.w <= width
    assert 60 <= window.root.y <= height // 2


def test_in_chinese(field) -> None:
    field.phone.system.set_locale("zh-CN")
    hold_second_word(field)
    assert offered(field) == ["剪切", "复制", "全选"]


def test_a_password_is_not_copied(hand) -> None:
    hand.push(lambda: Column(w=FILL, children=(TextField(id="secret", value="abc", password=True, w=FILL),)))
    hand.hold(id="secret")
    assert offered(hand) == ["Select all"]
    press(hand, "Select all")
    assert offered(hand) == []
