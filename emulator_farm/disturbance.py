"""Signs that something befell a phone in the middle of an episode which neither the agent nor its task did.

How such an episode ends says nothing about the agent, so it is no outcome: it is played again, whether it went well or
not, for else the rate of success would depend on the weather. What an app or a task itself brings about (a screen that
never rests, a crash at the same place) comes back at the next try, and then it counts as part of the task.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from agent_server.geometry import Size
from emulator_farm.devices.device import Device
from emulator_farm.devices.keyboard import IME
from emulator_farm.devices.observation import Observation
from emulator_farm.episode import Attempt
from emulator_farm.errors import Disturbed

CLOCK_JUMP_S = 60.0
"""A clock that moved so much more, or back, was set. One that stands still was not."""
_DIALOGS = (("Application Not Responding: ", "anr_dialog"), ("Application Error: ", "crash_dialog"))
_FLAGS = ("stale", "foreign_ui_tree")
_CALL = re.compile(r"\.InCall\w*$")
_RINGING = re.compile(r"^\s*mCallState=1\b", re.MULTILINE)
_FIELD = re.compile(r'class="[^"]*EditText"[^>]*focused="true"')


class Watch:
    """What is looked out for in one episode. Every method may raise Disturbed with a sign that is not in `known`."""

    def __init__(self, device: Device, known: frozenset[str] = frozenset(), *, needs_tree: bool = True) -> None:
        """`needs_tree`: whether the policy cannot do without the UI tree."""
        self._device = device
        self._known = known
        self._needs_tree = needs_tree
        self._size: Size | None = None
        self._clock = (0, 0.0)

    def begin(self) -> None:
        """The task is set up, the first step is next."""
        self._clock = self._seconds(), time.monotonic()

    def see(self, observation: Observation) -> None:
        """Look at what the agent is about to see."""
        for name, sign in _DIALOGS:
            if (observation.window or "").startswith(name):
                self._report(sign, f"{observation.window} is in front")
        for flag in _FLAGS:
            if flag in observation.flags:
                self._report(flag, f"a frame is flagged {', '.join(observation.flags)}")
        if "black" in observation.flags and not {"secure", "screen_off"} & set(observation.flags):
            self._report("black", "the screen is black, though it is on and its window allows pictures")
        if self._needs_tree and "no_ui_tree" in observation.flags:
            self._report("no_ui_tree", "the UI tree could not be read")
        self._held(observation)
        calling = observation.activity and _CALL.search(observation.activity)
        if calling and _RINGING.search(self._device.shell("dumpsys telephony.registry").text):
            self._report("incoming_call", "somebody calls")
        if observation.ui_tree and _FIELD.search(observation.ui_tree):
            self._keyboard()

    def end(self) -> None:
        """The last step is over, the check is next."""
        before, began = self._clock
        passed, moved = time.monotonic() - began, self._seconds() - before
        if not -CLOCK_JUMP_S < moved < passed + CLOCK_JUMP_S:
            self._report("clock", f"the phone's clock moved by {moved} s in {passed:.0f} s")
        self._keyboard()

    def _held(self, observation: Observation) -> None:
        """Whether the screen is as large as at first, and turned by nobody but the app in front."""
        size = Size(min(observation.size), max(observation.size))
        self._size = self._size or size
        if size != self._size:
            self._report("resized", f"the screen was {self._size}, it is {size}")
        if observation.rotation and self._device.settings_get("system", "user_rotation") not in (None, "0"):
            self._report("turned", f"the screen was turned by {observation.rotation * 90} degrees")

    def _keyboard(self) -> None:
        current = self._device.keyboard.current()
        if current != IME:
            self._report("keyboard", f"the keyboard is {current}")

    def _seconds(self) -> int:
        return self._device.transport.read(int, "date +%s")

    def _report(self, sign: str, said: str) -> None:
        if sign not in self._known:
            raise Disturbed(said, serial=self._device.serial, sign=sign)


def signs(attempts: Iterable[Attempt]) -> frozenset[str]:
    """The signs that broke earlier attempts off."""
    return frozenset(
        attempt.cause.removeprefix(Disturbed.prefix)
        for attempt in attempts
        if attempt.cause.startswith(Disturbed.prefix)
    )
