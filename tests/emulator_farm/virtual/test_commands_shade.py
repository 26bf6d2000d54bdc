"""The shade, notifications and the screen lock by command."""

from collections.abc import Callable
from typing import Any

import pytest

Out = Callable[[str], str]
Sh = Any
DUMP = "uiautomator dump /dev/tty"


def test_expand_and_collapse(out: Out) -> None:
    out("cmd statusbar expand-notifications")
    assert "No notifications" in out(DUMP)
    assert "mCurrentFocus=Window{" in out("dumpsys window")
    assert " u0 NotificationShade}" in out("dumpsys window")
    out("cmd statusbar expand-settings")
    assert "com.android.systemui:id/brightness_slider" in out(DUMP)
    out("cmd statusbar collapse")
    assert 'package="com.android.launcher3"' in out(DUMP)
    out("service call statusbar 1")
    assert "com.android.systemui:id/notification_panel" in out(DUMP)
    out("service call statusbar 2; input keyevent NOTIFICATION; input keyevent BACK")
    assert "notification_panel" not in out(DUMP)


def test_post_list_and_dump(sh: Sh, out: Out) -> None:
    printed = out(
        "cmd notification post -t 'Parcel 7' -c activity -a android.settings.DISPLAY_SETTINGS tag1 'It is here'"
    )
    assert printed.startswith("posting:\n  Notification(channel=shell_cmd ")
    assert out("cmd notification list") == "0|com.android.shell|2020|tag1|2000\n"
    dump = out("dumpsys notification --noredact")
    assert "pkg=com.android.shell user=UserHandle{0} id=2020 tag=tag1" in dump
    assert "android.title=String (Parcel 7)" in dump
    assert "android.text=String (It is here)" in dump
    assert "tag1" in out("cmd notification get '0|com.android.shell|2020|tag1|2000'")
    out("cmd statusbar expand-notifications")
    tree = out(DUMP)
    assert 'text="Parcel 7" resource-id="android:id/title"' in tree
    assert 'text="It is here" resource-id="android:id/text"' in tree
    assert sh("cmd notification get nothing").code == 255
    assert sh("cmd notification post onlytag").code == 255


def test_do_not_disturb(out: Out) -> None:
    out("cmd notification set_dnd priority")
    assert out("settings get global zen_mode") == "1\n"
    assert "ZEN_MODE_IMPORTANT_INTERRUPTIONS" in out("dumpsys notification")
    out("cmd notification set_dnd off")
    assert out("settings get global zen_mode") == "0\n"


def test_lock_by_swipe(out: Out) -> None:
    assert out("locksettings get-disabled") == "true\n"
    out("input keyevent 26; input keyevent 26")
    assert "isKeyguardShowing=false" in out("dumpsys window policy")
    out("locksettings set-disabled false; input keyevent 26")
    assert "mDreamingLockscreen=true" in out("dumpsys window policy")
    out("input keyevent 26")
    policy = out("dumpsys window policy")
    assert "isKeyguardShowing=true mShowingLockscreen=true" in policy
    assert "showing=true" in policy
    assert "mKeyguardShowing=true" in out("dumpsys activity activities")
    assert "lockscreen_clock_view" in out(DUMP)
    out("input keyevent 82")
    assert "isKeyguardShowing=false" in out("dumpsys window policy")


def test_lock_by_pin(sh: Sh, out: Out) -> None:
    assert sh("locksettings set-pin 12").code == 255
    assert out("locksettings set-pin 1357") == "Pin set to '1357'\n"
    out("input keyevent SLEEP; input keyevent WAKEUP; wm dismiss-keyguard")
    assert "Enter PIN" in out(DUMP)
    out("input text 1111; input keyevent ENTER")
    assert "Wrong PIN" in out(DUMP)
    out("input text 1357; input keyevent ENTER")
    assert "launcher3" in out(DUMP)
    assert sh("locksettings clear").code == 255
    assert sh("locksettings clear --old 1").code == 255
    out("locksettings clear --old 1357")
    assert "secure=false" in out("dumpsys window policy")


@pytest.mark.parametrize("command", ["cmd statusbar nonsense", "cmd notification nonsense", "cmd notification"])
def test_unknown(sh: Sh, command: str) -> None:
    result = sh(command)
    assert result.code == 255
    assert result.out.startswith("Unknown command: ")


def test_permissions_by_command(sh: Sh, out: Out) -> None:
    camera = "android.permission.CAMERA"
    assert sh("vphone ask no.such.package x").code == 1
    out(f"vphone ask org.virtual.notes {camera}")
    assert "GrantPermissionsActivity" in out("dumpsys activity activities | grep mResumedActivity")
    assert "GrantPermissionsActivity" in out("dumpsys window | grep mCurrentFocus")
    assert "Allow Notes to take pictures and record video?" in out(DUMP)
    out("input keyevent BACK")
    dump = out("dumpsys package org.virtual.notes")
    assert "requested permissions:\n      android.permission.POST_NOTIFICATIONS" in dump
    assert "android.permission.POST_NOTIFICATIONS: granted=false, flags=[ ]" in dump
    out(f"pm grant org.virtual.notes {camera}; vphone ask org.virtual.notes {camera}")
    assert "permission_message" not in out(DUMP)
    assert f"{camera}: granted=true, flags=[ USER_SET ]" in out("dumpsys package org.virtual.notes")
    out(f"pm revoke org.virtual.notes {camera}; vphone ask org.virtual.notes {camera}")
    assert "permission_message" in out(DUMP)


def test_languages_by_command(out: Out) -> None:
    out("am start -n com.android.settings/.Settings >/dev/null 2>&1; settings put system system_locales zh-CN")
    assert "网络和互联网" in out(DUMP)
    assert " [zh_CN] ldltr " in out("dumpsys window windows | grep mGlobalConfiguration")
    out("settings put system system_locales ar,en-US; cmd uimode night yes; settings put system font_scale 1.3")
    assert "mGlobalConfiguration={1.3 310mcc260mnc [ar] ldrtl sw411dp w411dp h914dp 420dpi nrml long port night" in out(
        "dumpsys window windows"
    )
    out("settings delete system system_locales; setprop persist.sys.locale zh-CN")
    assert "网络和互联网" in out(DUMP)
    out("setprop persist.sys.locale en-US; cmd locale set-app-locales com.android.settings --user 0 --locales ar")
    assert "الشبكة والإنترنت" in out(DUMP)
    assert out("cmd locale get-app-locales com.android.settings") == (
        "Locales for com.android.settings for user 0 are [ar]\n"
    )
