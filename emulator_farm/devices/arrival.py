"""Whether a gesture that changed nothing reached the phone at all.

`input` and an emulator's controller report success for an event that was lost. Where the screen after a gesture is the
screen before it, the phone's own record of its last input events tells the two cases apart; else an agent would be
blamed for a touch that never came. Asked for only then, so it costs nothing where something happened.
"""

from __future__ import annotations

import time

from emulator_farm.devices.dumpsys import newest_input_ms
from emulator_farm.devices.observation import Observation
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import DeviceError

_SLACK_MS = 200.0
"""How far the clocks of host and phone may drift apart within a step."""


class Arrival:
    """The last gesture on one phone, until its effect was looked at."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._before: Observation | None = None
        self._began = 0.0

    def sending(self, before: Observation | None) -> None:
        """A gesture is about to be sent; `before` is what was seen last, None where something was done since."""
        self._before, self._began = before, time.monotonic()

    def seen(self, after: Observation) -> None:
        """What the screen shows now. Raises DeviceError (`input_lost`) where the phone's record lacks the gesture."""
        before, self._before = self._before, None
        if before is None or not _same(before, after):
            return
        elapsed_ms = (time.monotonic() - self._began) * 1000
        newest = newest_input_ms(self._transport.run("dumpsys input").text)
        if newest is not None and newest > elapsed_ms + _SLACK_MS:
            what = "no input event" if newest == float("inf") else f"no input event for {newest / 1000:.1f} s"
            said = f"a gesture was lost: the phone saw {what}, it was sent {elapsed_ms / 1000:.1f} s ago"
            raise DeviceError(said, serial=self._transport.serial, cause="input_lost")


def _same(before: Observation, after: Observation) -> bool:
    """Whether nothing changed, but for what the status bar shows."""
    if before.window != after.window or before.rotation != after.rotation:
        return False
    if before.ui_tree is not None and after.ui_tree is not None:
        return before.ui_tree == after.ui_tree
    return before.image == after.image
