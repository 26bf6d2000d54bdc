"""What people see while model servers start: their logs, and on a terminal one line that is updated below."""

from __future__ import annotations

import os
from typing import TextIO

_CLEAR = "\r\x1b[2K"
_COLUMNS = 80
"""Of a terminal that does not say."""


class Console:
    """Writes to one stream, stderr as a rule."""

    def __init__(self, stream: TextIO) -> None:
        self.terminal = stream.isatty()
        self._stream = stream
        self._status = ""

    def line(self, text: str) -> None:
        """A line that stays."""
        self._write(f"{self._cleared()}{text}\n{self._status}")

    def status(self, text: str) -> None:
        """The updated line on a terminal, an ordinary one elsewhere; "" takes it away."""
        if not self.terminal:
            if text:
                self.line(text)
            return
        cleared = self._cleared()
        columns = os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        self._status = text[: columns - 1]
        self._write(cleared + self._status)

    def _cleared(self) -> str:
        return _CLEAR if self._status else ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
