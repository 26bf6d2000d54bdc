"""Ways that were found once are used again without a measurement, as long as they lead to the same phone."""

from __future__ import annotations

import pytest

from agent_server.actions import Press
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.choice import Choice
from emulator_farm.devices.device import Device
from emulator_farm.devices.screen import Patience
from emulator_farm.virtual.host import PhoneHost

PATIENCE = Patience(call_s=20, tree_s=0.4, frame_s=0.4, black_s=0.3, stable_s=3, keyboard_s=0.2)


@pytest.fixture
def host(emulator: PhoneHost) -> PhoneHost:
    return emulator


@pytest.fixture
def device(bare: Device) -> Device:
    return bare


@pytest.fixture
def found(host: PhoneHost, adb_server: AdbServer) -> Choice:
    """What another process found out."""
    adb_server.connect(host.addresses[0])
    with Device(host.addresses[0], adb_server, patience=PATIENCE) as device:
        device.provision()
        choice = device.ways.choice
    assert choice.capture[0].startswith("grpc")
    assert choice.capture[-1] == "screencap -p"
    assert choice.input == "grpc"
    assert choice.latency_ms["grpc"] < choice.latency_ms["input"]
    assert choice.told == f"frames by {choice.capture[0]}, gestures by grpc, trees by uiautomator"
    return Choice.model_validate_json(choice.model_dump_json())


def test_a_choice_is_used_without_measuring(device: Device, found: Choice) -> None:
    assert device.ways.use(found)
    assert device.ways.choice == found
    assert device.screen.capture.current.name == found.capture[0]
    device.observe()
    command = device.perform(Press(key="home")).command
    assert command is not None
    assert command.startswith("grpc")


def test_a_choice_of_another_life_of_the_phone_is_not_used(device: Device, found: Choice) -> None:
    assert not device.ways.use(found.model_copy(update={"incarnation": "another"}))
    assert device.ways.choice.capture == ("screencap -p",)
    assert device.ways.choice.input == "input"


def test_a_way_that_is_gone_is_left_out_and_named(device: Device, found: Choice, host: PhoneHost) -> None:
    host.phones[0].faults.grpc = "unavailable"
    assert device.ways.use(found)
    choice = device.ways.choice
    assert choice.capture == ("screencap -p",)
    assert choice.input == "input"
    assert "unavailable" in choice.dropped["grpc"]


def test_a_controller_that_lies_about_pictures_gets_no_gestures(device: Device, found: Choice, host: PhoneHost) -> None:
    device.ways.use(found)
    host.phones[0].faults.grpc = "truncated"
    assert device.observe().frame.size == (360, 800)
    choice = device.ways.choice
    assert choice.capture == ("screencap -p",)
    assert choice.input == "input"
    assert "bytes" in choice.dropped["grpc"] or "truncated" in choice.dropped["grpc"]
    assert device.perform(Press(key="home")).command == "input keyevent 3"


class TestAfterASnapshot:
    def test_ways_are_compared_anew_and_go_on(self, device: Device, found: Choice) -> None:
        device.ways.use(found)
        device.snapshot("here")
        device.restore("here")
        assert device.incarnation != found.incarnation
        assert device.ways.choice == found.model_copy(update={"incarnation": device.incarnation})

    def test_one_that_lies_by_now_is_dropped(self, device: Device, found: Choice, host: PhoneHost) -> None:
        device.ways.use(found)
        device.snapshot("here")
        host.phones[0].faults.grpc = "padded"
        device.restore("here")
        assert device.ways.choice.capture == ("screencap -p",)
        assert device.ways.choice.input == "input"

    def test_adb_alone_is_not_measured(self, device: Device) -> None:
        device.snapshot("here")
        device.restore("here")
        assert device.ways.choice.capture == ("screencap -p",)
        assert device.ways.choice.latency_ms == {}
