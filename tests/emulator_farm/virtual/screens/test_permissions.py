"""The question for a permission, what comes of its answers, and where they can be changed."""

import pytest

from emulator_farm.virtual.permission_dialog import request_permission

BACK = 4
NOTES, POST, CAMERA = "org.virtual.notes", "android.permission.POST_NOTIFICATIONS", "android.permission.CAMERA"
GRANT = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"


def granted(hand, permission: str = POST) -> bool:
    return permission in hand.phone.packages.get(NOTES).permissions


def ask(hand, permission: str) -> list[bool]:
    answers: list[bool] = []
    request_permission(hand.phone.screen, permission, answers.append)
    hand.phone.invalidate()
    return answers


@pytest.fixture
def notes(hand):
    hand.open(NOTES)
    return hand


def pin_first_note(hand) -> str:
    title = hand.find_all(id="note_title")[0].text
    hand.tap(text=title)
    hand.tap(desc="Pin to notifications")
    return title


def test_a_note_is_pinned_once_notifications_are_allowed(notes) -> None:
    title = pin_first_note(notes)
    assert notes.see(id="permission_message", text="Allow Notes to send you notifications?")
    assert str(notes.phone.foreground()) == f"com.android.permissioncontroller/{GRANT}"
    assert {node.attributes["package"] for node in notes.nodes()} == {"com.android.permissioncontroller"}
    assert notes.phone.tasks()[0].activities[-1] == notes.phone.foreground()
    notes.tap(text="Allow")
    assert granted(notes)
    assert notes.phone.foreground().package == NOTES
    notes.key(3)
    notes.phone.ui.expand()
    notes.tap(text=title)
    assert notes.find(id="edit_title").text == title


def test_refused_twice_it_asks_no_more(notes) -> None:
    pin_first_note(notes)
    notes.tap(id="permission_deny_button")
    assert not granted(notes)
    assert notes.phone.system.notifications.list() == []
    notes.tap(desc="Pin to notifications")
    notes.tap(id="permission_deny_and_dont_ask_again_button")
    notes.tap(desc="Pin to notifications")
    assert not notes.see(id="permission_message")
    assert notes.phone.system.toast_now == "Notes may not send notifications"
    notes.phone.clear_data(NOTES)
    notes.open(NOTES)
    pin_first_note(notes)
    assert notes.see(id="permission_message")


def test_back_answers_no_for_now(notes) -> None:
    answers = ask(notes, CAMERA)
    notes.key(BACK)
    assert answers == [False]
    assert notes.phone.foreground().package == NOTES
    ask(notes, CAMERA)
    assert notes.see(id="permission_deny_button")


def test_only_this_time_ends_with_the_app(notes) -> None:
    answers = ask(notes, CAMERA)
    assert notes.see(text="Allow Notes to take pictures and record video?")
    notes.tap(text="Only this time")
    assert answers == [True]
    assert granted(notes, CAMERA)
    assert ask(notes, CAMERA) == [True]
    notes.phone.force_stop(NOTES)
    assert not granted(notes, CAMERA)
    notes.open(NOTES)
    ask(notes, CAMERA)
    notes.tap(text="While using the app")
    notes.phone.force_stop(NOTES)
    assert granted(notes, CAMERA)


def test_settings_show_and_change_it(notes) -> None:
    notes.page("APPLICATION_DETAILS_SETTINGS", f"package:{NOTES}")
    notes.tap(text="Permissions")
    assert notes.texts().index("Send you notifications") > notes.texts().index("Not allowed")
    notes.tap(text="Send you notifications")
    notes.tap(text="Allow")
    assert granted(notes)
    assert notes.texts().index("Send you notifications") < notes.texts().index("Not allowed")
