"""The phone as a whole: tasks, keys, touch, keyboard, rotation, persistence."""

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator_farm.virtual.defaults import ADB_IME, LAUNCHER
from emulator_farm.virtual.intents import Component, Intent
from emulator_farm.virtual.phone import Phone, TextNotTypeable
from emulator_farm.virtual.theme import LIGHT

BACK, HOME, RECENTS, ENTER, DEL = 4, 3, 187, 66, 67
SETTINGS = "com.android.settings"


def test_a_new_phone_shows_its_home_screen(hand) -> None:
    phone = hand.phone
    assert phone.foreground().package == LAUNCHER
    assert (phone.width, phone.height, phone.density, phone.rotation) == (1080, 2400, 420, 0)
    assert phone.frame().size == phone.screen_size == (1080, 2400)
    assert phone.tasks()[0].package == LAUNCHER
    assert hand.see(text="Thursday, Oct 15")


# -- tasks


def test_back_walks_out_and_the_task_stays(hand) -> None:
    hand.open(SETTINGS)
    hand.tap(text="Network & internet")
    hand.tap(text="Internet")
    assert hand.phone.foreground() == Component(SETTINGS, f"{SETTINGS}.SubSettings")
    assert [len(task.activities) for task in hand.phone.tasks()] == [3, 1]
    hand.key(BACK, BACK)
    assert hand.phone.foreground() == Component(SETTINGS, f"{SETTINGS}.Settings")
    hand.key(BACK)
    assert hand.phone.foreground().package == LAUNCHER
    assert hand.phone.is_running(SETTINGS)
    result = hand.phone.start_activity(Intent(package=SETTINGS))
    assert (result.kind, result.was_running) == ("brought_to_front", True)


def test_home_keeps_the_place(hand) -> None:
    hand.open(SETTINGS)
    hand.tap(text="Connected devices")
    hand.key(HOME)
    assert hand.phone.foreground().package == LAUNCHER
    hand.open(SETTINGS)
    assert hand.see(text="Pair new device")


def test_starting_by_action_component_and_nothing(hand) -> None:
    phone = hand.phone
    result = phone.start_activity(Intent("android.settings.BLUETOOTH_SETTINGS"))
    assert result.kind == "started"
    assert result.component == phone.foreground()
    assert not result.was_running
    component = Component("com.android.deskclock", "com.android.deskclock.DeskClock")
    assert phone.start_activity(Intent(component=component)).component == component
    assert phone.start_activity(Intent(component=Component("a", "a.B"))).kind == "not_found"
    assert phone.start_activity(Intent("no.such.ACTION")).kind == "not_found"
    assert phone.start_activity(Intent(package="no.such.app")).kind == "not_found"
    home = Intent("android.intent.action.MAIN", categories=("android.intent.category.HOME",))
    phone.start_activity(home)
    assert phone.foreground().package == LAUNCHER


def test_resolving_the_launcher_category_finds_apps_but_not_home(hand) -> None:
    intent = Intent("android.intent.action.MAIN", categories=("android.intent.category.LAUNCHER",))
    packages = {activity.component.package for activity in hand.phone.resolve(intent)}
    assert packages == set(hand.phone.system.apps) - {"com.android.launcher3"}
    assert {SETTINGS, "com.android.contacts", "com.android.deskclock", "org.virtual.notes"} < packages
    one = Intent("android.intent.action.MAIN", package=SETTINGS, categories=intent.categories)
    assert [a.component.activity for a in hand.phone.resolve(one)] == [f"{SETTINGS}.Settings"]


def test_overview_switches_and_closes(hand) -> None:
    hand.open(SETTINGS)
    hand.open("com.android.contacts")
    hand.open("org.virtual.notes")
    hand.key(RECENTS)
    assert hand.phone.foreground().activity.endswith("RecentsActivity")
    assert [node.text for node in hand.find_all(id="title")][:2] == ["Notes", "Contacts"]
    left, top, _, _ = hand.find(id="snapshot", desc="Notes").bounds
    assert hand.phone.frame().getpixel((left + 5, top + 5)) == LIGHT["surface"]
    hand.phone.tap(*hand.find(id="snapshot", desc="Contacts").center)
    assert hand.phone.foreground().package == "com.android.contacts"
    hand.key(RECENTS)
    x, y = hand.find(id="snapshot", desc="Contacts").center
    hand.phone.swipe(x, y, x, y - 900)
    assert not hand.see(desc="Contacts")
    hand.tap(desc="Dismiss Notes")
    hand.tap(text="Clear all")
    assert hand.phone.foreground().package == LAUNCHER
    hand.key(RECENTS)
    assert hand.see(text="No recent items")
    hand.key(BACK)
    assert not hand.see(text="No recent items")


