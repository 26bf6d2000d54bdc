"""Which way a frame and a gesture take, and what happens when that way fails or lies."""

from __future__ import annotations

import threading

import pytest

from agent_server.actions import Click, DoubleClick, Drag, LongPress, Press, Scroll
from agent_server.geometry import Point
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.channels import ChannelReport, same_pixels
from emulator_farm.devices.device import Device
from emulator_farm.devices.health import doctor, wait_until_ready
from emulator_farm.errors import BadFrame, CallerError, ClaimLost, DeviceError
from emulator_farm.virtual.host import PhoneHost


@pytest.fixture
def host(emulator: PhoneHost) -> PhoneHost:
    return emulator


@pytest.fixture
def fast(bare: Device, host: PhoneHost) -> Device:
    """A phone whose fast ways were found; its adb is quick again, for the tests' sake."""
    bare.provision()
    assert bare.screen.capture.current.name.startswith("grpc")
    host.phones[0].latency.capture_s = host.phones[0].latency.input_s = 0.0
    return bare


def _report(reports: tuple[ChannelReport, ...], name: str) -> ChannelReport:
    return next(report for report in reports if report.name == name)


class TestProvision:
    def test_the_fastest_trusted_way_is_used(self, bare: Device) -> None:
        found = bare.provision()
        assert {report.name for report in found.capture} == {"grpc png", "grpc rgb", "screencap", "screencap -p"}
        assert all(report.trusted and report.latency_ms for report in (*found.capture, *found.input))
        assert found.capture[0].name.startswith("grpc")
        assert [report.name for report in found.input] == ["grpc", "input"]
        latencies = [report.latency_ms for report in found.capture]
        assert latencies == sorted(latencies, key=lambda value: value or 0)
        assert bare.screen.capture.current.name == found.capture[0].name
        assert bare.screen.capture.reference.name == "screencap -p"

    def test_a_slow_controller_is_left_alone(self, bare: Device, host: PhoneHost) -> None:
        host.phones[0].latency.grpc_s = 0.15
        bare.provision()
        assert not bare.screen.capture.current.name.startswith("grpc")

    @pytest.mark.parametrize(
        ("fault", "why"),
        [
            ("padded", "shows 800x800 where `screencap -p` shows 360x800"),
            ("black", "shows other pixels than `screencap -p`"),
            ("truncated", "bytes"),
            ("empty", "no picture"),
            ("unavailable", "unavailable: the emulator is going away"),
        ],
    )
    def test_a_controller_that_fails_or_lies_is_refused(
        self, bare: Device, host: PhoneHost, fault: str, why: str
    ) -> None:
        host.phones[0].faults.grpc = fault
        found = bare.provision()
        assert bare.screen.capture.current.name in ("screencap", "screencap -p")
        refused = [report for report in found.capture if report.name.startswith("grpc")]
        assert refused
        assert all(not report.trusted and why in report.why for report in refused)
        assert not _report(found.input, "grpc").trusted
        assert _report(found.input, "input").trusted
        assert bare.perform(Click(point=Point(5, 5))).command == "input tap 5 5"

    def test_an_old_picture_is_refused(self, bare: Device, host: PhoneHost, fast: Device) -> None:
        bare.screenshot()
        host.call(lambda phone: phone.recents())
        host.phones[0].faults.grpc = "stale"
        found = bare.provision()
        assert "other pixels" in _report(found.capture, "grpc png").why

    def test_a_black_screen_proves_nothing(self, bare: Device, host: PhoneHost) -> None:
        host.call(lambda phone: phone.key(223))
        assert "black" in _report(bare.provision().capture, "grpc rgb").why

    def test_without_a_controller(self, adb_server: AdbServer) -> None:
        with PhoneHost(1) as host:
            adb_server.connect(host.addresses[0])
            with Device(host.addresses[0], adb_server) as device:
                found = device.provision()
                adb_server.disconnect(host.addresses[0])
        assert "no gRPC port is known" in _report(found.capture, "grpc").why
        assert "no gRPC port is known" in _report(found.input, "grpc").why
        assert _report(found.capture, "screencap").trusted

    def test_doctor_says_which_and_why(self, bare: Device, host: PhoneHost) -> None:
        details = {check.name: check for check in doctor(bare)}
        assert details["capture"].detail.startswith("uses grpc ")
        assert "; screencap -p " in details["capture"].detail
        assert details["input"].detail.startswith("uses grpc ")
        host.phones[0].faults.grpc = "padded"
        detail = {check.name: check.detail for check in doctor(bare)}["capture"]
        assert "grpc png refused: shows 800x800" in detail
        host.phones[0].faults.clear()
        host.phones[0].faults.screencap = "empty"
        channels = {check.name: check for check in doctor(bare)}["channels"]
        assert not channels.ok
        assert "empty" in channels.detail


