"""Frames that are kept as JPEG: of the very pixels, by every way, and with every check that a PNG gets."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from PIL import Image, ImageChops

from agent_server.geometry import Size
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.capture import Frame, recorded_as
from emulator_farm.devices.device import Device
from emulator_farm.devices.screen import Patience
from emulator_farm.errors import BadFrame
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

PATIENCE = Patience(call_s=20, tree_s=0.4, frame_s=0.4, black_s=0.3, stable_s=3)


@pytest.fixture
def host() -> Iterator[PhoneHost]:
    """A small panel, so that pixels cost little; its minute does not pass."""
    with PhoneHost([Phone("small", 360, 800, 140)], emulator=True) as host:
        host.call(lambda phone: phone.clock.hold())
        yield host


@pytest.fixture
def device(host: PhoneHost, adb_server: AdbServer) -> Iterator[Device]:
    adb_server.connect(host.addresses[0])
    with Device(host.addresses[0], adb_server, patience=PATIENCE, frames="jpeg95") as device:
        device.prepare()
        yield device


def expected(host: PhoneHost) -> bytes:
    """What a JPEG of the screen as it is has to be, to the byte."""
    out = io.BytesIO()
    host.call(lambda phone: phone.frame()).save(out, "JPEG", quality=95, subsampling=0)
    return out.getvalue()


def current(device: Device) -> str:
    return device.screen.capture.current.name


def test_it_is_made_of_the_pixels_that_the_phone_sends(device: Device, host: PhoneHost) -> None:
    observation = device.observe()
    assert current(device) == "screencap"
    assert observation.image == expected(host)
    assert (observation.frame.encoding, observation.frame.flags) == ("jpeg95", ())
    assert observation.size == (360, 800)
    assert device.screenshot().image == observation.image
    assert device.observe(ui_tree=False).image == observation.image, "by pictures, without a tree"


def test_it_is_close_to_the_screen_and_keeps_every_pixels_colour(device: Device, host: PhoneHost) -> None:
    shown = host.call(lambda phone: phone.frame())
    with Image.open(io.BytesIO(device.observe().image)) as picture:
        assert picture.format == "JPEG"
        assert [layer[1:3] for layer in picture.layer] == [(1, 1)] * 3  # type: ignore[attr-defined]
        worst = max(high for _, high in ImageChops.difference(picture.convert("RGB"), shown).getextrema())
    assert worst <= 48


@pytest.mark.parametrize("fault", ["truncated", "empty", "warning", "crlf", "padded"])
def test_where_pixels_do_not_arrive_the_phones_png_does(device: Device, host: PhoneHost, fault: str) -> None:
    host.fault("screencap", fault, times=1)
    observation = device.observe()
    assert current(device) == "screencap -p"
    assert observation.image == expected(host)
    assert observation.flags == ("retaken",)


def test_black_is_flagged(device: Device, host: PhoneHost) -> None:
    host.fault("screencap", "black")
    observation = device.observe()
    assert "black" in observation.flags
    with Image.open(io.BytesIO(observation.image)) as picture:
        assert picture.convert("RGB").getbbox() is None


def test_an_old_picture_is_flagged(device: Device, host: PhoneHost) -> None:
    old = device.observe()
    host.fault("screencap", "stale")
    device.shell("am start -a android.settings.SETTINGS")
    observation = device.observe()
    assert observation.image == old.image
    assert "stale" in observation.flags


@pytest.mark.parametrize("latency", [0.0, 0.05], ids=["quick adb", "slow adb"])
def test_by_the_ways_that_were_found(device: Device, host: PhoneHost, latency: float) -> None:
    host.phones[0].latency.capture_s = latency
    report = device.provision()
    assert {way.name for way in report.capture} == {"grpc png", "grpc rgb", "screencap", "screencap -p"}
    assert current(device).startswith("grpc") or not latency
    assert device.observe().image == expected(host)
    device.ways.unprovision()
    assert current(device) == "screencap"
    assert device.observe().image == expected(host)


def test_a_png_that_does_not_decode_is_no_frame() -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 40), "teal").save(out, "PNG")
    frame = Frame(out.getvalue().replace(b"IDAT", b"IDAX"), Size(40, 40))
    with pytest.raises(BadFrame) as caught:
        recorded_as(frame, "jpeg95", serial="s")
    assert caught.value.reason == "corrupt"
