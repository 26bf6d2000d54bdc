"""A healthy phone passes and stays as it was; each kind of fault turns the check red that is there for it."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from agent_server.actions import Type
from emulator_farm.certify.certificate import Certificate, Check
from emulator_farm.certify.fields import LINES, open_field
from emulator_farm.certify.keepsake import TRACE, TRACE_FILE
from emulator_farm.certify.probe import Probe
from emulator_farm.certify.runner import Certification, probes
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.snapshots import State
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

_PASSING = ("clock", "notifications", "screen")
"""Sections of a phone's state that change by themselves or by looking."""


def _check(name: str, deadline_s: float | None = None) -> Probe:
    """The check of that name, perhaps with less time."""
    probe = next(probe for probe in probes(2) if probe.name == name)
    return probe if deadline_s is None else replace(probe, deadline_s=deadline_s)


def _named(certificate: Certificate, name: str) -> Check:
    return next(check for check in certificate.checks if check.name == name)


def _state(serial: str, server: AdbServer) -> State:
    with Device(serial, server) as device:
        state = device.state()
    assert state is not None
    return {name: section for name, section in state.items() if name not in _PASSING}


def test_a_healthy_phone_passes_everything_and_stays_as_it_was(
    serial: str, host: PhoneHost, adb_server: AdbServer
) -> None:
    with Device(serial, adb_server) as device:
        device.settings_put("system", "accelerometer_rotation", "1")
        device.shell("ime set com.android.inputmethod.latin/.LatinIME")
    before = _state(serial, adb_server)
    told: list[Check] = []
    certificate = Certification(serial, adb_server, times=2, told=told.append).run()
    assert [(check.name, check.seen) for check in certificate.checks if check.verdict != "pass"] == []
    assert certificate.passed
    assert tuple(told) == certificate.checks
    assert _state(serial, adb_server) == before
    assert certificate.phone is not None
    assert (certificate.phone.virtual, certificate.phone.size, certificate.phone.sdk) == (True, "540x1200", 34)
    assert certificate.adb_version.startswith("41 (cmd,")
    assert _named(certificate, "channels.capture").figures.keys() == {"screencap_p_ms", "screencap_ms"}
    names = [probe.name for probe in probes(2)]
    assert len(set(names)) == len(names)
    assert [check.name for check in certificate.checks] == ["phone.prepared", *names, "phone.put_back"]


@pytest.mark.parametrize(
    ("fault", "value", "name", "seen"),
    [
        ("screencap", "truncated", "contract.frames", "truncated"),
        ("screencap", "black", "contract.frames", "black"),
        ("screencap", "wrong_size", "contract.ready", "a frame of"),
        ("screencap", "stale", "contract.fresh_frames", "did not change"),
        ("dump", "null_root", "contract.frames", "no_ui_tree"),
        ("dump", "nothing", "contract.ready", "no UI tree"),
        ("input", "drop", "actions.click", "nothing changed"),
        ("input", "drop", "actions.scroll", "moved by 0 pixels"),
        ("input", "drop", "actions.press_volume", "changed none"),
        ("input", "error", "actions.press_back", "failed with exit code"),
        ("window", "anr", "contract.ready", "Application Not Responding"),
        ("ime", "stuck", "faults.other_keyboard", "is the keyboard"),
        ("disk", "full", "contract.files", "No space left"),
        ("boot", "lying", "contract.ready", "wm: expected a display size"),
        ("snapshot", "fail", "snapshots.restore", "snapshot"),
        ("link", "drop", "contract.exit_codes", "closed"),
        ("link", "offline", "contract.quoting", "offline"),
    ],
)
def test_a_fault_turns_its_check_red(
    serial: str, host: PhoneHost, adb_server: AdbServer, fault: str, value: str, name: str, seen: str
) -> None:
    """Armed when the phone is prepared and was looked at, over when the check is."""

    def told(check: Check) -> None:
        if check.name == "phone.prepared":
            with Device(serial, adb_server) as device:
                device.screenshot()
            host.fault(fault, value)
        else:
            host.calm()

    certificate = Certification(serial, adb_server, checks=[_check(name)], told=told).run()
    check = _named(certificate, name)
    assert check.verdict == "fail"
    assert seen in check.seen
    assert not certificate.passed
    assert certificate.complete
    assert _named(certificate, "phone.put_back").verdict == "pass"


def test_a_check_that_hangs_ends_at_its_deadline(serial: str, host: PhoneHost, adb_server: AdbServer) -> None:
    def told(check: Check) -> None:
        if check.name == "phone.prepared":
            host.fault("shell", "hang")
        else:
            host.calm()

    certificate = Certification(serial, adb_server, checks=[_check("contract.quoting", 0.5)], told=told).run()
    check = _named(certificate, "contract.quoting")
    assert (check.verdict, check.seen) == ("fail", "it did not end within 0.5 s")


def test_a_way_to_frames_that_lies_is_red(adb_server: AdbServer) -> None:
    with PhoneHost([Phone("small", 540, 1200, 210)], emulator=True) as host:
        serial = host.addresses[0]
        adb_server.connect(serial)
        host.fault("grpc", "padded")
        certificate = Certification(serial, adb_server, checks=[_check("channels.capture")]).run()
        adb_server.disconnect(serial)
    check = _named(certificate, "channels.capture")
    assert check.verdict == "fail"
    assert "grpc png" in check.seen


def test_a_phone_that_cannot_be_prepared_is_tried_no_further(
    serial: str, host: PhoneHost, adb_server: AdbServer
) -> None:
    host.fault("boot", "slow")
    certificate = Certification(serial, adb_server).run()
    assert [(check.name, check.verdict) for check in certificate.checks] == [("phone.prepared", "fail")]
    assert not certificate.complete
    assert not certificate.passed


def test_what_was_done_before_a_stop_is_kept_and_the_phone_put_back(
    serial: str, host: PhoneHost, adb_server: AdbServer
) -> None:
    before = _state(serial, adb_server)
    waiting = threading.Event()

    def last(device: Device) -> str:
        """Half-typed, turned, with a setting, a file, a snapshot and a secure window."""
        device.snapshot(TRACE)
        device.push(b"x", TRACE_FILE)
        device.settings_put("global", TRACE, "1")
        with open_field(device, LINES):
            device.perform(Type(text="half a mess"))
            device.settings_put("system", "user_rotation", "1")
            device.shell("vphone fault window secure")
            waiting.set()
            device.transport.wait(600)
        return "it was waited for"

    checks = [_check("contract.exit_codes"), Probe("test.long", "ten minutes pass", last, 900)]
    run = Certification(serial, adb_server, checks=checks)

    def stop() -> None:
        assert waiting.wait(60)
        run.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    certificate = run.run()
    stopper.join()
    assert [(check.name, check.verdict) for check in certificate.checks] == [
        ("phone.prepared", "pass"),
        ("contract.exit_codes", "pass"),
        ("phone.put_back", "pass"),
    ]
    assert not certificate.complete
    assert _state(serial, adb_server) == before
    with Device(serial, adb_server) as device:
        assert device.snapshots.names() == []
        assert not device.screenshot().black


def test_out_of_time_is_incomplete(serial: str, host: PhoneHost, adb_server: AdbServer) -> None:
    certificate = Certification(serial, adb_server, whole_s=0.0).run()
    assert not certificate.complete
    assert not certificate.passed