class TestFrames:
    def test_they_show_what_screencap_shows(self, fast: Device) -> None:
        theirs = fast.screen.capture.reference.take()
        for _ in range(2):
            ours = fast.observe()
            assert ours.flags == ()
            assert same_pixels(ours.frame, theirs)

    @pytest.mark.parametrize(
        ("ui_tree", "fault", "why"),
        [
            (True, "padded", "a frame of 800x800 came from a display of 360x800"),
            (False, "padded", "a frame of 800x800 came from a display of 360x800"),
            (True, "black", "black where `screencap -p` is not"),
            (True, "truncated", "truncated"),
            (False, "truncated", "bytes are not"),
            (True, "empty", "no picture"),
            (False, "empty", "no picture"),
            (True, "unavailable", "unavailable"),
            (False, "unavailable", "unavailable"),
            (False, "hang", "no answer within 3 s"),
        ],
    )
    def test_in_flight_screencap_takes_over(
        self, fast: Device, host: PhoneHost, ui_tree: bool, fault: str, why: str
    ) -> None:
        sound = fast.screen.capture.reference.take()
        name = fast.screen.capture.current.name
        host.phones[0].faults.grpc = fault
        observation = fast.observe(ui_tree=ui_tree)
        assert same_pixels(observation.frame, sound)
        assert why in fast.screen.capture.dropped[name]
        assert fast.screen.capture.current.name == "screencap -p" or not fast.screen.capture.current.name.startswith(
            name
        )
        assert "black" not in observation.flags

    def test_an_old_picture_is_noticed_where_an_action_seems_to_do_nothing(self, fast: Device, host: PhoneHost) -> None:
        fast.observe()
        host.phones[0].faults.grpc = "stale"
        fast.screen.capture.current.take()
        fast.perform(Press(key="recents"))
        observation = fast.observe()
        assert same_pixels(observation.frame, fast.screen.capture.reference.take())
        assert "shows an old picture" in fast.screen.capture.dropped.values()

    def test_an_action_without_effect_costs_no_channel(self, fast: Device) -> None:
        before = fast.observe()
        fast.perform(Press(key="escape"))
        assert fast.observe().sha256 == before.sha256
        assert fast.screen.capture.dropped == {}

    def test_a_really_black_screen_is_believed(self, fast: Device, host: PhoneHost) -> None:
        host.call(lambda phone: phone.key(223))
        observation = fast.observe(ui_tree=False)
        assert {"black", "screen_off"} <= set(observation.flags)
        assert fast.screen.capture.dropped == {}

    def test_a_turned_phone_and_an_overridden_size(self, fast: Device) -> None:
        fast.shell("settings put system accelerometer_rotation 0 && settings put system user_rotation 1")
        assert fast.observe().size == (800, 360)
        assert fast.screen.capture.dropped == {}
        fast.shell("settings put system user_rotation 0 && wm size 240x480")
        assert fast.observe().size == (240, 480)
        assert fast.screen.capture.current.name == "screencap -p"

    def test_when_everything_fails_the_reason_is_screencaps(self, fast: Device, host: PhoneHost) -> None:
        host.phones[0].faults.grpc = "unavailable"
        host.phones[0].faults.screencap = "empty"
        with pytest.raises(BadFrame) as caught:
            fast.observe()
        assert caught.value.reason == "empty"


