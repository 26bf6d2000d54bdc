"""What `Device` does when what it is shown is wrong, or changes between the look and the touch."""

from __future__ import annotations

import pytest

from agent_server.actions import Click, Drag, LongPress, Press
from agent_server.geometry import Point, Size
from emulator_farm.devices.device import Device
from emulator_farm.devices.dumpsys import secure
from emulator_farm.errors import BadFrame, CommandFailed, DeviceError

MIDDLE = Point(540, 1200)
SETTINGS = "am start -n com.android.settings/.Settings"


class TestFrames:
    def test_a_padded_square_is_refused(self, device: Device) -> None:
        device.shell("vphone fault screencap padded")
        with pytest.raises(BadFrame, match="2400x2400") as caught:
            device.observe()
        assert caught.value.reason == "wrong_size"
        device.shell("vphone fault screencap off")
        assert device.observe().flags == ()

    def test_a_stale_frame_is_flagged(self, device: Device) -> None:
        old = device.observe()
        device.shell(f"vphone fault screencap stale; {SETTINGS}")
        observation = device.observe()
        assert observation.image == old.image
        assert "stale" in observation.flags
        assert observation.app == "com.android.settings"

    def test_a_frame_that_is_stale_once_is_taken_again(self, device: Device) -> None:
        old = device.observe()
        device.shell(f"vphone fault screencap stale times=1; {SETTINGS}")
        observation = device.observe()
        assert observation.image != old.image
        assert "stale" not in observation.flags

    def test_a_screen_where_nothing_happened_is_not_stale(self, device: Device) -> None:
        assert device.observe().image == device.observe().image
        assert device.observe().flags == ()

    def test_a_tree_that_changed_unseen_makes_no_frame_stale(self, device: Device) -> None:
        device.observe()
        tree, window = device.screen._shown
        assert tree is not None
        assert 'focused="false"' in tree
        device.screen._shown = tree.replace('focused="false"', 'focused="true"'), window
        assert device.observe().flags == ()
        device.screen._shown = tree.replace(' text="', ' text="other ', 1), window
        assert device.observe().flags == ("stale",)

    def test_a_secure_window_is_told_to_the_agent(self, device: Device) -> None:
        sound = device.observe()
        device.shell("vphone fault window secure")
        observation = device.observe()
        assert {"black", "secure"} <= set(observation.flags)
        assert observation.ui_tree == sound.ui_tree
        device.shell("vphone fault window off")
        assert device.observe().image == sound.image

    def test_a_dark_screen_is_not_called_secure(self, device: Device) -> None:
        device.shell("vphone fault screencap black")
        flags = device.observe().flags
        assert "black" in flags
        assert "secure" not in flags

    def test_of_two_displays_the_phones_own_is_meant(self, device: Device) -> None:
        sound = device.observe()
        device.shell("vphone fault display two")
        device.forget()
        observation = device.observe()
        assert (observation.image, observation.app, observation.flags) == (sound.image, sound.app, ())
        assert device.perform(Click(point=MIDDLE)).command == "input -d 0 tap 540 1200"

    def test_a_second_display_that_appears_later_does_no_harm(self, device: Device) -> None:
        sound = device.observe()
        device.shell("vphone fault display two")
        observation = device.observe()
        assert (observation.image, observation.app) == (sound.image, sound.app)

    def test_another_size_is_taken_as_it_is(self, device: Device) -> None:
        device.observe()
        device.shell("vphone fault display resized")
        assert device.observe().size == Size(720, 1600)
        assert device.perform(Click(point=Point(719, 1599))).status == "ok"


class TestTrees:
    def test_an_exit_code_that_lies_about_a_sound_tree(self, device: Device) -> None:
        sound = device.observe()
        device.shell("vphone fault dump exit_code")
        observation = device.observe()
        assert (observation.ui_tree, observation.flags) == (sound.ui_tree, ())

    def test_a_dump_that_says_nothing_and_writes_nothing(self, device: Device) -> None:
        device.observe()
        device.shell("vphone fault dump nothing")
        observation = device.observe()
        assert (observation.ui_tree, observation.flags) == (None, ("no_ui_tree",))


