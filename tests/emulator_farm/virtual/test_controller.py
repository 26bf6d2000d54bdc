"""The emulator's gRPC controller on a virtual phone, called by a plain gRPC client."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from PIL import Image, ImageChops

from emulator_farm.emulator_control import MAX_MESSAGE, path
from emulator_farm.emulator_control import controller_pb2 as wire
from emulator_farm.virtual.host import PhoneHost

_CALL_S = 60


class Client:
    """A gRPC client that knows nothing of the farm."""

    def __init__(self, address: str, token: str) -> None:
        self.channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", MAX_MESSAGE)])
        self.metadata = [("authorization", f"Bearer {token}")]

    def __call__(self, method: str, request: Message, reply: type[Message], timeout: float = _CALL_S) -> Any:
        call = self.channel.unary_unary(path(method), lambda sent: sent.SerializeToString(), reply.FromString)
        return call(request, metadata=self.metadata, timeout=timeout)

    def picture(self, **wanted: Any) -> Any:
        return self("getScreenshot", wire.ImageFormat(**wanted), wire.Image)

    def touch(self, x: int, y: int, pressure: int, **more: int) -> None:
        touch = wire.Touch(x=x, y=y, pressure=pressure, **more)
        self("sendTouch", wire.TouchEvent(touches=[touch]), wire.Nothing)

    def tap(self, x: int, y: int) -> None:
        self.touch(x, y, 1)
        self.touch(x, y, 0)

    def key(self, **event: Any) -> None:
        self("sendKey", wire.KeyboardEvent(**event), wire.Nothing)


@pytest.fixture(scope="module")
def shared() -> Iterator[PhoneHost]:
    with PhoneHost(1, emulator=True) as host:
        yield host


@pytest.fixture
def host(shared: PhoneHost) -> PhoneHost:
    def restore(phone: Any) -> None:
        phone.reset()
        phone.faults.clear()
        phone.clock.hold()  # the minute in the status bar must not pass between two pictures

    shared.call(restore)
    return shared


@pytest.fixture
def client(host: PhoneHost) -> Iterator[Client]:
    endpoints = host.handsets[0].endpoints
    client = Client(endpoints["vphone.grpc"], endpoints["vphone.token"])
    yield client
    client.channel.close()


def _opened(reply: Any) -> Image.Image:
    size = (reply.format.width, reply.format.height)
    match reply.format.format:
        case wire.ImageFormat.PNG:
            image = Image.open(io.BytesIO(reply.image))
            assert image.size == size
            return image.convert("RGB")
        case wire.ImageFormat.RGBA8888:
            return Image.frombytes("RGBA", size, reply.image).convert("RGB")
        case _:
            return Image.frombytes("RGB", size, reply.image)


def _same(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and ImageChops.difference(one, other).getbbox() is None


@pytest.mark.parametrize(
    ("message", "encoded"),
    [
        (
            wire.ImageFormat(format=2, width=270, height=600, display=1, rotation=wire.Rotation(rotation=1)),  # type: ignore[arg-type]
            "080212020801188e0220d8042801",
        ),
        (
            wire.Image(format=wire.ImageFormat(format=1, width=2, height=3), image=b"ab", seq=7, timestampUs=9),  # type: ignore[arg-type]
            "0a060801180220032202616228073009",
        ),
        (
            wire.TouchEvent(touches=[wire.Touch(x=1, y=2, identifier=3, pressure=4)], display=5),
            "0a0808011002180320041005",
        ),
        (wire.MouseEvent(x=1, y=2, buttons=1, display=3), "0801100218012003"),
        (
            wire.KeyboardEvent(codeType=1, eventType=2, keyCode=3, key="GoHome", text="x"),  # type: ignore[arg-type]
            "0801100218032206476f486f6d652a0178",
        ),
        (
            wire.EmulatorStatus(
                version="v",
                uptime=5,
                booted=True,
                hardwareConfig=wire.EntryList(entry=[wire.Entry(key="k", value="w")]),
            ),
            "0a0176100518012a080a060a016b120177",
        ),
        (
            wire.BatteryState(hasBattery=True, isPresent=True, charger=1, chargeLevel=50, status=4),  # type: ignore[arg-type]
            "08011001180120323004",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Message) else "",
)
def test_messages_are_those_of_the_emulator(message: Message, encoded: str) -> None:
    """The bytes were written by android-env 1.3.0 with the emulator's own description."""
    assert message.SerializeToString(deterministic=True).hex() == encoded


