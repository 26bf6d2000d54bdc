"""ADBKeyboard, the input method that agents type with: there where its APK was installed."""

import base64
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

Sh = Any
Out = Callable[[str], str]
IME = "com.android.adbkeyboard/.AdbIME"
LATIN = "com.android.inputmethod.latin/.LatinIME"
NOBODY = "Broadcast completed: result=0"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.fixture
def field(sh: Sh, out: Out) -> Callable[[], str]:
    """A note's empty body with the focus, and ADBKeyboard selected; tells what the field holds."""
    sh.phone.packages.install("com.android.adbkeyboard", "/data/app/k/base.apk")
    assert out(f"ime enable {IME}; ime set {IME}").endswith(f"Input method {IME} selected for user #0\n")
    out("am start -a android.intent.action.SEND -t text/plain --es android.intent.extra.TEXT '' org.virtual.notes")
    body = next(node for node in nodes(out) if node.get("resource-id", "").endswith(":id/edit_body"))
    x1, y1, x2, y2 = map(int, re.findall(r"\d+", body.get("bounds", "")))
    out(f"input tap {(x1 + x2) // 2} {(y1 + y2) // 2}")
    empty = focused(out)
    return lambda: "" if focused(out) == empty else focused(out)


def nodes(out: Out) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(out("uiautomator dump /dev/tty").partition("UI hier")[0]).iter("node"))


def focused(out: Out) -> str:
    return next(node.get("text", "") for node in nodes(out) if node.get("focused") == "true")


def test_an_installed_one_must_be_enabled_before_it_is_set(sh: Sh, out: Out) -> None:
    assert IME not in out("ime list -a -s")
    sh.phone.packages.install("com.android.adbkeyboard", "/data/app/k/base.apk")
    assert IME in out("ime list -a -s").splitlines()
    assert IME not in out("ime list -s").splitlines()
    assert sh(f"ime set {IME}").code == 255
    assert out(f"ime enable {IME}") == f"Input method {IME}: now enabled for user #0\n"
    assert out(f"ime set {IME}; settings get secure default_input_method").splitlines()[-1] == IME
    sh.phone.uninstall("com.android.adbkeyboard")
    assert IME not in out("ime list -a -s").splitlines()


@pytest.mark.parametrize("text", ["plain", "Grüße, 世界 🎉", "a  b'\"$(x)\\%s", "two\nlines"])
def test_text_comes_as_base64(out: Out, field: Callable[[], str], text: str) -> None:
    assert NOBODY in out(f"am broadcast -a ADB_INPUT_B64 --es msg {encoded(text)}")
    assert field() == text
    out("am broadcast -a ADB_CLEAR_TEXT")
    assert field() == ""


def test_text_comes_in_other_ways(out: Out, field: Callable[[], str]) -> None:
    out("am broadcast -a ADB_INPUT_TEXT --es msg 'two words'")
    out("am broadcast -a ADB_INPUT_CHARS --eia chars 32,128568,97")
    assert field() == "two words 😸a"
    out("am broadcast -a ADB_INPUT_CODE --ei code 67")
    assert field() == "two words 😸"


@pytest.mark.parametrize(
    "extras",
    [
        "-a ADB_INPUT_B64 --es msg 'not base64!'",
        "-a ADB_INPUT_B64 --es msg é",
        "-a ADB_INPUT_B64",
        "-a ADB_INPUT_CHARS --eia chars 55296,99999999999",
        "-a ADB_INPUT_CODE --ei code 9999",
        "-a ADB_KEYBOARD_INPUT_TEXT --es text eA==",
        "-a ADB_DANCE",
    ],
)
def test_what_it_does_not_understand_types_nothing(out: Out, field: Callable[[], str], extras: str) -> None:
    assert NOBODY in out(f"am broadcast {extras}")
    assert field() == ""


def test_another_keyboard_does_not_listen(out: Out, field: Callable[[], str]) -> None:
    out(f"ime set {LATIN}; am broadcast -a ADB_INPUT_B64 --es msg {encoded('x')}")
    assert field() == ""


def test_its_editor_action_moves_on(sh: Sh, out: Out) -> None:
    sh.phone.packages.install("com.android.adbkeyboard", "/data/app/k/base.apk")
    out(f"ime enable {IME}; ime set {IME}")
    out("am start -a android.intent.action.INSERT -t vnd.android.cursor.dir/contact")
    field = next(node for node in nodes(out) if node.get("class") == "android.widget.EditText")
    x1, y1, x2, y2 = map(int, re.findall(r"\d+", field.get("bounds", "")))
    out(f"input tap {(x1 + x2) // 2} {(y1 + y2) // 2}")
    out("am broadcast -a ADB_INPUT_TEXT --es msg Ada; am broadcast -a ADB_EDITOR_CODE --ei code 5")
    out("am broadcast -a ADB_INPUT_TEXT --es msg Lovelace")
    typed = [node.get("text") for node in nodes(out) if node.get("class") == "android.widget.EditText"]
    assert typed[:2] == ["Ada", "Lovelace"]
