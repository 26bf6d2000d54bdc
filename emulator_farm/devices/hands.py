"""Gestures on one phone: checked, sent the fastest way that is trusted, and by `input` where that fails."""

from __future__ import annotations

from agent_server.actions import Drag, LongPress, action_points
from emulator_farm.devices.channels import ChannelFailed
from emulator_farm.devices.dumpsys import Display
from emulator_farm.devices.gestures import Gesture, GestureChannel, command_of
from emulator_farm.devices.observation import Outcome
from emulator_farm.devices.transport import DEFAULT_DEADLINE_S, Transport
from emulator_farm.errors import CallerError


class Hands:
    """What touches the phone `transport` leads to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._fast: GestureChannel | None = None
        self._can_drag = True
        self.dropped: dict[str, str] = {}
        """Why a fast way is used no longer, by its name."""

    @property
    def way(self) -> str:
        """The way that gestures take where it can do them."""
        return "input" if self._fast is None else self._fast.name

    def use(self, channel: GestureChannel | None) -> None:
        """Send gestures this way where it can do them; None for `input` alone."""
        self._fast = channel
        self.dropped = {}

    def drop(self, name: str, why: str) -> None:
        """Use the way of this name no longer."""
        if self._fast is not None and self._fast.name == name:
            self._fast, self.dropped = None, {name: why}

    def forget(self) -> None:
        """Drop what was learned about the phone."""
        self._can_drag = True

    def perform(self, gesture: Gesture, seen: Display, *, tool: str = "input") -> Outcome:
        """Do it on the display as it was last seen; `tool` names the display too where there are several.

        Raises CallerError for a point outside the screen, CommandFailed where `input` does not do it, DeviceError
        (`input_uncertain`) where nobody knows what was done.
        """
        for point in action_points(gesture):
            if not point.inside(seen.size):
                raise CallerError(f"the point ({point.x}, {point.y}) is outside the screen of {seen.size}")
        if self._fast is not None and seen.rotation == 0 and self._fast.can(gesture, seen.size):
            try:
                return Outcome("ok", "", self._fast.perform(gesture, seen.size))
            except ChannelFailed as failure:  # nothing was done, so that `input` may do it
                self.drop(self._fast.name, str(failure))
        return self._by_input(gesture, seen, tool)

    def _by_input(self, gesture: Gesture, seen: Display, tool: str) -> Outcome:
        command = command_of(gesture, seen.size, tool=tool, can_drag=self._can_drag)
        held_ms = gesture.duration_ms or 0 if isinstance(gesture, LongPress) else 0
        completed = self._transport.shell(command, DEFAULT_DEADLINE_S + held_ms / 1000)
        if isinstance(gesture, Drag) and self._can_drag and not completed.ok:
            self._can_drag = False
            return self._by_input(gesture, seen, tool)
        if not completed.ok:
            raise completed.failure(self._transport.serial)
        return Outcome("ok", "", command)
