"""The on-screen keyboard's letters by language, touched where they are drawn."""

from emulator_farm.virtual.boxes import Box, Rect
from emulator_farm.virtual.widgets import FILL, Column, TextField


def keys(hand) -> dict[str, Rect]:
    """Where the keys are, by what they say."""
    keyboard = hand.phone.scene().keyboard
    assert keyboard is not None
    found: dict[str, Rect] = {}

    def visit(box: Box) -> None:
        if box.widget.desc and box.widget.on_tap:
            found[box.widget.desc] = box.visible
        for child in box.children:
            visit(child)

    visit(keyboard.root)
    return found


def press(hand, name: str) -> None:
    rect = keys(hand)[name]
    hand.phone.tap((rect.left + rect.right) // 2, (rect.top + rect.bottom) // 2)


def writing(hand, locale: str) -> list[str]:
    """An empty field with the focus; what is written is the last entry."""
    hand.phone.settings.put("system", "system_locales", locale)
    values = [""]
    hand.push(lambda: Column(w=FILL, children=(TextField(id="t", value=values[-1], w=FILL, on_change=values.append),)))
    hand.tap(id="t")
    return values


def test_arabic_letters_and_the_way_to_latin_ones(hand) -> None:
    values = writing(hand, "ar")
    for letter in "سلام":
        press(hand, letter)
    assert values[-1] == "سلام"
    press(hand, "Next language")
    press(hand, "a")
    assert values[-1] == "سلامa"
    press(hand, "Next language")
    assert "س" in keys(hand)


def test_arabic_keys_are_as_wide_as_the_screen_and_not_mirrored(hand) -> None:
    writing(hand, "ar")
    found = keys(hand)
    assert found["ض"].left < found["ص"].left
    assert all(0 <= box.left < box.right <= 1080 for box in found.values())


def test_english_and_chinese_have_latin_letters_and_no_other_layer(hand) -> None:
    for locale in ("en-US", "zh-CN"):
        writing(hand, locale)
        assert "q" in keys(hand)
        assert "Next language" not in keys(hand)
