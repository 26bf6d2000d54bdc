"""Readings of what phones print, in the words of several Androids."""

from __future__ import annotations

import time

import pytest

from emulator_farm.devices.dumpsys import UnexpectedReply, dialog_of, locked
from emulator_farm.devices.replies import RecentTask, call_states, recent_tasks
from emulator_farm.devices.reset_apps import APPS
from emulator_farm.devices.reset_items import AT_HOME, as_found

ITEMS = {item.name: item for item in (*AT_HOME, *APPS)}
HOME = "priority=0 preferredOrder=0\ncom.google.android.apps.nexuslauncher/.NexusLauncherActivity\n"


def windows(focus: str, app: str = "com.google.android.apps.nexuslauncher/.NexusLauncherActivity") -> str:
    return (
        "  Display: mDisplayId=0 (organized)\n    init=1080x2400 420dpi cur=1080x2400 app=1080x2274\n"
        f"    mCurrentRotation=ROTATION_90\n  mCurrentFocus=Window{{1f2 u0 {focus}}}\n"
        f"  mFocusedApp=ActivityRecord{{8c1 u0 {app} t12}}\n"
    )


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("  * Recent #0: Task{2c1 #1 type=home I=com.x.launcher/.Main}\n    baseIntent=Intent { act=MAIN }\n", []),
        (
            "  * Recent #0: Task{f85 #1456 type=recents I=com.x.launcher/com.android.quickstep.RecentsActivity}\n"
            "  * Recent #1: Task{d10 #1498 type=standard A=10384:com.example.book}\n    baseIntent=Intent { }\n"
            "    mActivityComponent=com.example.book/.Reader\n",
            [RecentTask(1498, "com.example.book")],
        ),
        (
            "* Recent #0: Task{3db #28 type=standard A=10469:.MainActivity}\n"
            "    realActivity={com.example.term/com.example.term.MainActivity}\n"
            "* Recent #1: Task{9 #29 type=undefined I=com.example.other/.Front}\n",
            [RecentTask(28, "com.example.term"), RecentTask(29, "com.example.other")],
        ),
        (
            "  * Recent #0: TaskRecord{78a #44 A=com.android.settings U=0 StackId=3 sz=1}\n",
            [RecentTask(44, "com.android.settings")],
        ),
    ],
)
def test_recent_tasks_in_the_words_of_each_android(text: str, tasks: list[RecentTask]) -> None:
    assert recent_tasks(text) == tasks
    expected = " ".join(f"{task.number}:{task.package}" for task in tasks) or "none"
    assert ITEMS["recents"].read(text, HOME) == expected


def test_the_home_screen_s_own_task_is_not_one_to_be_closed() -> None:
    text = "* Recent #0: Task{3 #7 type=undefined A=1:com.google.android.apps.nexuslauncher}\n"
    assert ITEMS["recents"].read(text, HOME) == "none"
    closing = ITEMS["recents"].mend("none", "28:com.example.term 29:com.example.other")
    assert closing == (
        "am stack remove 28; am force-stop com.example.term; am stack remove 29; am force-stop com.example.other"
    )


@pytest.mark.parametrize(
    ("focus", "package"),
    [
        ("Application Not Responding: com.example.app", "com.example.app"),
        ("Application Error: com.android.systemui", "com.android.systemui"),
        (
            "com.google.android.permissioncontroller/com.android.permissioncontroller.permission.ui."
            "GrantPermissionsActivity",
            "com.google.android.permissioncontroller",
        ),
        ("com.example.app/com.example.app.ErrorActivity", None),
        ("NotificationShade", None),
        ("Application Error: rm -rf /", None),
    ],
)
def test_which_windows_are_dialogs_of_the_system(focus: str, package: str | None) -> None:
    assert dialog_of(focus) == package
    read = ITEMS["dialog"].read(windows(focus))
    assert read == (focus if package else "none")
    assert ITEMS["dialog"].mend("none", focus) == (f"am force-stop {package}" if package else "")


@pytest.mark.parametrize(
    ("focus", "app", "front"),
    [
        (
            "com.google.android.apps.nexuslauncher/com.google.android.apps.nexuslauncher.NexusLauncherActivity",
            "com.google.android.apps.nexuslauncher/.NexusLauncherActivity",
            "home",
        ),
        ("NotificationShade", "com.google.android.apps.nexuslauncher/.NexusLauncherActivity", "NotificationShade"),
        ("com.example.app/com.example.app.Main", "com.example.app/.Main", "com.example.app/com.example.app.Main"),
    ],
)
def test_whether_the_home_screen_is_in_front(focus: str, app: str, front: str) -> None:
    assert ITEMS["front"].read(HOME, windows(focus, app)) == front


