"""`input`: what reaches the phone, and what is said to mistakes."""

from collections.abc import Callable
from typing import Any

import pytest

from emulator_farm.virtual.commands import keycodes
from emulator_farm.virtual.phone import Phone

Out = Callable[[str], str]
Sh = Any


class Recorder(Phone):
    """A phone that notes what is done to it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[object, ...]] = []

    def tap(self, x: int, y: int) -> None:
        self.done.append(("tap", x, y))

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        self.done.append(("swipe", x1, y1, x2, y2, duration_ms))

    def drag(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        self.done.append(("drag", x1, y1, x2, y2, duration_ms))

    def touch_down(self, x: int, y: int) -> None:
        self.done.append(("down", x, y))

    def touch_move(self, x: int, y: int) -> None:
        self.done.append(("move", x, y))

    def touch_up(self, x: int, y: int) -> None:
        self.done.append(("up", x, y))

    def touch_cancel(self) -> None:
        self.done.append(("cancel",))

    def key(self, keycode: int, long: bool = False, meta: tuple[int, ...] = ()) -> None:
        self.done.append(("key", keycode, long, meta))

    def text(self, text: str) -> None:
        self.done.append(("text", text))


@pytest.fixture
def recorder(sh: Sh) -> Recorder:
    phone = Recorder()
    sh.handset.phone = phone
    return phone


@pytest.mark.parametrize(
    ("command", "done"),
    [
        ("tap 10 20", [("tap", 10, 20)]),
        ("tap 10.9 -5", [("tap", 10, -5)]),
        ("touchscreen tap 1 2", [("tap", 1, 2)]),
        ("-d 0 tap 1 2", [("tap", 1, 2)]),
        ("mouse -d DEFAULT_DISPLAY tap 1 2 ignored", [("tap", 1, 2)]),
        ("tap 1e30 0", [("tap", 2**31 - 1, 0)]),
        ("swipe 1 2 3 4", [("swipe", 1, 2, 3, 4, 300)]),
        ("swipe 1 2 3 4 800", [("swipe", 1, 2, 3, 4, 800)]),
        ("swipe 1 2 3 4 -1", [("swipe", 1, 2, 3, 4, 300)]),
        ("draganddrop 1 2 3 4 2000", [("drag", 1, 2, 3, 4, 2000)]),
        ("text hello", [("text", "hello")]),
        ("text 'a b'", [("text", "a b")]),
        ("text a%sb%%s", [("text", "a b% ")]),
        ("text one two", [("text", "one")]),
        ("keyevent 4", [("key", 4, False, ())]),
        ("keyevent KEYCODE_HOME BACK 66", [("key", 3, False, ()), ("key", 4, False, ()), ("key", 66, False, ())]),
        ("keyevent --longpress POWER", [("key", 26, True, ())]),
        ("keyevent --doubletap 24", [("key", 24, False, ()), ("key", 24, False, ())]),
        ("keyevent --async --delay 10 a", [("key", 29, False, ())]),
        ("keyevent NO_SUCH_KEY 99999", [("key", 0, False, ()), ("key", 0, False, ())]),
        ("keyboard keyevent DEL", [("key", 67, False, ())]),
        ("keyevent --frob 4", [("key", 4, False, ())]),
        ("motionevent CANCEL 1 2", [("cancel",)]),
        ("-d 5 tap 1 1", []),
        ("keycombination CTRL_LEFT A", [("key", 29, False, (113,))]),
        ("keycombination -t 100 113 59 29", [("key", 29, False, (113, 59))]),
        ("motionevent DOWN 5 6", [("down", 5, 6)]),
        ("motionevent move 5 7", [("move", 5, 7)]),
        ("motionevent UP 5 8", [("up", 5, 8)]),
        ("motionevent CANCEL", [("cancel",)]),
        ("trackball press", [("key", 23, False, ())]),
        ("trackball roll 1 2", []),
    ],
)
def test_what_reaches_the_phone(sh: Sh, recorder: Recorder, command: str, done: list[tuple[object, ...]]) -> None:
    result = sh(f"input {command}")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert recorder.done == done


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("tap", 'java.lang.IllegalArgumentException: Argument expected after "tap"'),
        ("tap 1", 'java.lang.IllegalArgumentException: Argument expected after "1"'),
        ("tap x 1", "java.lang.IllegalArgumentException: Error: Invalid arguments for command: tap"),
        ("swipe 1 2 3", 'Argument expected after "3"'),
        ("swipe 1 2 3 4 x", "Error: Invalid arguments for command: swipe"),
        ("tap nan 1", "Error: Invalid arguments for command: tap"),
        ("text", 'Argument expected after "text"'),
        ("keyevent", 'Argument expected after "keyevent"'),
        ("keycombination 1", "keycombination requires at least 2 keycodes"),
        ("keycombination CTRL_LEFT NO_KEY", "Unknown keycode: NO_KEY"),
        ("motionevent HOVER 1 2", "Unknown action: HOVER"),
        ("-d main tap 1 1", "Error: Invalid arguments for display ID."),
        ("-d", 'Argument expected after "-d"'),
        ("touchscreen", 'Argument expected after "touchscreen"'),
    ],
)
def test_mistakes(sh: Sh, recorder: Recorder, command: str, error: str) -> None:
    result = sh(f"input {command}")
    assert (result.code, result.out) == (255, "")
    assert error in result.err
    assert recorder.done == []


def test_usage(sh: Sh) -> None:
    result = sh("input")
    assert (result.code, result.out.startswith("Usage: input [<source>] [-d DISPLAY_ID] <command>")) == (0, True)
    assert sh("input help").out == result.out
    unknown = sh("input frobnicate")
    assert (unknown.code, unknown.out, unknown.err) == (0, "Unknown command: frobnicate\n", "")


def test_text_without_keys_throws_as_on_a_real_phone(sh: Sh) -> None:
    sh("input tap 540 1200")
    result = sh("input text 'héllo שלום'")
    assert result.code == 255
    assert result.err.startswith("\nException occurred while executing 'text':\njava.lang.NullPointerException: ")
    assert "Attempt to get length of null array" in result.err


def test_names_and_numbers_of_keys() -> None:
    assert keycodes.parse("KEYCODE_APP_SWITCH") == keycodes.parse("app_switch") == keycodes.parse("187") == 187
    assert (keycodes.parse("A"), keycodes.parse("Z"), keycodes.parse("0"), keycodes.parse("KEYCODE_9")) == (
        29,
        54,
        0,
        16,
    )
    assert (keycodes.parse("F1"), keycodes.parse("NUMPAD_5"), keycodes.parse("-3")) == (131, 149, 0)


class TestFaults:
    def test_dropped_input_succeeds_without_effect(self, sh: Sh, recorder: Recorder) -> None:
        assert sh("vphone fault input drop; vphone fault count 1; input tap 1 1").code == 0
        assert recorder.done == []
        sh("input tap 1 1")
        assert recorder.done == [("tap", 1, 1)]

    def test_input_that_hangs(self, sh: Sh, recorder: Recorder) -> None:
        assert sh("vphone fault input hang; timeout 0.1 input tap 1 1").code == 124
        assert recorder.done == []
