"""Notifications that come over an app: a banner takes the touch below it, and neither focus nor tree tells of it.

A prepared phone shows none. On any other one a notification that came between look and touch is taken for a banner.
"""

from __future__ import annotations

from emulator_farm.devices.transport import Transport

_ASK = "settings get global heads_up_notifications_enabled; cmd notification list"


class Banners:
    """What may lie over the screen of one phone. Methods raise what the transport raises."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._off = False
        self._posted: frozenset[str] = frozenset()

    def look(self) -> None:
        """The screen is looked at: banners that are there are in the picture."""
        self._posted = self._keys()

    def since(self) -> str:
        """A notification that came since the last look; empty where none did, and where they do not lie over apps."""
        return next(iter(sorted(self._keys() - self._posted)), "")

    def forget(self) -> None:
        """Ask again whether there are banners at all."""
        self._off = False

    def _keys(self) -> frozenset[str]:
        """What is posted now; nothing where banners are off, which is asked for until it is so."""
        if self._off:
            return frozenset()
        switch, _, listed = self._transport.shell(_ASK).text.partition("\n")
        self._off = switch.strip() == "0"
        return frozenset() if self._off else frozenset(line for line in listed.splitlines() if line.count("|") >= 2)
