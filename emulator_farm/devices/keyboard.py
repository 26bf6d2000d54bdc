"""Typing by a keyboard on the phone that takes text as base64.

`input text` loses non-ASCII, turns `%s` into a space and hands the rest to a shell. uiautomator2's own input method,
out of the apk in its wheel, takes base64 in a broadcast instead: any text works, and nothing of it can mean anything to
a shell. It is set once per phone and looked at again when typing fails.
"""

from __future__ import annotations

import base64
import importlib.resources
from collections.abc import Callable, Iterator

from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.observation import Outcome
from emulator_farm.devices.replies import broadcast_result, ime_list, ime_selected, setting
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import NotReady

IME = "com.github.uiautomator/.AdbKeyboard"
_RESULT_OK = -1
_CHUNK_BYTES = 2000
"""Of UTF-8 in one broadcast: old phones take 4 KiB of command."""
_REGISTER_S = 10.0
_ENTER = "input keyevent 66"
NO_FIELD = "no focused field"


class Keyboard:
    """The input method of one phone. `install` puts an apk on it."""

    def __init__(self, transport: Transport, install: Callable[[bytes], None], start_s: float = 2.0) -> None:
        """`start_s` is how long a keyboard that was just selected may take to answer."""
        self._transport = transport
        self._install = install
        self._start_s = start_s
        self._ready = self._fresh = False
        self.previous: str | None = None
        """The input method that was set before ours, None before `ensure` or where ours was set already."""

    def ensure(self) -> None:
        """Install, enable and select the keyboard where that is not so. Raises NotReady with what the phone said."""
        current = self.current()
        if current != IME:
            if IME not in self._known():
                self._install_apk()
            self._select()
            self.previous = current
        self._ready = True

    def forget(self) -> None:
        """Look again before the next text: the phone was restored or restarted."""
        self._ready = False

    def restore(self) -> None:
        """Select the keyboard that was there before."""
        if self.previous is not None:
            self._transport.run(["ime", "set", self.previous])
            self.previous = None
        self._ready = False

    def current(self) -> str | None:
        """Id of the selected input method."""
        return setting(self._transport.run("settings get secure default_input_method").text)

    def type(self, text: str) -> Outcome:
        """Enter text into the focused field; a final newline presses Enter, others are part of the text."""
        body = text.removesuffix("\n")
        enter = body != text
        if not text:
            return Outcome("none", "there is nothing to type")
        commands = []
        typed = 0
        for chunk in chunks(body):
            coded = base64.b64encode(chunk.encode()).decode()
            commands.append(f"am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text {coded}")
            if not self._deliver(commands[-1]):
                detail = f"{NO_FIELD} after {typed} characters" if typed else NO_FIELD
                return Outcome("rejected", detail, " && ".join(commands))
            typed += len(chunk)
        if enter:
            commands.append(_ENTER)
            self._transport.run(_ENTER)
        return Outcome("ok", "", " && ".join(commands))

    def clear_text(self) -> Outcome:
        """Empty the focused field."""
        command = "am broadcast -a ADB_KEYBOARD_CLEAR_TEXT"
        return Outcome("ok", "", command) if self._deliver(command) else Outcome("rejected", NO_FIELD, command)

    def _deliver(self, command: str) -> bool:
        """Whether the keyboard did it. Where it did not, somebody may have selected another one: then once more."""
        if not self._ready:
            self.ensure()
        if self._broadcast(command):
            return True
        if self.current() == IME:
            return False
        self.ensure()
        return self._broadcast(command)

    def _broadcast(self, command: str) -> bool:
        deadline = Deadline(self._start_s if self._fresh else 0)
        self._fresh = False
        while self._transport.read(broadcast_result, command) != _RESULT_OK:
            if deadline.passed:
                return False
            deadline.pause(0.1)
        return True

    def _known(self) -> list[str]:
        return ime_list(self._transport.run("ime list -s -a").text)

    def _install_apk(self) -> None:
        apk = importlib.resources.files("uiautomator2").joinpath("assets/app-uiautomator.apk").read_bytes()
        self._install(apk)
        deadline = Deadline(_REGISTER_S)
        while IME not in self._known():
            if deadline.passed:
                raise self._not_ready(f"{IME} is installed but the phone does not list it")
            deadline.pause(0.1)

    def _select(self) -> None:
        self._transport.run(["ime", "enable", IME])
        said = self._transport.run(["ime", "set", IME]).text
        if not ime_selected(said):
            raise self._not_ready(f"the phone refuses the keyboard: {said.strip()}")
        deadline = Deadline(_REGISTER_S)
        while self.current() != IME:
            if deadline.passed:
                raise self._not_ready(f"{IME} was selected, but {self.current()} is still the keyboard")
            deadline.pause(0.1)
        self._fresh = True

    def _not_ready(self, message: str) -> NotReady:
        return NotReady(message, serial=self._transport.serial, check="keyboard")


def chunks(text: str, limit: int = _CHUNK_BYTES) -> Iterator[str]:
    """Pieces of at most `limit` bytes of UTF-8 that joined give the text."""
    start = size = 0
    for index, character in enumerate(text):
        width = len(character.encode())
        if size + width > limit:
            yield text[start:index]
            start, size = index, 0
        size += width
    if start < len(text):
        yield text[start:]
