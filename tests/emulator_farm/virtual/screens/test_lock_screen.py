"""The lock screen: none, a swipe, a PIN; and the system's screens in every size and theme."""

import pytest

from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.notifications import Notification

POWER, MENU, BACK, HOME, ENTER = 26, 82, 4, 3, 66
SETTINGS = "com.android.settings"


def lock(hand, pin: str = "") -> None:
    """A phone that was put to sleep with Settings in front, and is awake again."""
    hand.open(SETTINGS)
    hand.phone.ui.lock.set_disabled(False)
    if pin:
        hand.phone.ui.lock.set_pin(pin)
    hand.key(POWER, POWER)


def swipe_up(hand) -> None:
    width, height = hand.phone.screen_size
    hand.phone.swipe(width // 2, height * 3 // 4, width // 2, height // 3)


def test_none_by_default(hand) -> None:
    hand.open(SETTINGS)
    hand.key(POWER, POWER)
    assert not hand.phone.ui.locked
    assert hand.see(text="Network & internet")


@pytest.mark.parametrize("way", ["swipe", "menu", "dismiss"])
def test_a_swipe_opens_it(hand, way: str) -> None:
    lock(hand)
    assert hand.find(id="lockscreen_clock_view").text == "3:34"
    assert hand.phone.focused_window() == "NotificationShade"
    hand.key(BACK, HOME)
    assert hand.phone.ui.locked
    match way:
        case "swipe":
            swipe_up(hand)
        case "menu":
            hand.key(MENU)
        case "dismiss":
            hand.phone.ui.dismiss_lock()
    assert not hand.phone.ui.locked
    assert hand.see(text="Network & internet")


def test_a_pin_is_asked_for_on_its_keys(hand) -> None:
    lock(hand, "2580")
    swipe_up(hand)
    assert hand.see(text="Enter PIN")
    for digit in "2589":
        hand.tap(id=f"key{digit}")
    hand.tap(id="delete_button")
    hand.tap(id="key1")
    hand.tap(id="key_enter")
    assert hand.see(text="Wrong PIN")
    assert hand.phone.ui.locked
    for digit in "2580":
        hand.tap(id=f"key{digit}")
    assert hand.find(id="pinEntry").text == "••••"
    hand.tap(id="key_enter")
    assert not hand.phone.ui.locked


def test_a_pin_can_be_typed_and_back_leaves_it(hand) -> None:
    lock(hand, "2580")
    hand.key(MENU)
    assert not hand.phone.ime.shown
    hand.phone.text("25")
    hand.key(BACK)
    assert hand.see(id="lockscreen_clock_view")
    hand.key(MENU)
    hand.phone.text("2580")
    hand.key(ENTER)
    assert hand.see(text="Network & internet")


def test_apps_start_behind_it(hand) -> None:
    lock(hand)
    hand.open("com.android.contacts")
    assert hand.phone.foreground().package == "com.android.contacts"
    assert hand.see(id="lockscreen_clock_view")
    swipe_up(hand)
    assert not hand.see(id="lockscreen_clock_view")


def test_notifications_on_it(hand) -> None:
    opens = Intent("android.settings.DISPLAY_SETTINGS")
    hand.phone.system.notifications.post(
        Notification("com.android.shell", 1, "Backup", "done", hand.phone.clock.now(), intent=opens)
    )
    lock(hand)
    hand.tap(text="Backup")
    assert not hand.phone.ui.locked
    assert hand.see(text="Dark theme")


def test_the_shade_over_it(hand) -> None:
    lock(hand, "2580")
    hand.phone.swipe(500, 400, 500, 1400)
    assert hand.see(id="quick_qs_panel")
    hand.hold(text="Bluetooth")
    assert hand.see(text="Enter PIN")
    hand.phone.text("2580")
    hand.key(ENTER)
    assert hand.phone.foreground().activity.endswith("BluetoothSettingsActivity")


def test_a_reboot_locks_and_a_reset_forgets(hand) -> None:
    lock(hand, "2580")
    hand.key(MENU)
    hand.phone.text("2580")
    hand.key(ENTER)
    hand.phone.reboot()
    assert hand.phone.ui.locked
    hand.phone.reset()
    assert not hand.phone.ui.locked
    assert not hand.phone.ui.lock.secure


def test_settings_choose_it(hand) -> None:
    hand.page("SECURITY_SETTINGS")
    hand.tap(text="Screen lock")
    hand.tap(text="PIN")
    hand.phone.text("12")
    hand.tap(text="OK")
    assert not hand.phone.ui.lock.secure
    hand.phone.text("80")
    hand.tap(text="OK")
    assert hand.phone.ui.lock.verify("1280")
    assert not hand.phone.ui.lock.verify("12")
    hand.tap(text="Screen lock")
    hand.tap(text="None")
    hand.phone.text("1")
    hand.tap(text="OK")
    assert hand.phone.ui.lock.secure
    hand.tap(text="None")
    hand.phone.text("1280")
    hand.tap(text="OK")
    assert not hand.phone.ui.lock.enabled


@pytest.mark.parametrize(
    "size", [(1080, 2400, 420), (720, 1280, 320), (480, 800, 240), (1600, 2560, 320), (2560, 1600, 320)]
)
@pytest.mark.parametrize("locale", ["en-US", "ar"])
def test_every_size_theme_and_text_size(make_hand, size: tuple[int, int, int], locale: str) -> None:
    hand = make_hand(*size)
    hand.phone.system.set_locale(locale)
    hand.phone.settings.put("system", "font_scale", "1.8")
    hand.phone.settings.put("secure", "ui_night_mode", "2")
    hand.phone.system.notifications.post(
        Notification("com.android.shell", 1, "Backup", "text " * 30, hand.phone.clock.now())
    )
    lock(hand, "2580")
    pictures = [hand.phone.png()]
    for step in (lambda: hand.key(MENU), lambda: hand.phone.ui.expand(), lambda: hand.phone.ui.expand("settings")):
        step()
        pictures.append(hand.phone.png())
        width, height = hand.phone.screen_size
        for node in hand.nodes():
            left, top, right, bottom = node.bounds
            assert 0 <= left <= right <= width
            assert 0 <= top <= bottom <= height
    assert len(set(pictures)) == 4
    for turns in range(4):
        hand.phone.settings.put("system", "user_rotation", str(turns))
        assert hand.phone.frame().size == hand.phone.screen_size
        assert hand.see(id="brightness_slider")