def test_overview_twice_returns_to_the_last_app(hand) -> None:
    hand.open(SETTINGS)
    hand.phone.recents()
    hand.phone.recents()
    assert hand.phone.foreground().package == SETTINGS
    hand.key(RECENTS, BACK)
    assert hand.phone.foreground().package == SETTINGS


def test_force_stop_and_process_ids(hand) -> None:
    hand.open(SETTINGS)
    pid = hand.phone.pid(SETTINGS)
    assert pid
    hand.phone.force_stop(SETTINGS)
    assert hand.phone.foreground().package == LAUNCHER
    assert hand.phone.pid(SETTINGS) is None
    hand.open(SETTINGS)
    assert hand.phone.pid(SETTINGS) not in (None, pid)
    hand.phone.force_stop(LAUNCHER)
    assert hand.phone.is_running(LAUNCHER)


def test_an_installed_package_shows_its_name_and_goes(hand) -> None:
    from emulator_farm.virtual.packages import Activity, Package

    phone = hand.phone
    own = Component("org.example.tool", "org.example.tool.Main")
    package = Package("org.example.tool", "Tool", system=False, activities=(Activity(own, launcher=True),))
    phone.packages._installed[package.name] = package
    phone.start_activity(Intent(component=own))
    assert hand.see(text="Tool")
    phone.files.mkdir("/data/data/org.example.tool", parents=True)
    phone.files.write("/data/data/org.example.tool/x", b"1")
    assert phone.clear_data("org.example.tool")
    assert not phone.files.exists("/data/data/org.example.tool")
    phone.uninstall("org.example.tool")
    assert phone.foreground().package == LAUNCHER
    assert not phone.clear_data("org.example.tool")


# -- persistence


def test_reboot_keeps_what_is_stored_and_reset_does_not(hand) -> None:
    phone = hand.phone
    hand.open(SETTINGS)
    phone.settings.put("system", "screen_brightness", "7")
    phone.props["debug.mine"] = "1"
    hand.wait(50)
    phone.reboot()
    assert phone.clock.uptime_s() == 0
    assert phone.foreground().package == LAUNCHER
    assert not phone.is_running(SETTINGS)
    assert phone.settings.get("system", "screen_brightness") == "7"
    phone.files.write("/storage/emulated/0/mine.txt", b"x")
    phone.set_size_override((720, 1280))
    phone.reset()
    assert phone.files.list("/storage/emulated/0") == ["DCIM", "Documents", "Download", "Notes"]
    assert phone.settings.get("system", "screen_brightness") == "102"
    assert "debug.mine" not in phone.props
    assert phone.screen_size == (1080, 2400)


def test_phones_of_different_seed_have_different_ids(make_hand) -> None:
    ids = {make_hand(seed=seed).phone.settings.get("secure", "android_id") for seed in range(4)}
    assert len(ids) == 4


# -- time, version, power


def test_version_moves_only_with_what_shows(hand) -> None:
    phone = hand.phone
    before = phone.version
    hand.wait(20)
    phone.settings.put("global", "wifi_on", "1")
    assert phone.version == before
    hand.wait(60)
    assert phone.version == before + 1
    phone.settings.put("global", "wifi_on", "0")
    assert phone.version == before + 2
    first = phone.frame()
    assert phone.frame() is first
    assert phone.png() is phone.png()


def test_setting_the_clock(hand) -> None:
    hand.phone.clock.set_time(datetime(2023, 10, 15, 9, 5, tzinfo=UTC))
    assert hand.see(text="Sunday, Oct 15")
    assert hand.phone.clock.boot_time == datetime(2023, 10, 15, 9, 5, tzinfo=UTC)
    with pytest.raises(ValueError, match="timezone"):
        hand.phone.clock.set_time(datetime(2023, 1, 1))


