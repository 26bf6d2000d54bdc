"""Whatever an episode leaves behind is gone after a reset, or the reset says what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from emulator_farm.devices import reset
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.reset_apps import APPS
from emulator_farm.devices.reset_items import AT_HOME, Item
from emulator_farm.devices.reset_policy import Needs, ResetPolicy
from emulator_farm.errors import DeviceError, DeviceGone, NotReady
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

SETTINGS = "am start -n com.android.settings/.Settings"
NOTE = "am start -n org.virtual.notes/.EditorActivity; input tap 540 700"
Clean = tuple[PhoneHost, Device, dict[str, str], dict[str, str]]
"""A phone, the device, what was found of it, and how it reads after its first reset."""
Dirt = str | Callable[[Phone], object]


def _put(namespace: str, key: str, value: str) -> Callable[[Phone], object]:
    """As an app or the system itself would do it."""
    return lambda phone: phone.settings.put(namespace, key, value)


AT_HOME_DIRT: dict[str, tuple[Dirt, ...]] = {
    "awake": ("input keyevent 26",),
    "lock": (lambda phone: phone.ui.lock.set_disabled(False), "input keyevent 26"),
    "call": ("vphone fault window call",),
    "dialog": (SETTINGS, "vphone fault window anr"),
    "shade": ("input swipe 540 5 540 1500 200",),
    "window_animation_scale": (_put("global", "window_animation_scale", "1.0"),),
    "transition_animation_scale": (_put("global", "transition_animation_scale", "0.5"),),
    "animator_duration_scale": (_put("global", "animator_duration_scale", "10"),),
    "stay_on_while_plugged_in": ("svc power stayon false",),
    "heads_up_notifications_enabled": (_put("global", "heads_up_notifications_enabled", "1"),),
    "hidden_api_policy": (_put("global", "hidden_api_policy", "0"),),
    "stylus_handwriting_enabled": (_put("secure", "stylus_handwriting_enabled", "1"),),
    "accelerometer_rotation": ("wm user-rotation free",),
    "user_rotation": ("wm user-rotation lock 2",),
    "rotation": ("vphone fault display rotated",),
    "airplane": (lambda phone: phone.set_airplane(True),),
    "size": ("vphone fault display resized",),
    "density": (lambda phone: phone.set_density_override(320),),
    "night": (_put("secure", "ui_night_mode", "2"),),
    "locale": (lambda phone: phone.system.set_locale("ar-EG"),),
    "screen_lock": (lambda phone: phone.ui.lock.set_disabled(False),),
    "wifi": (_put("global", "wifi_on", "0"),),
    "bluetooth": (_put("global", "bluetooth_on", "0"),),
    "mobile_data": (_put("global", "mobile_data", "0"),),
    "zen_mode": (_put("global", "zen_mode", "2"),),
    "clock": ("vphone fault clock ahead",),
    "keyboard": ("vphone fault ime wrong",),
    "recents": (SETTINGS, "am start -n org.virtual.notes/.NotesActivity", "input keyevent 3"),
    "front": ("input keyevent 187",),
    "keys": (NOTE, "vphone fault ime wrong"),
    "volume_music_speaker": ("input keyevent 164",),
    "font_scale": (_put("system", "font_scale", "1.3"),),
    "date_format": (_put("system", "date_format", "yyyy-MM-dd"),),
}


def _dirty(device: Device, host: PhoneHost, dirt: tuple[Dirt, ...]) -> None:
    for one in dirt:
        if isinstance(one, str):
            device.shell(one)
        else:
            host.call(one)
            host.call(lambda phone: phone.invalidate())


def _readings(device: Device) -> dict[str, str]:
    items = [item for item in (*AT_HOME, *APPS) if item.name != "clock"]
    return reset.ask(device, items)


@pytest.fixture(scope="module")
def clean(adb_server: AdbServer) -> Iterator[Clean]:
    """One phone for many kinds of dirt."""
    with PhoneHost(1) as host:
        adb_server.connect(host.addresses[0])
        with Device(host.addresses[0], adb_server) as device:
            baseline = reset.survey(device, apps=True)
            reset.apps(device, baseline)
            device.snapshot("clean")
            yield host, device, baseline, _readings(device)
        adb_server.disconnect(host.addresses[0])


@pytest.mark.parametrize("item", AT_HOME_DIRT)
def test_home_mends_what_was_dirtied(clean: Clean, item: str) -> None:
    host, device, baseline, fresh = clean
    _dirty(device, host, AT_HOME_DIRT[item])
    soiled = next(each for each in AT_HOME if each.name == item)
    value = reset.ask(device, [soiled])[item]
    assert not soiled.fits(soiled.wanted or baseline[item], value), f"{item} is still clean: {value}"
    reset.home(device, baseline)
    assert _readings(device) == fresh
    device.health()
    device.restore("clean")


APPS_DIRT: dict[str, tuple[Dirt, ...]] = {
    "packages": (lambda phone: phone.packages.install("org.example.game", "/data/app/game/base.apk"),),
    "permissions": (lambda phone: phone.packages.grant("com.android.camera2", "android.permission.CAMERA"),),
    "files": ("mkdir '/sdcard/New folder' && echo x > '/sdcard/New folder/it'\\''s new.txt'", "echo y > /sdcard/z.txt"),
    "notifications": ("cmd notification post -t Reminder tag 'Buy milk'", "vphone sms 5550100 Hello"),
}


@pytest.mark.parametrize("item", APPS_DIRT)
def test_apps_mends_what_was_dirtied(clean: Clean, item: str) -> None:
    host, device, baseline, fresh = clean
    _dirty(device, host, APPS_DIRT[item])
    soiled = next(each for each in APPS if each.name == item)
    assert not soiled.fits(baseline[item], reset.ask(device, [soiled])[item])
    reset.apps(device, baseline)
    assert _readings(device) == fresh
    device.restore("clean")


def test_apps_wipes_what_apps_and_stores_hold(clean: Clean) -> None:
    host, device, baseline, _ = clean
    rows = {
        uri: len(device.content_query(uri))
        for uri in ("content://com.android.contacts/raw_contacts", "content://sms", "content://call_log/calls")
    }
    device.content_insert("content://com.android.contacts/raw_contacts", {"starred": 0})
    device.content_insert("content://sms/inbox", {"address": "5550100", "body": "left behind"})
    device.content_insert("content://call_log/calls", {"number": "5550100", "type": 1, "date": 1, "duration": 3})
    host.call(lambda phone: phone.system.app_locales.update({"com.android.calendar": "zh-CN"}))
    reset.apps(device, baseline)
    assert {uri: len(device.content_query(uri)) for uri in rows} == rows
    told = device.shell("cmd locale get-app-locales com.android.calendar --user 0").text
    assert told.strip() == "Locales for com.android.calendar for user 0 are []"
    device.restore("clean")


def test_a_phone_that_all_of_it_befell_shows_what_a_fresh_one_shows(clean: Clean) -> None:
    """The clock stands still, so that the pictures may be compared to the pixel."""
    host, device, baseline, fresh = clean
    device.shell("vphone clock hold")
    reset.apps(device, baseline)
    first = device.observe()
    for dirt in (*APPS_DIRT.values(), *AT_HOME_DIRT.values()):
        if dirt != AT_HOME_DIRT["clock"]:
            _dirty(device, host, dirt)
    reset.apps(device, baseline)
    again = device.observe()
    assert (again.image, again.ui_tree, again.flags) == (first.image, first.ui_tree, first.flags)
    assert _readings(device) == fresh
    device.restore("clean")


def test_nobody_s_taste_is_changed_where_nothing_was_surveyed(device: Device, host: PhoneHost) -> None:
    _dirty(device, host, AT_HOME_DIRT["night"] + AT_HOME_DIRT["font_scale"] + AT_HOME_DIRT["airplane"])
    reset.home(device)
    assert device.settings_get("secure", "ui_night_mode") == "2"
    assert device.settings_get("system", "font_scale") == "1.3"
    assert device.settings_get("global", "airplane_mode_on") == "0"


def test_a_clock_that_was_set_on_purpose_is_left_alone(device: Device) -> None:
    device.shell("settings put global auto_time 0; vphone fault clock behind")
    baseline = reset.survey(device, apps=False)
    assert baseline.keys().isdisjoint(("clock", "files"))
    device.shell("vphone fault clock ahead")
    reset.home(device, baseline)


class TestWhatCannotBeMended:
    def test_is_named_with_what_was_wanted_and_found(self, device: Device, host: PhoneHost) -> None:
        baseline = reset.survey(device, apps=False)
        host.call(lambda phone: phone.system.set_locale("zh-CN"))
        device.shell("vphone fault locale ignored")
        item = next(each for each in AT_HOME if each.name == "locale")
        with pytest.raises(NotReady, match="locale shall be 'en-US' and is 'zh-CN' after it was reset") as caught:
            reset.bring(device, [item], baseline, patience_s=0.2)
        assert caught.value.check == "reset_locale"

    def test_a_pin_keeps_the_phone_locked(self, device: Device, host: PhoneHost) -> None:
        baseline = reset.survey(device, apps=False)
        host.call(lambda phone: phone.ui.lock.set_pin("2468"))
        device.shell("input keyevent 26")
        items: list[Item] = [each for each in AT_HOME if each.name in ("awake", "lock", "screen_lock")]
        with pytest.raises(NotReady, match="lock shall be 'unlocked' and is 'locked'"):
            reset.bring(device, items, baseline, patience_s=0.2)

    def test_a_file_that_is_gone_is_named_at_once(self, device: Device) -> None:
        baseline = reset.survey(device, apps=True)
        device.shell("rm /sdcard/Documents/Work/Targets.txt")
        with pytest.raises(NotReady, match=r"files lack '\w{32}  /sdcard/Documents/Work/Targets.txt' after they"):
            reset.bring(device, APPS, baseline)

    def test_a_phone_that_is_not_up(self, device: Device) -> None:
        device.shell("vphone fault boot lying")
        with pytest.raises(DeviceError):
            reset.home(device)


class TestEscalation:
    def test_each_level_that_fails_leads_to_the_next(self, device: Device, host: PhoneHost) -> None:
        policy = ResetPolicy()
        baseline = reset.survey(device, apps=True)
        device.snapshot(reset.BASE)
        loads: list[int] = []
        done = reset.before_episode(device, policy, None, baseline, loading=lambda: loads.append(1))
        assert (done.level, done.note, loads) == ("apps", "", [])
        host.call(lambda phone: phone.uninstall("org.virtual.notes"))
        done = reset.before_episode(device, policy, None, baseline, loading=lambda: loads.append(1))
        assert (done.level, loads) == ("snapshot", [1])
        assert done.note.startswith("reset by snapshot: apps failed: ")
        assert "org.virtual.notes" in device.shell("pm list packages").text
        host.call(lambda phone: phone.uninstall("org.virtual.notes"))
        device.shell("vphone fault snapshot fail")
        with pytest.raises(reset.RecycleDue, match=r"apps failed: .*; snapshot failed: .*file is damaged") as due:
            reset.before_episode(device, policy, None, baseline)
        assert due.value.check == "recycle_due"

    def test_a_task_gets_what_it_needs(self, device: Device) -> None:
        assert reset.before_episode(device, ResetPolicy(), "home").level == "home"
        device.snapshot("mine")
        assert reset.before_episode(device, ResetPolicy(base="mine"), "snapshot").level == "snapshot"

    def test_a_phone_that_is_gone_is_not_reset_any_further(self, device: Device, host: PhoneHost) -> None:
        assert device.info
        host.fault("link", "offline")
        with pytest.raises(DeviceGone):
            reset.before_episode(device, ResetPolicy())

    @pytest.mark.parametrize(
        ("policy", "needs", "virtual", "ladder"),
        [
            (ResetPolicy(), None, True, ("apps", "snapshot", "recycle")),
            (ResetPolicy(), "home", True, ("home", "apps", "snapshot", "recycle")),
            (ResetPolicy(), None, False, ("home",)),
            (ResetPolicy(), "apps", False, ("apps",)),
            (ResetPolicy(base="b"), None, False, ("home", "snapshot")),
            (ResetPolicy(reboot=True), "snapshot", False, ("snapshot", "recycle")),
            (ResetPolicy(level="apps"), "snapshot", True, ("apps",)),
            (ResetPolicy(level="recycle"), None, True, ("recycle",)),
        ],
    )
    def test_what_is_allowed(
        self, policy: ResetPolicy, needs: Needs | None, virtual: bool, ladder: tuple[str, ...]
    ) -> None:
        assert policy.ladder(needs, virtual=virtual) == ladder


class TestRecycle:
    def test_a_virtual_phone_comes_back_as_from_the_factory(self, device: Device) -> None:
        device.settings_put("system", "font_scale", "1.3")
        before = device.incarnation
        reset.recycle(device, factory=True)
        assert device.incarnation != before
        assert device.settings_get("system", "font_scale") == "1.0"
        device.health()

    def test_another_phone_keeps_what_it_holds(self, device: Device) -> None:
        device.settings_put("system", "font_scale", "1.3")
        before = device.incarnation
        reset.recycle(device, factory=False)
        assert device.incarnation != before
        assert device.settings_get("system", "font_scale") == "1.3"

    def test_one_that_does_not_come_back_is_not_ready(self, device: Device, host: PhoneHost) -> None:
        assert device.info
        device.shell("vphone latency boot=60")
        with pytest.raises(NotReady):
            reset.recycle(device, factory=False, deadline_s=1.0)


@pytest.mark.parametrize(("fault", "window"), [("anr", "Not Responding"), ("crash", "Error"), ("permission", "Grant")])
@pytest.mark.parametrize("front", [SETTINGS, "input keyevent 3"])
def test_health_names_a_dialog_and_a_reset_takes_it_away(device: Device, fault: str, window: str, front: str) -> None:
    device.shell(front)
    device.shell(f"vphone fault window {fault}")
    with pytest.raises(NotReady, match=f"front: a dialog is in front: .*{window}") as caught:
        device.health()
    assert caught.value.check == "front"
    reset.home(device)
    device.health()


def test_a_snapshot_of_a_full_phone_is_not_full_for_ever(device: Device) -> None:
    device.shell("vphone fault disk full")
    device.shell("vphone snapshot save full")
    device.shell("vphone fault disk off && vphone snapshot load full && echo there > /sdcard/room.txt")
    device.shell("vphone fault disk full && vphone snapshot load full && echo again > /sdcard/room.txt")
    assert device.shell("cat /sdcard/room.txt").text == "again\n"
