"""Settings: what a tap does to the stored keys, and what the stored keys do to the pages."""

import pytest

from emulator_farm.virtual.intents import Intent

SETTINGS = "com.android.settings"


@pytest.mark.parametrize(
    ("action", "title", "key", "values"),
    [
        ("WIFI_SETTINGS", "Wi-Fi", "global/wifi_on", ("1", "0")),
        ("DISPLAY_SETTINGS", "Adaptive brightness", "system/screen_brightness_mode", ("0", "1")),
        ("DISPLAY_SETTINGS", "Auto-rotate screen", "system/accelerometer_rotation", ("0", "1")),
        ("DISPLAY_SETTINGS", "Dark theme", "secure/ui_night_mode", ("1", "2")),
        ("DATE_SETTINGS", "Set time automatically", "global/auto_time", ("1", "0")),
        ("DATE_SETTINGS", "Use 24-hour format", "system/time_12_24", ("12", "24")),
        ("WIRELESS_SETTINGS", "Airplane mode", "global/airplane_mode_on", ("0", "1")),
        ("SOUND_SETTINGS", "Vibrate for calls", "system/vibrate_when_ringing", ("0", "1")),
        ("PRIVACY_SETTINGS", "Camera access", "secure/camera_access", (None, "1")),
        ("SECURITY_SETTINGS", "Show passwords", "system/show_password", (None, "1")),
        ("NOTIFICATION_SETTINGS", "Notification history", "secure/notification_history_enabled", (None, "1")),
        ("ACCESSIBILITY_SETTINGS", "Color inversion", "secure/accessibility_display_inversion_enabled", (None, "1")),
        ("BATTERY_SAVER_SETTINGS", "Adaptive Battery", "global/adaptive_battery_management_enabled", (None, "1")),
    ],
)
def test_a_switch_and_its_key_are_one(hand, action: str, title: str, key: str, values: tuple[str | None, str]) -> None:
    namespace, _, name = key.partition("/")
    before, after = values
    hand.page(action)
    hand.scroll_to(title)
    assert hand.phone.settings.get(namespace, name) == before
    was = hand.row(title).flag("checked")
    hand.tap(text=title)
    assert hand.phone.settings.get(namespace, name) == after
    hand.scroll_to(title)
    assert hand.row(title).flag("checked") is not was
    if before is None:
        hand.phone.settings.delete(namespace, name)
    else:
        hand.phone.settings.put(namespace, name, before)
    assert hand.row(title).flag("checked") is was


@pytest.mark.parametrize(
    ("action", "title", "namespace", "key", "off", "on"),
    [
        ("BLUETOOTH_SETTINGS", "Use Bluetooth", "global", "bluetooth_on", "0", "1"),
        ("LOCATION_SOURCE_SETTINGS", "Use location", "secure", "location_mode", "0", "3"),
    ],
)
def test_main_switches(hand, action: str, title: str, namespace: str, key: str, off: str, on: str) -> None:
    hand.page(action)
    hand.tap(text=title)
    assert hand.phone.settings.get(namespace, key) == off
    assert not hand.find(id="switch_widget").flag("checked")
    hand.tap(text=title)
    assert hand.phone.settings.get(namespace, key) == on


def test_every_section_opens_and_comes_back(hand) -> None:
    hand.open(SETTINGS)
    sections = (
        "Network & internet", "Connected devices", "Apps", "Notifications", "Battery", "Storage", "Sound & vibration",
        "Display", "Wallpaper & style", "Accessibility", "Security", "Privacy", "Location", "System", "About phone",
    )  # fmt: skip
    for section in sections:
        hand.scroll_to(section)
        hand.tap(text=section)
        assert hand.find(id="collapsing_toolbar").desc == section
        hand.phone.frame()
        hand.tap(desc="Navigate up")
    assert hand.phone.foreground().activity == "com.android.settings.Settings"


def test_the_title_moves_to_the_bar_when_scrolled_away(hand) -> None:
    hand.page("DEVICE_INFO_SETTINGS")
    hand.scroll_to("Build number")
    top = hand.find(text="About phone")
    assert top.bounds[3] < 220
    assert not hand.see(id="collapsing_toolbar")


def test_airplane_mode_takes_the_radios_down(hand) -> None:
    hand.page("WIRELESS_SETTINGS")
    hand.tap(text="Airplane mode")
    assert hand.phone.settings.get("global", "wifi_on") == "0"
    assert hand.phone.settings.get("global", "bluetooth_on") == "0"
    assert hand.see(text="Not connected")
    hand.tap(text="Internet")
    hand.tap(text="Wi-Fi")
    assert hand.phone.settings.get("global", "wifi_on") == "1"
    hand.phone.set_airplane(False)
    assert hand.phone.settings.get("global", "bluetooth_on") == "1"


