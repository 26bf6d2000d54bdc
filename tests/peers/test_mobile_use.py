"""minitap's mobile-use: its Android controller, with uiautomator2 beneath it."""

import base64
import io
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat


@pytest.fixture
def agent(start_peer: Any) -> Any:
    """Its controller, on a fresh phone."""
    return start_peer("mobile_use")


def test_apps(agent: Any, seen: Any) -> None:
    assert agent("launch_app", "com.android.contacts")
    assert agent("current_app") == seen.app == "com.android.contacts"
    assert agent("press_home")
    assert agent("current_app") == seen.app == "com.android.launcher3"
    assert agent("launch_app", "com.android.deskclock")
    assert agent("terminate_app", None)
    assert seen.app == "com.android.launcher3"
    assert not seen.host.call(lambda phone: phone.is_running("com.android.deskclock"))
    assert agent("open_url", "https://example.org/")
    assert seen.app == "org.virtual.browser"
    agent("press_key", "home")
    assert seen.app == "com.android.launcher3"


def test_touches(agent: Any, seen: Any) -> None:
    agent("launch_app", "com.android.settings")
    assert agent("tap", *seen.center(text="Display")) is None
    assert "Brightness level" in seen.texts
    assert agent("press_back")
    first = seen.texts
    assert agent("swipe", 540, 1800, 540, 600) is None
    assert seen.texts[-1] not in first


def test_what_it_sees(agent: Any, seen: Any) -> None:
    agent("launch_app", "com.android.contacts")
    data = agent("get_screen_data")
    assert (data["width"], data["height"], data["platform"]) == (1080, 2400, "android")
    shot, screen = (Image.open(io.BytesIO(png)).convert("RGB") for png in (base64.b64decode(data["base64"]), seen.png))
    assert max(ImageStat.Stat(ImageChops.difference(shot, screen)).mean) < 3, "uiautomator2 sends it as JPEG"
    assert [text for each in data["elements"] if (text := each.get("text"))] == seen.texts


@pytest.mark.parametrize("text", ["Milk & eggs", "Grüße, 世界 🎉 'q' $(x)"])
def test_text_is_typed_and_erased(agent: Any, seen: Any, text: str) -> None:
    agent("launch_app", "com.android.contacts")
    agent("tap", *seen.center(content_desc="Create contact"))
    agent("tap", *seen.center(**{"class": "android.widget.EditText"}))
    assert agent("input_text", text)
    assert seen.field == text
    assert seen.ime == "com.android.inputmethod.latin/.LatinIME"
    assert agent("erase_text", 2)
    assert seen.field == text[:-2]