def test_screen_off_is_black_and_deaf(hand) -> None:
    phone = hand.phone
    hand.open(SETTINGS)
    hand.key(26)
    assert not phone.screen_on
    assert phone.frame().getcolors() == [(1080 * 2400, (0, 0, 0))]
    assert phone.focused_window() == "NotificationShade"
    phone.tap(*hand.find(text="Apps").center)
    phone.swipe(500, 1500, 500, 500)
    phone.drag(500, 1500, 500, 500)
    phone.touch_down(500, 500)
    phone.text("x")
    hand.key(BACK)
    hand.key(224, 224)
    assert phone.screen_on
    assert hand.see(text="Network & internet")
    assert phone.focused_window() == f"{SETTINGS}/{SETTINGS}.Settings"
    hand.key(223)
    assert not phone.screen_on
    phone.screen_on = True
    assert phone.frame().getpixel((5, 1200)) != (0, 0, 0)


def test_battery_shows(hand) -> None:
    before = hand.phone.png()
    hand.phone.battery_level = 9
    hand.phone.charging = False
    assert hand.phone.png() != before
    hand.page("BATTERY_SAVER_SETTINGS")
    assert hand.see(text="9%")
    hand.phone.battery_level = 300
    assert hand.phone.battery_level == 100


# -- touch


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-900, 900), min_size=1, max_size=4), st.integers(50, 900))
def test_content_follows_the_finger_exactly(moves: list[int], duration: int) -> None:
    phone = Phone()
    phone.start_activity(Intent(package=SETTINGS))
    phone.version  # noqa: B018 - lays the screen out
    box = next(b for b in phone._view.scene().app.root.walk() if b.scroll_range)
    expected = 0
    for move in moves:
        phone.swipe(500, 1200, 500, 1200 - move, duration)
        slop = 21
        if abs(move) > slop:
            expected = min(max(0, expected + move), box.scroll_range)
        else:
            phone.go_home()
            return
        assert phone.screen.view.scroll.get("recycler_view", 0) == expected


def test_motion_events_scroll_while_the_finger_is_down(hand) -> None:
    hand.open(SETTINGS)
    top = hand.find(text="Display").bounds[1]
    hand.phone.touch_down(500, 1500)
    hand.phone.touch_move(500, 1400)
    assert hand.find(text="Display").bounds[1] == top - 100
    hand.phone.touch_move(500, 1450)
    hand.phone.touch_up(500, 1450)
    assert hand.find(text="Display").bounds[1] == top - 50
    hand.phone.touch_down(*hand.find(text="Display").center)
    hand.phone.touch_cancel()
    hand.phone.touch_up(500, 1450)
    assert hand.see(text="Network & internet")


def test_a_slow_press_is_long_only_where_something_answers(hand) -> None:
    hand.hold(desc="Notes")
    assert hand.see(text="App info")
    hand.key(BACK)
    hand.open(SETTINGS)
    hand.hold(text="Display")
    assert hand.see(text="Brightness level")


def test_drag_starts_with_a_long_press(hand) -> None:
    x, y = hand.find(desc="Notes").center
    hand.phone.drag(x, y, x, y - 400, 900)
    assert hand.see(text="App info")
    assert not hand.see(id="apps_list_view")


def test_tap_outside_a_dialog_closes_it(hand) -> None:
    hand.page("DISPLAY_SETTINGS")
    hand.tap(text="Screen timeout")
    assert not hand.see(text="Dark theme")
    hand.phone.tap(30, 300)
    assert hand.see(text="Dark theme")


def test_disabled_things_take_no_tap(hand) -> None:
    hand.page("DATE_SETTINGS")
    row = hand.find(text="Time")
    assert not row.flag("enabled")
    hand.phone.tap(*row.center)
    assert not hand.see(text="Set time")


def test_navigation_buttons(hand) -> None:
    hand.open(SETTINGS)
    hand.tap(text="Apps")
    hand.phone.tap(200, 2337)
    assert hand.see(text="Network & internet")
    hand.phone.tap(540, 2337)
    assert hand.phone.foreground().package == LAUNCHER
    hand.phone.tap(880, 2337)
    assert hand.see(text="Clear all")


