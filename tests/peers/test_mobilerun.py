"""mobilerun, formerly droidrun: the driver of its devices, by adb alone."""

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image


@pytest.fixture
def agent(start_peer: Any) -> Any:
    """Its driver, on a fresh phone."""
    return start_peer("mobilerun")


def pixels(png: bytes) -> bytes:
    return Image.open(io.BytesIO(png)).convert("RGB").tobytes()


def test_apps(agent: Any, seen: Any) -> None:
    started = "App started: com.android.contacts with activity .activities.PeopleActivity"
    assert agent("start_app", "com.android.contacts") == started
    assert seen.app == "com.android.contacts"
    agent("press_button", "home")
    assert seen.app == "com.android.launcher3"
    agent("start_app", "com.android.deskclock")
    agent("stop_app", "com.android.deskclock")
    assert seen.app == "com.android.launcher3"
    assert not seen.host.call(lambda phone: phone.is_running("com.android.deskclock"))


def test_packages(agent: Any, uiautomator_apk: Path) -> None:
    package = "com.github.uiautomator"
    assert agent("list_packages") == [package]
    assert agent("uninstall_app", package) == "Success"
    assert agent("list_packages") == []
    agent("install_app", str(uiautomator_apk))
    assert agent("list_packages") == [package]
    assert {"package": "com.android.settings", "label": "com.android.settings"} in agent("get_apps")
    agent("clear_app_data", "com.android.contacts")


def test_a_permission_is_granted(agent: Any, seen: Any) -> None:
    agent("grant_permission", "org.virtual.notes", "POST_NOTIFICATIONS")
    granted = seen.host.call(lambda phone: phone.packages.get("org.virtual.notes").permissions)
    assert "android.permission.POST_NOTIFICATIONS" in granted


def test_a_link_is_opened(agent: Any, seen: Any) -> None:
    agent("open_deep_link", "https://example.org/")
    assert seen.app == "org.virtual.browser"
    agent("open_deep_link", "tel:5551234")
    assert seen.app == "com.android.dialer"


def test_touches(agent: Any, seen: Any) -> None:
    agent("start_app", "com.android.settings")
    agent("tap", *seen.center(text="Display"))
    assert "Brightness level" in seen.texts
    agent("press_button", "back")
    first = seen.texts
    agent("swipe", 540, 1800, 540, 600, 300)
    assert seen.texts[-1] not in first


def test_what_it_sees(agent: Any, seen: Any) -> None:
    agent("start_app", "com.android.contacts")
    assert pixels(base64.b64decode(agent("screenshot"))) == pixels(seen.png)
    state = agent("get_ui_tree")
    assert state["phone_state"] == {"packageName": "com.android.contacts"}
    assert state["device_context"]["display_metrics"] == {"width": 1080, "height": 2400}
    assert [node["text"] for node in walk(state["a11y_tree"]) if node["text"]] == seen.texts
    assert agent("get_date").endswith(" 2026") or " UTC " in agent("get_date")


def walk(tree: Any) -> list[Any]:
    if isinstance(tree, list):
        return [node for each in tree for node in walk(each)]
    return [tree, *walk(tree.get("children", []))]


@pytest.mark.parametrize("text", ["Milk & eggs", "a'b\"c $(x) `y` \\ ; | <z>", "x" * 450])
def test_text_is_typed_and_cleared(agent: Any, seen: Any, text: str) -> None:
    agent("start_app", "com.android.contacts")
    agent("tap", *seen.center(content_desc="Create contact"))
    agent("tap", *seen.center(**{"class": "android.widget.EditText"}))
    empty = seen.field
    agent("input_text", text)
    assert seen.field == text
    with pytest.raises(AssertionError, match="focused text remains"):
        agent("clear_input")  # the dump tells an empty field's hint as its text, and mobilerun takes it for text
    assert seen.field == empty