def test_a_phone_without_a_home_screen_is_an_error() -> None:
    with pytest.raises(UnexpectedReply, match="home screen"):
        ITEMS["front"].read("No activity found", windows("x/.y"))


def test_rotation_and_calls() -> None:
    assert ITEMS["rotation"].read(windows("StatusBar")) == "1"
    assert call_states("Phone Id=0\n  mCallState=0\nPhone Id=1\n  mCallState=2\n") == [0, 2]
    assert ITEMS["call"].read("last known state:\n") == "none"
    assert ITEMS["call"].read("  mCallState=0\n  mCallState=1\n") == "a call"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("    isKeyguardShowing=true mShowingLockscreen=true", True),
        ("  KeyguardServiceDelegate\n    showing=false\n    showingAndNotOccluded=true\n", False),
        ("    mDreamingLockscreen=true mDreamingSleepToken=null", True),
    ],
)
def test_the_lock_screen_in_the_words_of_each_android(text: str, said: bool) -> None:
    assert locked(text) is said
    with pytest.raises(UnexpectedReply):
        locked("WINDOW MANAGER POLICY STATE")


@pytest.mark.parametrize(
    ("config", "tags"),
    [
        ("config: mcc310-mnc260-en-rUS-ldltr-sw411dp-w411dp-v34", "en-US"),
        ("  config: mcc310-mnc410-es-rUS,fr-rFR-ldltr-sw411dp-v27", "es-US,fr-FR"),
        ("config: ar-rEG-ldrtl-sw411dp", "ar-EG"),
        ("config: mcc460-b+zh+Hans+CN,en-rUS-ldltr-sw411dp", "zh-Hans-CN,en-US"),
    ],
)
def test_languages_of_a_configuration(config: str, tags: str) -> None:
    assert ITEMS["locale"].read(config) == tags


def test_settings_are_put_back_with_quotes_or_taken_away() -> None:
    name = ITEMS["device_name"]
    assert name.read("device_name=Anna's; rm -rf /\nx=1\n") == "Anna's; rm -rf /"
    assert name.mend("Anna's; rm -rf /", "x") == "settings put global device_name 'Anna'\"'\"'s; rm -rf /'"
    assert name.mend("null", "x") == "settings delete global device_name"
    assert ITEMS["font_scale"].read("font_scale=1.0\n") == ITEMS["font_scale"].read("font_scale=1\n")
    assert ITEMS["date_format"].read("") == "null"


def test_a_clock_may_differ_a_little() -> None:
    now = int(time.time())
    clock = ITEMS["clock"]
    assert clock.fits("0", clock.read(f"{now + 30}\n"))
    assert not clock.fits("0", clock.read(f"{now + 300}\n"))
    with pytest.raises(UnexpectedReply):
        clock.read("Mon Jan  1\n")


def test_what_is_remembered_of_a_phone() -> None:
    readings = {"awake": "Awake", "wifi": "on", "auto_time": "0", "clock": "3"}
    assert as_found(AT_HOME, readings) == {"wifi": "on", "auto_time": "0"}


class TestApps:
    def test_files_that_came_are_removed_one_by_one(self) -> None:
        files = ITEMS["files"]
        wanted = files.read("aa  /sdcard/a.txt\nbb  /sdcard/b c.txt\n", "folder  /sdcard/D\n")
        found = files.read("aa  /sdcard/a.txt\ncc  /sdcard/b c.txt\n", "folder  /sdcard/D\nfolder  /sdcard/it's\n")
        assert files.mend(wanted, found) == "rm -rf '/sdcard/b c.txt'; rm -rf '/sdcard/it'\"'\"'s'"
        assert files.mend(found, wanted.replace("bb  /sdcard/b c.txt\n", "")) == ""

    def test_permissions_of_the_apps_that_have_them(self) -> None:
        item = ITEMS["permissions"]
        camera = "android.permission.CAMERA"
        text = f"  Package [com.x] (1):\n      {camera}: granted=true, flags=[ USER_SET]\n  Package [com.y] (2):\n"
        assert item.read(text) == f"com.x {camera}"
        assert item.mend(f"com.y {camera}", f"com.x {camera}") == f"pm grant com.y {camera}; pm revoke com.x {camera}"
        with pytest.raises(UnexpectedReply):
            item.read("")

    def test_only_notifications_of_apps_count(self) -> None:
        item = ITEMS["notifications"]
        listed = "0|android|26|null|1000\n0|com.x|1|null|10123\n0|com.android.shell|2020|tag|2000\n"
        found = item.read(listed, "package:com.x\n", "no activities\n")
        assert found == "0|com.android.shell|2020|tag|2000\n0|com.x|1|null|10123"
        assert not item.fits("0|com.x|1|null|10123", found)
        assert item.fits(found, "")
        assert item.mend("0|com.x|1|null|10123", found) == "am force-stop com.android.shell"
