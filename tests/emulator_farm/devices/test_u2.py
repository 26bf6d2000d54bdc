"""uiautomator2's server as a way to frames, gestures and trees, and what happens when it is refused or killed."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from agent_server.actions import Click, DoubleClick, Drag, LongPress, Press, Scroll
from agent_server.geometry import Point
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.channels import ChannelFailed, same_pixels
from emulator_farm.devices.choice import Choice
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.device import Device
from emulator_farm.devices.screen import Patience
from emulator_farm.devices.settle import Pace
from emulator_farm.devices.trees import same_tree
from emulator_farm.devices.u2_channel import as_uiautomator
from emulator_farm.devices.u2_server import JAR, NoAnswer, U2Server, body_of
from emulator_farm.errors import ClaimLost, DeviceError
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

PATIENCE = Patience(
    call_s=4, tree_s=0.4, frame_s=0.4, black_s=0.3, stable_s=5, keyboard_s=0.2, pace=Pace(onset_s=0.05, quiet_s=0.05)
)
ADB_ONLY = ("screencap -p",)


@pytest.fixture(scope="module")
def shared() -> Iterator[PhoneHost]:
    with PhoneHost([Phone("small", 360, 800, 140)]) as host:
        yield host


@pytest.fixture
def host(shared: PhoneHost) -> PhoneHost:
    """A phone whose minute does not pass."""

    def restore(phone: Phone) -> None:
        phone.reset()
        phone.faults.clear()
        latency = phone.latency
        latency.dump_s = latency.capture_s = latency.input_s = latency.u2_s = 0.0
        phone.clock.hold()

    shared.call(restore)
    return shared


@pytest.fixture
def bare(host: PhoneHost, adb_server: AdbServer) -> Iterator[Device]:
    adb_server.connect(host.addresses[0])
    with Device(host.addresses[0], adb_server, patience=PATIENCE) as device:
        yield device


@pytest.fixture
def fast(bare: Device) -> Device:
    """A phone on which the server was found to be the best way to everything."""
    choice = Choice(incarnation=bare.incarnation, capture=("u2 png", *ADB_ONLY), input="u2", tree="u2")
    assert bare.ways.use(choice)
    assert bare.ways.choice.told == "frames by u2 png, gestures by u2, trees by u2"
    return bare


@pytest.fixture
def slow(bare: Device, host: PhoneHost) -> Device:
    """A phone whose commands are slow, as those of real ones."""
    latency = host.phones[0].latency
    latency.dump_s, latency.capture_s, latency.input_s = 0.6, 0.1, 0.05
    return bare


def servers(host: PhoneHost) -> list[str]:
    """Those that run on the phone."""
    return [process.line for process in host.handsets[0].processes if "uia2" in process.line]


def assert_none_left(host: PhoneHost) -> None:
    """The phone notices a moment after."""
    deadline = Deadline(30)
    while servers(host) and not deadline.passed:
        deadline.pause(0.02)
    assert servers(host) == []


def assert_by_adb(device: Device, host: PhoneHost, why: str) -> None:
    """Everything is right and goes by adb's own commands; the server does not run any more."""
    device.shell("input keyevent 3")
    observation = device.observe()
    assert observation.flags == ()
    assert observation.app == "com.android.launcher3"
    assert observation.ui_tree is not None
    assert 'package="com.android.launcher3"' in observation.ui_tree
    assert same_pixels(observation.frame, device.screen.channel(raw=False).take())
    choice = device.ways.choice
    assert (choice.capture, choice.input, choice.tree) == (ADB_ONLY, "input", "uiautomator")
    assert why in choice.dropped["u2"]
    assert_none_left(host)


