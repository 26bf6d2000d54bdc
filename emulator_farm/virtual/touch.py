"""From a finger on the glass to what it means: tap, long press, scroll, slide, fling.

Scrolling has no slop to lose and no momentum: once a movement counts as a scroll, the content is exactly where the
finger took it, clamped to the content's ends.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .boxes import Box, Window
from .editing import Editor
from .render import slider_track
from .scene import Scene
from .screen import Screen
from .system import System
from .system_bars import gestural
from .widgets import Scroll, Slider, TextField

SLOP_DP = 8
FLING_DP = 48
EDGE_DP = 20
LONG_PRESS_S = 0.5
DOUBLE_TAP_S = 0.3
DOUBLE_TAP_DP = 100
HOLD_S = 0.7
"""A swipe up from the gesture pill this slow opens the overview instead of the home screen."""


@dataclass
class _Finger:
    x: int
    y: int
    at: float
    path: list[Box]
    window: Window | None
    scene: Scene
    screen: Screen
    mode: str = ""
    """"" undecided | scroll | slide | pan | spent"""
    scroller: Box | None = None
    scroll_from: int = 0
    last_x: int = 0
    last_y: int = 0


class Touch:
    """The one finger of a phone. Times are seconds of any steady clock."""

    def __init__(self, system: System, scene: Callable[[], Scene], editor: Editor) -> None:
        self._system = system
        self._scene = scene
        self._editor = editor
        self._finger: _Finger | None = None
        self._last_tap: tuple[int, int, float] | None = None

    def down(self, x: int, y: int, at: float) -> None:
        """A finger goes down; one that was down already is lost."""
        scene = self._scene()
        window, path = _hit(scene, x, y)
        self._finger = _Finger(x, y, at, path, window, scene, self._system.ui.front, last_x=x, last_y=y)
        slider = _nearest(path, Slider)
        if slider is not None and slider.widget.enabled:
            self._finger.mode = "slide"
            self._slide(slider, x)

    def move(self, x: int, y: int) -> None:
        """The finger moves; ignored where none is down."""
        finger = self._finger
        if finger is None:
            return
        finger.last_x, finger.last_y = x, y
        if finger.mode == "":
            self._decide(finger, x, y)
        if finger.mode == "slide":
            slider = _nearest(finger.path, Slider)
            if slider is not None:
                self._slide(slider, x)
        elif finger.mode == "scroll" and finger.scroller is not None and finger.window is not None:
            box = finger.scroller
            assert isinstance(box.widget, Scroll)
            moved = finger.y - y if box.widget.axis == "y" else x - finger.x if box.rtl else finger.x - x
            offset = min(max(0, finger.scroll_from + moved), box.scroll_range)
            finger.window.state.scroll[box.widget.state_key] = offset
            self._system.changed()

    def long_press(self) -> bool:
        """The finger has rested long enough; True where something answered to it."""
        finger = self._finger
        if finger is None or finger.mode:
            return False
        for box in finger.path:
            if isinstance(box.widget, TextField) and box.widget.enabled and finger.window is not None:
                finger.mode = "spent"
                self._editor.touch(box, finger.window.state, finger.x, finger.y, word=True)
                return True
            if box.widget.on_long is not None and box.widget.enabled:
                finger.mode = "spent"
                box.widget.on_long()
                self._system.changed()
                return True
        return False

    def up(self, x: int, y: int, at: float) -> None:
        """The finger is lifted."""
        self.move(x, y)
        finger = self._finger
        if finger is None:
            return
        if finger.mode == "" and at - finger.at >= LONG_PRESS_S:
            self.long_press()
        self._finger = None
        if finger.mode == "":
            self._tap(finger, at)
        elif finger.mode in ("pan", "scroll"):
            self._fling(finger, x, y, at)

    def cancel(self) -> None:
        """The touch ends without effect."""
        self._finger = None

    def freeze(self) -> tuple[int, int, float] | None:
        """What a snapshot keeps: the last tap. A finger that is down does not come along."""
        return self._last_tap

    def thaw(self, state: tuple[int, int, float] | None) -> None:
        """No finger is down."""
        self._finger, self._last_tap = None, state

    # -- inside

    def _decide(self, finger: _Finger, x: int, y: int) -> None:
        dx, dy = x - finger.x, y - finger.y
        slop = finger.scene.layout(finger.scene.app).px(SLOP_DP)
        if max(abs(dx), abs(dy)) <= slop:
            return
        axis = "x" if abs(dx) > abs(dy) else "y"
        finger.mode = "pan"
        for box in finger.path:
            widget = box.widget
            if widget.on_fling is not None and not isinstance(widget, Scroll):
                continue
            if isinstance(widget, Scroll) and widget.axis == axis and box.scroll_range and finger.window:
                finger.mode, finger.scroller = "scroll", box
                finger.scroll_from = finger.window.state.scroll.get(widget.state_key, 0)
                return

    def _slide(self, box: Box, x: int) -> None:
        widget = box.widget
        assert isinstance(widget, Slider)
        left, right = slider_track(box, self._scene().layout(self._scene().active))
        share = min(1.0, max(0.0, (x - left) / max(1, right - left)))
        if box.rtl:
            share = 1 - share
        value = widget.low + round(share * (widget.high - widget.low))
        if widget.on_change is not None:
            widget.on_change(value)
        self._system.changed()

    def _tap(self, finger: _Finger, at: float) -> None:
        x, y = finger.x, finger.y
        double = self._is_double(finger, at)
        self._last_tap = None if double else (x, y, at)
        if finger.scene.active.state.toolbar and (finger.window is None or finger.window.kind != "toolbar"):
            finger.scene.active.state.toolbar = False
            self._system.changed()
        if finger.window is None:
            if finger.scene.active.kind == "dialog":
                self._system.ui.back()
            return
        for box in finger.path:
            widget = box.widget
            if isinstance(widget, TextField) and widget.enabled:
                self._editor.touch(box, finger.window.state, x, y, double)
                self._system.changed()
                return
            if widget.on_tap is not None:
                if widget.enabled:
                    widget.on_tap()
                    self._system.changed()
                return

    def _is_double(self, finger: _Finger, at: float) -> bool:
        if self._last_tap is None:
            return False
        x, y, before = self._last_tap
        reach = finger.scene.layout(finger.scene.app).px(DOUBLE_TAP_DP)
        return at - before <= DOUBLE_TAP_S and abs(finger.x - x) <= reach and abs(finger.y - y) <= reach

    def _fling(self, finger: _Finger, x: int, y: int, at: float) -> None:
        dx, dy = x - finger.x, y - finger.y
        px = finger.scene.layout(finger.scene.app).px
        if gestural(self._system) and self._system_gesture(finger, dx, dy, at):
            return
        if max(abs(dx), abs(dy)) < px(FLING_DP):
            return
        direction = ("right" if dx > 0 else "left") if abs(dx) > abs(dy) else ("down" if dy > 0 else "up")
        for box in finger.path:
            if finger.scroller is box:
                return
            if box.widget.on_fling is not None and box.widget.on_fling(direction):
                self._system.changed()
                return

    def _system_gesture(self, finger: _Finger, dx: int, dy: int, at: float) -> bool:
        ui, area = self._system.ui, finger.scene.area
        edge = finger.scene.layout(finger.scene.app).px(EDGE_DP)
        if finger.window is not None and finger.window.kind == "navigation" and dy < 0 and abs(dy) > abs(dx):
            if at - finger.at >= HOLD_S:
                ui.overview()
            else:
                ui.home()
            return True
        from_left = finger.x < edge and dx > 0
        from_right = finger.x >= area.right - edge and dx < 0
        if (from_left or from_right) and abs(dx) > abs(dy):
            ui.back()
            return True
        return False


def _hit(scene: Scene, x: int, y: int) -> tuple[Window | None, list[Box]]:
    for window in reversed(scene.windows):
        if window.kind == "toast":
            continue
        if window.kind == "app" and scene.active is not window:
            return None, []
        path = window.at(x, y)
        if path:
            return window, path
    return None, []


def _nearest(path: list[Box], kind: type[Slider]) -> Box | None:
    return next((box for box in path if isinstance(box.widget, kind)), None)