class TestPictures:
    @pytest.mark.parametrize("kind", ["PNG", "RGBA8888", "RGB888"])
    def test_every_format_shows_the_screen(self, client: Client, host: PhoneHost, kind: str) -> None:
        reply = client.picture(format=kind)
        assert (reply.format.width, reply.format.height) == (1080, 2400)
        assert reply.format.format == wire.ImageFormat.ImgFormat.Value(kind)
        assert _same(_opened(reply), host.call(lambda phone: phone.frame()))

    @pytest.mark.parametrize(
        ("wanted", "size"),
        [
            ({"width": 270}, (270, 600)),
            ({"height": 600}, (270, 600)),
            ({"width": 300, "height": 600}, (270, 600)),
            ({"width": 5000}, (1080, 2400)),
        ],
    )
    def test_it_fits_into_what_is_asked_for(
        self, client: Client, wanted: dict[str, int], size: tuple[int, int]
    ) -> None:
        reply = client.picture(format="RGB888", **wanted)
        assert (reply.format.width, reply.format.height) == size
        assert len(reply.image) == size[0] * size[1] * 3

    def test_it_turns_with_the_phone(self, client: Client, host: PhoneHost) -> None:
        host.call(lambda phone: phone.settings.put("system", "accelerometer_rotation", "0"))
        host.call(lambda phone: phone.settings.put("system", "user_rotation", "1"))
        reply = client.picture(format="RGB888")
        assert (reply.format.width, reply.format.height) == (2400, 1080)
        assert reply.format.rotation.rotation == wire.Rotation.LANDSCAPE

    def test_it_is_the_panel_whatever_wm_says(self, client: Client, host: PhoneHost) -> None:
        host.call(lambda phone: phone.set_size_override((720, 1280)))
        reply = client.picture(format="RGB888")
        assert (reply.format.width, reply.format.height) == (1080, 2400)

    def test_another_display_has_no_picture(self, client: Client) -> None:
        assert client.picture(display=1).image == b""

    def test_a_stream_brings_what_is_new(self, client: Client, host: PhoneHost) -> None:
        call = client.channel.unary_stream(
            path("streamScreenshot"), lambda sent: sent.SerializeToString(), wire.Image.FromString
        )
        stream = call(wire.ImageFormat(format="RGB888", width=108), metadata=client.metadata, timeout=_CALL_S)
        first = next(stream)
        host.call(lambda phone: phone.recents())
        second = next(stream)
        stream.cancel()
        assert (first.seq, second.seq) == (0, 1)
        assert not _same(_opened(first), _opened(second))


class TestInput:
    def _settings(self, host: PhoneHost) -> tuple[int, int]:
        """A point on something that reacts: the first icon of the home screen that opens another app."""
        tree = host.call(lambda phone: phone.hierarchy())
        at = tree.index('text="Settings"')
        bounds = tree[tree.index('bounds="', at) + 8 :].split('"')[0]
        left, top, right, bottom = (int(word) for word in bounds.replace("][", ",").strip("[]").split(","))
        return (left + right) // 2, (top + bottom) // 2

    def _front(self, host: PhoneHost) -> str:
        return host.call(lambda phone: phone.foreground().package)

    def test_a_touch(self, client: Client, host: PhoneHost) -> None:
        client.tap(*self._settings(host))
        assert self._front(host) == "com.android.settings"

    def test_a_second_finger_is_none(self, client: Client, host: PhoneHost) -> None:
        home, (x, y) = self._front(host), self._settings(host)
        client.touch(5, 1200, 1, identifier=4)
        client.touch(x, y, 1)
        client.touch(x, y, 0)
        assert self._front(host) == home
        client.touch(5, 1200, 0, identifier=4)

    def test_touches_are_on_the_upright_panel(self, client: Client, host: PhoneHost) -> None:
        for rotation in (1, 2, 3):
            host.call(lambda phone: phone.go_home())
            host.call(lambda phone: phone.settings.put("system", "accelerometer_rotation", "0"))
            host.call(lambda phone, to=rotation: phone.settings.put("system", "user_rotation", str(to)))
            x, y = self._settings(host)
            upright = {1: (1079 - y, x), 2: (1079 - x, 2399 - y), 3: (y, 2399 - x)}[rotation]
            client.tap(*upright)
            assert self._front(host) == "com.android.settings", f"rotation {rotation}"

    def test_touches_are_panel_pixels_whatever_wm_says(self, client: Client, host: PhoneHost) -> None:
        host.call(lambda phone: phone.set_size_override((720, 1280)))
        x, y = self._settings(host)
        client.tap(round(x * 1.5), round((2400 - 1920) / 2 + y * 1.5))
        assert self._front(host) == "com.android.settings"

    def test_a_mouse(self, client: Client, host: PhoneHost) -> None:
        x, y = self._settings(host)
        for buttons in (1, 0):
            client("sendMouse", wire.MouseEvent(x=x, y=y, buttons=buttons), wire.Nothing)
        assert self._front(host) == "com.android.settings"

    def test_keys_by_name_and_by_code(self, client: Client, host: PhoneHost) -> None:
        home = self._front(host)
        for leave in ({"key": "GoBack"}, {"codeType": "Evdev", "keyCode": 158}, {"key": "GoHome"}):
            client.tap(*self._settings(host))
            assert self._front(host) == "com.android.settings"
            client.key(eventType="keypress", **leave)
            assert self._front(host) == home
        client.key(eventType="keypress", key="NoSuchKey")
        client.key(eventType="keyup", key="GoBack")
        assert self._front(host) == home
        client.key(key="Power")
        assert not host.call(lambda phone: phone.screen_on)

    def test_battery_and_status(self, client: Client) -> None:
        client("setBattery", wire.BatteryState(chargeLevel=41), wire.Nothing)
        state = client("getBattery", wire.Nothing(), wire.BatteryState)
        assert (state.chargeLevel, state.status, state.charger) == (41, wire.BatteryState.DISCHARGING, 0)
        status = client("getStatus", wire.Nothing(), wire.EmulatorStatus)
        assert status.booted
        hardware = {entry.key: entry.value for entry in status.hardwareConfig.entry}
        assert (hardware["hw.lcd.width"], hardware["hw.lcd.height"]) == ("1080", "2400")