def test_navigation_gestures(hand) -> None:
    hand.phone.settings.put("secure", "navigation_mode", "2")
    hand.open(SETTINGS)
    hand.tap(text="Apps")
    hand.phone.swipe(5, 1200, 500, 1200)
    assert hand.see(text="Network & internet")
    hand.tap(text="Apps")
    hand.phone.swipe(1075, 1200, 600, 1210)
    assert hand.see(text="Network & internet")
    hand.phone.swipe(540, 2385, 540, 1500, 200)
    assert hand.phone.foreground().package == LAUNCHER
    hand.phone.swipe(540, 2385, 540, 1500, 900)
    assert hand.see(text="Clear all")


# -- text


def open_note(hand) -> None:
    hand.open("org.virtual.notes")
    hand.tap(desc="New note")


def test_input_text_types_ascii_and_refuses_the_rest(hand) -> None:
    open_note(hand)
    hand.phone.text("Hello, 100% 'quoted' \"world\"")
    assert hand.find(id="edit_title").text == "Hello, 100% 'quoted' \"world\""
    with pytest.raises(TextNotTypeable, match="'é'"):
        hand.phone.text("café")
    assert hand.find(id="edit_title").text == "Hello, 100% 'quoted' \"world\""


def test_text_without_focus_goes_nowhere(hand) -> None:
    hand.open(SETTINGS)
    before = hand.phone.hierarchy()
    hand.phone.text("abc\n")
    hand.key(DEL, 112, 21, 29, ENTER, 61, 277, 278, 279)
    hand.phone.key(29, meta=(113,))
    assert hand.phone.hierarchy() == before
    assert not hand.phone.commit_text("x")
    assert not hand.phone.clear_text()
    assert not hand.phone.editor_action(6)


def test_commit_and_clear_any_unicode(hand) -> None:
    open_note(hand)
    words = "naïve 日本語 😀 %s \"'\\$(reboot)"
    assert hand.phone.commit_text(words)
    assert hand.find(id="edit_title").text == words
    assert hand.phone.frame().size == (1080, 2400)
    assert hand.phone.clear_text()
    assert hand.find(id="edit_title").text == "Title"


def test_newlines(hand) -> None:
    open_note(hand)
    hand.phone.commit_text("two\nlines")
    assert hand.find(id="edit_title").text == "two lines"
    hand.key(ENTER)
    assert hand.find(id="edit_body").flag("focused")
    hand.phone.text("one\ntwo")
    hand.key(ENTER)
    hand.phone.commit_text("three\nfour")
    assert hand.find(id="edit_body").text == "one\ntwo\nthree\nfour"


def test_editing_keys(hand) -> None:
    open_note(hand)
    hand.phone.text("word")
    hand.key(DEL, 21, 21)
    hand.phone.text("X")
    assert hand.find(id="edit_title").text == "wXor"
    hand.key(122, 112)
    assert hand.find(id="edit_title").text == "Xor"
    hand.key(123)
    hand.phone.key(29, meta=(59,))
    hand.key(8, 62, 22)
    assert hand.find(id="edit_title").text == "XorA1 "
    hand.phone.key(8, meta=(59,))
    assert hand.find(id="edit_title").text == "XorA1 !"


def test_select_copy_cut_paste(hand) -> None:
    open_note(hand)
    hand.phone.text("abc")
    hand.phone.key(29, meta=(113,))
    hand.phone.key(31, meta=(113,))
    hand.key(DEL)
    assert hand.find(id="edit_title").text == "Title"
    hand.phone.key(50, meta=(113,))
    hand.key(279)
    assert hand.find(id="edit_title").text == "abcabc"
    hand.phone.key(21, meta=(59,))
    hand.phone.key(52, meta=(114,))
    assert hand.find(id="edit_title").text == "abcab"
    hand.key(278, 279)
    assert hand.find(id="edit_title").text == "abcabc"
    hand.phone.key(21, meta=(59,))
    hand.key(277)
    assert hand.find(id="edit_title").text == "abcab"


def test_caret_moves_between_lines(hand) -> None:
    open_note(hand)
    hand.key(ENTER)
    hand.phone.text("aaaa\nbb")
    hand.key(19)
    hand.phone.text("X")
    assert hand.find(id="edit_body").text == "aaXaa\nbb"
    hand.key(20, 19, 19, 122)
    hand.phone.text("Y")
    assert hand.find(id="edit_body").text == "YaaXaa\nbb"