def test_choosing_a_network(hand) -> None:
    hand.page("WIFI_SETTINGS")
    hand.tap(text="Library Guest")
    assert hand.phone.settings.get("global", "wifi_connected_ssid") == "Library Guest"
    hand.key(4)
    hand.page("WIRELESS_SETTINGS")
    assert hand.see(text="Library Guest")
    hand.phone.set_wifi(False)
    assert hand.see(text="T-Virtual")
    hand.tap(text="SIMs")
    hand.tap(text="Mobile data")
    assert hand.phone.settings.get("global", "mobile_data") == "0"
    hand.page("WIFI_SETTINGS")
    assert hand.see(text="Mobile data is off")


def test_private_dns_is_a_choice(hand) -> None:
    hand.page("WIRELESS_SETTINGS")
    hand.tap(text="Private DNS")
    hand.tap(text="Off")
    assert hand.phone.settings.get("global", "private_dns_mode") == "off"
    hand.phone.settings.put("global", "private_dns_mode", "strange")
    assert hand.see(text="strange")


def test_brightness_slider(hand) -> None:
    hand.page("DISPLAY_SETTINGS")
    hand.tap(text="Brightness level")
    left, top, right, bottom = hand.find(desc="Display brightness").bounds
    middle = (top + bottom) // 2
    hand.phone.tap(right - 2, middle)
    assert hand.phone.settings.get("system", "screen_brightness") == "255"
    hand.phone.swipe(right - 30, middle, left - 200, middle + 300)
    assert hand.phone.settings.get("system", "screen_brightness") == "0"
    hand.phone.drag(left + 30, middle, (left + right) // 2, middle)
    assert hand.phone.settings.get_int("system", "screen_brightness") in range(124, 132)
    hand.phone.settings.put("system", "screen_brightness", "51")
    assert hand.find(desc="Display brightness").text == "51"
    hand.key(4)
    assert hand.see(text="20%")


def test_screen_timeout_dialog(hand) -> None:
    hand.page("DISPLAY_SETTINGS")
    hand.tap(text="Screen timeout")
    hand.tap(text="10 minutes")
    assert hand.phone.settings.get("system", "screen_off_timeout") == "600000"
    assert hand.see(text="10 minutes")
    hand.tap(text="Screen timeout")
    hand.tap(text="Cancel")
    assert hand.phone.settings.get("system", "screen_off_timeout") == "600000"


def test_font_size_changes_the_page_itself(hand) -> None:
    hand.page("DISPLAY_SETTINGS")
    hand.tap(text="Display size and text")
    small = hand.find(id="preview_title").bounds
    hand.tap(desc="Make larger")
    assert hand.phone.settings.get("system", "font_scale") == "1.15"
    large = hand.find(id="preview_title").bounds
    assert large[3] - large[1] > small[3] - small[1]
    assert hand.find(desc="Font size").text == "Large"
    for _ in range(9):
        hand.tap(desc="Make smaller")
    assert hand.phone.settings.get("system", "font_scale") == "0.85"
    hand.phone.settings.put("system", "font_scale", "rubbish")
    assert hand.find(desc="Font size").text == "Default"


def test_volumes(hand) -> None:
    hand.page("SOUND_SETTINGS")
    _, top, right, bottom = hand.find(desc="Media volume").bounds
    hand.phone.tap(right - 2, (top + bottom) // 2)
    assert hand.phone.settings.get("system", "volume_music_speaker") == "15"
    hand.phone.settings.put("system", "volume_ring", "0")
    assert hand.find(desc="Ring volume").text == "0"


def test_do_not_disturb(hand) -> None:
    hand.page("SOUND_SETTINGS")
    hand.scroll_to("Do Not Disturb")
    hand.tap(text="Do Not Disturb")
    hand.tap(text="Turn on now")
    assert hand.phone.settings.get("global", "zen_mode") == "1"
    hand.tap(text="Turn off now")
    assert hand.phone.settings.get("global", "zen_mode") == "0"


def test_battery_saver(hand) -> None:
    hand.page("BATTERY_SAVER_SETTINGS")
    hand.tap(text="Battery Saver")
    hand.tap(text="Use Battery Saver")
    assert hand.phone.settings.get("global", "low_power") == "1"


def test_setting_time_and_date_by_hand(hand) -> None:
    hand.page("DATE_SETTINGS")
    hand.tap(text="Set time automatically")
    hand.tap(text="Time")
    hand.tap(id="input_hour")
    hand.phone.text("11")
    hand.tap(id="input_minute")
    hand.phone.text("5")
    hand.tap(text="AM")
    hand.tap(text="OK")
    now = hand.phone.clock.now()
    assert (now.hour, now.minute) == (11, 5)
    hand.tap(text="Date")
    hand.phone.text("2025-02-30\n")
    assert hand.see(id="edit")
    hand.phone.clear_text()
    hand.phone.text("2025-02-28")
    hand.tap(text="OK")
    assert hand.see(text="February 28, 2025")
    hand.tap(text="Set time automatically")
    assert hand.phone.clock.now().year >= 2026


def test_device_name(hand) -> None:
    hand.page("DEVICE_INFO_SETTINGS")
    hand.tap(text="Device name")
    hand.phone.text("Pocket One")
    hand.key(66)
    assert hand.phone.settings.get("global", "device_name") == "Pocket One"
    assert hand.see(text="Pocket One")
    hand.tap(text="Device name")
    hand.phone.clear_text()
    assert not hand.find(text="OK").flag("enabled")
    hand.tap(text="Cancel")
    hand.page("BLUETOOTH_SETTINGS")
    assert hand.see(text="Pocket One")
    hand.tap(text="Device name")
    hand.phone.text("Radio")
    hand.tap(text="OK")
    assert hand.phone.settings.get("secure", "bluetooth_name") == "Radio"


def test_seven_taps_make_a_developer(hand) -> None:
    hand.open(SETTINGS)
    hand.scroll_to("About phone")
    hand.tap(text="About phone")
    hand.scroll_to("Build number")
    said = []
    for _ in range(8):
        hand.phone.tap(*hand.find(text="Build number").center)
        said.append(hand.phone.system.toast_now)
        hand.wait(3)
    assert said[2:] == [
        "You are now 4 steps away from being a developer.",
        "You are now 3 steps away from being a developer.",
        "You are now 2 steps away from being a developer.",
        "You are now 1 step away from being a developer.",
        "You are now a developer!",
        "No need, you are already a developer.",
    ]
    assert hand.phone.settings.get("global", "development_settings_enabled") == "1"
    hand.key(4)
    hand.tap(text="System")
    hand.tap(text="Developer options")
    hand.tap(text="Stay awake")
    assert hand.phone.settings.get("global", "stay_on_while_plugged_in") == "7"
    hand.scroll_to("Window animation scale")
    hand.tap(text="Window animation scale")
    hand.tap(text="Animation off")
    assert hand.phone.settings.get("global", "window_animation_scale") == "0"
    hand.phone.settings.put("global", "animator_duration_scale", "3.3")
    hand.scroll_to("Animation scale 3.3x")
    hand.page("APPLICATION_DEVELOPMENT_SETTINGS")
    hand.tap(text="Use developer options")
    assert hand.phone.settings.get("global", "development_settings_enabled") == "0"


def test_navigation_mode(hand) -> None:
    hand.open(SETTINGS)
    hand.scroll_to("System")
    hand.tap(text="System")
    hand.tap(text="Gestures")
    hand.tap(text="Navigation mode")
    hand.tap(text="Gesture navigation")
    assert hand.phone.settings.get("secure", "navigation_mode") == "2"


def test_search_finds_rows_of_all_pages(hand) -> None:
    hand.open(SETTINGS)
    hand.tap(text="Search settings")
    assert hand.phone.ime.shown
    hand.phone.text("wifi")
    assert hand.see(text="Wi-Fi")
    hand.tap(desc="Clear text")
    hand.phone.text("screen time")
    hand.tap(text="Screen timeout")
    assert hand.find(id="collapsing_toolbar").desc == "Display"
    hand.key(4)
    hand.phone.clear_text()
    hand.phone.text("qqq")
    assert hand.see(text="No results")
    hand.tap(desc="Navigate up")
    assert hand.see(text="Network & internet")


def test_search_knows_developer_options_only_for_developers(hand) -> None:
    for enabled, found in (("0", False), ("1", True)):
        hand.phone.settings.put("global", "development_settings_enabled", enabled)
        hand.page("APP_SEARCH_SETTINGS")
        hand.phone.text("show taps")
        assert hand.see(text="Show taps") is found


def test_app_info_force_stop_and_clear(hand) -> None:
    hand.open("com.android.deskclock")
    hand.page("MANAGE_APPLICATIONS_SETTINGS")
    hand.tap(text="Clock")
    hand.tap(text="Force stop")
    hand.tap(text="Cancel")
    hand.tap(text="Force stop")
    hand.tap(text="OK")
    assert not hand.phone.is_running("com.android.deskclock")
    assert not hand.find(text="Force stop").flag("enabled")
    hand.phone.insert("content://com.android.deskclock/alarms", {"hour": 1, "minutes": 2})
    hand.tap(text="Storage & cache")
    hand.tap(text="Clear storage")
    hand.tap(text="Delete")
    assert len(hand.phone.query("content://com.android.deskclock/alarms")) == 2
    hand.tap(text="Clear cache")
    hand.key(4)
    hand.tap(text="Open")
    assert hand.phone.foreground().package == "com.android.deskclock"


def test_app_info_of_a_stranger(hand) -> None:
    hand.page("APPLICATION_DETAILS_SETTINGS", data="package:no.such.app")
    assert hand.see(text="App isn't installed")
    wrong = Intent("android.settings.APPLICATION_DETAILS_SETTINGS", data="http://x")
    assert hand.phone.start_activity(wrong).kind == "not_found"


def test_root_summaries_are_live(hand) -> None:
    hand.open(SETTINGS)
    hand.scroll_to("About phone")
    hand.phone.settings.put("global", "device_name", "Renamed")
    assert hand.see(text="Renamed")