class TestFaults:
    def test_without_the_token_nothing(self, client: Client) -> None:
        client.metadata = [("authorization", "Bearer no")]
        with pytest.raises(grpc.RpcError) as caught:
            client.picture()
        assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED

    def test_a_padded_square_at_full_scale_only(self, client: Client, host: PhoneHost) -> None:
        sound = _opened(client.picture(format="RGB888"))
        host.phones[0].faults.grpc = "padded"
        reply = client.picture(format="RGB888")
        assert (reply.format.width, reply.format.height, len(reply.image)) == (2400, 2400, 2400 * 2400 * 3)
        assert _same(_opened(reply).crop((0, 0, 1080, 2400)), sound)
        assert client.picture(format="RGB888", width=540).format.height == 1200

    def test_wrong_pictures(self, client: Client, host: PhoneHost) -> None:
        before = _opened(client.picture(format="RGB888"))
        host.call(lambda phone: phone.recents())
        host.phones[0].faults.grpc = "stale"
        assert _same(_opened(client.picture(format="RGB888")), before)
        host.phones[0].faults.grpc = "black"
        assert _opened(client.picture(format="RGB888")).getbbox() is None
        host.phones[0].faults.grpc = "truncated"
        assert len(client.picture(format="RGB888").image) == 1080 * 2400 * 2
        host.phones[0].faults.grpc = "empty"
        assert client.picture(format="RGB888").image == b""

    def test_calls_that_fail(self, client: Client, host: PhoneHost) -> None:
        host.phones[0].faults.grpc, host.phones[0].faults.count = "unavailable", 1
        with pytest.raises(grpc.RpcError) as caught:
            client.picture()
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        assert client.picture(width=10).image
        host.phones[0].faults.grpc = "hang"
        with pytest.raises(grpc.RpcError) as caught:
            client("getStatus", wire.Nothing(), wire.EmulatorStatus, timeout=0.3)
        assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED

    def test_touches_that_get_lost(self, client: Client, host: PhoneHost) -> None:
        home = host.call(lambda phone: phone.foreground())
        host.phones[0].faults.grpc = "drop"
        client.tap(*TestInput()._settings(host))
        assert host.call(lambda phone: phone.foreground()) == home


def test_many_at_once(client: Client) -> None:
    sizes = []

    def look() -> None:
        sizes.append(len(client.picture(format="RGB888", width=108).image))

    threads = [threading.Thread(target=look) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sizes == [108 * 240 * 3] * 12


def test_each_phone_has_its_own_ports_and_token() -> None:
    with PhoneHost(2, emulator=True) as host:
        first, second = (handset.endpoints for handset in host.handsets)
        assert first["vphone.grpc"] != second["vphone.grpc"]
        assert first["vphone.token"] != second["vphone.token"]
    with PhoneHost(1) as plain:
        assert plain.handsets[0].endpoints == {}
