"""The ways by which one phone is looked at and touched: adb alone, until faster ones were found or are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emulator_farm.devices.channels import Capture, CaptureChannel, lies
from emulator_farm.devices.choice import Choice
from emulator_farm.devices.hands import Hands
from emulator_farm.devices.info import DeviceInfo
from emulator_farm.devices.provision import Found, Provision, find_controller, provision
from emulator_farm.devices.screen import Screen
from emulator_farm.devices.transport import Transport


class Ways:
    """What is in use, and what was opened for it."""

    def __init__(self, transport: Transport, screen: Screen, hands: Hands, info: Callable[[], DeviceInfo]) -> None:
        """`info` tells what the phone is now."""
        self._transport = transport
        self._screen = screen
        self._hands = hands
        self._info = info
        self._controller: Found | None = None
        self._faster = False
        self._incarnation = ""
        self._latency_ms: dict[str, float] = {}
        self._missing: dict[str, str] = {}

    @property
    def choice(self) -> Choice:
        """What is used now."""
        capture = self._screen.capture
        return Choice(
            incarnation=self._incarnation,
            capture=capture.names,
            input=self._hands.way,
            latency_ms=self._latency_ms,
            dropped=self._missing | capture.dropped | self._hands.dropped,
        )

    def provision(self) -> Provision:
        """Measure every way and use the fastest that are trusted. Raises BadFrame and DeviceError."""
        self.unprovision()
        info = self._info()
        found = find_controller(self._transport, info.properties)
        self._controller = found if isinstance(found, Found) else None
        report, channels, by_controller = provision(self._screen, self._transport, found)
        self._use(channels, info.boot_id)
        if self._controller is not None and by_controller:
            self._hands.use(self._controller.gestures)
        measured = (*report.capture, *report.input)
        self._latency_ms = {way.name: round(way.latency_ms, 1) for way in measured if way.latency_ms is not None}
        return report

    def use(self, choice: Choice) -> bool:
        """Use ways that were found before; False, and adb alone, where that was in another life of the phone.

        Nothing is measured. A way that is not there any more is left out. Raises DeviceError.
        """
        self.unprovision()
        info = self._info()
        if choice.incarnation != info.boot_id:
            return False
        self._latency_ms, self._missing = choice.latency_ms, choice.dropped
        channels = self._opened(choice, info.properties)
        self._use([channels[name] for name in choice.capture[:-1] if name in channels], info.boot_id)
        if self._controller is not None and choice.input == self._controller.gestures.name:
            self._hands.use(self._controller.gestures)
        return True

    def renew(self) -> None:
        """The phone's state was replaced: open the ways anew, and compare each with adb once more.

        Raises BadFrame and DeviceError.
        """
        if not self._faster:
            return
        self.use(self.choice.model_copy(update={"incarnation": self._info().boot_id}))
        capture = self._screen.capture
        while capture.current is not capture.reference and (why := lies(capture.current, capture.reference)):
            capture.drop(why)

    def unprovision(self) -> None:
        """Go back to adb alone."""
        self.close()
        if self._faster:
            self._hands.use(None)
            self._screen.use(Capture(self._screen.own_channels()))
        self._faster, self._incarnation, self._latency_ms, self._missing = False, "", {}, {}

    def close(self) -> None:
        """Let go of what was opened."""
        if self._controller is not None:
            self._controller.close()
            self._controller = None

    def _opened(self, choice: Choice, properties: Mapping[str, str]) -> dict[str, CaptureChannel]:
        """The ways to a frame beside the last, by name."""
        raw = self._screen.channel(raw=True)
        channels: dict[str, CaptureChannel] = {raw.name: raw}
        wanted = {name for name in (*choice.capture, choice.input) if name.startswith("grpc")}
        if wanted:
            found = find_controller(self._transport, properties)
            if isinstance(found, str):
                self._missing = self._missing | dict.fromkeys(wanted, found)
            else:
                self._controller = found
                channels |= {channel.name: channel for channel in found.captures}
        return channels

    def _use(self, channels: list[CaptureChannel], incarnation: str) -> None:
        """A controller that lies about pictures may be another phone's, so that gestures leave it too."""
        reference = self._screen.channel(raw=False)
        self._screen.use(Capture([*channels, reference], self._hands.drop))
        self._hands.use(None)
        self._faster, self._incarnation = True, incarnation
