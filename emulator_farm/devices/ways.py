"""The ways by which one phone is looked at and touched: adb's own commands until faster ones were found or are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emulator_farm.devices.channels import Capture, CaptureChannel, ChannelReport, lies
from emulator_farm.devices.choice import Choice
from emulator_farm.devices.gestures import GestureChannel
from emulator_farm.devices.hands import Hands
from emulator_farm.devices.info import DeviceInfo
from emulator_farm.devices.provision import Provision, Source, choose_tree, find_controller, provision, start_u2
from emulator_farm.devices.screen import Screen
from emulator_farm.devices.transport import Transport
from emulator_farm.devices.trees import REFERENCE


class Ways:
    """What is in use, and what was opened for it."""

    def __init__(self, transport: Transport, screen: Screen, hands: Hands, info: Callable[[], DeviceInfo]) -> None:
        """`info` tells what the phone is now."""
        self._transport = transport
        self._screen = screen
        self._hands = hands
        self._info = info
        self._sources: dict[str, Source] = {}
        self._found = False
        self._incarnation = ""
        self._latency_ms: dict[str, float] = {}
        self._missing: dict[str, str] = {}

    @property
    def choice(self) -> Choice:
        """What is used now."""
        capture, tree = self._screen.capture, self._screen.looks.fast
        return Choice(
            incarnation=self._incarnation,
            capture=capture.names,
            input=self._hands.way,
            tree=REFERENCE if tree is None else tree.name,
            latency_ms=self._latency_ms,
            dropped=self._missing | capture.dropped | self._hands.dropped,
        )

    def provision(self) -> Provision:
        """Measure every way and use the fastest that are trusted. Raises BadFrame and DeviceError."""
        self.unprovision()
        info = self._info()
        trees, u2 = choose_tree(self._screen, self._transport)
        sources = {"grpc": find_controller(self._transport, info.properties)}
        sources |= {"u2": u2} if isinstance(u2, Source) else {}  # else the trees' report says why
        self._sources = {name: source for name, source in sources.items() if isinstance(source, Source)}
        captures, inputs, channels, gestures = provision(self._screen, self._transport, sources)
        self._use(channels, gestures, info.boot_id)
        self._latency_ms = _latencies((*captures, *inputs)) | _latencies(trees, "tree by ")
        return Provision(captures, inputs, trees)

    def use(self, choice: Choice) -> bool:
        """Use ways that were found before; False, and adb's own, where that was in another life of the phone.

        Nothing is measured. A way that is not there any more is left out. Raises DeviceError.
        """
        self.unprovision()
        info = self._info()
        if choice.incarnation != info.boot_id:
            return False
        self._latency_ms, self._missing = choice.latency_ms, choice.dropped
        wanted = {name.split()[0] for name in (*choice.capture, choice.input, choice.tree)}
        if "grpc" in wanted:
            self._open("grpc", find_controller(self._transport, info.properties))
        if choice.tree == "u2":
            self._open("u2", start_u2(self._transport, self._screen.patience.call_s))
        sources = self._sources.values()
        raw = self._screen.channel(raw=True)
        known: dict[str, CaptureChannel] = {raw.name: raw}
        known |= {channel.name: channel for source in sources for channel in source.captures}
        channels = [known[name] for name in choice.capture[:-1] if name in known]
        self._use(channels, next((s.gestures for s in sources if s.name == choice.input), None), info.boot_id)
        return True

    def renew(self) -> None:
        """The phone's state was replaced: open the ways anew, and compare each with adb's own once more.

        Raises BadFrame and DeviceError.
        """
        if not self._found:
            return
        self.use(self.choice.model_copy(update={"incarnation": self._info().boot_id}))
        capture = self._screen.capture
        while capture.current is not capture.reference and (why := lies(capture.current, capture.reference)):
            capture.drop(why)

    def unprovision(self) -> None:
        """Go back to adb's own."""
        self.close()
        if self._found:
            self._hands.use(None)
            self._screen.use(Capture(self._screen.own_channels()))
        self._found, self._incarnation, self._latency_ms, self._missing = False, "", {}, {}

    def close(self) -> None:
        """Let go of what was opened."""
        for source in self._sources.values():
            source.close()
        self._sources = {}
        self._screen.looks.use(None)

    def _open(self, name: str, source: Source | str) -> None:
        if isinstance(source, str):
            self._missing = self._missing | {name: source}
        else:
            self._sources[name] = source

    def _use(self, channels: Sequence[CaptureChannel], gestures: GestureChannel | None, incarnation: str) -> None:
        self._screen.use(Capture([*channels, self._screen.channel(raw=False)], self._lost_picture))
        self._hands.use(gestures)
        u2 = self._sources.get("u2")
        self._screen.looks.use(u2.tree if u2 else None, self._lost_u2)
        self._found, self._incarnation = True, incarnation

    def _lost_picture(self, name: str, why: str) -> None:
        """A source that lies about pictures may be another phone's, so that gestures and trees leave it too."""
        self._hands.drop(name, why)
        if name == "u2":
            self._lost_u2(why)

    def _lost_u2(self, why: str) -> None:
        """End the server: `uiautomator dump` works only without it."""
        u2 = self._sources.pop("u2", None)
        if u2 is not None:
            self._missing = self._missing | {"u2": why}
            self._screen.looks.use(None)
            self._hands.drop("u2", why)
            self._screen.capture.leave("u2", why)
            u2.close()


def _latencies(reports: Sequence[ChannelReport], prefix: str = "") -> dict[str, float]:
    return {prefix + report.name: round(report.latency_ms, 1) for report in reports if report.latency_ms is not None}
