"""Where back leads: to the app that lies below, and home where none does; and what the state says of the system."""

from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.state import state_of

SETTINGS, CLOCK, CONTACTS = "com.android.settings", "com.android.deskclock", "com.android.contacts"


def test_back_leads_to_the_app_below(hand) -> None:
    hand.open(SETTINGS)
    hand.open(CLOCK)
    hand.key(4)
    assert hand.phone.foreground().package == SETTINGS
    hand.key(4)
    assert hand.phone.foreground().package == "com.android.launcher3"


def test_back_leads_home_where_home_was_between(hand) -> None:
    hand.open(SETTINGS)
    hand.phone.go_home()
    hand.open(CLOCK)
    hand.key(4)
    assert hand.phone.foreground().package == "com.android.launcher3"


def test_what_was_left_is_still_open_and_in_order(hand) -> None:
    for package in (SETTINGS, CONTACTS, CLOCK):
        hand.open(package)
    hand.key(4)
    packages = [task.package for task in hand.phone.tasks() if task.package != "com.android.launcher3"]
    assert packages == [CONTACTS, SETTINGS, CLOCK]
    assert hand.phone.is_running(CLOCK)


def test_the_state_tells_of_shade_lock_and_app_languages(hand) -> None:
    phone = hand.phone
    before = state_of(phone)
    assert (before["screen"]["shade"], before["screen"]["locked"]) == (False, False)
    assert "locale" not in before["packages"][SETTINGS]
    phone.ui.expand()
    phone.system.app_locales[SETTINGS] = "zh-CN"
    after = state_of(phone)
    assert after["screen"]["shade"] is True
    assert after["packages"][SETTINGS]["locale"] == "zh-CN"
    phone.ui.collapse()
    phone.settings.put("secure", "lockscreen.disabled", "0")
    phone.screen_on = False
    assert state_of(phone)["screen"]["locked"] is True


def test_a_view_of_another_app_goes_back_to_where_it_was_asked(hand) -> None:
    hand.open(CONTACTS)
    hand.phone.start_activity(Intent("android.intent.action.VIEW", "tel:555"))
    assert hand.phone.foreground().package == "com.android.dialer"
    hand.key(4, 4)  # the dial pad, then the app
    assert hand.phone.foreground().package == CONTACTS
