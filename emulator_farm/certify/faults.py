"""Things that go wrong on phones, provoked where that can be done and undone from outside."""

from __future__ import annotations

import statistics
import time
from functools import partial

from agent_server.actions import Click, OpenApp, Type
from agent_server.geometry import Point
from emulator_farm.certify.fields import ONE_LINE, open_field, written
from emulator_farm.certify.keepsake import TRACE
from emulator_farm.certify.probe import NotApplicable, Probe, Seen, require
from emulator_farm.devices import health, reset
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.device import Device
from emulator_farm.devices.keyboard import IME
from emulator_farm.errors import DeviceError

_SETTINGS = "com.android.settings"
_TEXT = "after the fault 你好"
_TURN_S = 5.0
_UNKNOWN_COMMAND = 127


def _reset(device: Device, times: int) -> Seen:
    """What the farm does between episodes: what is open is closed, what was set is as before, the phone is proved."""
    took = []
    baseline = reset.survey(device, apps=False)
    for number in range(1, times + 1):
        device.perform(OpenApp(app=_SETTINGS))
        device.settings_put("global", TRACE, str(number))
        began = time.monotonic()
        device.settings_delete("global", TRACE)
        reset.home(device, baseline)
        device.health()
        took.append(time.monotonic() - began)
        app = device.foreground().component
        where = f"reset {number} of {times}"
        require(app is not None and app.package != _SETTINGS, f"{where}: {app} is in front")
        left = device.settings_get("global", TRACE)
        require(left is None, f"{where}: a setting is still {left!r}")
    figures = {"reset_median_ms": round(statistics.median(took) * 1000, 1), "reset_max_ms": round(max(took) * 1000, 1)}
    return Seen(f"{times} of {times}", figures)


def _type_after(device: Device) -> str:
    outcome = device.perform(Type(text=_TEXT))
    require(outcome.status == "ok", f"{outcome.status}: {outcome.detail}")
    text = written(device)
    require(text == _TEXT, f"the field holds {text!r}")
    return f"the field holds {text!r}"


def _keyboard_killed(device: Device) -> str:
    """uiautomator2's server and our keyboard are one app: this ends both."""
    device.keyboard.ensure()
    device.force_stop(IME.partition("/")[0])
    device.keyboard.forget()
    with open_field(device, ONE_LINE):
        return _type_after(device)


def _other_keyboard(device: Device) -> str:
    others = [name for name in device.shell("ime list -s").text.split() if "/" in name and name != IME]
    if not others:
        raise NotApplicable("the phone has no other keyboard")
    with open_field(device, ONE_LINE):
        device.shell(["ime", "set", others[0]])
        current = device.keyboard.current()
        require(current == others[0], f"{others[0]} was selected, but {current} is the keyboard")
        return f"{others[0]} was selected; {_type_after(device)}"


def _reconnect(device: Device) -> Seen:
    if ":" not in device.serial:
        raise NotApplicable("only a phone on the network (HOST:PORT) can be let go of and connected anew")
    device.server.disconnect(device.serial)
    try:
        device.shell("echo")
    except DeviceError as error:
        said = f"{type(error).__name__} ({error.cause})"
    else:
        raise NotApplicable("the adb server does not let go of the phone")
    finally:
        began = time.monotonic()
        health.wait_until_ready(device, 45)
    return Seen(f"{said}, then ready again", {"reconnect_ms": round((time.monotonic() - began) * 1000, 1)})


def _turned(device: Device) -> str:
    device.perform(OpenApp(app=_SETTINGS))
    before = device.observe()
    try:
        device.settings_put("system", "accelerometer_rotation", "0")
        device.settings_put("system", "user_rotation", "1")
        deadline = Deadline(_TURN_S)
        while device.display().rotation == before.rotation:
            if deadline.passed:
                raise NotApplicable("the screen does not turn with `user_rotation`")
            deadline.pause(0.1)
        outcome = device.perform(Click(point=Point(before.size.width // 2, before.size.height // 2)))
        require(outcome.status == "rejected", f"the touch is {outcome.status}")
        turned = device.observe()
        require(turned.size != before.size, f"the frame is still {turned.size}")
    finally:
        device.settings_put("system", "user_rotation", "0")
        device.force_stop(_SETTINGS)
    return outcome.detail


def _secure(device: Device) -> str:
    """Only a virtual phone brings such a window on demand."""
    device.go_home()
    if device.transport.shell("vphone fault window secure").exit_code == _UNKNOWN_COMMAND:
        raise NotApplicable("no app that every phone has forbids pictures of itself")
    try:
        observation = device.observe()
    finally:
        device.shell("vphone fault window off")
    require({"black", "secure"} <= set(observation.flags), f"flagged {', '.join(observation.flags) or 'nothing'}")
    return "flagged black and secure"


def _asleep(device: Device) -> str:
    device.go_home()
    try:
        device.shell("input keyevent 223")
        observation = device.observe(ui_tree=False)
    finally:
        device.prepare()
    require("screen_off" in observation.flags, f"flagged {', '.join(observation.flags) or 'nothing'}")
    return "flagged " + ", ".join(observation.flags)


FAULTS = (
    Probe("faults.keyboard_killed", "the text arrives", _keyboard_killed),
    Probe("faults.other_keyboard", "the text arrives", _other_keyboard),
    Probe("faults.reconnect", "DeviceGone, and after connecting anew the phone can be played on", _reconnect, 120),
    Probe("faults.turned", "a touch meant for the screen before it turned is rejected", _turned),
    Probe("faults.secure_window", "a picture that is forbidden is flagged black and secure", _secure),
    Probe("faults.screen_off", "a phone that sleeps is flagged screen_off", _asleep),
)


def resets(times: int) -> Probe:
    """The check of so many resets; it gets 10 s for each."""
    return Probe(f"resets.{times}", f"{times} resets, each proved", partial(_reset, times=times), 30 + 10 * times)
