"""Harvests whose tasks leave behind all that they can: no later episode sees any of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from agent_server.actions import Finished, OpenApp
from emulator_farm.campaign import Campaign
from emulator_farm.config import HarvestConfig
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.reset_policy import ResetPolicy
from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.errors import CallerError, NotReady, RunMismatch
from emulator_farm.plan import Identity
from emulator_farm.progress import Outcome, summary
from emulator_farm.store import Store
from emulator_farm.upkeep import Upkeep
from emulator_farm.virtual.host import PhoneHost

DIRT: dict[str, list[list[str]]] = {
    "radios": [["cmd", "connectivity", "airplane-mode", "enable"], ["svc", "data", "disable"]],
    "looks": [["cmd", "uimode", "night", "yes"], ["settings", "put", "system", "font_scale", "1.3"]],
    "language": [["settings", "put", "system", "system_locales", "ar-EG"], ["wm", "density", "320"]],
    "display": [["wm", "size", "720x1280"], ["wm", "user-rotation", "lock", "1"]],
    "windows": [["am", "start", "-n", "com.android.settings/.Settings"], ["vphone", "fault", "window", "anr"]],
    "call": [["vphone", "fault", "window", "call"], ["cmd", "statusbar", "expand-settings"]],
    "sleep": [["locksettings", "set-disabled", "false"], ["input", "keyevent", "26"]],
    "notes": [["cmd", "notification", "post", "tag", "left behind"], ["mkdir", "/sdcard/Left behind"]],
    "people": [
        ["content", "insert", "--uri", "content://sms/inbox", "--bind", "body:s:left"],
        ["vphone", "sms", "5550100", "left"],
    ],
}
"""What tasks leave behind, by name."""


@pytest.fixture
def phone() -> Iterator[PhoneHost]:
    """One phone whose clock stands still, so that pictures may be compared to the pixel."""
    with PhoneHost(1) as host:
        host.call(lambda phone: phone.clock.hold())
        yield host


@pytest.fixture
def config(tmp_path: Path, phone: PhoneHost, serve_policy: Any, script: Any) -> Callable[..., HarvestConfig]:
    """Settings of a harvest on the phone; every task leaves dirt behind when it is over."""

    def make(dirt: dict[str, list[list[str]]], needs: str | None = None, **changes: Any) -> HarvestConfig:
        tasks = tmp_path / "tasks.jsonl"
        rows = [
            {"name": name, "goal": name, "reset": needs, "teardown": [{"shell": argv} for argv in words]}
            for name, words in dirt.items()
        ]
        tasks.write_text("".join(json.dumps(row) + "\n" for row in rows))
        options = {"tasks": str(tasks), "out": str(tmp_path / "run"), "devices": f"adb:{phone.addresses[0]}"}
        policy = serve_policy(script([OpenApp(app="notes"), Finished()]))
        return HarvestConfig.model_validate(options | {"policy": policy} | changes)

    return make


def run(config: HarvestConfig) -> Outcome:
    return Campaign(config).run(lambda _progress: None)


def first_frames(config: HarvestConfig) -> set[bytes]:
    store = Store(config.out)
    return {store.read(episode).steps[0].screen.image for episode in store.episode_ids()}


def fresh_frame(phone: PhoneHost) -> bytes:
    """What the phone shows as it came from the factory."""
    with AdbServer.launch() as server:
        server.connect(phone.addresses[0])
        with Device(phone.addresses[0], server) as device:
            return device.observe().image


@pytest.mark.parametrize(("level", "done"), [("auto", "apps"), ("snapshot", "snapshot")])
def test_every_episode_begins_on_what_a_fresh_phone_shows(
    phone: PhoneHost, config: Callable[..., HarvestConfig], level: str, done: str
) -> None:
    fresh = fresh_frame(phone)
    asked = config(DIRT, reset={"level": level})
    outcome = run(asked)
    assert outcome.complete, (outcome.fault, outcome.progress)
    assert outcome.progress.failures == {}
    assert outcome.progress.resets == {done: len(DIRT)}
    assert first_frames(asked) == {fresh}


MINE = "/sdcard/mine.txt"
"""A file that was there when the farm met the phone."""


def test_a_reset_that_fails_goes_deeper_to_a_restart_at_last(
    phone: PhoneHost, config: Callable[..., HarvestConfig]
) -> None:
    phone.call(lambda phone: phone.files.write(MINE, b"mine"))
    broken = ["vphone", "fault", "snapshot", "fail"]
    asked = config({"first": [["rm", MINE]], "second": [["rm", MINE], broken], "third": []})
    outcome = run(asked)
    assert outcome.complete
    assert outcome.progress.resets == {"apps": 2, "snapshot": 1}
    assert "resets: apps 2, snapshot 1" in summary(outcome.progress)
    assert outcome.progress.failures == {"not_ready_recycle_due": 1}
    (told,) = [one.detail for one in Store(asked.out).attempts("second-0-r0k0")]
    assert told.startswith("reset by snapshot: apps failed: ")
    assert f"{MINE}' after they were reset" in told
    failed, published = Store(asked.out).attempts("third-0-r0k0")
    assert failed.detail.endswith("is damaged")
    assert (published.result, "reset by" in published.detail) == ("published", False)
    assert not phone.call(lambda phone: phone.files.exists(MINE))  # it is a phone from the factory now


def test_a_task_says_what_it_needs_and_a_phone_is_restarted_after_so_many_loads(
    phone: PhoneHost, config: Callable[..., HarvestConfig]
) -> None:
    phone.call(lambda phone: phone.clock.hold(False))
    made = phone.call(lambda phone: phone.system.shipped_at)
    outcome = run(config({f"task_{n}": [] for n in range(3)}, needs="snapshot", reset={"loads": 2}))
    assert outcome.complete
    assert outcome.progress.failures == {}
    assert outcome.progress.resets == {"snapshot": 3}
    assert phone.call(lambda phone: phone.system.shipped_at) > made


def test_a_virtual_phone_that_died_of_a_reset_is_started_anew(config: Callable[..., HarvestConfig]) -> None:
    dying = {"first": [["vphone", "fault", "loads", "1"]], "second": []}
    outcome = run(config(dying, devices="virtual:1", reset={"level": "snapshot"}))
    assert outcome.complete, (outcome.fault, outcome.progress)
    assert outcome.progress.failures == {"device_gone": 1}
    assert outcome.progress.resets == {"snapshot": 2}


class TestWhatTheCallerMaySay:
    def test_phones_of_others_are_not_restarted_unasked(self, config: Callable[..., HarvestConfig]) -> None:
        with pytest.raises(CallerError, match=r"--reset recycle restarts adb:.*--allow-reboot must allow"):
            Campaign(config({"one": []}, reset={"level": "recycle"}))

    def test_another_reset_is_another_run(self, config: Callable[..., HarvestConfig]) -> None:
        Campaign(config({"one": []}))
        Campaign(config({"one": []}, reset={"loads": 3, "reboot": True}))
        with pytest.raises(RunMismatch, match="reset: was 'auto', is 'snapshot to mine'"):
            Campaign(config({"one": []}, reset={"level": "snapshot", "base": "mine"}))

    def test_runs_keep_the_names_that_they_had(self) -> None:
        facts: dict[str, Any] = {"tasks": {}, "samples": 1, "seed": 0, "model": "m", "adapter": "a", "weights": None}
        identity = Identity(**facts, prompt_digest=None, sampling={}, limits={})
        assert identity.run == "d150351433dd"
        assert identity.model_copy(update={"reset": "home"}).run != identity.run


class TestPhonesOfOthers:
    @pytest.fixture
    def device(self, phone: PhoneHost) -> Iterator[Device]:
        """A phone that does not look like a virtual one."""
        phone.call(lambda phone: phone.props.update({"ro.hardware": "ranchu"}))
        with AdbServer.launch() as server:
            server.connect(phone.addresses[0])
            with Device(phone.addresses[0], server) as device:
                yield device

    @pytest.fixture
    def connection(self) -> Iterator[redis.Redis]:
        with EmbeddedValkey() as valkey, redis.Redis.from_url(valkey.url) as connection:
            yield connection

    def test_are_wiped_only_where_that_is_asked_for(self, device: Device, connection: redis.Redis) -> None:
        device.shell("echo mine > /sdcard/mine.txt")
        upkeep = Upkeep(connection, "here", ResetPolicy())
        upkeep.take_in(device)
        assert upkeep.before_episode(device, None).level == "home"
        assert device.pull("/sdcard/mine.txt") == b"mine\n"
        assert device.snapshots.names() == []
        assert device.content_query("content://sms")
        assert upkeep.before_episode(device, "apps").level == "apps"
        assert device.pull("/sdcard/mine.txt") == b"mine\n"

    def test_are_not_restarted_unless_that_is_allowed(self, device: Device, connection: redis.Redis) -> None:
        upkeep = Upkeep(connection, "here", ResetPolicy(level="snapshot", loads=1))
        upkeep.take_in(device)
        assert upkeep.before_episode(device, None).level == "snapshot"
        assert upkeep.after_episode(device.serial)
        with pytest.raises(NotReady, match=r"restarted \(1 snapshots were loaded\), which only --allow-reboot would"):
            upkeep.take_in(device)
        life = device.incarnation
        allowed = Upkeep(connection, "here", ResetPolicy(level="snapshot", loads=1, reboot=True))
        allowed.take_in(device)
        assert device.incarnation != life
        assert not allowed.after_episode(device.serial)

    def test_recycle_is_a_restart_after_every_episode(self, device: Device, connection: redis.Redis) -> None:
        upkeep = Upkeep(connection, "here", ResetPolicy(level="recycle", reboot=True))
        lives = set()
        for _ in range(3):
            upkeep.take_in(device)
            assert upkeep.before_episode(device, None).level == "recycle"
            lives.add(device.incarnation)
            assert upkeep.after_episode(device.serial)
        assert len(lives) == 3

    def test_a_snapshot_that_is_not_there_is_named(self, device: Device, connection: redis.Redis) -> None:
        device.snapshot("other")
        upkeep = Upkeep(connection, "here", ResetPolicy(level="snapshot", base="mine"))
        with pytest.raises(NotReady, match="no snapshot named 'mine'; known: other"):
            upkeep.take_in(device)

    def test_a_dialog_is_mended_when_the_phone_is_taken_in(self, device: Device, connection: redis.Redis) -> None:
        device.shell("am start -n com.android.settings/.Settings; vphone fault window crash")
        with pytest.raises(NotReady):
            device.health()
        Upkeep(connection, "here", ResetPolicy()).take_in(device)
        device.health()

    def test_what_redis_lost_is_known_when_it_comes_back(self, device: Device, connection: redis.Redis) -> None:
        upkeep = Upkeep(connection, "here", ResetPolicy())
        upkeep.take_in(device)
        device.shell("cmd uimode night yes")
        upkeep.clear()
        upkeep.take_in(device)
        assert upkeep.before_episode(device, None).level == "home"
        assert device.settings_get("secure", "ui_night_mode") == "1"