def test_a_tap_places_the_caret_and_two_select_the_word(hand) -> None:
    open_note(hand)
    hand.phone.text("alpha beta")
    left, top, _, bottom = hand.find(id="edit_title").bounds
    hand.phone.tap(left + 70, (top + bottom) // 2)
    hand.phone.text("Z")
    assert "Z" in hand.find(id="edit_title").text[:4]
    hand.wait(5)
    hand.phone.tap(left + 150, (top + bottom) // 2)
    hand.wait(0.1)
    hand.phone.tap(left + 150, (top + bottom) // 2)
    hand.key(DEL)
    assert hand.find(id="edit_title").text == " beta"


def test_an_underscore_belongs_to_a_word(hand) -> None:
    open_note(hand)
    hand.phone.text("snake_case rest")
    left, top, _, bottom = hand.find(id="edit_title").bounds
    for _ in range(2):
        hand.phone.tap(left + 70, (top + bottom) // 2)
        hand.wait(0.1)
    hand.key(DEL)
    assert hand.find(id="edit_title").text == " rest"


def test_editor_actions(hand) -> None:
    hand.open("com.android.contacts")
    hand.tap(desc="Create contact")
    assert hand.phone.editor_action(5)
    assert hand.find(id="last_name").flag("focused")
    assert hand.phone.editor_action(0)
    assert hand.find(id="phone").flag("focused")
    assert hand.phone.editor_action(6)
    assert not hand.phone.ime.shown


# -- keyboards


def keyboard_key(hand, desc: str) -> tuple[int, int]:
    window = hand.phone._view.scene().keyboard
    assert window is not None
    box = next(b for b in window.root.walk() if b.widget.desc == desc and b.widget.on_tap)
    return box.x + box.w // 2, box.y + box.h // 2


def press(hand, *keys: str) -> None:
    for key in keys:
        hand.phone.tap(*keyboard_key(hand, key))
        hand.wait(1)


def test_the_soft_keyboard_types(hand) -> None:
    open_note(hand)
    assert hand.phone.ime.shown
    press(hand, "Shift", "H", "i", "Space", "?123", "1", "=\\<", "€", "?123", "ABC", "a", "Delete")
    assert hand.find(id="edit_title").text == "Hi 1€"
    press(hand, "Shift", "Shift", "A", "B", "Shift", "c", "Enter", "x", "Enter", "y")
    assert hand.find(id="edit_title").text == "Hi 1€ABc"
    assert hand.find(id="edit_body").text == "x\ny"


def test_number_fields_bring_a_number_pad(hand) -> None:
    hand.open("com.android.deskclock")
    hand.tap(desc="Add alarm")
    hand.tap(id="input_hour")
    press(hand, "1", "1", "Delete", "0", "Enter")
    assert hand.find(id="input_hour").text == "10"
    assert hand.find(id="input_minute").flag("focused")
    press(hand, "5", "Enter")
    assert not hand.phone.ime.shown


def test_back_hides_the_keyboard_first(hand) -> None:
    open_note(hand)
    hand.key(BACK)
    assert not hand.phone.ime.shown
    assert hand.see(id="edit_title")
    hand.phone.tap(*hand.find(id="edit_body").center)
    assert hand.phone.ime.shown
    hand.key(BACK, BACK)
    assert hand.see(desc="New note")


def test_the_layout_gives_way_to_the_keyboard(hand) -> None:
    hand.open("org.virtual.notes")
    tall = hand.find(id="content").bounds[3]
    hand.tap(id="search_box")
    assert hand.find(id="content").bounds[3] < tall - 500
    hand.phone.ime.set(ADB_IME)
    assert hand.find(id="content").bounds[3] == tall
    assert hand.phone.ime.shown


def test_a_field_under_the_keyboard_is_scrolled_into_sight(make_hand) -> None:
    hand = make_hand(720, 1280, 320)
    hand.open("com.android.contacts")
    hand.tap(desc="Create contact")
    hand.phone.text("a\nb\nc\nlast")
    field = hand.find(id="email")
    assert field.text == "last"
    keyboard = hand.phone._view.scene().keyboard
    assert field.bounds[3] <= keyboard.root.y


def test_adb_keyboard_broadcasts(hand) -> None:
    phone = hand.phone
    open_note(hand)

    def send(action: str, **extras: str) -> tuple[int, str | None]:
        result = phone.broadcast(Intent(f"ADB_KEYBOARD_{action}", extras=extras))
        return result.code, result.data

    encoded = base64.b64encode("Zoë 😀".encode()).decode()
    assert send("INPUT_TEXT", text=encoded) == (0, None)
    phone.ime.set(ADB_IME)
    assert send("INPUT_TEXT", text=encoded) == (-1, "success")
    assert hand.find(id="edit_title").text == "Zoë 😀"
    assert send("SET_TEXT", text=base64.b64encode(b"new").decode()) == (-1, "success")
    assert send("INPUT_TEXT", text="not base64!") == (0, None)
    assert hand.find(id="edit_title").text == "new"
    assert send("EDITOR_CODE", code="5") == (-1, "success")
    assert hand.find(id="edit_body").flag("focused")
    assert send("SMART_ENTER") == (-1, "success")
    assert send("CLEAR_TEXT") == (-1, "success")
    assert send("EDITOR_CODE", code="x") == (0, None)
    assert send("HIDE") == (-1, "success")
    assert send("DANCE") == (0, None)
    assert phone.broadcast(Intent("android.intent.action.BOOT_COMPLETED")).code == 0
    phone.go_home()
    assert send("INPUT_TEXT", text=encoded) == (0, None)


# -- display


def test_rotation_turns_frame_and_tree(hand) -> None:
    hand.open(SETTINGS)
    hand.phone.settings.put("system", "user_rotation", "1")
    assert hand.phone.frame().size == (2400, 1080)
    assert 'rotation="1"' in hand.phone.hierarchy()
    assert hand.nodes()[0].bounds == (0, 0, 2400, 1080)
    hand.tap(text="Network & internet")
    assert hand.see(text="Internet")
    hand.phone.tap(2337, 540)
    assert hand.phone.foreground().package == LAUNCHER
    hand.phone.settings.put("system", "accelerometer_rotation", "1")
    assert hand.phone.frame().size == (1080, 2400)


def test_size_and_density_overrides(hand) -> None:
    phone = hand.phone
    phone.set_size_override((720, 1280))
    phone.set_density_override(320)
    assert phone.frame().size == (720, 1280)
    assert (phone.size_override, phone.density_override) == ((720, 1280), 320)
    assert (phone.physical_width, phone.physical_height, phone.physical_density) == (1080, 2400, 420)
    assert hand.nodes()[0].bounds == (0, 0, 720, 1280)
    phone.set_size_override(None)
    phone.set_density_override(None)
    assert (phone.width, phone.density) == (1080, 420)
    with pytest.raises(ValueError, match="0x5"):
        phone.set_size_override((0, 5))
    with pytest.raises(ValueError, match="density must be positive"):
        phone.set_density_override(0)
    with pytest.raises(ValueError, match="width must be positive"):
        Phone(width=0)


def test_volume_and_settings_keys(hand) -> None:
    hand.key(24, 24, 25)
    assert hand.phone.settings.get("system", "volume_music_speaker") == "6"
    hand.key(164)
    assert hand.phone.settings.get("system", "volume_music_speaker") == "0"
    hand.key(176)
    assert hand.phone.foreground().package == SETTINGS
    hand.key(111)
    assert hand.phone.foreground().package == LAUNCHER


def test_radios(hand) -> None:
    phone = hand.phone
    for call, key in (
        (phone.set_wifi, "wifi_on"),
        (phone.set_bluetooth, "bluetooth_on"),
        (phone.set_mobile_data, "mobile_data"),
    ):
        call(False)
        assert phone.settings.get("global", key) == "0"
        call(True)
        assert phone.settings.get("global", key) == "1"
    phone.set_bluetooth(False)
    phone.set_airplane(True)
    phone.set_airplane(True)
    values = {key: phone.settings.get("global", key) for key in ("airplane_mode_on", "wifi_on", "bluetooth_on")}
    assert values == {"airplane_mode_on": "1", "wifi_on": "0", "bluetooth_on": "0"}
    phone.set_airplane(False)
    values = {key: phone.settings.get("global", key) for key in ("airplane_mode_on", "wifi_on", "bluetooth_on")}
    assert values == {"airplane_mode_on": "0", "wifi_on": "1", "bluetooth_on": "0"}
