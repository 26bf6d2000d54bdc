"""The real uiautomator2 client against the phone's own server: text by its input method, by selector, by clipboard."""

from collections.abc import Callable
from typing import Any

import pytest

NEW_CONTACT = "am start -a android.intent.action.INSERT -t vnd.android.cursor.dir/contact"


@pytest.fixture
def field(d: Any) -> Callable[[], str]:
    """A contact's empty editor with the focus in its first field; tells what that holds."""
    d.shell(NEW_CONTACT)
    d(className="android.widget.EditText").click()
    hint = d(focused=True).get_text()

    def text() -> str:
        value = d(focused=True).get_text()
        return "" if value == hint else value

    return text


class TestTyping:
    @pytest.mark.parametrize("text", ["plain", "Grüße, 世界 🎉", "a  b'\"$(x)\\"])
    def test_send_keys_and_clear_by_the_input_method(self, d: Any, field: Callable[[], str], text: str) -> None:
        d.send_keys(text)
        assert field() == text
        assert d.current_ime() == "com.github.uiautomator/.AdbKeyboard"
        d.send_keys("again", clear=True)
        assert field() == "again"
        d.clear_text()
        assert field() == ""
        d.hide_keyboard()
        d.set_input_ime(False)
        assert d.current_ime() == "com.android.inputmethod.latin/.LatinIME"

    def test_the_input_method_is_installed_where_it_is_missing(self, d: Any, field: Callable[[], str]) -> None:
        d.app_uninstall("com.github.uiautomator")
        assert not d.is_input_ime_installed()
        d.set_input_ime()
        assert d.is_input_ime_installed()
        d.send_keys("typed")
        assert field() == "typed"

    def test_without_an_input_method_text_comes_by_the_clipboard(self, d: Any, field: Callable[[], str]) -> None:
        d.app_uninstall("com.github.uiautomator")
        d.send_keys("pasted 文字")
        assert field() == "pasted 文字"
        assert not d.is_input_ime_installed()
        d.clear_text()
        assert field() == ""

    def test_editor_action(self, d: Any, field: Callable[[], str]) -> None:
        d.send_keys("Ada")
        first = d(focused=True).bounds()
        d.send_action("next")
        assert d(focused=True).bounds() != first

    def test_set_text_by_selector(self, d: Any) -> None:
        d.shell(NEW_CONTACT)
        fields = d(className="android.widget.EditText")
        fields[0].set_text("Ada")
        fields[1].set_text("Lovelace ❤")
        assert (fields[0].get_text(), fields[1].get_text()) == ("Ada", "Lovelace ❤")
        fields[0].clear_text()
        assert fields[0].get_text() != "Ada"
        assert fields[1].get_text() == "Lovelace ❤"
        d.xpath('//android.widget.EditText[@text="Lovelace ❤"]').set_text("Byron")
        assert d(text="Byron").exists

    def test_the_clipboard(self, d: Any, field: Callable[[], str]) -> None:
        assert not d.clipboard
        d.set_clipboard("copied ✓", "label")
        assert d.clipboard == "copied ✓"
        d.press(50, 0x1000)
        assert field() == "copied ✓"
        d.press("delete")
        assert field() == "copied "
