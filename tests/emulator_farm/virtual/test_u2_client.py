"""The real uiautomator2 client against the phone's own server: it pushes its jar, starts it and drives the screen."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import uiautomator2
from PIL import Image, ImageChops
from uiautomator2.exceptions import UiObjectNotFoundError

from emulator_farm.virtual.host import PhoneHost

Adb = Any
WAIT_S = 30.0
SETTINGS = "com.android.settings"
NEW_CONTACT = "am start -a android.intent.action.INSERT -t vnd.android.cursor.dir/contact"
FROM_UIAUTOMATOR = (
    "index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked", "clickable",
    "enabled", "focusable", "focused", "scrollable", "long-clickable", "password", "selected", "bounds",
)  # fmt: skip


@pytest.fixture(scope="module")
def host() -> Iterator[PhoneHost]:
    with PhoneHost(1) as phones:
        yield phones


@pytest.fixture(scope="module")
def connected(host: PhoneHost, adb: Adb) -> Iterator[Any]:
    """One client for the whole file; its server stays up while the phone is reset between tests."""
    import adbutils

    serial = host.addresses[0]
    adb("connect", serial)
    device = uiautomator2.connect(adbutils.AdbClient(host="127.0.0.1", port=adb.port).device(serial))
    device.settings["wait_timeout"] = WAIT_S
    yield device
    device.stop_uiautomator()
    adb("disconnect", serial)


@pytest.fixture
def d(host: PhoneHost, connected: Any) -> Any:
    """The client, on a phone in its factory state."""
    host.call(lambda phone: phone.reset())
    connected.clear_toast()
    return connected


def _rows(xml: str, attributes: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [tuple(node.get(name, "") for name in attributes) for node in ElementTree.fromstring(xml).iter("node")]


class TestLooking:
    def test_device_info(self, d: Any) -> None:
        assert d.info == {
            "currentPackageName": "com.android.launcher3",
            "displayWidth": 1080,
            "displayHeight": 2400,
            "displayRotation": 0,
            "displaySizeDpX": 411,
            "displaySizeDpY": 914,
            "naturalOrientation": True,
            "productName": d.shell("getprop ro.product.name").output.strip(),
            "screenOn": True,
            "sdkInt": 34,
        }
        assert d.window_size() == (1080, 2400)
        assert d.device_info["model"] == d.shell("getprop ro.product.model").output.strip()
        assert d.serial

    def test_the_tree_is_that_of_uiautomator_dump(self, d: Any) -> None:
        d.app_start(SETTINGS)
        d.shell("uiautomator dump /sdcard/ours.xml")
        stock = d.shell("cat /sdcard/ours.xml").output
        xml = d.dump_hierarchy()
        assert _rows(xml, FROM_UIAUTOMATOR) == _rows(stock, FROM_UIAUTOMATOR)
        assert len(_rows(xml, FROM_UIAUTOMATOR)) > 50
        assert set(_rows(xml, ("visible-to-user", "display-id"))) == {("true", "0")}
        assert _rows(xml, ("NAF",)) == _rows(stock, ("NAF",))

    def test_a_shallow_and_a_compressed_tree(self, d: Any) -> None:
        d.app_start(SETTINGS)
        whole = len(_rows(d.dump_hierarchy(), ("class",)))
        assert len(_rows(d.dump_hierarchy(max_depth=2), ("class",))) == 2
        compressed = d.dump_hierarchy(compressed=True)
        assert len(_rows(compressed, ("class",))) < whole
        texts = [row[0] for row in _rows(d.dump_hierarchy(), ("text",)) if row[0]]
        assert [row[0] for row in _rows(compressed, ("text",)) if row[0]] == texts

    def test_the_screenshot_is_the_screen(self, d: Any, host: PhoneHost) -> None:
        d.app_start(SETTINGS)
        picture = d.screenshot()
        frame = host.call(lambda phone: phone.frame().copy())
        assert picture.size == frame.size == (1080, 2400)
        difference = ImageChops.difference(picture.convert("RGB"), frame).convert("L")
        assert sum(difference.histogram()[48:]) < 0.005 * 1080 * 2400
        part = d(text="Display").screenshot()
        left, top, right, bottom = d(text="Display").bounds()
        assert part.size == (right - left, bottom - top)

    def test_a_selector_for_each_property(self, d: Any) -> None:
        d.app_start(SETTINGS)
        display = d(text="Display").info
        assert (display["className"], display["resourceName"]) == ("android.widget.TextView", "android:id/title")
        for selector in (
            {"textContains": "ispla"},
            {"textStartsWith": "Disp"},
            {"textMatches": "^D.*y$"},
            {"text": "Display", "className": "android.widget.TextView"},
            {"text": "Display", "resourceId": "android:id/title"},
            {"text": "Display", "resourceIdMatches": ".*:id/tit.*", "packageName": SETTINGS},
            {"text": "Display", "clickable": False, "enabled": True},
        ):
            assert d(**selector).info["bounds"] == display["bounds"], selector
        assert not d(text="display").exists
        assert not d(textMatches="ispla").exists
        assert not d(text="Display", clickable=True).exists

    def test_a_description(self, d: Any) -> None:
        d.shell(NEW_CONTACT)
        described = [row for row in _rows(d.dump_hierarchy(), ("content-desc", "bounds")) if row[0]]
        name = described[0][0]
        for selector in ({"description": name}, {"descriptionContains": name[1:]}, {"descriptionStartsWith": name[:2]}):
            assert d(**selector).info["contentDescription"] == name

    def test_instances_children_and_siblings(self, d: Any) -> None:
        d.app_start(SETTINGS)
        titles = [row[1] for row in _rows(d.dump_hierarchy(), ("resource-id", "text")) if row[0] == "android:id/title"]
        found = d(resourceId="android:id/title")
        assert len(found) == found.count == len(titles)
        assert [each.get_text() for each in found] == titles
        assert found[-1].get_text() == titles[-1]
        assert [info["text"] for info in found.info_list()] == titles
        rows = d(scrollable=True).child(resourceId="android:id/title", instance=2)
        assert rows.get_text() == titles[2]
        summary = d(text=titles[1]).sibling(resourceId="android:id/summary")
        top, bottom = d(text=titles[1]).bounds()[1::2]
        assert top < summary.bounds()[3] and summary.bounds()[1] < bottom + 120
        assert d(text=titles[0]).down(resourceId="android:id/title").get_text() == titles[1]
        assert not d(scrollable=True).child(text="No such row").exists

    def test_a_child_by_its_text(self, d: Any) -> None:
        d.app_start(SETTINGS)
        row = d(scrollable=True).child_by_text("Display", className="android.widget.LinearLayout")
        left, top, right, bottom = d(text="Display").bounds()
        outer = row.bounds()
        assert outer[0] <= left and outer[1] <= top and outer[2] >= right and outer[3] >= bottom

    def test_what_is_not_there(self, d: Any) -> None:
        with pytest.raises(UiObjectNotFoundError) as failure:
            _ = d(text="Nothing like it").info
        assert failure.value.args[:2] == (-32001, "androidx.test.uiautomator.UiObjectNotFoundException")
        assert not d(text="Nothing like it").exists
        assert d(text="Nothing like it").count == 0
        assert d(text="Nothing like it").click_exists(timeout=0) is False
        assert d(text="Nothing like it").wait(timeout=0.2) is False

    def test_waiting(self, d: Any, host: PhoneHost) -> None:
        assert d(text="Display").wait_gone(timeout=0.2)
        d.app_start(SETTINGS)
        assert d(text="Display").wait(timeout=WAIT_S)
        assert d(text="Display").wait_gone(timeout=0.2) is False
        host.call(lambda phone: phone.go_home())
        assert d(text="Display").wait_gone(timeout=WAIT_S)


class TestTouching:
    def test_clicks_by_selector_point_and_share(self, d: Any) -> None:
        d.app_start(SETTINGS)
        d(text="Display").click()
        assert d(text="Brightness level").exists
        d.press("back")
        left, top, right, bottom = d(text="Display").bounds()
        d.click((left + right) / 2, (top + bottom) / 2)
        assert d(text="Brightness level").exists
        d.press("back")
        d.click((left + right) / 2 / 1080, (top + bottom) / 2 / 2400)
        assert d(text="Brightness level").exists

    def test_long_click(self, d: Any, host: PhoneHost) -> None:
        d.shell(NEW_CONTACT)
        field = d(className="android.widget.EditText")
        field.set_text("word")
        held: list[tuple[int, int]] = []
        point = field.center()
        d.long_click(*point, duration=0.8)
        field.long_click()
        assert field.get_text() == "word"
        assert held == []
        assert host.call(lambda phone: phone.ime.shown)

    def test_swipes_scroll(self, d: Any) -> None:
        d.app_start(SETTINGS)
        first = d.xpath('//*[@resource-id="android:id/title"]').all()[0].text
        d.swipe(540, 1800, 540, 600, duration=0.2)
        assert not d(text=first).exists
        d.swipe_ext("down", scale=0.9)
        d.swipe_ext("down", scale=0.9)
        assert d(text=first).exists
        d.swipe_points([(540, 1800), (540, 1200), (540, 600)], 0.1)
        assert not d(text=first).exists
        d(scrollable=True).swipe("down")
        d(scrollable=True).swipe("down")
        assert d(text=first).exists

    def test_a_touch_in_pieces_scrolls_as_far_as_the_finger_went(self, d: Any) -> None:
        d.app_start(SETTINGS)
        before = d(text="Display").bounds()
        d.touch.down(540, 1500).move(540, 1400).move(540, 1200).up(540, 1200)
        assert d(text="Display").bounds()[1] == before[1] - 300

    def test_a_drag_moves_a_slider(self, d: Any) -> None:
        d.app_start(SETTINGS)
        d(text="Sound & vibration").click_exists(timeout=0.1) or d(text="Sound").click()
        slider = d(className="android.widget.SeekBar")
        left, top, right, bottom = slider.bounds()
        before = d.shell("settings get system volume_music_speaker").output
        y = (top + bottom) // 2
        d.drag(left + 60, y, right - 60, y)
        slider.drag_to(right - 40, y)
        assert d.shell("settings get system volume_music_speaker").output != before

    def test_scroll_and_fling(self, d: Any) -> None:
        d.app_start(SETTINGS)
        pane = d(scrollable=True)
        first = d.xpath('//*[@resource-id="android:id/title"]').all()[0].text
        assert pane.scroll.to(text="About phone")
        assert d(text="About phone").exists
        assert pane.scroll.toBeginning()
        assert d(text=first).exists
        assert pane.scroll.to(text="No such row") is False
        assert pane.fling.toBeginning()
        assert pane.fling.toEnd()
        assert d(text="About phone").exists and not d(text=first).exists
        assert pane.scroll.forward() is False
        assert pane.scroll.backward() in (True, False)
        assert pane.fling.horiz.forward() is False

    def test_pinches_need_their_target(self, d: Any) -> None:
        d.app_start(SETTINGS)
        assert d(scrollable=True).pinch_in()
        assert d(scrollable=True).gesture((0.1, 0.1), (0.2, 0.2), (0.3, 0.3), (0.4, 0.4))
        with pytest.raises(UiObjectNotFoundError):
            d(text="No such thing").pinch_out()


class TestXpathAndWatchers:
    def test_xpath(self, d: Any) -> None:
        d.app_start(SETTINGS)
        row = d.xpath('//*[@text="Display"]')
        assert row.exists and row.get_text() == "Display"
        assert d.xpath("Display").get().bounds == d(text="Display").bounds()
        assert not d.xpath("//*[@text='Nothing like it']").exists
        row.click()
        assert d.xpath("Brightness level").wait(timeout=WAIT_S)
        d.press("back")
        texts = [element.text for element in d.xpath('//*[@resource-id="android:id/title"]').all()]
        assert "Display" in texts

    def test_a_watcher_clicks(self, d: Any) -> None:
        d.app_start(SETTINGS)
        d.watcher("to display").when("Display").click()
        assert d.watcher.run()
        d.watcher.remove()
        assert d(text="Brightness level").exists

    def test_a_watch_context(self, d: Any) -> None:
        d.app_start(SETTINGS)
        with d.watch_context() as context:
            context.when("Display").click()
            assert d(text="Brightness level").wait(timeout=WAIT_S)


class TestKeysAndDisplay:
    def test_keys(self, d: Any) -> None:
        d.app_start(SETTINGS)
        d(text="Display").click()
        d.press("back")
        assert d.app_current()["activity"].endswith("Settings")
        d.press(3)
        assert d.app_current()["package"] == "com.android.launcher3"
        d.press("recent")
        volume = int(d.shell("settings get system volume_music_speaker").output)
        d.press("volume_up")
        assert int(d.shell("settings get system volume_music_speaker").output) == volume + 1
        d.long_press("home")
        d.keyevent("home")

    def test_screen_off_and_on(self, d: Any) -> None:
        d.screen_off()
        assert d.info["screenOn"] is False
        assert d.screenshot().convert("L").getextrema()[1] < 8
        d.screen_on()
        assert d.info["screenOn"] is True
        d.press("power")
        assert d.info["screenOn"] is False
        d.unlock()
        assert d.info["screenOn"] is True

    def test_orientation(self, d: Any) -> None:
        d.orientation = "left"
        assert (d.orientation, d.info["displayRotation"]) == ("left", 1)
        assert d.window_size() == (2400, 1080) == d.screenshot().size
        assert ElementTree.fromstring(d.dump_hierarchy()).get("rotation") == "1"
        d.set_orientation("r")
        assert d.orientation == "right"
        d.orientation = "natural"
        assert (d.orientation, d.info["naturalOrientation"]) == ("natural", True)
        d.freeze_rotation()
        assert d.shell("settings get system accelerometer_rotation").output.strip() == "0"
        d.freeze_rotation(False)
        assert d.shell("settings get system accelerometer_rotation").output.strip() == "1"

    def test_notifications_and_quick_settings_open(self, d: Any) -> None:
        assert d.open_notification() is True
        assert d.open_quick_settings() is True

    def test_toasts(self, d: Any, host: PhoneHost) -> None:
        assert d.last_toast is None
        host.call(lambda phone: phone.system.toast("Alarm set"))
        assert d.last_toast == "Alarm set"
        assert d.toast.get_message(wait_timeout=1) == "Alarm set"
        d.clear_toast()
        assert d.last_toast is None
        assert d.toast.get_message(wait_timeout=0.1, default="none") == "none"


class TestApps:
    def test_start_stop_current_and_lists(self, d: Any) -> None:
        d.app_start(SETTINGS, stop=True)
        pid = d.app_wait(SETTINGS, front=True)
        assert pid > 0 and d.app_current()["package"] == SETTINGS
        assert SETTINGS in d.app_list() and SETTINGS in d.app_list_running()
        assert d.app_info(SETTINGS)["versionName"]
        d.app_start(SETTINGS, ".Settings", wait=True)
        assert d.wait_activity(d.app_current()["activity"], timeout=WAIT_S)
        d.app_stop(SETTINGS)
        assert SETTINGS not in d.app_list_running()
        d.app_start(SETTINGS, use_monkey=True)
        assert SETTINGS in d.app_stop_all(excludes=["com.android.launcher3"])
        d.app_clear(SETTINGS)

    def test_a_session_notices_that_its_app_ended(self, d: Any) -> None:
        from uiautomator2.exceptions import SessionBrokenError

        with d.session(SETTINGS) as session:
            assert session.running() and session(text="Display").exists
            d.app_stop(SETTINGS)
            with pytest.raises(SessionBrokenError):
                _ = session(text="Display").info
            session.restart()
            assert session(text="Display").exists

    def test_install_and_uninstall(self, d: Any, uiautomator_apk: Path) -> None:
        assert d.app_uninstall("com.github.uiautomator")
        assert "com.github.uiautomator" not in d.app_list()
        d.app_install(str(uiautomator_apk))
        assert "com.github.uiautomator" in d.app_list("-3")

    def test_shell_push_and_pull(self, d: Any, tmp_path: Path) -> None:
        assert d.shell("echo one; false") == ("one\n", 1)
        assert d.shell(["echo", "a b"]).output == "a b\n"
        d.push(io.BytesIO(b"\x00\x01data"), "/sdcard/pushed.bin")
        d.pull("/sdcard/pushed.bin", str(tmp_path / "pulled.bin"))
        assert (tmp_path / "pulled.bin").read_bytes() == b"\x00\x01data"
        d.open_url("https://example.org")


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
        assert fields[0].get_text() != "Ada" and fields[1].get_text() == "Lovelace ❤"
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


def test_a_picture_by_plain_http(d: Any, adb: Adb) -> None:
    """`adb forward` reaches the server as well."""
    import urllib.request

    port = d.adb_device.forward_port(9008)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/screenshot/0", timeout=WAIT_S) as answer:
        assert answer.headers["Content-Type"] == "image/png"
        assert Image.open(io.BytesIO(answer.read())).size == (1080, 2400)