class TestProvision:
    def test_it_is_used_where_adb_is_slow(self, slow: Device, host: PhoneHost) -> None:
        truth = slow.screen.tree().ui_tree
        found = slow.provision()
        assert [report.name for report in found.tree] == ["u2", "uiautomator"]
        assert [report.name for report in found.capture][:2] == ["u2 png", "screencap -p"]
        assert [report.name for report in found.input][:2] == ["u2", "input"]
        observation = slow.observe()
        assert observation.flags == ()
        assert observation.ui_tree is not None
        assert truth is not None
        assert same_tree(observation.ui_tree, truth)
        assert same_pixels(observation.frame, slow.screen.channel(raw=False).take())
        assert len(servers(host)) == 1
        slow.unprovision()
        assert_none_left(host)
        assert slow.ways.choice.capture == ADB_ONLY

    def test_it_is_not_tried_where_the_dump_is_quick(self, slow: Device, host: PhoneHost) -> None:
        host.phones[0].latency.dump_s = 0.0
        patient = Patience(call_s=20, tree_s=0.4)
        with Device(slow.serial, slow.server, patience=patient) as device:
            found = device.provision()
            assert [(report.name, report.trusted) for report in found.tree] == [("uiautomator", True), ("u2", False)]
            assert "a dump takes less than the 600 ms" in found.tree[1].why
            assert device.file_read(JAR) is None, "nothing was put on the phone"

    def test_it_is_left_where_it_is_slow_too(self, slow: Device, host: PhoneHost) -> None:
        host.phones[0].latency.u2_s = 0.6
        found = slow.provision()
        assert [report.name for report in found.tree] == ["uiautomator", "u2"]
        assert found.tree[1].trusted
        assert slow.ways.choice.tree == "uiautomator"
        assert "u2 png" not in slow.ways.choice.capture
        assert_none_left(host)

    def test_another_program_that_automates_the_screen(self, slow: Device, host: PhoneHost) -> None:
        ours = U2Server(slow.transport)
        ours.start()
        ours.close()
        line = f"CLASSPATH={JAR} app_process / com.wetest.uia2.Main -p 9008"
        with slow.transport.service(f"shell,v2,raw:{line}", Deadline(60), "a foreign server") as stream:
            while b"listening" not in stream.some():
                pass
            found = slow.provision()
        assert not found.tree[1].trusted
        assert "already registered" in found.tree[1].why
        assert slow.ways.choice.tree == "uiautomator"

    def test_one_of_ours_that_was_left_behind_is_ended(self, bare: Device, host: PhoneHost) -> None:
        left = U2Server(bare.transport)
        left.start()
        assert len(servers(host)) == 1
        ours = U2Server(bare.transport)
        ours.start()
        assert len(servers(host)) == 1
        assert ours.call("isScreenOn") is True
        with pytest.raises(ChannelFailed, match="ended"):
            left.call("isScreenOn")
        left.close()
        ours.close()

    def test_what_was_found_is_used_again(self, fast: Device, host: PhoneHost) -> None:
        choice = Choice.model_validate_json(fast.ways.choice.model_dump_json())
        fast.close()
        assert_none_left(host)
        with Device(fast.serial, fast.server, patience=PATIENCE) as again:
            assert again.ways.use(choice)
            assert again.ways.choice == choice
            assert again.observe().flags == ()
            assert len(servers(host)) == 1

    def test_after_a_snapshot_it_is_started_anew(self, fast: Device, host: PhoneHost) -> None:
        fast.snapshot("here")
        fast.restore("here")
        assert fast.ways.choice.told == "frames by u2 png, gestures by u2, trees by u2"
        assert fast.observe().flags == ()


