"""The notification shade, its quick settings, and the notifications in it."""

import xml.etree.ElementTree as ET

import pytest

from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.notifications import Notification
from emulator_farm.virtual.quick_settings import TILES

BACK, HOME, RECENTS, NOTIFICATION = 4, 3, 187, 83
SETTINGS = "com.android.settings"


def post(hand, tag: str, title: str = "Backup", intent: Intent | None = None, ongoing: bool = False) -> Notification:
    made = Notification(
        "com.android.shell", 1, title, f"text of {tag}", hand.phone.clock.now(), tag=tag, intent=intent, ongoing=ongoing
    )
    hand.phone.system.notifications.post(made)
    return made


def pull(hand) -> None:
    hand.phone.swipe(500, 20, 500, 900)


class TestOpening:
    def test_a_pull_from_the_top_and_a_second_one(self, hand) -> None:
        hand.open(SETTINGS)
        pull(hand)
        assert hand.see(id="quick_qs_panel")
        assert hand.see(text="No notifications")
        assert hand.phone.focused_window() == "NotificationShade"
        assert hand.phone.foreground().package == SETTINGS
        hand.phone.swipe(500, 1500, 500, 2000)
        assert hand.see(id="brightness_slider")
        assert not hand.see(id="quick_qs_panel")
        hand.phone.swipe(500, 2000, 500, 1500)
        assert hand.see(id="quick_qs_panel")
        hand.phone.swipe(500, 2000, 500, 1500)
        assert hand.see(text="Network & internet")
        assert hand.phone.focused_window() == "com.android.settings/com.android.settings.Settings"

    @pytest.mark.parametrize(("code", "there"), [(BACK, SETTINGS), (HOME, "com.android.launcher3")])
    def test_keys_close_it(self, hand, code: int, there: str) -> None:
        hand.open(SETTINGS)
        hand.key(NOTIFICATION)
        assert hand.phone.ui.expanded
        hand.key(code)
        assert not hand.phone.ui.expanded
        assert hand.phone.foreground().package == there

    def test_overview_over_the_shade(self, hand) -> None:
        hand.open(SETTINGS)
        hand.phone.ui.expand()
        hand.key(RECENTS)
        assert hand.see(id="snapshot", desc="Settings")

    def test_its_home_button(self, hand) -> None:
        hand.open(SETTINGS)
        hand.phone.ui.expand()
        hand.phone.tap(540, 2340)
        assert not hand.phone.ui.covered
        assert hand.phone.foreground().package == "com.android.launcher3"

    def test_the_keyboard_goes_and_typing_reaches_nothing(self, hand) -> None:
        hand.open("com.android.launcher3")
        hand.tap(desc="Search")
        assert hand.phone.ime.shown
        hand.phone.ui.expand()
        hand.phone.text("abc")
        hand.phone.ui.collapse()
        assert not hand.phone.ime.shown
        assert hand.find(id="fallback_search_view_all_apps").text == "Search apps"

    def test_nothing_below_takes_touches(self, hand) -> None:
        hand.open(SETTINGS)
        x, y = hand.find(text="Display").center
        hand.phone.ui.expand()
        hand.phone.tap(x, y)
        hand.phone.ui.collapse()
        assert hand.see(text="Network & internet")


class TestTree:
    def test_shape(self, hand) -> None:
        hand.phone.ui.expand("settings")
        root = ET.fromstring(hand.phone.hierarchy())
        assert {node.attrib["package"] for node in root.iter("node")} == {"com.android.systemui"}
        parents = {child: node for node in root.iter() for child in node}
        label = next(node for node in root.iter("node") if node.attrib["text"] == "Bluetooth")
        assert label.attrib["resource-id"] == "com.android.systemui:id/tile_label"
        path = []
        node = label
        while node in parents:
            path.append(node.attrib["resource-id"].rpartition("/")[2] or node.attrib["class"].rpartition(".")[2])
            node = parents[node]
        assert path[1:4] == ["LinearLayout", "Switch", "ViewGroup"]
        assert path[4:] == [
            "tile_page", "qs_pager", "quick_settings_panel", "expanded_qs_scroll_view", "quick_settings_container",
            "qs_frame", "notification_container_parent", "notification_panel", "FrameLayout",
        ]  # fmt: skip
        tile = parents[parents[label]].attrib
        assert (tile["text"], tile["content-desc"], tile["checkable"], tile["checked"]) == (
            "On", "Bluetooth", "true", "true",
        )  # fmt: skip
        assert (tile["clickable"], tile["long-clickable"]) == ("true", "true")

    def test_landscape_and_tablet(self, make_hand) -> None:
        for size in ((2400, 1080, 420), (1600, 2560, 320), (720, 1280, 320)):
            hand = make_hand(*size)
            post(hand, "one")
            for page in ("notifications", "settings"):
                hand.phone.ui.expand(page)
                width, height = hand.phone.screen_size
                for node in hand.nodes():
                    left, top, right, bottom = node.bounds
                    assert 0 <= left <= right <= width
                    assert 0 <= top <= bottom <= height
                assert hand.see(text="Internet")


