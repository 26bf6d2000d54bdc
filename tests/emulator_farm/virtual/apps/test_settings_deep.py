"""Settings several levels deep, read back through `settings get`."""

import pytest

APP = "com.android.settings"


def get(thumb, key: str) -> str:
    return thumb.shell("settings", "get", *key.split("/"))


def walk(thumb, *titles: str) -> None:
    """Open Settings and tap one row after another, scrolling where needed."""
    thumb.open(APP)
    for title in titles:
        x, y = thumb.scroll_to(title).center
        thumb.shell("input", "tap", str(x), str(y))


@pytest.mark.parametrize(
    ("titles", "key", "value"),
    [
        (("Display", "Night Light", "Use Night Light"), "secure/night_display_activated", "1"),
        (("Display", "Screen saver", "While charging"), "secure/screensaver_activate_on_sleep", "1"),
        (("Display", "Night Light", "Schedule", "Turns on at custom time"), "secure/night_display_auto_mode", "1"),
        (("Sound & vibration", "Phone ringtone", "Night Train"), "system/ringtone",
         "content://media/internal/audio/media/49"),
        (("Accessibility", "Timing controls", "Touch & hold delay", "Long (1.5 seconds)"), "secure/long_press_timeout",
         "1500"),
        (("Accessibility", "Color and motion", "Remove animations"), "global/animator_duration_scale", "0"),
        (("Accessibility", "Caption preferences", "Show captions"), "secure/accessibility_captioning_enabled", "1"),
        (("Location", "Location services", "Wi-Fi scanning"), "global/wifi_scan_always_enabled", "1"),
        (("Battery", "Battery Saver", "Set a schedule", "At 20%"), "global/low_power_trigger_level", "20"),
        (("Network & internet", "Internet", "Network preferences", "Turn on Wi-Fi automatically"),
         "global/wifi_wakeup_enabled", "1"),
        (("Network & internet", "SIMs", "T-Virtual", "Preferred network type", "5G"), "global/preferred_network_mode",
         "26"),
        (("System", "Keyboard", "Physical keyboard", "Use on-screen keyboard"), "secure/show_ime_with_hard_keyboard",
         "0"),
    ],
)  # fmt: skip
def test_a_tap_deep_down_is_a_setting(thumb, titles: tuple[str, ...], key: str, value: str) -> None:
    assert get(thumb, key) != value
    walk(thumb, *titles)
    assert get(thumb, key) == value


def test_the_hotspot(thumb) -> None:
    walk(thumb, "Network & internet", "Hotspot & tethering", "Wi-Fi hotspot", "Use Wi-Fi hotspot")
    thumb.tap(text="Hotspot name")
    thumb.type("Lantern")
    thumb.tap(text="OK")
    thumb.tap(text="Hotspot password")
    thumb.type("short")
    thumb.tap(text="OK")
    assert get(thumb, "global/wifi_ap_passphrase") == "null"
    thumb.type("enough")
    thumb.tap(text="OK")
    assert [get(thumb, f"global/wifi_ap_{name}") for name in ("on", "ssid", "passphrase")] == [
        "1", "Lantern", "shortenough",
    ]  # fmt: skip
    thumb.back()
    thumb.back()
    assert thumb.sees(text="Airplane mode")
    assert thumb.find_all(text="On")


def test_network_details_and_reset(thumb) -> None:
    walk(thumb, "Network & internet", "Internet", "Corner Cafe")
    thumb.tap(desc="Network details")
    thumb.tap(text="Network usage")
    thumb.tap(text="Treat as metered")
    assert get(thumb, "global/wifi_metered_Corner_Cafe") == "1"
    thumb.shell("cmd", "connectivity", "airplane-mode", "enable")
    thumb.shell("am", "force-stop", APP)
    walk(thumb, "System", "Reset options", "Reset Wi-Fi, mobile & Bluetooth")
    thumb.tap(text="Reset settings")
    keys = ("airplane_mode_on", "wifi_on", "bluetooth_on", "mobile_data", "wifi_connected_ssid")
    assert [get(thumb, f"global/{key}") for key in keys] == ["0", "1", "1", "1", "null"]


def test_search_finds_what_lies_deep(thumb) -> None:
    thumb.open(APP)
    thumb.tap(id="search_action_bar")
    thumb.type("hold delay")
    thumb.tap(text="Touch & hold delay")
    assert thumb.sees(text="Time to take action")