class TestGestures:
    def test_each_does_what_input_does(self, fast: Device) -> None:
        fast.perform(Press(key="home"))
        middle, above = Point(180, 600), Point(180, 300)
        asked = {
            "u2 click 180 600": Click(point=middle),
            "u2 click 180 600 1000": LongPress(point=middle),
            "u2 click 180 600 700": LongPress(point=middle, duration_ms=700),
            "u2 drag 180 600 180 300 200": Drag(start=middle, end=above),
            "u2 pressKeyCode 3": Press(key="home"),
            "input tap 180 600 && input tap 180 600": DoubleClick(point=middle),
        }
        for command, gesture in asked.items():
            outcome = fast.perform(gesture)
            assert (outcome.status, outcome.command) == ("ok", command)
        fast.perform(Press(key="home"))
        fast.observe()
        assert fast.perform(Scroll(direction="down")).command == "u2 swipe 180 560 180 240 60"

    def test_they_arrive(self, fast: Device) -> None:
        fast.shell("am start -n com.android.settings/com.android.settings.Settings")
        assert fast.observe().app == "com.android.settings"
        assert fast.perform(Press(key="home")).status == "ok"
        assert fast.observe().app == "com.android.launcher3"

    def test_one_that_nobody_answers_is_uncertain(self, fast: Device, host: PhoneHost) -> None:
        host.phones[0].faults.u2 = "hang"
        with pytest.raises(DeviceError) as caught:
            fast.perform(Press(key="home"))
        assert caught.value.cause == "input_uncertain"

    def test_one_that_is_refused_goes_by_input(self, fast: Device, host: PhoneHost) -> None:
        host.phones[0].faults.u2 = "not_connected"
        outcome = fast.perform(Press(key="home"))
        assert (outcome.status, outcome.command) == ("ok", "input keyevent 3")


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "why"),
        [("killed", ""), ("refused", ""), ("not_connected", "not connected"), ("hang", "no answer")],
    )
    def test_everything_goes_on_by_adb(self, fast: Device, host: PhoneHost, fault: str, why: str) -> None:
        fast.observe()
        host.phones[0].faults.u2 = fault
        assert_by_adb(fast, host, why)
        host.phones[0].faults.clear()
        assert_by_adb(fast, host, why)

    @pytest.mark.parametrize("fault", ["killed", "refused"])
    def test_it_cannot_be_started(self, bare: Device, host: PhoneHost, fault: str) -> None:
        server = U2Server(bare.transport)
        host.phones[0].faults.u2 = fault
        with pytest.raises(ChannelFailed, match="did not start"):
            server.start(deadline_s=2)
        assert_none_left(host)

    def test_cut_ends_a_call_at_once(self, fast: Device, host: PhoneHost) -> None:
        host.phones[0].faults.u2 = "hang"
        cut = threading.Timer(0.3, fast.cut)
        cut.start()
        with pytest.raises(ClaimLost):
            fast.observe()
        cut.join()

    def test_a_tree_without_a_window_is_none(self, fast: Device, host: PhoneHost) -> None:
        host.phones[0].faults.dump = "null_root"
        observation = fast.observe()
        assert observation.ui_tree is None
        assert "no_ui_tree" in observation.flags


class TestTrees:
    WINDOW = '<node index="0" text="" package="{}" visible-to-user="true" bounds="[0,0][9,9]" drawing-order="1" />'

    def test_the_window_in_front_is_taken(self) -> None:
        bar, app = self.WINDOW.format("com.android.systemui"), self.WINDOW.format("org.app")
        xml = f'<?xml version="1.0" ?>\r\n<hierarchy rotation="1">\r\n  {bar}\r\n  {app}\r\n</hierarchy>'
        plain = '<node index="0" text="" package="{}" bounds="[0,0][9,9]" />'
        for package, expected in (
            ("org.app", "org.app"),
            (None, "com.android.systemui"),
            ("x", "com.android.systemui"),
        ):
            tree = as_uiautomator(xml, package)
            assert tree.endswith(f'<hierarchy rotation="1">{plain.format(expected)}</hierarchy>')

    def test_text_is_kept_to_the_letter(self) -> None:
        odd = 'a &lt;b&gt; &amp; &quot;c&quot;&#10;"'.replace('"', "&quot;")
        tree = as_uiautomator(f'<hierarchy rotation="0"><node text="{odd}" hint="h"/></hierarchy>', None)
        assert f'text="{odd}"' in tree
        assert "hint" not in tree

    def test_what_is_no_tree_is_given_back(self) -> None:
        assert as_uiautomator("<hierarchy><node", None) == "<hierarchy><node"

    def test_the_same_tree_in_another_order(self) -> None:
        one = '<hierarchy rotation="0"><node a="1" b="2"/></hierarchy>'
        assert same_tree(one, '<hierarchy rotation="0">\n <node b="2" a="1" />\n</hierarchy>')
        assert not same_tree(one, one.replace("2", "3"))
        assert not same_tree(one, "nothing")


class TestAnswers:
    def test_whole_ones(self) -> None:
        assert body_of(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong") == b"pong"
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\npon\r\n1\r\ng\r\n0\r\n\r\n"
        assert body_of(chunked) == b"pong"

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"SSH-2.0\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npong",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\npo",
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        ],
    )
    def test_broken_ones(self, data: bytes) -> None:
        with pytest.raises(NoAnswer):
            body_of(data)