class TestBetweenLookAndTouch:
    @pytest.mark.parametrize(
        "gesture",
        [Click(point=MIDDLE), LongPress(point=MIDDLE), Drag(start=MIDDLE, end=Point(540, 600))],
        ids=lambda gesture: gesture.type,
    )
    def test_a_phone_that_turned_is_not_touched(self, device: Device, gesture: Click) -> None:
        device.observe()
        device.shell("vphone fault display rotated")
        outcome = device.perform(gesture)
        assert outcome.status == "rejected"
        assert "2400x1080 now, turned by 90 degrees" in outcome.detail
        turned = device.observe()
        assert turned.app == "com.android.launcher3"
        assert (turned.size, turned.rotation) == (Size(2400, 1080), 1)
        assert device.perform(Click(point=Point(2399, 1079))).status == "ok"
        device.shell("vphone fault display off")
        assert device.observe().rotation == 0

    def test_another_size_is_noticed_too(self, device: Device) -> None:
        device.observe()
        device.shell("vphone fault display resized")
        assert device.perform(Click(point=MIDDLE)).status == "rejected"

    @pytest.mark.parametrize(
        ("fault", "window", "shows"),
        [
            ("anr", "Application Not Responding: com.android.settings", "Close app"),
            ("crash", "Application Error: com.android.settings", "keeps stopping"),
            ("permission", "GrantPermissionsActivity", "permission_message"),
            ("call", "InCallActivity", "Incoming call"),
        ],
    )
    def test_a_window_that_came_in_front_is_told_and_not_touched(
        self, device: Device, fault: str, window: str, shows: str
    ) -> None:
        device.shell(SETTINGS)
        sound = device.observe()
        device.shell(f"vphone fault window {fault}")
        outcome = device.perform(Click(point=MIDDLE))
        assert outcome.status == "rejected"
        assert window in outcome.detail
        observation = device.observe()
        assert window in (observation.window or "")
        assert shows in (observation.ui_tree or "")
        assert observation.flags == ()
        device.shell("vphone fault window off")
        after = device.observe()
        assert window not in (after.window or "")
        assert fault == "call" or after.image == sound.image

    def test_a_dialog_can_be_answered(self, device: Device) -> None:
        device.shell(f"{SETTINGS}; vphone fault window anr")
        tree = device.observe().ui_tree or ""
        node = tree[tree.index("Close app") :]
        left, top, right, bottom = (
            int(word) for word in node[node.index('bounds="[') + 9 : node.index(']"')].replace("][", ",").split(",")
        )
        assert device.perform(Click(point=Point((left + right) // 2, (top + bottom) // 2))).status == "ok"
        assert device.observe().app == "com.android.launcher3"

    def test_a_banner_does_not_come_over_a_prepared_phone(self, device: Device) -> None:
        """It would take the touch without the focus."""
        bare = device.observe().image
        device.shell("vphone fault window banner")
        assert device.observe().image != bare
        device.prepare()
        covered = device.observe()
        device.shell("vphone fault window off; vphone fault window banner")
        assert device.observe().image == covered.image

    def test_a_banner_over_a_phone_that_was_not_prepared_takes_no_touch(self, device: Device) -> None:
        device.shell(SETTINGS)
        bare = device.observe()
        device.shell("vphone fault window banner")
        outcome = device.perform(Click(point=Point(540, 180)))
        assert (outcome.status, outcome.command) == ("rejected", None)
        assert outcome.detail.startswith("a notification came since the screen was looked at: 0|android|")
        seen = device.observe()
        assert seen.image != bare.image
        assert device.perform(Click(point=MIDDLE)).status == "ok"  # whoever saw it may touch

    def test_only_the_first_touch_after_a_look_is_held_to_it(self, device: Device) -> None:
        device.observe()
        assert device.perform(Press(key="home")).status == "ok"
        device.shell(SETTINGS)
        assert device.perform(Click(point=MIDDLE)).status == "ok"

    def test_an_input_that_is_refused_is_an_error(self, device: Device) -> None:
        device.shell("vphone fault input error")
        with pytest.raises(CommandFailed, match="INJECT_EVENTS"):
            device.perform(Click(point=MIDDLE))

    def test_an_input_that_is_lost_is_told_at_the_next_look(self, device: Device) -> None:
        device.shell(SETTINGS)
        before = device.observe()
        device.shell("vphone fault input drop")
        device.perform(Press(key="home"))
        with pytest.raises(DeviceError, match="a gesture was lost: the phone saw no input event") as caught:
            device.observe()
        assert caught.value.cause == "input_lost"
        assert device.observe().image == before.image


def test_secure_windows_old_and_new() -> None:
    new = "  Window #1 Window{1f u0 a.b/a.b.C}:\n  mAttrs={(0,0) ty=BASE_APPLICATION\n   fl=LAYOUT_IN_SCREEN SECURE\n"
    old = "  Window #0 Window{2f u0 d.e/d.e.F}:\n  mAttrs=WM.LayoutParams{(0,0) fl=#81812100 pfl=0x20000}\n"
    assert secure(new + old, "a.b/a.b.C")
    assert secure(new + old, "d.e/d.e.F")
    assert not secure(new.replace(" SECURE", "") + old.replace("812100", "810100"), "a.b/a.b.C")
    assert not secure(old.replace("812100", "810100"), "d.e/d.e.F")
    assert not secure(new, "d.e/d.e.F")
