"""Open-AutoGLM's phone-agent, and AutoGLM-GUI, which has the same functions and installs the keyboard by itself."""

import base64
import io
from typing import Any

import pytest
from PIL import Image

LATIN = "com.android.inputmethod.latin/.LatinIME"
ADBKEYBOARD = "com.android.adbkeyboard/.AdbIME"
BOTH = pytest.mark.parametrize("name", ["phone_agent", "autoglm_gui"])


def pixels(png: bytes) -> bytes:
    return Image.open(io.BytesIO(png)).convert("RGB").tobytes()


@BOTH
def test_apps_are_opened_and_told(start_peer: Any, seen: Any, name: str) -> None:
    agent = start_peer(name)
    assert agent("launch_app", "Contacts")
    assert seen.app == "com.android.contacts"
    assert agent("get_current_app") == "Contacts"
    assert agent("launch_app", "Clock")
    assert seen.app == "com.android.deskclock"
    assert agent("get_current_app") == "Clock"
    agent("home")
    assert seen.app == "com.android.launcher3"
    assert agent("get_current_app") == "System Home"


@BOTH
def test_touches(start_peer: Any, seen: Any, name: str) -> None:
    agent = start_peer(name)
    agent("launch_app", "Settings")
    agent("tap", *seen.center(text="Display"))
    assert "Brightness level" in seen.texts
    agent("back")
    first = seen.texts
    agent("swipe", 540, 1800, 540, 600)
    assert seen.texts != first
    assert seen.texts[-1] not in first
    agent("swipe", 540, 600, 540, 2000)
    assert seen.texts == first


def test_the_phone_is_listed(start_peer: Any, host: Any) -> None:
    assert [host.addresses[0], "device", "Virtual_Phone"] in start_peer("phone_agent")("list_devices")


def test_a_screenshot_is_the_screen(start_peer: Any, seen: Any) -> None:
    agent = start_peer("phone_agent")
    agent("launch_app", "Settings")
    shot = agent("get_screenshot")
    assert (shot["width"], shot["height"], shot["is_sensitive"]) == (1080, 2400, False)
    assert pixels(base64.b64decode(shot["base64_data"])) == pixels(seen.png)


def test_a_screenshot_of_the_other_is_the_screen_too(start_peer: Any, seen: Any) -> None:
    agent = start_peer("autoglm_gui")
    agent("launch_app", "Settings")
    shot = agent("capture_screenshot")
    assert (shot["width"], shot["height"], shot["is_sensitive"]) == (1080, 2400, False)
    assert pixels(base64.b64decode(shot["base64_data"])) == pixels(seen.png)


@BOTH
@pytest.mark.parametrize("text", ["Milk & eggs", "买牛奶 🥛 «ß»"])
def test_text_is_typed(start_peer: Any, seen: Any, server: Any, host: Any, name: str, text: str) -> None:
    installer = start_peer("autoglm_gui")
    assert installer("auto_setup") == [True, "ADB Keyboard setup completed successfully"]
    agent = installer if name == "autoglm_gui" else start_peer(name)
    agent("launch_app", "Contacts")
    agent("tap", *seen.center(content_desc="Create contact"))
    agent("tap", *seen.center(**{"class": "android.widget.EditText"}))
    empty = seen.field
    before = agent("detect_and_set_adb_keyboard")
    assert (before, seen.ime) == (LATIN, ADBKEYBOARD)
    agent("type_text", text)
    assert seen.field == text
    agent("clear_text")
    assert seen.field == empty
    agent("type_text", "selectable")
    x, y = seen.start(text="selectable")
    for select in ("double_tap", "long_press"):
        agent(select, x, y)
        agent("type_text", select)
        assert seen.field == select
    agent("restore_keyboard", before)
    assert seen.ime == LATIN


def test_a_finger_goes_down_moves_and_leaves(start_peer: Any, seen: Any) -> None:
    agent = start_peer("autoglm_gui")
    agent("launch_app", "Settings")
    first = seen.texts
    agent("touch_down", 540, 1800)
    for y in (1500, 1200, 900):
        agent("touch_move", 540, y)
    agent("touch_up", 540, 900)
    assert seen.texts != first
    assert seen.app == "com.android.settings"


def test_its_serial_number(start_peer: Any, host: Any) -> None:
    serial = host.call(lambda phone: phone.props["ro.serialno"])
    assert start_peer("autoglm_gui")("get_device_serial") == serial
