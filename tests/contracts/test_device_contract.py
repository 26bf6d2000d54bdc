"""What holds for `Device` on any phone, virtual or real.

`pytest tests/contracts --serial emulator-5554` runs it on a real phone too. It opens the phone's settings, types into
their search, and writes files of its own; nothing else is changed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_server.actions import (
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    Key,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.geometry import Point, Size
from agent_server.ui_tree import Node, UiTree, parse_ui_tree
from emulator_farm.devices.device import Device
from emulator_farm.devices.health import doctor, observe_to
from emulator_farm.devices.keyboard import IME
from emulator_farm.devices.observation import Observation
from emulator_farm.errors import CallerError, CommandFailed, DeviceTimeout

SETTINGS = "com.android.settings"
FILE = "/data/local/tmp/farm contract's file.bin"


@pytest.fixture(autouse=True)
def home(phone: Device) -> Iterator[None]:
    yield
    phone.go_home()


def tree_of(observation: Observation) -> UiTree:
    assert observation.ui_tree is not None, observation.flags
    return parse_ui_tree(observation.ui_tree)


def labels(observation: Observation) -> list[str]:
    return [node.label for node in tree_of(observation) if node.label]


def opened(phone: Device) -> Observation:
    """The first page of the settings, from its top."""
    phone.force_stop(SETTINGS)
    assert phone.perform(OpenApp(app="Settings")).status == "ok"
    return phone.observe()


def search_field(phone: Device) -> Node:
    return next(node for node in tree_of(phone.observe()) if node.editable)


class TestObservation:
    def test_frame_display_and_tree_agree(self, phone: Device) -> None:
        observation = opened(phone)
        display = phone.display()
        assert observation.size == display.size == phone.info.size
        assert observation.rotation == display.rotation == tree_of(observation).rotation == 0
        extent = tree_of(observation).size
        assert extent is not None
        assert extent.width == observation.size.width
        assert 0.8 * observation.size.height <= extent.height <= observation.size.height
        assert observation.flags == ()

    def test_it_says_who_is_in_front(self, phone: Device) -> None:
        observation = opened(phone)
        assert observation.app == SETTINGS
        assert (observation.activity or "").startswith("com.android.settings.")
        component = phone.foreground().component
        assert component is not None
        assert component.package == SETTINGS
        assert SETTINGS in tree_of(observation).packages

    def test_without_a_tree(self, phone: Device) -> None:
        observation = phone.observe(ui_tree=False)
        assert observation.ui_tree is None
        assert observation.app
        assert observation.capture_ms >= 0

    def test_equal_screens_give_equal_frames(self, phone: Device) -> None:
        opened(phone)
        assert phone.wait_until_stable(10).sha256 == phone.wait_until_stable(10).sha256
        assert phone.screenshot().size == phone.info.size

    def test_a_turned_phone_has_a_turned_frame(self, phone: Device) -> None:
        opened(phone)
        phone.settings_put("system", "user_rotation", "1")
        try:
            phone.wait_until_stable(5)
            observation = phone.observe()
            assert observation.size == Size(phone.info.size.height, phone.info.size.width)
            assert observation.rotation == 1
            corner = Point(observation.size.width - 1, 0)
            assert phone.perform(Click(point=corner)).status == "ok"
        finally:
            phone.settings_put("system", "user_rotation", "0")
            phone.wait_until_stable(5)
        assert phone.observe().size == phone.info.size

    def test_as_files(self, phone: Device, tmp_path: Path) -> None:
        observe_to(phone, tmp_path / "out")
        assert {path.name for path in (tmp_path / "out").iterdir()} == {"frame.png", "ui.xml", "observation.json"}
        assert parse_ui_tree((tmp_path / "out" / "ui.xml").read_bytes()).roots


class TestActions:
    def test_a_click_opens_and_back_returns(self, phone: Device) -> None:
        before = opened(phone)
        entry = next(node for node in tree_of(before) if node.label == "Display")
        outcome = phone.perform(Click(point=entry.bounds.centre))
        assert outcome.status == "ok"
        assert outcome.command == f"input tap {entry.bounds.centre.x} {entry.bounds.centre.y}"
        assert labels(phone.observe()) != labels(before)
        phone.perform(Press(key="back"))
        assert labels(phone.observe()) == labels(before)

    def test_scrolling_down_shows_what_is_below(self, phone: Device) -> None:
        top = opened(phone)
        assert phone.perform(Scroll(direction="down")).status == "ok"
        below = phone.observe()
        new = set(labels(below)) - set(labels(top))
        assert new
        kept = {node.label: node.bounds.top for node in tree_of(below) if node.label in labels(top) and node.label}
        was = {node.label: node.bounds.top for node in tree_of(top)}
        assert all(top_now <= was[label] for label, top_now in kept.items())
        for _ in range(3):
            phone.perform(Scroll(direction="up"))
        assert set(labels(phone.observe())) - set(labels(below))

    def test_a_scroll_along_a_path_of_ones_own(self, phone: Device) -> None:
        top = opened(phone)
        size = top.size
        start, end = Point(size.width // 2, size.height * 3 // 4), Point(size.width // 2, size.height // 3)
        phone.perform(Scroll(direction="down", start=start, end=end))
        assert labels(phone.observe()) != labels(top)

    def test_home_and_recents(self, phone: Device) -> None:
        opened(phone)
        phone.perform(Press(key="home"))
        assert phone.observe().app != SETTINGS
        phone.perform(Press(key="recents"))
        phone.perform(Press(key="home"))
        assert phone.observe().app != SETTINGS

    @pytest.mark.parametrize("key", ["back", "enter", "menu", "delete", "tab", "escape", "volume_up", "volume_down"])
    def test_every_other_key_is_taken(self, phone: Device, key: Key) -> None:
        assert phone.perform(Press(key=key)).status == "ok"

    def test_the_power_key_and_waking_up(self, phone: Device) -> None:
        phone.perform(Press(key="power"))
        observation = phone.observe(ui_tree=False, settle=False)
        assert "screen_off" in observation.flags or not observation.frame.black
        phone.prepare()
        assert phone.screen.awake()

    def test_the_other_gestures_are_taken(self, phone: Device) -> None:
        size = opened(phone).size
        middle, other = Point(size.width // 2, size.height // 2), Point(size.width // 2, size.height // 3)
        for action in (
            DoubleClick(point=Point(1, 1)),
            LongPress(point=middle),
            LongPress(point=middle, duration_ms=700),
            Drag(start=middle, end=other),
        ):
            outcome = phone.perform(action)
            assert outcome.status == "ok"
            assert outcome.command

    @pytest.mark.parametrize(
        "text", ["hello", 'it\'s 100%s "$(reboot)" `id` ; & | > \\', "naïve 日本語 العربية", "😀👩‍👩‍👧"]
    )
    def test_any_text_is_typed_as_it_is(self, phone: Device, text: str) -> None:
        observation = opened(phone)
        entry = next(node for node in tree_of(observation) if node.label.lower().startswith("search"))
        phone.perform(Click(point=entry.bounds.centre))
        phone.observe()
        assert phone.perform(Type(text=text)).status == "ok"
        assert search_field(phone).text == text
        assert phone.keyboard.clear_text().status == "ok"
        assert search_field(phone).text != text

    def test_typing_without_a_field_is_rejected(self, phone: Device) -> None:
        phone.go_home()
        phone.observe()
        assert phone.perform(Type(text="x")).status == "rejected"

    def test_apps_by_package_and_unknown_ones(self, phone: Device) -> None:
        assert phone.perform(OpenApp(app=SETTINGS)).status == "ok"
        assert phone.observe().app == SETTINGS
        assert phone.perform(OpenApp(app="No Such App Anywhere")).status == "rejected"
        assert phone.perform(OpenApp(app="no.such.package")).status == "rejected"

    def test_waiting_takes_its_time(self, phone: Device) -> None:
        began = time.monotonic()
        assert phone.perform(Wait(seconds=0.3)).status == "ok"
        assert 0.3 <= time.monotonic() - began < 2

    @pytest.mark.parametrize("action", [Answer(text="42"), CallUser(text="help"), Finished()])
    def test_words_do_not_touch_the_phone(self, phone: Device, action: Answer | CallUser | Finished) -> None:
        outcome = phone.perform(action)
        assert (outcome.status, outcome.command) == ("none", None)

    def test_points_outside_the_screen_are_refused_untouched(self, phone: Device) -> None:
        before = opened(phone)
        width, height = before.size
        outside, inside = Point(width, 5), Point(5, height - 1)
        for action in (Click(point=outside), Drag(start=inside, end=Point(0, height)), LongPress(point=Point(-1, 0))):
            with pytest.raises(CallerError, match=f"outside the screen of {width}x{height}"):
                phone.perform(action)
        assert phone.observe().sha256 == before.sha256


class TestState:
    def test_shell(self, phone: Device) -> None:
        completed = phone.transport.shell("echo out; echo err >&2; exit 7")
        assert (completed.stdout, completed.stderr, completed.exit_code) == (b"out\n", b"err\n", 7)
        with pytest.raises(CommandFailed):
            phone.shell("exit 3")
        assert phone.shell(["echo", "$HOME", "a  b"]).text == "$HOME a  b\n"

    def test_a_deadline_is_kept(self, phone: Device) -> None:
        began = time.monotonic()
        with pytest.raises(DeviceTimeout):
            phone.shell("sleep 20", deadline_s=0.5)
        assert time.monotonic() - began < 3
        assert phone.shell("echo still here").ok

    def test_settings(self, phone: Device) -> None:
        assert phone.settings_get("global", "farm_contract") is None
        phone.settings_put("global", "farm_contract", "a 'quoted' $value")
        assert phone.settings_get("global", "farm_contract") == "a 'quoted' $value"
        rows = phone.content_query("content://settings/global", ["name", "value"], "name='farm_contract'")
        assert rows == [{"name": "farm_contract", "value": "a 'quoted' $value"}]
        phone.settings_delete("global", "farm_contract")
        assert phone.settings_get("global", "farm_contract") is None
        assert phone.content_query("content://settings/global", ["name"], "name='farm_contract'") == []

    def test_files(self, phone: Device) -> None:
        data = bytes(range(256)) * 1000
        phone.push(data, FILE)
        try:
            assert phone.pull(FILE) == data
            assert phone.file_read(FILE) == data
        finally:
            phone.shell(["rm", FILE])
        assert phone.file_read(FILE) is None
        with pytest.raises(CommandFailed):
            phone.pull(FILE)

    def test_packages(self, phone: Device) -> None:
        assert SETTINGS in phone.apps.installed()
        assert SETTINGS in {component.package for component in phone.apps.launchable()}
        with pytest.raises(CommandFailed):
            phone.clear_app("no.such.package")

    def test_info(self, phone: Device) -> None:
        info = phone.info
        assert info.serial == phone.serial
        assert info.sdk >= 21
        assert info.model
        assert info.density > 0
        assert info.size.pixels > 0


class TestReadiness:
    def test_it_is_proved_end_to_end(self, phone: Device) -> None:
        phone.health()

    def test_preparing_twice_changes_nothing_more(self, phone: Device) -> None:
        phone.prepare()
        phone.prepare()
        assert phone.keyboard.current() == IME
        assert phone.settings_get("global", "window_animation_scale") == "0"
        assert phone.settings_get("system", "accelerometer_rotation") == "0"

    def test_the_doctor_finds_nothing(self, phone: Device) -> None:
        assert [check for check in doctor(phone) if not check.ok] == []

    def test_after_forgetting_everything_is_learned_anew(self, phone: Device) -> None:
        known = phone.info
        phone.forget()
        assert phone.info == known
        assert phone.observe().size == known.size
