"""What the phone shows now, each form made once for a state: layout, picture, PNG."""

import os
import threading
from collections.abc import Callable, Hashable

from PIL import Image

from .picture import encode_png
from .scene import Scene, Stage
from .system import System

_AT_WORK = threading.BoundedSemaphore(os.cpu_count() or 1)
"""Of many phones in a process only so many draw at once: more would be no faster, and each takes 30 MB meanwhile."""


class View:
    """Caches one scene, one picture and one PNG. `lit()` says whether the display is on."""

    def __init__(self, system: System, stage: Stage, lit: Callable[[], bool]) -> None:
        self._system = system
        self._stage = stage
        self._lit = lit
        self._scene: tuple[Hashable, Scene] | None = None
        self._frame: tuple[int, Image.Image] | None = None
        self._png: tuple[int, bytes] | None = None
        self._version = 0

    def freeze(self) -> None:
        """Nothing here is state."""

    def thaw(self, state: None) -> None:
        """Forget what was drawn before."""
        self._scene = self._frame = self._png = None

    @property
    def version(self) -> int:
        """Goes up with each new scene."""
        self.scene()
        return self._version

    def scene(self) -> Scene:
        """The windows on the screen, laid out."""
        system = self._system
        screen = system.ui.front
        now = system.now()
        shown_time = (now.date(), now.hour, now.minute)
        key = (system.version, id(screen), shown_time, screen.moment(), system.toast_now)
        if self._scene is None or self._scene[0] != key:
            self._scene = (key, self._stage.compose(screen))
            self._version += 1
        return self._scene[1]

    def frame(self) -> Image.Image:
        """The picture, RGB; black while the display is off."""
        version = self.version
        if self._frame is None or self._frame[0] != version:
            self._frame = None
            with _AT_WORK:
                image = self.scene().draw() if self._lit() else Image.new("RGB", self._system.display.size)
            self._frame = (version, image)
        return self._frame[1]

    def png(self) -> bytes:
        """The picture as PNG."""
        image = self.frame()
        if self._png is None or self._png[0] != self._version:
            with _AT_WORK:
                self._png = (self._version, encode_png(image))
        return self._png[1]