class TestTiles:
    @pytest.mark.parametrize("tile", TILES[1:], ids=lambda tile: tile.label)
    def test_each_turns_its_setting_over_and_back(self, hand, tile) -> None:
        system = hand.phone.system
        before = tile.state(system)
        hand.phone.ui.expand("settings")
        if tile in TILES[8:]:
            hand.phone.swipe(900, 900, 200, 900)
        node = hand.find(text=tile.label)
        hand.phone.tap(*node.center)
        assert tile.state(system) is not before
        hand.phone.tap(*node.center)
        assert tile.state(system) is before

    def test_the_settings_are_those_of_the_pages(self, hand) -> None:
        hand.phone.ui.expand("settings")
        hand.tap(text="Airplane mode")
        assert hand.phone.settings.get("global", "airplane_mode_on") == "1"
        assert hand.phone.settings.get("global", "wifi_on") == "0"
        hand.tap(text="Dark theme")
        hand.phone.ui.collapse()
        hand.page("DISPLAY_SETTINGS")
        assert hand.row("Dark theme").flag("checked")

    def test_internet_has_a_panel(self, hand) -> None:
        hand.phone.ui.expand()
        hand.tap(text="Internet")
        assert hand.see(id="internet_dialog_title", text="Internet")
        hand.tap(id="wifi_toggle")
        assert hand.phone.settings.get("global", "wifi_on") == "0"
        assert not hand.see(text="AndroidWifi")
        hand.tap(text="Done")
        assert hand.phone.ui.expanded
        hand.tap(text="Internet")
        hand.key(BACK)
        assert hand.see(id="quick_qs_panel")

    def test_a_long_press_opens_the_page(self, hand) -> None:
        hand.phone.ui.expand()
        hand.hold(text="Bluetooth")
        assert not hand.phone.ui.covered
        assert hand.phone.foreground().activity.endswith("BluetoothSettingsActivity")

    def test_brightness(self, hand) -> None:
        hand.phone.ui.expand("settings")
        _left, top, right, bottom = hand.find(id="slider").bounds
        hand.phone.tap(right - 40, (top + bottom) // 2)
        assert hand.phone.settings.get_int("system", "screen_brightness") > 240


class TestNotifications:
    def test_latest_first_with_an_icon_in_the_bar(self, hand) -> None:
        plain = hand.phone.frame().crop((0, 0, 400, 60)).tobytes()
        post(hand, "a", "First")
        post(hand, "b", "Second")
        assert hand.phone.frame().crop((0, 0, 400, 60)).tobytes() != plain
        pull(hand)
        titles = [node.text for node in hand.find_all(id="title")]
        assert titles == ["Second", "First"]
        post(hand, "a", "First again")
        assert [node.text for node in hand.find_all(id="title")] == ["First again", "Second"]

    def test_a_tap_opens_and_takes_away(self, hand) -> None:
        post(hand, "go", intent=Intent("android.settings.DISPLAY_SETTINGS"))
        pull(hand)
        hand.tap(text="Backup")
        assert not hand.phone.ui.expanded
        assert hand.see(text="Dark theme")
        assert hand.phone.system.notifications.list() == []

    def test_a_swipe_takes_one_away(self, hand) -> None:
        post(hand, "a", "First")
        post(hand, "b", "Second")
        pull(hand)
        x, y = hand.find(text="First").center
        hand.phone.swipe(x, y, x + 600, y)
        assert [node.text for node in hand.find_all(id="title")] == ["Second"]

    def test_clear_all_spares_what_goes_on(self, hand) -> None:
        post(hand, "a")
        post(hand, "b", "Recording", ongoing=True)
        pull(hand)
        x, y = hand.find(text="Recording").center
        hand.phone.swipe(x, y, x + 600, y)
        hand.tap(text="Clear all")
        assert [node.text for node in hand.find_all(id="title")] == ["Recording"]

    def test_time_goes_by(self, hand) -> None:
        post(hand, "a")
        pull(hand)
        assert hand.find(id="time").text == "now"
        hand.wait(300)
        assert hand.find(id="time").text == "5m"
        hand.wait(7200)
        assert hand.find(id="time").text == "2h"

    def test_reboot_and_reset_leave_none(self, hand) -> None:
        post(hand, "a")
        hand.phone.ui.expand()
        hand.phone.reboot()
        assert not hand.phone.ui.covered
        assert hand.phone.system.notifications.list() == []
        post(hand, "a")
        hand.phone.reset()
        assert hand.phone.system.notifications.list() == []
