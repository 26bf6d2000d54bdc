"""The contract of the device layer: what every call is held to, whatever the phone."""

from __future__ import annotations

import secrets
import statistics
import threading
import time

from agent_server.actions import Click, OpenApp
from agent_server.geometry import Point
from emulator_farm.certify.keepsake import TRACE, TRACE_FILE
from emulator_farm.certify.probe import Failed, NotApplicable, Probe, Seen, look, require
from emulator_farm.devices import health
from emulator_farm.devices.channels import ChannelReport
from emulator_farm.devices.device import Device
from emulator_farm.errors import CallerError, ClaimLost, CommandFailed

_TRANSITIONS = 5
_LOADS = 3
_CUT_WITHIN_S = 5.0


def _ready(device: Device) -> str:
    device.health()
    window = device.foreground().window
    require("/" in (window or ""), f"{window or 'nothing'} has the focus, which is no window of an app")
    return "shell, boot, screen, frame, UI tree and app in front"


def _exit_codes(device: Device) -> str:
    completed = device.transport.shell("echo out; echo err >&2; exit 7")
    require(completed.exit_code == 7, f"exit code {completed.exit_code}")
    require(completed.text == "out\n", f"standard output {completed.text!r}")
    if "shell_v2" not in device.transport.features():
        return "exit code 7; the phone does not keep standard error apart"
    require(completed.stderr == b"err\n", f"standard error {completed.stderr!r}")
    return "exit code 7, both streams apart"


def _quoting(device: Device) -> str:
    word = "a 'b' \"c\" $HOME `id` \\ ; | & < > * ? ~ # %s é 中"
    said = device.shell(["echo", "-n", word]).text
    require(said == word, f"{said!r}")
    return "every word as it was"


def _failures(device: Device) -> str:
    try:
        device.shell(["ls", f"/no/such/{TRACE}"])
    except CommandFailed as error:
        return f"CommandFailed, exit code {error.exit_code}"
    raise Failed("no error")


def _files(device: Device) -> str:
    data = secrets.token_bytes(300_000) + b"\r\n\0\n"
    try:
        device.push(data, TRACE_FILE)
        back = device.pull(TRACE_FILE)
    finally:
        device.transport.shell(["rm", "-f", TRACE_FILE])
    require(back == data, f"{len(back)} bytes came back, other ones")
    require(device.file_read(TRACE_FILE) is None, "the file is still there after it was removed")
    return f"{len(data)} bytes there and back"


def _settings(device: Device) -> str:
    try:
        for value in ("it's 1", "中文 2"):
            device.settings_put("global", TRACE, value)
            found = device.settings_get("global", TRACE)
            require(found == value, f"{value!r} was written, {found!r} read")
    finally:
        device.settings_delete("global", TRACE)
    require(device.settings_get("global", TRACE) is None, "the setting is still there after it was removed")
    return "written, read, changed, removed"


def _frames(device: Device) -> Seen:
    device.go_home()
    observation, tree = look(device)
    display = device.display()
    require(observation.size == display.size, f"frame {observation.size}, display {display.size}")
    require(not observation.frame.black, "the frame is black")
    problems = [flag for flag in observation.flags if flag not in ("animated", "unstable")]
    require(not problems, f"flagged {', '.join(problems)}")
    require(observation.app is not None, "nobody is in front")
    text = f"{observation.size}, {len(tree)} nodes, {observation.activity}"
    return Seen(text, {"capture_ms": round(observation.capture_ms, 1)})


def _fresh(device: Device) -> str:
    device.go_home()
    before = device.observe()
    device.perform(OpenApp(app="com.android.settings"))
    after = device.observe()
    require("stale" not in after.flags, "the picture did not change, though the app did")
    require(after.sha256 != before.sha256, "the same picture before and after an app was opened")
    return f"{before.app}, then {after.app}"


def _outside(device: Device) -> str:
    size = device.observe(ui_tree=False).size
    try:
        device.perform(Click(point=Point(size.width, size.height)))
    except CallerError as error:
        return f"refused: {error}"
    raise Failed("no error")


