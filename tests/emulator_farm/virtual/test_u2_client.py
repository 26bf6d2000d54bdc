"""The real uiautomator2 client against the phone's own server: it pushes its jar, starts it and drives the screen."""

from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import ImageChops
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

    def test_the_screenshot_is_the_screen(self, d: Any, u2_host: PhoneHost) -> None:
        d.app_start(SETTINGS)
        picture = d.screenshot()
        frame = u2_host.call(lambda phone: phone.frame().copy())
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
        assert top < summary.bounds()[3]
        assert summary.bounds()[1] < bottom + 120
        assert d(text=titles[0]).down(resourceId="android:id/title").get_text() == titles[1]
        assert not d(scrollable=True).child(text="No such row").exists

    def test_a_child_by_its_text(self, d: Any) -> None:
        d.app_start(SETTINGS)
        row = d(scrollable=True).child_by_text("Display", className="android.widget.LinearLayout")
        left, top, right, bottom = d(text="Display").bounds()
        outer = row.bounds()
        assert outer[0] <= left
        assert outer[1] <= top
        assert outer[2] >= right
        assert outer[3] >= bottom

    def test_what_is_not_there(self, d: Any) -> None:
        with pytest.raises(UiObjectNotFoundError) as failure:
            _ = d(text="Nothing like it").info
        assert failure.value.args[:2] == (-32001, "androidx.test.uiautomator.UiObjectNotFoundException")
        assert not d(text="Nothing like it").exists
        assert d(text="Nothing like it").count == 0
        assert d(text="Nothing like it").click_exists(timeout=0) is False
        assert d(text="Nothing like it").wait(timeout=0.2) is False

    def test_waiting(self, d: Any, u2_host: PhoneHost) -> None:
        assert d(text="Display").wait_gone(timeout=0.2)
        d.app_start(SETTINGS)
        assert d(text="Display").wait(timeout=WAIT_S)
        assert d(text="Display").wait_gone(timeout=0.2) is False
        u2_host.call(lambda phone: phone.go_home())
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

    def test_long_click(self, d: Any, u2_host: PhoneHost) -> None:
        d.shell(NEW_CONTACT)
        field = d(className="android.widget.EditText")
        field.set_text("word")
        held: list[tuple[int, int]] = []
        point = field.center()
        d.long_click(*point, duration=0.8)
        field.long_click()
        assert field.get_text() == "word"
        assert held == []
        assert u2_host.call(lambda phone: phone.ime.shown)

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
        assert d(text="About phone").exists
        assert not d(text=first).exists
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
        assert row.exists
        assert row.get_text() == "Display"
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
