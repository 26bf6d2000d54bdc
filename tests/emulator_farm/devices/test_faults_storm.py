"""Many faults at once, by a plan: what is shown is right or flagged, what fails says so, and the phone is played on."""

from __future__ import annotations

from collections import Counter

from agent_server.actions import Press
from emulator_farm.devices.device import Device
from emulator_farm.devices.health import wait_until_ready
from emulator_farm.errors import DeviceError
from emulator_farm.virtual.fault_plan import FaultPlan, Rule
from emulator_farm.virtual.host import PhoneHost

STEPS = 30
REPAIRED = {"leading_text", "crlf", "retaken"}
RULES = [
    Rule(fault="screencap", value=value, of="frames", probability=0.06, times=0)
    for value in ("truncated", "empty", "black", "warning", "crlf", "wrong_size", "padded", "status")
] + [
    Rule(fault="dump", value=value, of="trees", probability=0.06, times=0)
    for value in ("idle_error", "null_root", "nothing", "exit_code")
]
RULES.append(Rule(fault="link", value="drop", probability=0.03, times=0))
RULES.append(Rule(fault="input", value="error", of="inputs", probability=0.1, times=0))


def test_no_picture_is_wrong_and_nothing_is_lost(device: Device, host: PhoneHost) -> None:
    device.shell("vphone clock hold")
    sound = device.observe()
    host.phones[0].faults.plan = FaultPlan(RULES, 11)
    seen: Counter[str] = Counter()
    for _ in range(STEPS):
        try:
            observation = device.observe()
            assert device.perform(Press(key="home")).status == "ok"
        except DeviceError as error:
            seen[error.cause] += 1
            wait_until_ready(device, 60)
            continue
        seen["well"] += 1
        seen.update(observation.flags)
        assert (observation.size, observation.app) == (sound.size, sound.app)
        assert "black" in observation.flags or observation.image == sound.image
        assert set(observation.flags) - REPAIRED <= {"black", "no_ui_tree"}
        assert ("no_ui_tree" in observation.flags) == (observation.ui_tree is None)
        assert observation.ui_tree in (None, sound.ui_tree)
    host.calm()
    wait_until_ready(device, 60)
    assert device.observe().image == sound.image
    assert seen["well"] > STEPS / 3
    assert len(seen) > 4, seen