def _cut(device: Device) -> Seen:
    """A call that would last is ended from another thread, on a connection of its own."""
    with Device(device.serial, device.server) as other:
        timer = threading.Timer(0.5, other.cut)
        began = time.monotonic()
        timer.start()
        try:
            other.shell("sleep 20", 30)
        except ClaimLost:
            took = time.monotonic() - began - 0.5
        else:
            raise Failed("the call ended by itself")
        finally:
            timer.cancel()
    require(took < _CUT_WITHIN_S, f"it went on for {took:.1f} s")
    return Seen("ClaimLost", {"cut_ms": round(took * 1000, 1)})


def _capture(device: Device) -> Seen:
    device.go_home()
    device.wait_until_stable()
    reports = device.provision().capture
    refused = [report for report in reports if not report.trusted and report.name != "grpc"]
    if refused:
        raise Failed("; ".join(f"{report.name}: {report.why}" for report in refused))
    return _told(reports)


def _input(device: Device) -> Seen:
    device.go_home()
    device.wait_until_stable()
    reports = device.provision().input
    require(reports[0].trusted, f"{reports[0].name}: {reports[0].why}")
    return _told(reports)


def _told(reports: tuple[ChannelReport, ...]) -> Seen:
    figures = {
        f"{report.name.replace(' ', '_').replace('_-', '_')}_ms": round(report.latency_ms, 1)
        for report in reports
        if report.latency_ms is not None
    }
    words = [report.name if report.trusted else f"{report.name} not used ({report.why})" for report in reports]
    return Seen(", ".join(words), figures)


def _settle(device: Device) -> Seen:
    """Opening an app and going home, each observed with its tree and without."""
    figures: dict[str, float] = {}
    for ui_tree, name in ((True, "settle_tree_ms"), (False, "settle_frames_ms")):
        times, restless = [], 0
        for _ in range(_TRANSITIONS):
            for package in ("com.android.settings", None):
                if package is None:
                    device.go_home()
                    device.screen.acted()
                else:
                    device.perform(OpenApp(app=package))
                observation = device.observe(ui_tree=ui_tree)
                restless += "unstable" in observation.flags
                times.append(observation.settle_ms)
        require(not restless, f"{restless} of {len(times)} screens did not come to rest in time")
        figures[name] = round(statistics.median(times), 1)
    return Seen(f"medians of {2 * _TRANSITIONS} screens each", figures)


def _snapshots(device: Device) -> Seen:
    try:
        device.snapshot(TRACE)
    except CallerError as error:
        raise NotApplicable(str(error)) from None
    took = []
    try:
        for number in range(1, _LOADS + 1):
            device.settings_put("global", TRACE, "after")
            began = time.monotonic()
            device.restore(TRACE)
            took.append(time.monotonic() - began)
            left = device.settings_get("global", TRACE)
            require(left is None, f"after load {number} the setting is {left!r}, as it was set after saving")
            health.wait_until_ready(device, 60)
    finally:
        device.settings_delete("global", TRACE)
        device.snapshots.delete(TRACE)
    figures = {"load_median_ms": round(statistics.median(took) * 1000, 1)}
    return Seen(f"saved once, changed and loaded {_LOADS} times: the change is gone each time", figures)


CONTRACT = (
    Probe("contract.ready", "shell, boot, screen, frame, UI tree and app in front are proved end to end", _ready),
    Probe("contract.exit_codes", "exit code 7, out and err each in its stream", _exit_codes),
    Probe("contract.quoting", "a word of shell metacharacters arrives as it is", _quoting),
    Probe("contract.failures", "a command that fails raises CommandFailed", _failures),
    Probe("contract.files", "binary data is the same after push and pull", _files),
    Probe("contract.settings", "a setting is written, read back and removed", _settings),
    Probe("contract.frames", "frame of the display's size, UI tree and app in front, nothing flagged", _frames),
    Probe("contract.fresh_frames", "another app, another picture", _fresh),
    Probe("contract.outside", "a point outside the screen raises CallerError", _outside),
    Probe("contract.cut", f"a call is ended from another thread within {_CUT_WITHIN_S:g} s", _cut),
    Probe("channels.capture", "every way to a frame shows the pixels of `screencap -p`", _capture, 180),
    Probe("channels.input", "at least one way to touch answers", _input, 180),
    Probe("settle.medians", "every screen comes to rest in time", _settle, 300),
    Probe("snapshots.restore", "a saved state is loaded, what was changed after is gone", _snapshots, 300),
)