class TestGestures:
    def _front(self, host: PhoneHost) -> str:
        return host.call(lambda phone: phone.foreground().package)

    def _settings(self, host: PhoneHost) -> Point:
        tree = host.call(lambda phone: phone.hierarchy())
        bounds = tree[tree.index('bounds="', tree.index('text="Settings"')) + 8 :].split('"')[0]
        left, top, right, bottom = (int(word) for word in bounds.replace("][", ",").strip("[]").split(","))
        return Point((left + right) // 2, (top + bottom) // 2)

    @pytest.fixture
    def hands(self, bare: Device, host: PhoneHost) -> Device:
        """`input` hangs: what arrives came by gRPC."""
        bare.provision()
        host.phones[0].faults.input = "hang"
        return bare

    def test_they_arrive(self, hands: Device, host: PhoneHost) -> None:
        point = self._settings(host)
        home = self._front(host)
        assert hands.perform(Click(point=point)).command == f"grpc touch {point.x} {point.y} 20"
        assert self._front(host) == "com.android.settings"
        before = host.call(lambda phone: phone.png())
        assert (hands.perform(Scroll(direction="down")).command or "").startswith("grpc swipe 180 560 180 240 ")
        assert host.call(lambda phone: phone.png()) != before
        assert hands.perform(Press(key="back")).command == "grpc key GoBack"
        assert self._front(host) == home
        for gesture in (DoubleClick(point=Point(180, 430)), LongPress(point=Point(180, 430), duration_ms=600)):
            assert (hands.perform(gesture).command or "").startswith("grpc touch 180 430")

    def test_what_it_cannot_do_goes_by_input(self, fast: Device, host: PhoneHost) -> None:
        drag = Drag(start=Point(10, 430), end=Point(20, 430))
        assert fast.perform(drag).command == "input draganddrop 10 430 20 430 1000"
        assert fast.perform(Press(key="menu")).command == "input keyevent 82"
        host.call(lambda phone: phone.go_home())
        fast.shell("settings put system accelerometer_rotation 0 && settings put system user_rotation 1")
        fast.observe()
        point = self._settings(host)
        assert fast.perform(Click(point=point)).command == f"input tap {point.x} {point.y}"
        assert self._front(host) == "com.android.settings"

    def test_points_are_panel_pixels_only_where_nothing_overrides_them(self, fast: Device, host: PhoneHost) -> None:
        fast.shell("wm size 240x480")
        fast.observe()
        point = self._settings(host)
        assert fast.perform(Click(point=point)).command == f"input tap {point.x} {point.y}"
        assert self._front(host) == "com.android.settings"

    def test_input_takes_over_where_nothing_was_done(self, fast: Device, host: PhoneHost) -> None:
        host.phones[0].faults.grpc = "unavailable"
        point = self._settings(host)
        assert fast.perform(Click(point=point)).command == f"input tap {point.x} {point.y}"
        assert self._front(host) == "com.android.settings"
        assert "unavailable" in fast.hands.dropped["grpc"]
        host.phones[0].faults.clear()
        assert fast.perform(Press(key="home")).command == "input keyevent 3"

    def test_what_was_begun_is_not_done_twice(self, hands: Device, host: PhoneHost) -> None:
        breaks = threading.Timer(0.5, lambda: setattr(host.phones[0].faults, "grpc", "unavailable"))
        breaks.start()
        with pytest.raises(DeviceError, match="cut off") as caught:
            hands.perform(LongPress(point=Point(180, 430), duration_ms=3000))
        breaks.join()
        assert caught.value.cause == "input_uncertain"

    def test_a_point_outside_is_refused(self, fast: Device) -> None:
        with pytest.raises(CallerError, match="outside"):
            fast.perform(Click(point=Point(360, 5)))


def test_a_phone_that_was_lost_is_found_by_adb_alone(fast: Device) -> None:
    fast.server.disconnect(fast.serial)  # adb says "not found", as after the emulator's end
    wait_until_ready(fast, 30)
    assert fast.screen.capture.current.name == "screencap -p"
    assert fast.perform(Press(key="home")).command == "input keyevent 3"
    fast.observe()


def test_whoever_lost_the_phone_reaches_it_by_no_way(fast: Device, host: PhoneHost) -> None:
    host.phones[0].faults.grpc = "hang"
    cut = threading.Timer(0.5, fast.cut)
    cut.start()
    with pytest.raises(ClaimLost):
        fast.screenshot()
    cut.join()
    host.phones[0].faults.clear()
    with pytest.raises(ClaimLost):
        fast.screen.capture.current.take()
    with pytest.raises(ClaimLost):
        fast.perform(Press(key="home"))
